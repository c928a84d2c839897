"""The statistics of the study's table, by the names that its rows have for them."""

from __future__ import annotations

from counterpoise.measures.base.rows import OVERALL, in_group, row_key
from counterpoise.studies.papers.barza2023.published import CATEGORIES

PLL, PPD, APPD, SLD, ASLD = "PLL", "PPD", "APPD", "SLD", "ASLD"
SHARE_STEREOTYPED = "% stereotyped likelier"
ASLD_OF_SAMPLES = "ASLD of samples"
LEAN_KEPT = "share of the lean kept"
SLOPE, INTERCEPT, R = "slope", "intercept", "r"
CHANGE = "change of mean |APPD|, %"

# Of all pairs and of each category, by the keys that the measure sld gives its rows.
OF_PAIRS = {
    row_key(key, place): statistic
    for place in (OVERALL, *map(in_group, CATEGORIES))
    for key, statistic in (("sld", SLD), ("asld", ASLD), ("share_stereotyped", SHARE_STEREOTYPED))
}
