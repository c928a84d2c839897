"""The statistics of the study's table, by the names that its rows have for them."""

from __future__ import annotations

from counterpoise.measures.base.rows import OVERALL, in_group, row_key
from counterpoise.studies.papers.barza2023.published import CATEGORIES

PLL, PPD, APPD, SLD, ASLD = "PLL", "PPD", "APPD", "SLD", "ASLD"
BALANCED_SLD = "SLD, balanced"
SHARE_STEREOTYPED = "% stereotyped likelier"
ASLD_OF_SAMPLES = "ASLD of samples"
LEAN_KEPT = "share of the lean kept"
SLOPE, INTERCEPT, R = "slope", "intercept", "r"
SHIFT, CHANGE = "mean change of APPD", "change of mean |APPD|, %"

# Means over words: of professions, and of words bound to a gender, towards it.
MEAN_APPD, MEAN_ABSOLUTE_APPD, MEAN_LEAN = "mean APPD", "mean |APPD|", "lean towards the own gender"
PROFESSIONS, BOUND = "professions", "gender-related words"

# What a row that compares two models subtracts; in the column `compared`.
SWAPPED, UNSWAPPED = "swapped GAP - as it was", "unswapped GAP - as it was"
NET = "swapped GAP - unswapped GAP"
TRAINED = "after - before"
REMINDED, CONTROL_REMINDED = "reminders - without", "control - without"
SPECIFIC = "reminders - control"
OVER_CONTROL = "corpus - control"
SINCE_UNTRAINED, SINCE_FEWER = "trained - as it was", "this size - the size before"

ABOUT = ("about women", "about men")  # whom the stereotype of a pair is about

# Of all pairs and of each category, by the keys that the measure sld gives its rows; SLD also by whom pairs are about.
OF_PAIRS = {
    row_key(key, place): statistic
    for place in (OVERALL, *map(in_group, CATEGORIES))
    for key, statistic in (("sld", SLD), ("asld", ASLD), ("share_stereotyped", SHARE_STEREOTYPED))
} | {row_key("sld", in_group(kind)): SLD for kind in ABOUT}
