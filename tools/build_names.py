"""Builds `src/counterpoise/text/lists/names.csv`: pairs of first names (Hall Maudslay et al. 2019).

    python tools/build_names.py --births ssa_totals_by_gender.csv.xz --text imdb_50k_labelled.csv.xz

Births are those of the US Social Security Administration (public domain), columns name, female, male. A
name is placed by (log10 of its births, share of the births that are of its own gender); male and female
names are paired by the minimum-cost assignment under the Euclidean distance, both axes scaled to unit
variance. Running text (any) tells which names are written in lower case too, and so are words (will, rose),
and which are as often surnames (Davis): those need more evidence to be read as a first name.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

PAIRS = 1500  # the rarest has about 10,000 births in 140 years
MIN_SHARE = 0.75  # below this a name is as good as neutral (Jessie, Casey) and is left alone
MIN_LOWER = 0.05  # share of lower-case uses from which a name counts as a word too
MIN_SURNAME = 0.6  # share of uses as the second of two capitalised words: a surname too (Bette Davis)

# Names that, in capitals within a sentence, are mostly no first name: places, months, peoples, titles.
NOT_PEOPLE = set(Path(__file__).with_name("not_first_names.txt").read_text().split())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--births", type=Path, required=True)
    parser.add_argument("--text", type=Path, required=True, help="CSV with a column review or text")
    parser.add_argument("--out", type=Path, default=Path("src/counterpoise/text/lists/names.csv"))
    options = parser.parse_args()
    names = candidates(pd.read_csv(options.births, keep_default_na=False))
    pairs = match(names)
    lower, surname = shares(options.text, set(names["name"]))
    for side in ("male", "female"):
        pairs[f"{side}_word"] = [int(lower.get(name, 0.0) >= MIN_LOWER) for name in pairs[side]]
        pairs[f"{side}_surname"] = [int(surname.get(name, 0.0) >= MIN_SURNAME) for name in pairs[side]]
    pairs.to_csv(options.out, index=False, lineterminator="\n")
    words = pairs.filter(like="_word").to_numpy().sum()
    print(f"{len(pairs)} pairs, {words} names are words too -> {options.out}")


def candidates(births: pd.DataFrame) -> pd.DataFrame:
    """The most frequent names of each gender with their births and share."""
    births = births.assign(name=births["name"].str.lower(), total=births["female"] + births["male"])
    births["share"] = births[["female", "male"]].max(axis=1) / births["total"]
    births["gender"] = np.where(births["male"] > births["female"], "male", "female")
    usable = births[
        (births["share"] >= MIN_SHARE) & ~births["name"].isin(NOT_PEOPLE) & (births["name"].str.len() > 2)
    ]
    usable = usable.sort_values(["total", "name"], ascending=[False, True])
    return usable.groupby("gender").head(PAIRS).reset_index(drop=True)


def match(names: pd.DataFrame) -> pd.DataFrame:
    """Male and female names paired so that the sum of their distances is least."""
    points = np.column_stack([np.log10(names["total"]), names["share"]])
    points = (points - points.mean(axis=0)) / points.std(axis=0)
    male, female = (np.flatnonzero(names["gender"] == side) for side in ("male", "female"))
    rows, columns = linear_sum_assignment(cdist(points[male], points[female]))
    left = names.iloc[male[rows]].reset_index(drop=True)
    right = names.iloc[female[columns]].reset_index(drop=True)
    pairs = pd.DataFrame({"male": left["name"], "female": right["name"]})
    for side, table in (("male", left), ("female", right)):
        pairs[f"{side}_births"] = table["total"]
        pairs[f"{side}_share"] = table["share"].round(4)
    return pairs.sort_values(["male_births", "male"], ascending=[False, True]).reset_index(drop=True)


def shares(path: Path, names: set[str]) -> tuple[dict[str, float], dict[str, float]]:
    """For each name, how much of its use is in lower case; and, of two capitalised words, how often it is
    the second.
    """
    table = pd.read_csv(path)
    texts = table["review" if "review" in table else "text"]
    lower: Counter[str] = Counter()
    title: Counter[str] = Counter()
    first: Counter[str] = Counter()
    second: Counter[str] = Counter()
    for text in texts:
        for word in re.findall(r"(?<=[a-z,] )[A-Za-z][a-z]+(?![^\W_])", text):
            (lower if word.islower() else title)[word.lower()] += 1
        for one, two in re.findall(r"(?<=[a-z,(] )([A-Z][a-z]+) ([A-Z][a-z]+)(?! ?[A-Z])", text):
            first[one.lower()] += 1
            second[two.lower()] += 1
    lower_share = {name: lower[name] / (lower[name] + title[name]) for name in names if lower[name]}
    second_share = {name: second[name] / (first[name] + second[name]) for name in names if second[name] >= 5}
    return lower_share, second_share


if __name__ == "__main__":
    main()
