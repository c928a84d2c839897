"""Table 5: what reminders of a word did to it and to other words, beside control sentences without the word.

    effect   = APPD with reminders - APPD without any          after training on swapped GAP, with the same seed
    control  = APPD with the same sentences about a gender-neutral word - APPD without any
    specific = effect - control = APPD with reminders - APPD with control sentences

Differences are paired over templates (of one word) or words (of professions and groups of words) and over seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from counterpoise.studies.papers.barza2023.estimates import estimate, with_adjusted
from counterpoise.studies.papers.barza2023.pronoun_scores import WORD, by_word
from counterpoise.studies.papers.barza2023.statistics import (
    APPD,
    CONTROL_REMINDED,
    PROFESSIONS,
    REMINDED,
    SPECIFIC,
)

Items = Callable[[pd.DataFrame], pd.DataFrame]
_WORDS, _SINGLE = "words", "single professions"  # families of tests
OTHERS = {"female": "other female words", "male": "other male words"}


@dataclass(frozen=True)
class ReminderRuns:
    """PPD by seed (rows), word and template (columns): without reminders, with them, and with the control's."""

    without: pd.DataFrame
    reminded: pd.DataFrame
    control: pd.DataFrame

    @property
    def seeds(self) -> pd.Index:
        """The seeds that all three have."""
        return self.without.index.intersection(self.reminded.index).intersection(self.control.index)


def level_rows(runs: pd.DataFrame, word: str, **labels: Any) -> list[dict[str, Any]]:
    """APPD of a word, over the seeds and templates of these runs."""
    own = runs.loc[:, runs.columns.get_level_values("word") == word].dropna()
    return [estimate(own, group=word, word=word, statistic=APPD, **labels)] if own.size else []


def effect_rows(runs: ReminderRuns, word: str, **labels: Any) -> list[dict[str, Any]]:
    """Effect, control and specific part for each bound word, groups of the other words, professions and each of them.

    p-values of the specific part are adjusted over all bound words and the mean of professions, and over all single
    professions.
    """
    specific: dict[str, list[dict[str, Any]]] = {_WORDS: [], _SINGLE: []}
    others: list[dict[str, Any]] = []
    for group, gender, questions, family in _groups(runs.without.loc[runs.seeds], word):
        parts = {
            name: questions(table.loc[runs.seeds])
            for name, table in (
                ("without", runs.without),
                ("reminded", runs.reminded),
                ("control", runs.control),
            )
        }
        levels = {name: float(values.to_numpy().mean()) for name, values in parts.items()}
        for compared, second, first in (
            (REMINDED, "reminded", "without"),
            (CONTROL_REMINDED, "control", "without"),
            (SPECIFIC, "reminded", "control"),
        ):
            row = estimate(
                parts[second] - parts[first],
                group=group,
                gender=gender,
                word=word,
                statistic=APPD,
                compared=compared,
                **levels,
                **labels,
            )
            (specific[family] if compared == SPECIFIC and family else others).append(row)
    return [*(row for tests in specific.values() for row in with_adjusted(tests)), *others]


def _groups(runs: pd.DataFrame, word: str) -> Iterator[tuple[str, str, Items, str]]:
    """Name, gender, and how to take the items of a group from runs; the tests among which it counts, if any."""
    words = runs.columns.to_frame()[WORD].drop_duplicates()
    bound = words[words.gender != ""]
    for bound_word, gender in zip(bound.word, bound.gender, strict=True):
        yield bound_word, gender, _templates_of(bound_word), _WORDS
    for gender, name in OTHERS.items():
        others = words[(words.gender == gender) & (words.word != word)].word
        if len(others) > 1:
            yield name, gender, _words_among(others), ""
    professions = words[words.gender == ""].word
    if len(professions) > 1:
        yield PROFESSIONS, "", _words_among(professions), _WORDS
    for profession in professions:
        yield profession, "", _templates_of(profession), _SINGLE


def _templates_of(word: str) -> Items:
    return lambda runs: runs.loc[:, runs.columns.get_level_values("word") == word]


def _words_among(words: pd.Series) -> Items:
    chosen = set(words)

    def items(runs: pd.DataFrame) -> pd.DataFrame:
        means = by_word(runs)
        return means.loc[:, means.columns.get_level_values("word").isin(chosen)]

    return items
