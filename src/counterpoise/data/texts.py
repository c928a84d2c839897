"""Texts to rate, with the true label and the person's gender where known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from counterpoise.core.errors import DataError, InputError

_OPTIONAL = ("label", "gender")
_GENDERS = {
    "male": ("male", "m", "man", "men", "he"),
    "female": ("female", "f", "w", "woman", "women", "she"),
}
_GENDER_OF = {word: gender for gender, words in _GENDERS.items() for word in words}


@dataclass(frozen=True)
class Texts:
    """Texts, one row each, in the columns `text`, `label` and `gender`; the last two are "" where unknown.

    Genders are "male" and "female", however the file writes them (m, F, woman); other words stay as they are.

    >>> Texts.of(["He is great.", "She is great."], genders=["M", "f"]).table.gender.tolist()
    ['male', 'female']
    """

    name: str
    table: pd.DataFrame

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", _checked(self.name, self.table))

    @classmethod
    def of(
        cls,
        texts: Sequence[str],
        labels: Sequence[object] | None = None,
        genders: Sequence[str] | None = None,
    ) -> Texts:
        """Texts that are at hand in Python."""
        _check_list(texts)
        columns = {"text": list(texts)}
        for name, given in (("label", labels), ("gender", genders)):
            if given is not None:
                if len(given) != len(texts):
                    raise InputError(f"there are {len(texts)} texts but {len(given)} {name}s")
                columns[name] = list(given)  # type: ignore[arg-type]
        return cls("own", pd.DataFrame(columns))

    def sample(self, n: int, seed: int) -> Texts:
        """n of the texts, drawn with the seed, in their old order; all where there are no more."""
        if n < 1:
            raise InputError(f"at least one text is needed, not {n}")
        if n >= len(self.table):
            return self
        chosen = np.sort(np.random.default_rng(seed).choice(len(self.table), size=n, replace=False))
        return Texts(self.name, self.table.iloc[chosen])


def _check_list(texts: object) -> None:
    """Raises an error that says what to give instead of anything but a list of texts."""
    if isinstance(texts, str):
        raise InputError(f"texts must be a list of texts, not one text: {texts!r:.60}")
    if isinstance(texts, pd.DataFrame):
        raise InputError(
            f"texts must be a list of texts, not a table (columns: {', '.join(map(str, texts.columns))}); give one "
            'column, as in table["text"].tolist(), or counterpoise.data.Texts(NAME, table) for a table with the '
            "columns text, label and gender"
        )
    if not isinstance(texts, Iterable):
        raise InputError(f"texts must be a list of texts, not {type(texts).__name__}")


def _checked(name: str, table: pd.DataFrame) -> pd.DataFrame:
    if table.empty:
        raise DataError(f"{name} has no texts")
    table = table.reindex(columns=["text", *_OPTIONAL]).reset_index(drop=True)
    table["text"] = table["text"].astype(object).fillna("")  # an empty cell; such a text is skipped and said
    for row, text in enumerate(table["text"], start=1):
        if not isinstance(text, str):
            raise DataError(f"{name}: a text must be a string, and row {row} has {text!r}")
    for column in _OPTIONAL:
        table[column] = [_plain(value) for value in table[column].astype(object)]
    table["gender"] = [_GENDER_OF.get(word.lower(), word) for word in table["gender"]]
    return table


def _plain(value: object) -> str:
    """A label as text: 1 and 1.0 and True are not told apart from "1" and "True" in a file, so all become text."""
    if value is None or value != value:
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()
