"""What a study's page begins with: how many printed numbers are reproduced, in a sentence, a table and a chart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import pandas as pd

from counterpoise.report.charts.agreement import agreement
from counterpoise.report.charts.draw import Figure
from counterpoise.studies.replication.agreement import P_VALUE, Agreement, count_numbers
from counterpoise.studies.replication.findings import Table, Value

_FEWEST = 2  # printed numbers of a kind that make a panel
_NOTE = (
    "Reproduced: the printed number, within its rounding. Agrees: the same number, though from another model or "
    "training. Not reproducible: nothing could be measured in its place; its table says why. Not printed: measured, "
    "and nothing to hold it against. A number that was measured in several ways (as published and corrected, or with "
    "several seeds) counts once, with its best verdict."
)


def scorecard(tables: Sequence[Table]) -> tuple[str, Table] | None:
    """The sentence and the table of counts; None where no printed number is compared with anything."""
    counts = {table.name: count_numbers(table.numbers) for table in tables if table.numbers}
    total = _sum(counts.values())
    if not _printed(total):
        return None
    recomputed = _sum(counts[table.name] for table in tables if table.numbers and table.is_recomputed)
    columns = ["table", "printed numbers", *(verdict.value for verdict in Agreement)]
    rows: list[list[Value]] = [
        [table.title, _printed(counts[table.name]), *counts[table.name].values()]
        for table in tables
        if table.numbers
    ]
    rows += [["all", _printed(total), *total.values()]] if len(rows) > 1 else []
    sentence = _sentence(total, recomputed[Agreement.REPRODUCED])
    return sentence, Table("scorecard", "Printed numbers by verdict", columns, rows, note=_NOTE)


def _sum(counts: Iterable[Mapping[Agreement, int]]) -> dict[Agreement, int]:
    total = Counter[Agreement]()
    for count in counts:
        total.update(count)
    return {verdict: total[verdict] for verdict in Agreement}


def _printed(counts: Mapping[Agreement, int]) -> int:
    """How many printed numbers these are."""
    return sum(count for verdict, count in counts.items() if verdict is not Agreement.NOT_PRINTED)


def _sentence(total: Mapping[Agreement, int], recomputed: int) -> str:
    """recomputed: how many were reproduced from printed numbers and public data alone.

    >>> _sentence(dict(zip(Agreement, (3, 0, 1, 2, 0))), 2)
    'Of 6 comparisons with printed numbers 3 reproduce the number (2 from printed numbers and public data alone), \
1 differs from it and 2 cannot be made here.'
    """
    alone = f" ({recomputed} from printed numbers and public data alone)" if recomputed else ""
    said = {
        Agreement.REPRODUCED: (f"reproduces the number{alone}", f"reproduce the number{alone}"),
        Agreement.AGREES: (
            "agrees with it, though from another model or training",
            "agree with it, though from another model or training",
        ),
        Agreement.DIFFERS: ("differs from it", "differ from it"),
        Agreement.NOT_REPRODUCIBLE: ("cannot be made here",) * 2,
    }
    parts = [
        f"{total[verdict]} {one if total[verdict] == 1 else several}"
        for verdict, (one, several) in said.items()
        if total[verdict]
    ]
    listed = " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
    return f"Of {_printed(total)} comparisons with printed numbers {listed}."


def agreement_figure(tables: Sequence[Table]) -> Figure | None:
    """Published against measured, a panel for each kind of number; None where there are too few to draw."""
    numbers = pd.DataFrame(
        [
            {
                "kind": number.kind,
                "published": number.published,
                "measured": number.measured,
                "verdict": number.agreement.value,
            }
            for table in tables
            for number in table.numbers
            if number.published is not None and number.measured is not None and number.kind != P_VALUE
        ],
        columns=["kind", "published", "measured", "verdict"],
    )
    numbers = numbers[numbers.groupby("kind").published.transform("nunique") >= _FEWEST]
    if numbers.empty:
        return None
    caption = (
        "Each mark is a measured number; on the dashed line it is the printed one. Scales differ between panels. "
        "p-values, and kinds of which there is one number only, are not drawn."
    )
    return Figure("agreement", "Published against measured", partial(agreement, numbers), caption)
