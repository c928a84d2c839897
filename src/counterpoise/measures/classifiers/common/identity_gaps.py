"""Rows about sentences that differ in an identity term alone: score gaps and error rates.

Term pairs and templates are crossed, since every template takes every pair, and both are samples: there are other
words for women and men, and other sentences. Intervals and tests of gaps are those of two crossed random effects
(`counterpoise.stats.crossed_t`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
from statsmodels.stats.proportion import proportion_confint

from counterpoise import stats
from counterpoise.data.builtin.toxicity_templates import NEUTRAL
from counterpoise.measures.base.row_builders import figure_row, fitted_row, mean_row
from counterpoise.measures.base.rows import OVERALL, ZERO, Place, Row, in_group, of_word
from counterpoise.measures.base.source import Contrast, Observed, Source, observe

TEMPLATES = "templates"  # where items come from
HARMLESS = Place("overall", "non-toxic sentences", "non_toxic")
TOXIC = in_group("toxic", "toxic sentences")

_MALE_MINUS_FEMALE = Contrast(("group",), {("male",): 1.0, ("female",): -1.0}, within=("template", "pair"))
_DIFFERENCE = "male - female score"
_GAP = "mean |male - female score|"
_RATES = {  # by whether the sentences are toxic
    False: ("false_positive_rate", "false positive rate"),
    True: ("false_negative_rate", "false negative rate"),
}


def identity_rows(items: pd.DataFrame) -> list[Row]:
    """All rows about the templates."""
    of_templates = items[items.origin == TEMPLATES]
    return [
        *_gap_rows(items),
        *_error_rows(items),
        *_equality_differences(of_templates),
        *_group_rows(items, of_templates),
        *_word_rows(items, of_templates),
    ]


def _gap_rows(items: pd.DataFrame) -> list[Row]:
    """The signed difference and the counterfactual token fairness gap."""
    places: list[tuple[Place, dict[str, bool]]] = [
        (OVERALL, {}),
        (HARMLESS, {"is_toxic": False}),
        (TOXIC, {"is_toxic": True}),
    ]
    compared = [(place, _compared(items, "score", **where)) for place, where in places]
    return [
        *(_crossed_row(scores, "difference", _DIFFERENCE, at=place) for place, scores in compared),
        *(_crossed_row(scores, "ctf_gap", _GAP, at=place, absolute=True) for place, scores in compared),
    ]


def _error_rows(items: pd.DataFrame) -> list[Row]:
    return [
        _crossed_row(
            _compared(items, "error", is_toxic=is_toxic),
            statistic.replace("_rate", "_difference"),
            f"male - female {label}",
        )
        for is_toxic, (statistic, label) in _RATES.items()
    ]


def _compared(items: pd.DataFrame, column: str, **where: bool) -> Observed:
    """Male minus female of sentences that differ in nothing else."""
    source = Source(column, where={"is_gendered": True, **where}, contrast=_MALE_MINUS_FEMALE)
    return Observed(source.observe(items), source)


def _crossed_row(
    compared: Observed, statistic: str, label: str, *, at: Place = OVERALL, absolute: bool = False
) -> Row:
    """The mean over all pairs of sentences; of absolute differences without a test: they are above 0 by chance."""
    table = compared.table.pivot_table(
        index="pair", columns="template", values=compared.source.column
    ).to_numpy()
    # Two models are compared by pairs of terms; absolute differences would cancel within one.
    source = compared.as_source("mean_absolute") if absolute else compared.as_source("mean", "pair")
    fit = stats.crossed_t(np.abs(table) if absolute else table)
    row = fitted_row(
        fit,
        statistic,
        label,
        n=table.size,
        clusters=fit.n_clusters,
        at=at,
        source=source,
    )
    if absolute:
        return replace(row, ci_low=max(row.ci_low, 0.0))
    if fit.reason is not None:
        return row
    return replace(
        row,
        p_value=fit.p_value,
        effect_size=float(stats.cohens_d(table.mean(axis=1))),
        smallest_detectable=stats.smallest_detectable_t(fit.standard_error, fit.df),
    )


def _equality_differences(of_templates: pd.DataFrame) -> Iterator[Row]:
    """FPED and FNED: how far the error rates of the identity terms are from that of all of them, summed over terms."""
    identities = of_templates[of_templates.group != NEUTRAL]
    for is_toxic, (statistic, label) in (
        (False, ("fped", "FPED, sum over terms of |FPR - FPR of the term|")),
        (True, ("fned", "FNED, sum over terms of |FNR - FNR of the term|")),
    ):
        sentences = identities[identities.is_toxic == is_toxic]
        rates = sentences.groupby("term", sort=False).error.mean()
        source = Source("error", where={"origin": TEMPLATES, "is_toxic": is_toxic}, form="figure")
        yield figure_row(
            float((rates - sentences.error.mean()).abs().sum()),
            statistic,
            label,
            n=len(sentences),
            clusters=len(rates),
            ideal=ZERO,
            source=source,
        )


def _group_rows(items: pd.DataFrame, of_templates: pd.DataFrame) -> Iterator[Row]:
    groups = list(of_templates.group.unique())
    for is_toxic, (statistic, label) in _RATES.items():
        for group in groups:
            errors = observe(items, "error").only(origin=TEMPLATES, group=group, is_toxic=is_toxic)
            row = mean_row(errors, statistic, label, cluster="template", at=in_group(group), test=None)
            if row.note:  # all templates alike, none flagged, say: as of so many independent sentences
                low, high = proportion_confint(row.value * row.clusters, row.clusters, method="wilson")
                row = replace(row, ci_low=float(low), ci_high=float(high), note="")
            yield replace(row, ci_low=max(row.ci_low, 0.0), ci_high=min(row.ci_high, 1.0))
    for group in groups:
        if group != NEUTRAL:
            weights: dict[tuple[str, ...], float] = {(group,): 1.0, (NEUTRAL,): -1.0}
            contrast = Contrast(("group",), weights, within=("template",))
            source = Source("score", where={"origin": TEMPLATES, "is_toxic": False}, contrast=contrast)
            above = Observed(source.observe(items), source)
            label = "score above neutral terms, non-toxic"
            yield mean_row(above, "score_above_neutral", label, cluster="template", at=in_group(group))


def _word_rows(items: pd.DataFrame, of_templates: pd.DataFrame) -> Iterator[Row]:
    for pair in of_templates.pair[of_templates.pair != ""].unique():
        source = Source("score", where={"pair": pair}, contrast=_MALE_MINUS_FEMALE)
        compared = Observed(source.observe(items), source)
        yield mean_row(compared, "difference", _DIFFERENCE, cluster="template", at=of_word(pair))
    for is_toxic, (statistic, label) in _RATES.items():
        for term in of_templates.term.unique():
            errors = observe(items, "error").only(term=term, is_toxic=is_toxic)
            row = mean_row(errors, statistic, label, cluster="template", at=of_word(term), test=None)
            low, high = proportion_confint(int(errors.numbers.sum()), len(errors), method="wilson")
            yield replace(row, ci_low=float(low), ci_high=float(high), note="")
