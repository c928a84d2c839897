"""What Jentzsch & Turan (2022) published: 63 rows of biases, 49 evaluations, a table of correlations.

`published_biases.csv` has what the authors' notebook prints with every digit: total biases, counts, Wilcoxon's W and p.
Absolute biases were never printed with more than the four decimals of tables 3 and 4, so those stand here.
`published_evaluation.csv` is the authors' own table of test results, of the test set treated like the training set;
recall, precision and F1 are those of the negative label, though the paper does not say so.

The headers of tables 3 and 4 are wrong: the counts under "N < 0, N = 0, N > 0" are those below, above and at zero.
"""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import pandas as pd

from counterpoise.studies.papers.jentzsch2022.study_rows import with_sides

BASES = ("distbase", "bertbase", "bertlarge", "robertabase", "robertalarge", "albertbase", "albertlarge")
# Table 2, as the notebook prints it.
CORRELATIONS = {
    ("absolute", "total"): 0.372960,
    ("absolute", "accuracy"): -0.480855,
    ("absolute", "f1"): -0.496982,
    ("total", "accuracy"): 0.044056,
    ("total", "f1"): -0.085231,
    ("accuracy", "f1"): 0.886411,
}
BIAS_TESTS = 64  # what the authors corrected the tests of 63 biases by
CORRELATION_TESTS = 21  # the pairs of seven columns, of which table 2 shows four
HALF_A_DIGIT = 5e-5  # how far a printed absolute bias may be from the true one


def published_rows() -> pd.DataFrame:
    """The 63 rows in the order of tables 3 and 4, with the columns that `study_rows` describes.

    >>> rows = published_rows()
    >>> len(rows), rows.groupby("base", sort=False).size().to_dict()["distbase"]
    (63, 9)
    """
    biases = read_table("published_biases.csv").rename(
        columns={"printed_absolute": "absolute", "printed_absolute_nonzero": "absolute_nonzero"}
    )
    rows = biases.merge(
        read_table("published_evaluation.csv"), on=["base", "condition"], how="left", validate="m:1"
    )
    return with_sides(rows.assign(seed=0, batch_size="own", own=True))


def correlation_bounds(rows: pd.DataFrame, other: str) -> tuple[float, float]:
    """Between which values the correlation with the absolute bias must lie, since that is known to four decimals only.

    To first order: each printed value is moved by half a unit of its last digit, all so that r grows, or all so that it
    falls.
    """
    x, y = rows.absolute_nonzero.to_numpy(float), rows[other].to_numpy(float)
    u, v = x - x.mean(), y - y.mean()
    r = float(u @ v / np.linalg.norm(u) / np.linalg.norm(v))
    slope = v / np.linalg.norm(u) / np.linalg.norm(v) - r * u / (u @ u)
    far = HALF_A_DIGIT * float(np.abs(slope).sum())
    return r - far, r + far


def read_table(name: str) -> pd.DataFrame:
    """A table that comes with the study, with every digit."""
    with files(__package__).joinpath(name).open("rb") as file:
        return pd.read_csv(file, engine="pyarrow")  # pandas' own reader loses the last digit before version 3
