"""What a curve says, in plain words: a sentence for each headline, about its last step beside its first."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pandas as pd

from counterpoise.core.numbers import estimate_parts, p_equals
from counterpoise.report.verdicts import verdict
from counterpoise.report.wording import ALPHA, Claim
from counterpoise.studies.audits.results import BiasCurve


def curve_claims(curve: BiasCurve) -> list[Claim]:
    """What changed between the first and the last step, for each headline of each measure."""
    return [claim for measure in curve.measures for claim in claims_of_measure(curve, measure)]


def claims_of_measure(curve: BiasCurve, measure: str) -> Iterator[Claim]:
    """The sentence of each headline; several tests of a measure are told apart by their names."""
    rows = curve.rows[curve.rows.measure == measure]
    for key, of_key in rows.groupby("key", sort=False):
        later = of_key[of_key.step != of_key.step.iloc[0]]
        if later.empty:
            continue
        first, last = of_key.iloc[0], later.iloc[-1]
        direction = curve.firsts[measure].direction_of(str(key))
        group = f"{first.group}: " if len(rows.key.unique()) > 1 else ""
        if math.isnan(last.difference):
            yield Claim(measure, "unsure", f"{group}{_side_by_side(first, last)}")
            continue
        kind, text = verdict(_as_pair(first, last), direction)
        p = f" ({p_equals(last.p_adjusted)})" if kind == "difference" else ""
        sentence = f"{text[0].upper()}{text[1:-1]}{p}.{_others(later, int(first.step))}"
        yield Claim(measure, kind, f"{group}{sentence}")


def differs(rows: pd.DataFrame) -> pd.Series:
    """Whether each row differs from that of the first step: the test says so, and so does the interval."""
    excludes_zero = (rows.difference_ci_low > 0) | (rows.difference_ci_high < 0)
    return (rows.p_adjusted < ALPHA) & excludes_zero


def _side_by_side(first: pd.Series, last: pd.Series) -> str:
    """The two values of a row whose difference cannot be tested, and why."""
    values = [
        f"{' '.join(estimate_parts(row.value, row.ci_low, row.ci_high)).strip()} at step {row.step:,}"
        for row in (first, last)
    ]
    return f"{first.statistic} is {values[0]} and {values[1]}, without a paired test ({last.note or 'not compared'})."


def _as_pair(first: pd.Series, last: pd.Series) -> pd.Series:
    """A row as a comparison of the two steps has it."""
    return pd.Series(
        {
            "first": f"step {first.step:,}",
            "second": f"step {last.step:,}",
            "statistic": first.statistic,
            "ideal": first.ideal,
            "value_first": last.first_value,
            "value_second": last.shared_value,
            "difference": last.difference,
            "ci_low": last.difference_ci_low,
            "ci_high": last.difference_ci_high,
            "p_adjusted": last.p_adjusted,
            "smallest_detectable": last.smallest_detectable,
            "n": last.difference_n,
            "form": last.form,
            "is_same": last.is_same,
            "note": last.note,
        }
    )


def _others(later: pd.DataFrame, first: int) -> str:
    """How many of all later steps differ from the first, where there are several and they were tested."""
    if len(later) < 2 or later.p_adjusted.isna().all():
        return ""
    found, n = int(differs(later).sum()), len(later)
    many = "All" if found == n else f"{found:,} of the" if found else "None of the"
    return f" {many} {n:,} later steps {'differ' if found > 1 else 'differs'} from step {first:,}."
