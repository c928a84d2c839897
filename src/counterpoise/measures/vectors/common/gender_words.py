"""Gender pairs and neutral words looked up in word vectors, and what measures of them declare alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd

from counterpoise.core.errors import DataError
from counterpoise.data.builtin.gender_words import GenderWords, gender_words, read_gender_words
from counterpoise.data.builtin.wordsets import WordSet
from counterpoise.data.user.files import GENDER_WORDS
from counterpoise.measures.base.catalogue import Measured, measure
from counterpoise.measures.base.documentation import Doc
from counterpoise.measures.base.rows import Row
from counterpoise.measures.base.skipped import skipped_items
from counterpoise.measures.vectors.common.word_lookup import MAY_BE_LOST, FoundSet, find_set, other_forms
from counterpoise.models.vectors import WordVectors

GenderWordsData = Annotated[
    GenderWords | str | Path | None,
    Doc(
        "Gender pairs and neutral words, or a file of them (see `counterpoise.data.read_gender_words`); Bolukbasi's "
        "pairs and professions if not given."
    ),
]
AllowLostPairs = Annotated[
    bool,
    Doc("Give numbers even where more than a fifth of the pairs or of the neutral words have no vector."),
]
gender_words_measure = partial(
    measure,
    needs=WordVectors,
    data="gender_words",
    identity=("word", "group"),
    accepts=(GENDER_WORDS,),
)


@dataclass(frozen=True)
class FoundGenderWords:
    """Gender words that have vectors: `male` and `female` have those of each pair, `vectors` those of neutral words.

    `words` says what each neutral word is (`word`, `found_as`, `group`); `reason` why there is to be no number.
    """

    dataset: str
    pairs: tuple[tuple[str, str], ...]
    male: np.ndarray
    female: np.ndarray
    words: pd.DataFrame
    vectors: np.ndarray
    skipped: pd.DataFrame
    warnings: tuple[str, ...]
    reason: str | None


def find_gender_words(model: WordVectors, data: GenderWordsData, allow_lost: bool) -> FoundGenderWords:
    """Looks the words up; a pair that lacks one of its words is lost."""
    wanted = (
        gender_words() if data is None else read_gender_words(data) if isinstance(data, str | Path) else data
    )
    taken: set[str] = set()
    members = find_set(
        model, WordSet("gender pairs", tuple(word for pair in wanted.pairs for word in pair)), taken
    )
    row_of = {word: row for row, word in enumerate(members.words)}
    pairs = tuple(pair for pair in wanted.pairs if pair[0] in row_of and pair[1] in row_of)
    neutral = [find_set(model, words, taken) for words in wanted.neutral]
    neutral_words = pd.DataFrame(
        {
            "word": [word for words in neutral for word in words.words],
            "found_as": [key for words in neutral for key in words.keys],
            "group": [words.name for words in neutral for _ in words.words],
        }
    )
    if not pairs or neutral_words.empty:
        what = "pair of gender words" if not pairs else "neutral word"
        raise DataError(f"{model.name} has no vectors for any {what} of {wanted.name}")
    lost_pairs = len(wanted.pairs) - len(pairs)
    reason = None if allow_lost else _too_much_lost(lost_pairs, len(wanted.pairs), neutral)
    warnings = [*model.warnings, *other_forms(members, *neutral)]
    if reason:
        warnings.append(f"{reason}; allow_lost=True (--allow-lost) gives numbers all the same")
    return FoundGenderWords(
        dataset=wanted.name,
        pairs=pairs,
        male=members.vectors[[row_of[male] for male, _ in pairs]],
        female=members.vectors[[row_of[female] for _, female in pairs]],
        words=neutral_words,
        vectors=np.concatenate([words.vectors for words in neutral]),
        skipped=skipped_items(
            (word, f"{words.name}: {reason}") for words in (members, *neutral) for word, reason in words.lost
        ),
        warnings=tuple(warnings),
        reason=reason,
    )


def _too_much_lost(lost_pairs: int, pairs: int, neutral: Sequence[FoundSet]) -> str | None:
    if lost_pairs > MAY_BE_LOST * pairs:
        return f"{lost_pairs} of the {pairs} gender pairs are lost, more than a fifth"
    lost = sum(len(words.lost) for words in neutral)
    asked = lost + sum(map(len, neutral))
    if lost > MAY_BE_LOST * asked:
        return f"{lost} of the {asked} neutral words are lost, more than a fifth"
    return None


def measured_words(
    gender_words: FoundGenderWords, items: pd.DataFrame, rows: Sequence[Row], warnings: Sequence[str] = ()
) -> Measured:
    """What was measured; where too many words are lost, the rows have no numbers and say why."""
    if gender_words.reason is not None:
        rows = [_without_numbers(row, gender_words.reason) for row in rows]
    return Measured(
        items,
        rows,
        skipped=gender_words.skipped,
        warnings=(*gender_words.warnings, *warnings),
        dataset=gender_words.dataset,
    )


def _without_numbers(row: Row, reason: str) -> Row:
    place = (row.key, row.level, row.group)
    return Row(*place, row.statistic, np.nan, row.ideal, row.n, row.clusters, note=reason, source=row.source)
