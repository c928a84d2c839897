"""The rows of a proof: what was gained, what of it is due to swapping, which leans were lost that were right.

Every row has the value before, of the control (trained on the unswapped text, where there is one) and after, and the
change with its interval: in per cent of the value before, drawn over words together before and after; for accuracies
in points. `kept` is the share of a lean that is left where a lean is right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.mitigate.evaluation.held_out import accuracy, change_columns, damage_rows, perplexity
from counterpoise.mitigate.evaluation.net_effect import net_effect
from counterpoise.mitigate.evaluation.scores import APPD, ASSOCIATION, SLD, ModelScores

GAINS = {
    ASSOCIATION: "mean |male - female association| of professions",
    APPD: "mean |APPD| of professions",
    SLD: "mean |SLD| of sentence pairs",
}
NET = {gain: f"{gain}, due to swapping" for gain in GAINS.values()}
LEAN = "APPD towards the word's own gender"
ALL_LEANS = "all gender-related words"
COLUMNS = ["kind", "quantity", "group", "before", "control", "after", "change", "ci_low", "ci_high", "unit"]
COLUMNS += ["ideal", "kept", "n", "note"]

_LEANS = 0.05  # from here on a word counts as leaning at all: a share of less is a share of nothing
_RUNS = ("before", "control", "after")


def wide_items(before: ModelScores, control: ModelScores | None, after: ModelScores) -> pd.DataFrame:
    """The items of all models side by side, those that all of them have: `before`, `control` and `after`."""
    key = ["quantity", "group", "word", "template", "gender"]
    table = before.items.rename(columns={"value": "before"})
    for name, scores in (("control", control), ("after", after)):
        if scores is not None:
            table = table.merge(scores.items.rename(columns={"value": name}), on=key)
    return table if control is not None else table.assign(control=np.nan)


def by_word(items: pd.DataFrame) -> pd.DataFrame:
    """The mean over the templates of each word."""
    return items.groupby(["quantity", "group", "word", "gender"], sort=False, as_index=False)[
        list(_RUNS)
    ].mean()


def gain_rows(words: pd.DataFrame, seed: int) -> Iterator[dict[str, Any]]:
    """Mean |lean| of words that should have none: of all of them, then group by group."""
    free = words[words.gender == ""]
    for quantity, of_quantity in free.groupby("quantity", sort=False):
        for group, part in _whole_and_groups("all", of_quantity):
            sizes = part[list(_RUNS)].abs()
            fit = stats.bootstrap_ratio(sizes.after, sizes.before, seed=seed)
            yield {
                "kind": "gain",
                "quantity": GAINS[str(quantity)],
                "group": group,
                **_means(sizes),
                **_relative(fit),
                "ideal": "0",
                "n": len(part),
            }


def net_rows(before: ModelScores, control: ModelScores, after: ModelScores) -> Iterator[dict[str, Any]]:
    """How much of the gain is due to swapping: after against the control, in per cent of before."""
    for quantity in GAINS:
        if quantity not in set(before.items.quantity):
            continue
        effect = net_effect(before, control, after, quantity)
        yield {
            "kind": "net",
            "quantity": NET[GAINS[quantity]],
            "group": "all",
            "before": effect.base,
            "control": effect.control,
            "after": effect.debiased,
            "change": -effect.share.value,
            "ci_low": -effect.share.high,
            "ci_high": -effect.share.low,
            "unit": "% of before",
            "ideal": "below 0",
            "n": effect.n_words,
            "note": effect.share.reason or "",
        }


def lean_rows(items: pd.DataFrame, seed: int) -> Iterator[dict[str, Any]]:
    """The leans of words that are bound to one gender: all of them, by category, and word by word."""
    bound = items[items.gender != ""].copy()
    if bound.empty:
        return
    own = np.where(bound.gender == "male", 1.0, -1.0)
    bound[list(_RUNS)] = bound[list(_RUNS)].mul(own, axis=0)
    words = by_word(bound)
    leaning = words[words.before >= _LEANS]
    others = words[words.before < _LEANS].word.tolist()
    note = f"without {', '.join(others)}, which did not lean their own way before" if others else ""
    for group, part in _whole_and_groups(ALL_LEANS, leaning):
        if len(part):
            left_out = set(words.word[words.group.isin(part.group)]) & set(others)
            yield _lean_row(group, part, seed, note if left_out else "")
    for word, templates in bound.groupby("word", sort=False):
        if word in others:
            yield {**_lean(str(word), templates), "note": "did not lean its own way before"}
        else:
            yield _lean_row(str(word), templates, seed, "")


def held_out_rows(
    before: ModelScores, control: ModelScores | None, after: ModelScores, seed: int
) -> Iterator[dict[str, Any]]:
    """Accuracy and perplexity on held-out text."""
    of_control: Sequence[float] = (np.nan, np.nan)
    if control is not None:
        of_control = (accuracy(control.texts), perplexity(control.texts))
    rows = damage_rows(before.texts, after.texts, before.kind == "masked", seed)
    for row, value in zip(rows, of_control, strict=True):
        yield {"kind": "damage", "group": before.neutral, "control": value, "ideal": "as before", **row}


def _whole_and_groups(name: str, words: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """All words together, by this name, and each of their groups if there are several."""
    parts = [(name, words)]
    if len(words.group.unique()) > 1:
        parts += [(str(group), part) for group, part in words.groupby("group", sort=False)]
    return parts


def _lean_row(group: str, values: pd.DataFrame, seed: int, note: str) -> dict[str, Any]:
    fit = stats.bootstrap_ratio(values.after, values.before, seed=seed)
    row = {**_lean(group, values), **_relative(fit), "kept": fit.value}
    return row | {"note": "; ".join(filter(None, (note, row["note"])))}


def _lean(group: str, values: pd.DataFrame) -> dict[str, Any]:
    return {
        "kind": "lean",
        "quantity": LEAN,
        "group": group,
        **_means(values[list(_RUNS)]),
        "ideal": "far from 0",
        "n": len(values),
    }


def _means(values: pd.DataFrame) -> dict[str, float]:
    return {name: float(values[name].mean()) for name in _RUNS}


def _relative(fit: stats.BootstrapResult) -> dict[str, Any]:
    return {**change_columns(fit, lambda ratio: 100 * (ratio - 1)), "unit": "%"}
