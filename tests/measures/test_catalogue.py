from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import counterpoise as cp
from counterpoise.core.errors import InputError
from counterpoise.measures.catalogue import all_measures, find_measure, suite_measures
from counterpoise.measures.result import Ideal, Row, make_summary

PLUGIN = '''
"""Counts nothing (Nobody 2026)."""
import pandas as pd
from counterpoise.data.spec import citation
from counterpoise.measures import Ideal, Result, measure
from counterpoise.measures.result import Row, make_summary, skipped_table
from counterpoise.models import MaskedLM

@measure("nothing", needs=MaskedLM, data="none", ideal=Ideal.at(50, "%"), sign="none", cites="barza2023")
def nothing(model, data=None, *, variant="corrected", seed=0):
    """Is there anything?"""
    row = Row("overall", "all", "share", 50.0, Ideal.at(50, "%"), 1, 1)
    return Result("nothing", "none", model.name, variant, seed, pd.DataFrame({"x": [1]}),
                  make_summary([row], "nothing", "none", variant), skipped_table([], []), "none", "")
'''


def test_every_measure_says_what_it_needs():
    for name, found in all_measures().items():
        assert found.question.endswith("?"), name
        assert found.needs
        assert found.sign
        assert found.function.__name__ == name
        assert getattr(cp.measures, name) is found.function


def test_unknown_names():
    with pytest.raises(InputError, match="did you mean 'lpbs'"):
        find_measure("lbps")
    with pytest.raises(InputError, match="there is no suite 'everything'"):
        suite_measures("everything")


def test_the_quick_suite():
    names = {found.name for found in suite_measures("quick")}
    assert names == {"eec_sentiment", "lpbs", "ppd", "seat", "sentiment", "sld", "weat"}


def test_a_third_partys_package_adds_a_measure(tmp_path):
    (tmp_path / "plugin_of_ours.py").write_text(PLUGIN)
    (tmp_path / "broken_plugin.py").write_text("raise RuntimeError('no')")
    info = tmp_path / "plugin_of_ours-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin-of-ours\nVersion: 1\n")
    (info / "entry_points.txt").write_text(
        "[counterpoise.measures]\nnothing = plugin_of_ours\nbroken = broken_plugin\n"
    )
    code = (
        "import counterpoise as cp; audit = cp.audit(measures=['nothing']); "
        "assert audit.summary.ideal_text.tolist() == ['50 %']; print(audit.summary.value[0])"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "50.0\n"
    assert "the measures of broken_plugin cannot be loaded: no" in done.stderr


def test_p_values_are_adjusted_within_a_level():
    def row(level, p):
        return Row(level, "g", "s", 0.0, Ideal.at(0.0), 1, 1, p_value=p)

    rows = [row("overall", 0.04), row("group", 0.01), row("group", 0.04), row("group", np.nan)]
    table = make_summary(rows, "m", "d", "corrected")
    assert table.p_adjusted.tolist()[:3] == pytest.approx([0.04, 0.02, 0.04])
    assert pd.isna(table.p_adjusted[3])
