"""What a proof says, in plain sentences: the gain, what of it is due to swapping, what was lost, what to do."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pandas as pd

from counterpoise.mitigate.evaluation.proof_rows import ALL_LEANS, GAINS, NET
from counterpoise.mitigate.evaluation.scores import APPD, ASSOCIATION, SLD

_SPOKEN = {
    GAINS[ASSOCIATION]: "the association between profession and person",
    GAINS[APPD]: "the lean of pronouns beside professions",
    GAINS[SLD]: "the difference between stereotype and counterpart",
}
ENOUGH_KEPT = 0.8  # of the lean of a gender-related word
_MOST_POINTS = 2.0  # of accuracy that may be lost
_MOST_NAMED = 6


def verdict(summary: pd.DataFrame, items: pd.DataFrame, fills: pd.DataFrame, answer: str) -> list[str]:
    """The sentences, the gain first."""
    return [
        *_gains(summary),
        *_leans(summary, items),
        *_damage(summary),
        *_fills(fills),
        answer,
    ]


def _gains(summary: pd.DataFrame) -> Iterator[str]:
    for _, row in summary[(summary.kind == "gain") & (summary.group == "all")].iterrows():
        text = f"{_capital(_SPOKEN[row.quantity])} "
        if not row.change:
            yield f"{text}did not change, {row.after:.3f}."
            continue
        text += f"{_moved(row)}, from {row.before:.3f} to {row.after:.3f}"
        net = summary[(summary.kind == "net") & (summary.quantity == NET[row.quantity])]
        yield f"{text}{_net(net.iloc[0]) if len(net) else ''}."


def _net(row: pd.Series) -> str:
    points, plain = -row.change, 100 * (row.control / row.before - 1)
    alone = f"fine-tuning on the unswapped text alone {'lowers' if plain < 0 else 'raises'} it by {abs(plain):.0f} %"
    span = _span(-row.ci_high, -row.ci_low)
    if math.isnan(row.ci_low) or row.ci_low <= 0 <= row.ci_high:
        return f"; none of it can be put down to swapping ({points:.0f} points{span}): {alone}"
    if points < 0:
        return f"; swapping made it larger by {-points:.0f} points{_span(row.ci_low, row.ci_high)}: {alone}"
    return f", of which {points:.0f} points{span} are due to swapping: {alone}"


def _leans(summary: pd.DataFrame, items: pd.DataFrame) -> Iterator[str]:
    genders = items[items.gender != ""].drop_duplicates("word").set_index("word").gender
    leans = summary[summary.kind == "lean"]
    words = leans[leans.group.isin(genders.index)]
    for _, row in leans[leans.group == ALL_LEANS].iterrows():
        kept = (
            f"{100 * row.kept:.0f} %{_span(100 + row.ci_low, 100 + row.ci_high)}"
            if row.kept > 0
            else "nothing"
        )
        yield f"Gender-related words kept {kept} of their lean together."
    gone, less = (
        words[words.kept <= 0],
        words[(words.kept > 0) & (words.kept < ENOUGH_KEPT)].sort_values("kept"),
    )
    losses = [f"{_listed(gone.group)} lost all of {_its(len(gone))} lean"] if len(gone) else []
    losses += [
        f"{row.group!r} lost {100 * (1 - row.kept):.0f} % of its {genders[row.group]} lean"
        for _, row in less.head(_MOST_NAMED).iterrows()
    ]
    if len(less) > _MOST_NAMED:
        losses.append(f"{len(less) - _MOST_NAMED} more kept less than {100 * ENOUGH_KEPT:.0f} %")
    if losses:
        yield f"{', '.join(losses)}: add reminders."
    unsure = words[words.kept.isna()]
    if len(unsure):
        yield (
            f"{_listed(unsure.group)} did not lean to {_its(len(unsure))} own gender before, so nothing could be lost "
            "there."
        )


def _damage(summary: pd.DataFrame) -> Iterator[str]:
    rows = summary[(summary.kind == "damage") & (summary.unit == "points")]
    for _, row in rows.iterrows():
        text = f"{_capital(row.quantity)} on held-out text ({row.group})"
        if not row.change:
            yield f"{text} is as it was, {row.after:.3f}."
            continue
        ends = f"from {row.before:.3f} to {row.after:.3f}"
        if math.isnan(row.ci_low) or row.ci_low <= 0 <= row.ci_high:
            span = _span(row.ci_low, row.ci_high)
            yield f"{text} did not change measurably: {ends}, {row.change:+.1f} points{span}."
            continue
        moved = "fell" if row.change < 0 else "rose"
        span = _span(*sorted((abs(row.ci_low), abs(row.ci_high))))
        much = f", more than the {_MOST_POINTS:g} that may be lost" if row.change < -_MOST_POINTS else ""
        yield f"{text} {moved} {ends}, by {abs(row.change):.1f} points{span}{much}."


def _fills(fills: pd.DataFrame) -> Iterator[str]:
    if len(fills):
        changed = int(fills.first_changed.sum())
        yield f"The most probable word changed in {changed} of {len(fills)} sentences of a fixed list."


def _moved(row: pd.Series) -> str:
    change, low, high = row.change, row.ci_low, row.ci_high
    if not math.isnan(low) and low <= 0 <= high:
        return f"did not change measurably ({change:+.0f} % [{low:.0f}, {high:.0f}])"
    return f"{'fell' if change < 0 else 'rose'} by {abs(change):.0f} %{_span(*sorted((abs(low), abs(high))))}"


def _span(low: float, high: float) -> str:
    if math.isnan(low) or math.isnan(high):
        return ""
    digits = 0 if max(abs(low), abs(high)) >= 10 else 1
    return f" [{low:.{digits}f}, {high:.{digits}f}]"


def _listed(words: pd.Series) -> str:
    *first, last = [repr(str(word)) for word in words]
    return f"{', '.join(first)} and {last}" if first else last


def _its(count: int) -> str:
    return "its" if count == 1 else "their"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
