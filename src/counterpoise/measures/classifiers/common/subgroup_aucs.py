"""Rows about labelled texts: how well toxic texts are told from others where they mention women or men."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy import stats as scipy_stats

from counterpoise import stats
from counterpoise.core.errors import DataError
from counterpoise.measures.base.row_builders import fitted_row
from counterpoise.measures.base.rows import OVERALL, ZERO, Ideal, Place, Row, in_group
from counterpoise.measures.base.source import Source
from counterpoise.stats import BootstrapResult

TEXTS_GIVEN = "texts"  # where items come from
SUBGROUPS = {"male": "men", "female": "women"}
KINDS = {  # of AUCs, by the word in row keys
    "subgroup_auc": "subgroup AUC",
    "bpsn_auc": "BPSN AUC",
    "bnsp_auc": "BNSP AUC",
}
POWER = -5  # of the generalised mean over subgroups, as in Jigsaw's competition
_WEIGHT = 0.25  # of the overall AUC and of each of the three means in its score
_HIGH = Ideal.none("as high as possible")
_OF_TEXTS = Source("score", where={"origin": TEXTS_GIVEN}, form="figure")


def column_of(gender: str) -> str:
    """The column of the items that says whether a text belongs to the subgroup of a gender."""
    return f"about_{SUBGROUPS[gender]}"


def check_subgroups(items: pd.DataFrame, name: str) -> None:
    """Raises an error unless each AUC has texts to compare: toxic and harmless ones, in and outside each subgroup."""
    if items.is_toxic.nunique() < 2:
        kind = "toxic" if items.is_toxic.iloc[0] else "not toxic"
        raise DataError(
            f"all {len(items)} texts of {name} are labelled {kind}: an AUC compares toxic and other texts"
        )
    about = {people: items[column_of(gender)] for gender, people in SUBGROUPS.items()}
    for people, in_subgroup in about.items():
        if not in_subgroup.any():
            example = f"tried {len(items)}, e.g. {items.text.iloc[0]!r:.60}"
            raise DataError(
                f"no text of {name} is about {people} ({example}); see the terms or --gender COLUMN"
            )
    for people, in_subgroup in about.items():
        for kind, of_kind in (("toxic", items.is_toxic), ("harmless", ~items.is_toxic)):
            if not (in_subgroup & of_kind).any():
                raise DataError(f"no {kind} text of {name} is about {people}: its AUCs cannot be computed")
            if not (~in_subgroup & of_kind).any():
                raise DataError(
                    f"every {kind} text of {name} is about {people}: BPSN and BNSP AUC compare with texts that are not"
                )


def subgroup_rows(items: pd.DataFrame, seed: int) -> list[Row]:
    """The AUCs of both subgroups, male minus female, and the generalised means."""
    texts = items[items.origin == TEXTS_GIVEN]
    about = {gender: texts[column_of(gender)].to_numpy(bool) for gender in SUBGROUPS}
    toxic = texts.is_toxic.to_numpy(bool)
    comparisons = [
        comparison
        for kind in KINDS
        for comparison in (_positives_and_negatives(kind, about[gender], toxic) for gender in SUBGROUPS)
    ]
    strata = [f"{a}{b}{c}" for a, b, c in zip(toxic, *about.values(), strict=True)]
    fits = stats.bootstrap_aucs(
        texts.score.to_numpy(), [(toxic, ~toxic), *comparisons], _statistics, strata=strata, seed=seed
    )
    overall, score, *others = fits
    differences, means, single = others[:3], others[3:6], others[6:]
    n = len(texts)
    return [
        *(
            _difference_row(fit, f"{kind}_difference", f"male - female {label}", n)
            for fit, (kind, label) in zip(differences, KINDS.items(), strict=True)
        ),
        _auc_row(overall, "auc", "AUC of all texts", n, source=_OF_TEXTS),
        *(
            _auc_row(fit, f"{kind}_mean", f"{label}, generalised mean", n, source=_OF_TEXTS)
            for fit, (kind, label) in zip(means, KINDS.items(), strict=True)
        ),
        _auc_row(score, "jigsaw_score", "Jigsaw score", n, source=_OF_TEXTS),
        *_single_rows(single, about),
    ]


def _positives_and_negatives(
    kind: str, about: np.ndarray, toxic: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Which texts an AUC compares (Borkan et al. 2019)."""
    if kind == "subgroup_auc":
        return about & toxic, about & ~toxic
    if kind == "bpsn_auc":  # background positive, subgroup negative
        return ~about & toxic, about & ~toxic
    return about & toxic, ~about & ~toxic  # background negative, subgroup positive


def _statistics(areas: np.ndarray) -> np.ndarray:
    """From the AUCs of each draw (overall, then each kind for men and for women) to the values of the rows."""
    overall, single = areas[:, 0], areas[:, 1:]
    by_kind = single.reshape(len(areas), len(KINDS), len(SUBGROUPS))
    means = stats.power_mean(by_kind, POWER)
    score = _WEIGHT * (overall + means.sum(axis=1))
    differences = by_kind[:, :, 0] - by_kind[:, :, 1]
    return np.column_stack([overall, score, differences, means, single])


def _difference_row(fit: BootstrapResult, statistic: str, label: str, n: int) -> Row:
    """The test divides the difference by its bootstrap standard error and takes the ratio for normal."""
    row = fitted_row(fit, statistic, label, n=n, ideal=ZERO, source=replace(_OF_TEXTS, form="difference"))
    if fit.reason is not None:
        return row
    needed = float(scipy_stats.norm.ppf(0.975) + scipy_stats.norm.ppf(0.8))
    return replace(
        row,
        p_value=float(2 * scipy_stats.norm.sf(abs(fit.value) / fit.standard_error)),
        smallest_detectable=needed * fit.standard_error,
    )


def _auc_row(
    fit: BootstrapResult,
    statistic: str,
    label: str,
    n: int,
    at: Place = OVERALL,
    source: Source | None = None,
) -> Row:
    return fitted_row(fit, statistic, label, n=n, at=at, ideal=_HIGH, source=source)


def _single_rows(fits: Sequence[BootstrapResult], about: dict[str, np.ndarray]) -> list[Row]:
    cells = [(kind, label, gender) for kind, label in KINDS.items() for gender in SUBGROUPS]
    return [
        _auc_row(
            fit,
            kind,
            label,
            int(about[gender].sum()),
            in_group(gender, f"texts about {SUBGROUPS[gender]}"),
        )
        for fit, (kind, label, gender) in zip(fits, cells, strict=True)
    ]
