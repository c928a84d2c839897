"""Question 2 in words: what fine-tuning changes, what swapping adds to it, and what remains uncertain."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pandas as pd

from counterpoise.core.numbers import decimal_text, p_equals
from counterpoise.studies.papers.bartl2020.summary_rows import ASSOCIATION, CHANGE, DIFFERENCE
from counterpoise.studies.papers.bartl2020.swap_effects import CONTROL, swap_effects
from counterpoise.studies.replication.study_table import ALPHA, first_row, rows_of, select, with_interval

_CLOSER, _APART = ", closer", ", further apart"  # as they stand in a sentence
# How recipes differ from the control besides the swap.
_OTHERWISE: Mapping[str, str] = MappingProxyType({"published": " (with another learning rate and padding)"})


def mitigation_findings(table: pd.DataFrame) -> str:
    """The answer from the rows of one model and variant; nothing where no trained model was measured."""
    changes = select(table, step="after", person=DIFFERENCE, statistic=CHANGE)
    if changes.empty:
        return ""
    before = select(table, step="before", person=DIFFERENCE, statistic=ASSOCIATION)
    sentences = [f"Male - female before fine-tuning: {values_by_group(before)}."] if len(before) else []
    effects = swap_effects(table)
    effects = effects[effects.person == DIFFERENCE]
    if effects.empty:
        sentences += [
            f"Recipe {recipe} changes it by {_changes(select(changes, recipe=recipe))}."
            for recipe in changes.recipe.unique()
        ]
        sentences.append("The control was not measured, so the effect of the swap is not known.")
        return " ".join(sentences)
    swap_alone = effects[~effects.recipe.isin(list(_OTHERWISE))]
    if len(swap_alone):
        largest = decimal_text(swap_alone.value.abs().max(), 2)
        sentences.insert(
            0, f"The largest estimated effect of swapping, beyond fine-tuning itself, is {largest}."
        )
    control = _changes(select(changes, recipe=CONTROL))
    sentences.append(f"Fine-tuning on unswapped passages (control) changes it by {control}.")
    added = "; ".join(
        f"{recipe}{_OTHERWISE.get(recipe, '')} {values_by_group(select(effects, recipe=recipe))}"
        for recipe in effects.recipe.unique()
    )
    sentences.append(f"Change by recipe minus change by the control: {added}.")
    return " ".join([*sentences, *_conclusions(effects, before), _trainings(effects)])


def mitigation_verdict(table: pd.DataFrame) -> str:
    """The answer in one sentence, from the rows of all models that were read as corrected."""
    effects = swap_effects(table)
    effects = effects[(effects.person == DIFFERENCE) & ~effects.recipe.isin(list(_OTHERWISE))]
    if effects.empty:
        return "Cannot be told: without training on unswapped text the effect of the swap is not known."
    before = select(table, step="before", person=DIFFERENCE, statistic=ASSOCIATION)
    directions = [
        _direction(row, select(before, model=row.model))
        for row in rows_of(effects[effects.p_adjusted < ALPHA])
    ]
    if not directions:
        return "Not shown: what the swap adds to fine-tuning cannot be told from zero."
    closer, apart = directions.count(_CLOSER), directions.count(_APART)
    yes = "Partly" if closer and closer < len(effects) else "Yes" if closer else "No"
    text = f"{yes}: the swap itself brought them closer in {closer} of {len(effects)} comparisons"
    text += f" and further apart in {apart}" if apart else ""
    return f"{text}{'; with one training each, that may be chance' if effects.seeds.max() == 1 else ''}."


def _conclusions(effects: pd.DataFrame, before: pd.DataFrame) -> list[str]:
    """Which effects are significant, and how large the others would have to be."""
    significant = effects[effects.p_adjusted < ALPHA]
    rest = effects.drop(significant.index)
    sentences = []
    if len(significant):
        listed = ", ".join(
            f"{row.recipe} with {row.group} professions{_direction(row, before)} ({p_equals(row.p_adjusted)})"
            for row in rows_of(significant)
        )
        sentences.append(f"Significant over professions after Holm's correction: {listed}.")
    if len(rest):
        which = "None of these can" if significant.empty else f"The other {len(rest)} cannot"
        detectable = rest.smallest_detectable.dropna()
        limit = f" (minimum detectable effect {_range(detectable)})" if len(detectable) else ""
        sentences.append(f"{which} be distinguished from the control{limit}.")
    return sentences


def _direction(effect: Any, before: pd.DataFrame) -> str:
    """Whether an effect brings male and female closer; nothing where they did not differ significantly before."""
    row = first_row(before, group=effect.group)
    if row is None or not (row.ci_low > 0 or row.ci_high < 0):
        return ""
    return _CLOSER if row.value * effect.value < 0 else _APART


def _trainings(effects: pd.DataFrame) -> str:
    """What is known of the spread between trainings."""
    seeds = int(effects.seeds.max())
    if seeds == 1:
        return (
            "Each recipe was trained with one seed: the spread between training runs is not known, and even a "
            "significant effect may be due to that seed."
        )
    spread = _range(effects.sd_of_seeds)
    return (
        f"Over {seeds} training runs of each recipe the effects have a standard deviation of {spread}; the intervals "
        "include it."
    )


def _changes(rows: pd.DataFrame) -> str:
    """Changes by group: with their interval, or over several seeds their mean."""
    if len(rows.seed.unique()) == 1:
        return values_by_group(rows)
    means = rows.assign(value=pd.to_numeric(rows.value)).groupby("group", sort=False).value.mean()
    return ", ".join(f"{group} {decimal_text(mean, 2, sign=True)}" for group, mean in means.items())


def values_by_group(rows: pd.DataFrame) -> str:
    """Each group of professions with its value and interval."""
    return ", ".join(f"{row.group} {with_interval(row, sign=True)}" for row in rows_of(rows))


def _range(values: pd.Series) -> str:
    """
    >>> _range(pd.Series([0.062, 0.031, 0.04])), _range(pd.Series([0.031, 0.034]))
    ('0.03 to 0.06', '0.03')
    """
    low, high = (decimal_text(end, 2) for end in (values.min(), values.max()))
    return low if low == high else f"{low} to {high}"
