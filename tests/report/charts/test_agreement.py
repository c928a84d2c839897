"""Published against measured: both axes have one scale, so that the line of equality is the diagonal."""

from __future__ import annotations

import pandas as pd

from counterpoise.report.charts.agreement import agreement
from counterpoise.report.charts.draw import to_svg

TABLE = pd.DataFrame(
    {
        "kind": ["d", "d", "V", "V"],
        "published": [-1.0, 0.5, 1000.0, 9000.0],
        "measured": [3.0, 0.5, 1000.0, 500.0],
        "verdict": ["differs", "reproduced", "agrees", "differs"],
    }
)


def test_a_panel_per_kind_with_one_scale_for_both_axes():
    panels = agreement(TABLE).to_dict()["concat"]
    assert [panel["title"]["text"] for panel in panels] == [["d"], ["V"]]
    for panel, (low, high) in zip(panels, ((-1.0, 3.0), (500.0, 9000.0)), strict=True):
        margin = (high - low) / 20
        for layer in panel["layer"]:
            for axis in ("x", "y"):
                assert layer["encoding"][axis]["scale"]["domain"] == [low - margin, high + margin]


def test_it_can_be_drawn_also_of_a_single_number():
    assert to_svg(agreement(TABLE)).startswith("<svg")
    assert to_svg(agreement(TABLE.iloc[[1]])).startswith("<svg")
