"""Charts: tables in, Altair charts out. One specification serves the page, SVG, PDF and PNG."""

from counterpoise.report.charts.bars import mean_positive_negative, positive_negative, word_bars
from counterpoise.report.charts.curves import step_curve
from counterpoise.report.charts.draw import Figure, inline_svg, to_svg, write_figures
from counterpoise.report.charts.forest import forest
from counterpoise.report.charts.grids import heat_map, power_curve
from counterpoise.report.charts.layout import NARROW, WIDE, Layout
from counterpoise.report.charts.scatter import before_after, workforce

__all__ = [
    "NARROW",
    "WIDE",
    "Figure",
    "Layout",
    "before_after",
    "forest",
    "heat_map",
    "inline_svg",
    "mean_positive_negative",
    "positive_negative",
    "power_curve",
    "step_curve",
    "to_svg",
    "word_bars",
    "workforce",
    "write_figures",
]
