"""The numbers of table 5 from German sentences, beside numpy and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import counterpoise as cp
import tiny
from counterpoise.studies.papers.bartl2020.german import padded_german
from counterpoise.studies.papers.bartl2020.summary_rows import association_rows


def test_german_means_standard_deviations_and_tests(tmp_path):
    items, _, _ = padded_german(cp.load(tiny.save("german-bert", tmp_path / "model")), pairs=1)
    rows = {row["key"]: row["value"] for row in association_rows(items, profession="profession_en")}
    for group, of_group in items.groupby("group"):
        wide = of_group.pivot_table("association", ["profession_en", "template"], "gender")
        assert len(wide) == 100
        for person in ("female", "male"):
            assert rows[f"association_{person}.{group}"] == pytest.approx(wide[person].mean())
            assert rows[f"association_sd_{person}.{group}"] == pytest.approx(np.std(wide[person], ddof=1))
        difference = wide.female - wide.male
        ranks = stats.rankdata(difference.abs())
        assert rows[f"association_wilcoxon_v.{group}"] == pytest.approx(ranks[difference > 0].sum())
        test = stats.wilcoxon(difference, method="asymptotic", correction=False)
        assert rows[f"association_wilcoxon_p.{group}"] == pytest.approx(test.pvalue)
