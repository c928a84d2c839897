"""Published against measured numbers: on the line they are the same."""

from __future__ import annotations

import altair as alt
import pandas as pd

from counterpoise.report.charts.layout import WIDE, Layout, wrapped
from counterpoise.report.charts.style import CATEGORIES, SOFT, AnyChart, finish

_PANEL = 400  # pixels that a panel takes with its axis
_BESIDE = 90  # of them for the axis
# Colour and shape of each verdict: apart in grey print too.
_LOOKS = {
    "reproduced": (CATEGORIES[0], "circle"),
    "agrees": (CATEGORIES[2], "triangle-up"),
    "differs": (CATEGORIES[1], "cross"),
}


def agreement(table: pd.DataFrame, *, layout: Layout = WIDE) -> AnyChart:
    """A panel for each kind of number, each with its own scale and the line on which the two are the same.

    Columns: `kind`, `published`, `measured`, and `verdict` (reproduced, agrees, differs).

    >>> table = pd.DataFrame({"kind": ["d", "d", "r"], "published": [1.0, 0.5, 0.2], "measured": [1.0, 0.4, 0.2],
    ...                       "verdict": ["reproduced", "differs", "reproduced"]})
    >>> agreement(table).to_dict()["description"]
    'Scatter plots of 3 published against measured numbers (d, r): 2 reproduced, 1 differs.'
    """
    shown = [verdict for verdict in _LOOKS if verdict in set(table.verdict)]
    columns = max(1, layout.width // _PANEL)
    panels = [
        _panel(of_kind, str(kind), shown, layout.width // columns - _BESIDE)
        for kind, of_kind in table.groupby("kind", sort=False)
    ]
    counts = ", ".join(f"{(table.verdict == verdict).sum()} {verdict}" for verdict in shown)
    kinds = ", ".join(map(str, table.kind.unique()))
    return finish(
        alt.concat(*panels, columns=columns, spacing=24),
        f"Scatter plots of {len(table)} published against measured numbers ({kinds}): {counts}.",
    )


def _panel(table: pd.DataFrame, kind: str, verdicts: list[str], side: int) -> AnyChart:
    numbers = table[["published", "measured"]].to_numpy(dtype=float)
    ends = [float(numbers.min()), float(numbers.max())]
    margin = 0.05 * (ends[1] - ends[0]) or 1.0
    scale = alt.Scale(domain=[ends[0] - margin, ends[1] + margin], nice=False)
    same = (
        alt.Chart(pd.DataFrame({"published": scale.domain, "measured": scale.domain}))
        .mark_line(color=SOFT, strokeDash=[4, 3], size=1)
        .encode(x=alt.X("published:Q", scale=scale), y=alt.Y("measured:Q", scale=scale))
    )
    points = (
        alt.Chart(table[["published", "measured", "verdict"]].reset_index(drop=True))
        .mark_point(filled=True, size=50, opacity=0.8)
        .encode(
            x=alt.X("published:Q", axis=_axis("published"), scale=scale),
            y=alt.Y("measured:Q", axis=_axis("measured"), scale=scale),
            color=alt.Color("verdict:N", title=None, scale=_scale(verdicts, 0)),
            shape=alt.Shape("verdict:N", title=None, scale=_scale(verdicts, 1)),
        )
    )
    return alt.layer(same, points).properties(
        width=side, height=side, title=alt.TitleParams(wrapped(kind, 0.8 * side))
    )


def _axis(title: str) -> alt.Axis:
    return alt.Axis(title=title, tickCount=4, domain=False, labelOverlap=True, titlePadding=8)


def _scale(verdicts: list[str], look: int) -> alt.Scale:
    return alt.Scale(domain=verdicts, range=[_LOOKS[verdict][look] for verdict in verdicts])
