"""Where a row of a summary comes from: which column of which items, compared how, averaged over what.

Rows are computed from an `Observed` column, which remembers its `Source`; the row keeps that. Whoever needs the numbers
behind a row later (a comparison of two models, a chart, the most extreme items) asks the source, and never guesses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from typing import Any, Literal

import numpy as np
import pandas as pd

Form = Literal[
    "mean",  # over clusters, of the mean of each
    "mean_absolute",  # over clusters, of the absolute mean of each
    "share",  # of values above 0, in per cent; a tie counts as one half
    "share_above",  # of values above 0, in per cent; a tie does not count
    "correlation",  # of the clusters' means with those of another column
    "effect_size",
    "difference",  # of the means of two groups of items
    "figure",  # a count or another number that is no mean over items
]
PAIRED: tuple[Form, ...] = ("mean", "mean_absolute", "share", "share_above")
TEXT = "item_text"  # what a reader is shown of a compared group of items


@dataclass(frozen=True)
class Contrast:
    """A weighted sum of the items that share the columns `within`, each weighted by its values of `by`.

    Without `within` every item stands for itself, times its weight.
    """

    by: tuple[str, ...]
    weights: Mapping[tuple[str, ...], float]
    within: tuple[str, ...] = ()

    def apply(self, items: pd.DataFrame, column: str, text: str | None = None) -> pd.DataFrame:
        """The compared groups with `column` as their weighted sum; `text` names what to show of them."""
        if not self.within:
            rows = items[list(self.by)].itertuples(index=False, name=None)
            weights = np.array([self.weights.get(tuple(row), np.nan) for row in rows])
            return items.assign(**{column: items[column] * weights})
        within, by = list(self.within), list(self.by)
        cells = items.pivot_table(index=within, columns=by, values=column, sort=False)
        kinds = [kind if len(by) > 1 else kind[0] for kind in self.weights]
        nothing = pd.Series(np.nan, index=cells.index)  # where no item is of that kind
        total: pd.Series = reduce(
            add,
            (
                weight * cells.get(kind, nothing)
                for kind, weight in zip(kinds, self.weights.values(), strict=True)
            ),
        )
        table: pd.DataFrame = total.rename(column).reset_index()
        if text is not None and text in items:
            shown = items.groupby(within, sort=False)[text].agg(
                lambda texts: " / ".join(dict.fromkeys(map(str, texts)))
            )
            table[TEXT] = shown.reindex(pd.MultiIndex.from_frame(table[within])).to_numpy()
        return table


@dataclass(frozen=True)
class Source:
    """How a row comes from the items of its result.

    Of the items that have the values `where`, the numbers in `column`, compared by `contrast` if there is one, are
    averaged within each `cluster` (each item is one if that is None), and `form` says what becomes of the clusters.
    `against` is the other column of a correlation.
    """

    column: str
    cluster: str | None = None
    where: Mapping[str, Any] = field(default_factory=dict)
    form: Form = "mean"
    contrast: Contrast | None = None
    against: str | None = None

    @property
    def is_paired(self) -> bool:
        """Is the row a mean over clusters, so that two models can be compared cluster by cluster?"""
        return self.form in PAIRED

    def choose(self, items: pd.DataFrame) -> pd.DataFrame:
        """The items that count."""
        for name, value in self.where.items():
            items = items[items[name] == value]
        return items

    def observe(self, items: pd.DataFrame, text: str | None = None) -> pd.DataFrame:
        """The items that count, compared; `column` has their numbers."""
        chosen = self.choose(items)
        return chosen if self.contrast is None else self.contrast.apply(chosen, self.column, text)

    def of_clusters(self, observed: pd.DataFrame) -> pd.Series:
        """One number per cluster of what was observed; the row of a paired form is their mean.

        >>> observed = pd.DataFrame({"word": ["nurse", "nurse", "mason"], "ppd": [-0.5, -0.3, 0.2]})
        >>> Source("ppd", "word", form="mean_absolute").of_clusters(observed).round(2).to_dict()
        {'nurse': 0.4, 'mason': 0.2}
        """
        values = observed[self.column]
        if self.form == "share":
            values = 50.0 * (np.sign(values) + 1)
        elif self.form == "share_above":
            values = 100.0 * (values > 0)
        if self.cluster is not None:
            values = values.groupby(observed[self.cluster].to_numpy(), sort=False).mean()
        elif self.contrast is not None and self.contrast.within:
            values = values.set_axis(pd.MultiIndex.from_frame(observed[list(self.contrast.within)]))
        return values.abs() if self.form == "mean_absolute" else values

    def has_columns(self, items: pd.DataFrame) -> bool:
        contrast = (*self.contrast.by, *self.contrast.within) if self.contrast else ()
        needed = (self.column, self.cluster, self.against, *self.where, *contrast)
        return all(name in items for name in needed if name is not None)

    def as_dict(self) -> dict[str, Any]:
        """As summary.json has it; what is not used is left out."""
        document: dict[str, Any] = {"column": self.column, "form": self.form}
        if self.cluster is not None:
            document["cluster"] = self.cluster
        if self.where:
            document["where"] = dict(self.where)
        if self.against is not None:
            document["against"] = self.against
        if self.contrast is not None:
            document["contrast"] = {
                "by": list(self.contrast.by),
                "weights": [[list(kind), weight] for kind, weight in self.contrast.weights.items()],
                "within": list(self.contrast.within),
            }
        return document

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Source:
        """
        >>> source = Source("ppd", "word", {"gendered": False})
        >>> Source.from_dict(source.as_dict()) == source
        True
        """
        contrast = document.get("contrast")
        return cls(
            column=document["column"],
            cluster=document.get("cluster"),
            where=dict(document.get("where", {})),
            form=document["form"],
            against=document.get("against"),
            contrast=None
            if contrast is None
            else Contrast(
                by=tuple(contrast["by"]),
                weights={tuple(kind): float(weight) for kind, weight in contrast["weights"]},
                within=tuple(contrast["within"]),
            ),
        )


@dataclass(frozen=True)
class Observed:
    """Numbers of items, and where they come from: what rows are computed of."""

    table: pd.DataFrame
    source: Source

    def __len__(self) -> int:
        return len(self.table)

    @property
    def numbers(self) -> pd.Series:
        return self.table[self.source.column]

    def clusters(self, cluster: str | None) -> pd.Series:
        """Which cluster each number belongs to; each is one of its own if no column is named."""
        return pd.Series(self.table.index) if cluster is None else self.table[cluster]

    def only(self, **where: Any) -> Observed:
        """Those with these values of other columns."""
        source = replace(self.source, where={**self.source.where, **where})
        return Observed(Source("", where=where).choose(self.table), source)

    def by(self, *columns: str, sort: bool = False) -> Iterator[tuple[Any, Observed]]:
        """Split by the values of a column, or of several together, in the order in which they come unless sorted."""
        for names, group in self.table.groupby(list(columns), sort=sort):
            where = dict(zip(columns, map(_plain, names), strict=True))
            source = replace(self.source, where={**self.source.where, **where})
            yield names[0] if len(columns) == 1 else names, Observed(group, source)

    def groups(self, column: str) -> Iterator[tuple[Any, Observed]]:
        """Split by the values of a column that are not empty; no group if there is only one, which is all there is."""
        names = [name for name in self.table[column].unique() if name != ""]
        if len(names) > 1:
            for name in names:
                yield name, self.only(**{column: name})

    def as_source(self, form: Form, cluster: str | None = None, against: str | None = None) -> Source:
        """The source of a row that is computed of this."""
        return replace(self.source, form=form, cluster=cluster, against=against)


def observe(items: pd.DataFrame, column: str, contrast: Contrast | None = None) -> Observed:
    """A column of the items, compared if asked for.

    >>> items = pd.DataFrame({"word": ["nurse", "nurse"], "gender": ["male", "female"], "association": [0.2, 0.5]})
    >>> male_minus_female = Contrast(("gender",), {("male",): 1.0, ("female",): -1.0}, within=("word",))
    >>> observe(items, "association", male_minus_female).numbers.round(2).tolist()
    [-0.3]
    """
    source = Source(column, contrast=contrast)
    return Observed(source.observe(items), source)


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    return value.item() if isinstance(value, np.generic) else value
