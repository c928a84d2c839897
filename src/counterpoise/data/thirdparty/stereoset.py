"""StereoSet (Nadeem et al. 2021): a context with a stereotypical, an anti-stereotypical and an unrelated association.

In an intrasentence example the context has a gap, BLANK, and the associations are the sentence with a word in it; in an
intersentence example they are sentences that follow the context. The data are not ours: they are read from the data
folder, `stereoset/dev.json` as the authors publish it, or `stereoset_dev_flat.csv`, a table of the same.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from counterpoise.core.errors import DataError
from counterpoise.data.thirdparty.bias_categories import Categories, select_categories
from counterpoise.data.thirdparty.folders import find_file

BLANK = "BLANK"
INTRASENTENCE, INTERSENTENCE = "intrasentence", "intersentence"
TASKS = (INTRASENTENCE, INTERSENTENCE)
ASSOCIATIONS = ("stereotype", "anti_stereotype", "unrelated")
_COLUMNS = ("task", "category", "target", "context", *ASSOCIATIONS)
_QUALITY = (
    "StereoSet has many examples that are unnatural, hold no stereotype, or whose anti-stereotype is none (Blodgett et "
    "al. 2021); a small difference may come from those"
)


@dataclass(frozen=True)
class StereoSet:
    """Examples, one row each, in the columns `task`, `category`, `target`, `context` and the three associations.

    An association is a whole sentence: the context with its gap filled, or the sentence that follows the context.
    """

    name: str
    table: pd.DataFrame
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if missing := [column for column in _COLUMNS if column not in self.table]:
            raise DataError(f"{self.name} has no column {missing[0]!r}")
        if self.table.empty:
            raise DataError(f"{self.name} has no examples")
        if strange := set(self.table.task) - set(TASKS):
            raise DataError(f"{self.name} has the task {min(strange)!r}; there are {' and '.join(TASKS)}")
        texts = (
            self.table[list(_COLUMNS)].fillna("").astype(str)
        )  # an example with an empty cell is skipped and said
        object.__setattr__(self, "table", texts.reset_index(drop=True))

    @classmethod
    def of(cls, *examples: tuple[str, str, str, str], target: str = "own") -> StereoSet:
        """Examples about one target: a context, then a stereotype, an anti-stereotype and something unrelated.

        Where the context has a gap, the three are words to fill it with, else sentences to follow it.

        >>> StereoSet.of(("The nurse said that BLANK was tired.", "she", "he", "window")).table.stereotype[0]
        'The nurse said that she was tired.'
        """
        rows = []
        for context, *texts in examples:
            gap = BLANK in context
            sentences = [context.replace(BLANK, text) if gap else text for text in texts]
            rows.append((INTRASENTENCE if gap else INTERSENTENCE, "own", target, context, *sentences))
        return cls("own", pd.DataFrame(rows, columns=list(_COLUMNS)))


def stereoset(categories: Categories = ("gender",)) -> StereoSet:
    """The development set of StereoSet, from the data folder.

    Parameters
    ----------
    categories
        Any of "gender", "profession", "race" and "religion", or "all".
    """
    path = find_file("stereoset", "dev.json", "stereoset_dev_flat.csv")
    table = _read_json(path) if path.suffix == ".json" else _read_table(path)
    return StereoSet("stereoset", select_categories(table, categories), (_QUALITY,))


def gap_filling(context: str, sentence: str) -> str | None:
    """What stands in a sentence where its context has the gap; None if the two do not fit.

    Upper and lower case do not matter: the sentences of StereoSet lost the capitals of names inside.

    >>> gap_filling("Little Timmy dresses like BLANK.", "Little timmy dresses like doctors.")
    'doctors'
    """
    if context.count(BLANK) != 1:
        return None
    before, after = context.split(BLANK)
    start, end = len(before), len(sentence) - len(after)
    fits = sentence[:start].lower() == before.lower() and sentence[end:].lower() == after.lower()
    return sentence[start:end] if fits and sentence[start:end].strip() else None


def _read_table(path: Path) -> pd.DataFrame:
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise DataError(f"cannot read {path}: {' '.join(str(error).split())}") from error
    return table.rename(columns={"type": "task", "bias_type": "category"})


def _read_json(path: Path) -> pd.DataFrame:
    try:
        examples = json.loads(path.read_text(encoding="utf-8"))["data"]
        rows = [_row(task, example) for task in TASKS for example in examples[task]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"cannot read {path} as StereoSet: {type(error).__name__} {error}") from error
    return pd.DataFrame(rows)


def _row(task: str, example: dict[str, Any]) -> dict[str, str]:
    sentences = {
        sentence["gold_label"].replace("-", "_"): sentence["sentence"] for sentence in example["sentences"]
    }
    return {
        "task": task,
        "category": example["bias_type"],
        "target": example["target"],
        "context": example["context"],
        **{association: sentences[association] for association in ASSOCIATIONS},
    }
