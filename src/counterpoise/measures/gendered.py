"""Gender pairs and neutral words looked up in word vectors, and the rows that measures of them share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.core.errors import DataError
from counterpoise.data.gender_words import GenderWords, gender_words, read_gender_words
from counterpoise.data.spec import Variant
from counterpoise.data.wordsets import Lost, WordSet
from counterpoise.measures.result import Ideal, Result, Row, make_summary, skipped_table
from counterpoise.measures.summary import mean_row
from counterpoise.measures.words import MAY_BE_LOST, FoundSet, find_set, other_forms
from counterpoise.models.vectors import WordVectors

Data = GenderWords | str | Path | None


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


def gendered_result(
    measure: str,
    model: WordVectors,
    found: Gendered,
    items: pd.DataFrame,
    rows: Sequence[Row],
    *,
    sign: str,
    citation: str,
    variant: Variant,
    seed: int,
    warnings: Sequence[str] = (),
) -> Result:
    """The result; where too many words are lost, its rows have no numbers and say why."""
    if found.reason is not None:
        rows = [_without_numbers(row, found.reason) for row in rows]
    return Result(
        measure=measure,
        dataset=found.dataset,
        model=model.name,
        variant=variant,
        seed=seed,
        items=items,
        summary=make_summary(rows, measure, found.dataset, variant),
        skipped=found.skipped,
        sign=sign,
        citation=citation,
        warnings=(*found.warnings, *warnings),
    )


def _without_numbers(row: Row, reason: str) -> Row:
    return Row(row.level, row.group, row.statistic, np.nan, row.ideal, row.n, row.clusters, note=reason)


def lean_rows(values: pd.Series, groups: pd.Series, *, statistic: str, seed: int) -> list[Row]:
    """The mean of values that are positive for a male lean: of all words, of each group, and men's minus women's.

    p is by permutation: signs are turned, and for the difference of the groups words exchanged between them.
    """
    rows = [_lean(values, statistic, "overall", "all", seed)]
    if groups.nunique() < 2:
        return rows
    rows += [
        _lean(values[groups == name], statistic, "group", str(name), seed) for name in dict.fromkeys(groups)
    ]
    male, female = values[groups == "male"].to_numpy(), values[groups == "female"].to_numpy()
    if min(len(male), len(female)) > 1:
        rows.append(_difference(male, female, statistic, seed))
    return rows


def _lean(values: pd.Series, statistic: str, level: str, group: str, seed: int) -> Row:
    row = mean_row(
        values, pd.Series(values.index), level=level, group=group, statistic=statistic, ideal=Ideal.at(0.0)
    )
    return replace(row, p_value=stats.sign_flip_test(values.to_numpy(), seed=seed).p_value)


def _difference(male: np.ndarray, female: np.ndarray, statistic: str, seed: int) -> Row:
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
    return Row(
        level="overall",
        group="professions held mostly by men - by women",
        statistic=statistic,
        value=interval.value,
        ideal=Ideal.at(0.0),
        n=len(values),
        clusters=len(values),
        ci_low=interval.low,
        ci_high=interval.high,
        p_value=stats.permutation_test(male, female, seed=seed).p_value,
        effect_size=float(stats.cohens_d(male, female)),
        smallest_detectable=stats.smallest_difference(len(male), len(female)) * spread,
        note=interval.reason or "",
    )
