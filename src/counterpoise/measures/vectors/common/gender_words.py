"""Gender pairs and neutral words looked up in word vectors, and the rows that measures of them share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.core.errors import DataError
from counterpoise.data.builtin.gender_words import GenderWords, gender_words, read_gender_words
from counterpoise.data.builtin.wordsets import Lost, WordSet
from counterpoise.measures.base.catalogue import Measured
from counterpoise.measures.base.result import GENDERS, Direction
from counterpoise.measures.base.row_builders import fitted_row, mean_row
from counterpoise.measures.base.rows import OVERALL, Place, Row, in_group
from counterpoise.measures.base.skipped import skipped_table
from counterpoise.measures.base.source import Observed
from counterpoise.measures.vectors.common.word_lookup import MAY_BE_LOST, FoundSet, find_set, other_forms
from counterpoise.models.vectors import WordVectors

Data = GenderWords | str | Path | None
LEAN = Direction(
    positive="Words without a gender of their own lean towards male words.",
    negative="Words without a gender of their own lean towards female words.",
    sides=GENDERS,
)
MEN_MINUS_WOMEN = Direction(
    positive="Professions held mostly by men lean more towards male words than those held mostly by women.",
    negative="Professions held mostly by women lean more towards male words than those held mostly by men.",
)
IDENTITY = ("word", "group")


@dataclass(frozen=True)
class Gendered:
    """What was found: `male` and `female` have the two rows of each pair, `vectors` those of the neutral words.

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


def find_gendered(model: WordVectors, data: Data, allow_lost: bool) -> Gendered:
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
    found = [find_set(model, one, taken) for one in wanted.neutral]
    words = pd.DataFrame(
        {
            "word": [word for one in found for word in one.words],
            "found_as": [key for one in found for key in one.keys],
            "group": [one.name for one in found for _ in one.words],
        }
    )
    if not pairs or words.empty:
        what = "pair of gender words" if not pairs else "neutral word"
        raise DataError(f"{model.name} has no vectors for any {what} of {wanted.name}")
    lost = [("gender pairs", members.lost), *((one.name, one.lost) for one in found)]
    reason = None if allow_lost else _too_much_lost(len(wanted.pairs) - len(pairs), len(wanted.pairs), found)
    warnings = [*model.warnings, *other_forms(members, *found)]
    if reason:
        warnings.append(f"{reason}; allow_lost=True (--allow-lost) gives numbers all the same")
    return Gendered(
        dataset=wanted.name,
        pairs=pairs,
        male=members.vectors[[row_of[male] for male, _ in pairs]],
        female=members.vectors[[row_of[female] for _, female in pairs]],
        words=words,
        vectors=np.concatenate([one.vectors for one in found]),
        skipped=_skipped(lost),
        warnings=tuple(warnings),
        reason=reason,
    )


def _too_much_lost(lost_pairs: int, pairs: int, neutral: Sequence[FoundSet]) -> str | None:
    if lost_pairs > MAY_BE_LOST * pairs:
        return f"{lost_pairs} of the {pairs} gender pairs are lost, more than a fifth"
    lost = sum(len(one.lost) for one in neutral)
    asked = lost + sum(map(len, neutral))
    if lost > MAY_BE_LOST * asked:
        return f"{lost} of the {asked} neutral words are lost, more than a fifth"
    return None


def _skipped(lost: Sequence[tuple[str, Lost]]) -> pd.DataFrame:
    flat = [(word, f"{name}: {reason}") for name, some in lost for word, reason in some]
    return skipped_table([word for word, _ in flat], [reason for _, reason in flat])


def measured_words(
    found: Gendered, items: pd.DataFrame, rows: Sequence[Row], warnings: Sequence[str] = ()
) -> Measured:
    """What was measured; where too many words are lost, the rows have no numbers and say why."""
    if found.reason is not None:
        rows = [_without_numbers(row, found.reason) for row in rows]
    return Measured(
        items, rows, skipped=found.skipped, warnings=(*found.warnings, *warnings), dataset=found.dataset
    )


def _without_numbers(row: Row, reason: str) -> Row:
    return replace(
        row,
        value=np.nan,
        ci_low=np.nan,
        ci_high=np.nan,
        p_value=np.nan,
        effect_size=np.nan,
        smallest_detectable=np.nan,
        note=reason,
    )


def lean_rows(leans: Observed, statistic: str, label: str, seed: int) -> list[Row]:
    """The mean of values that are positive for a male lean: of all words, of each group, and men's minus women's.

    p is by permutation: signs are turned, and for the difference of the groups words exchanged between them.
    """
    rows = [_lean(leans, statistic, label, OVERALL, seed)]
    groups = dict(leans.by("group"))
    if len(groups) < 2:
        return rows
    rows += [_lean(some, statistic, label, in_group(name), seed) for name, some in groups.items()]
    if all(len(groups.get(name, ())) > 1 for name in ("male", "female")):
        male, female = (groups[name].numbers.to_numpy() for name in ("male", "female"))
        row = _difference(male, female, f"{statistic}_difference", label, seed)
        rows.append(replace(row, source=leans.as_source("difference")))
    return rows


def _lean(leans: Observed, statistic: str, label: str, at: Place, seed: int) -> Row:
    row = mean_row(leans, statistic, label, at=at)
    return replace(row, p_value=stats.sign_flip_test(leans.numbers.to_numpy(), seed=seed).p_value)


def _difference(male: np.ndarray, female: np.ndarray, statistic: str, label: str, seed: int) -> Row:
    values = np.concatenate([male, female])
    side = np.repeat(["male", "female"], [len(male), len(female)])

    def difference(table: pd.DataFrame) -> float:
        is_male = table.side.to_numpy() == "male"
        numbers = table["value"].to_numpy()
        return float(numbers[is_male].mean() - numbers[~is_male].mean())

    interval = stats.bootstrap(
        pd.DataFrame({"value": values, "side": side}), difference, strata=side, n=2000, seed=seed
    )
    within = np.concatenate([male - male.mean(), female - female.mean()])
    spread = float(np.sqrt(np.square(within).sum() / (len(values) - 2)))
    return fitted_row(
        interval,
        statistic,
        label,
        n=len(values),
        at=Place("overall", "professions held mostly by men - by women"),
        p_value=stats.permutation_test(male, female, seed=seed).p_value,
        effect_size=float(stats.cohens_d(male, female)),
        smallest_detectable=stats.smallest_difference(len(male), len(female)) * spread,
    )
