"""Is the model debiased, levelled, or shifted? (Barza 2023, section 6.1, figures 8 to 10)

    APPD after(w) = intercept + slope x APPD before(w)      over the professions w

Where professions that the training text names became fairer and others did not, training taught the model about those
professions. Where all shrank at one rate, their order is as it was: the model holds male and female pronouns for more
alike, whatever the profession. The line tells: with a slope near 0, what the model said of a profession before no
longer matters; between 0 and 1, the differences between professions shrank to that share; at 1 with a mean change away
from 0, professions moved alike towards men or women and nothing shrank, whatever the mean |APPD| does.

A profession is inside the corpus if it stands in it as a word, whatever its case and number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.core.errors import DataError
from counterpoise.core.numbers import decimal_text, estimate_text
from counterpoise.stats.crossed import RunStatistic
from counterpoise.stats.inputs import FloatArray
from counterpoise.stats.resampling import BootstrapResult, interval

PARTS = ("all", "in the corpus", "not in the corpus")
_N = 4000
_ONE_RATE = 0.9  # the correlation from which on the order of professions counts as kept
_STILL_TOLD = 0.5  # of the lean of gender-related words, below which they are levelled too
_TIE = 1e-9
_FEWEST = 5  # professions, for a line that says anything

_Estimate = tuple[float, float, float]  # value, low, high
_NOTHING: _Estimate = (math.nan, math.nan, math.nan)


@dataclass(frozen=True)
class Generalisation:
    """`points` has APPD before and after of each profession and whether it was `seen`; `fits` the lines through them.

    `fits` has for all professions and for those inside and outside the corpus the mean |APPD| before and after and its
    change in percent, the mean change of APPD (`shift`), slope, intercept and correlation, with intervals. `answer`
    says it in words.
    """

    points: pd.DataFrame
    fits: pd.DataFrame
    answer: str


def words_in(corpus: Iterable[str], words: Iterable[str]) -> set[str]:
    """Which of the words stand in the corpus, in any case, in the singular or the plural.

    >>> sorted(words_in(["Two Nurses met a deputy sheriff."], ["nurse", "sheriff", "police officer", "dentist"]))
    ['nurse', 'sheriff']
    """
    # The bar keeps the end of a text apart from the beginning of the next.
    text = " | ".join(corpus).lower()
    return {word for word in words if re.search(_pattern(word), text)}


def generalise(
    before: pd.Series,
    after: pd.Series | pd.DataFrame,
    corpus: Iterable[str],
    *,
    kept: float = math.nan,
    seed: int = 0,
) -> Generalisation:
    """Compares the APPD of professions, given as series by word, inside and outside a corpus.

    Where `after` has a row per training seed, numbers are means over seeds, with intervals over professions and seeds;
    else intervals are over professions alone, and say nothing about another training.

    `kept` is the share of the lean that gender-related words kept, where known: a model that no longer tells
    professions apart is debiased only if it still tells those.
    """
    runs = after if isinstance(after, pd.DataFrame) else after.to_frame().T
    words = [str(word) for word in before.index if word in runs.columns]
    if not words:
        raise DataError("the two models share no profession to compare")
    texts = list(corpus)
    seen = words_in(texts, words)
    points = pd.DataFrame(
        {
            "word": words,
            "seen": [word in seen for word in words],
            "before": before.loc[words].to_numpy(dtype=float),
            "after": runs[words].mean().to_numpy(dtype=float),
        }
    )
    parts = zip(PARTS, (points, points[points.seen], points[~points.seen]), strict=True)
    fits = pd.DataFrame(
        [_fit(part, chosen, runs[chosen.word].to_numpy(float), seed) for part, chosen in parts if len(chosen)]
    )
    if not texts:
        fits = fits.head(1)
    return Generalisation(points, fits, _answer(fits, bool(texts), kept))


def _fit(part: str, points: pd.DataFrame, runs: FloatArray, seed: int) -> dict[str, Any]:
    """The line of some professions; `runs` has a row per seed, a column per profession."""
    x = points.before.to_numpy()
    row: dict[str, Any] = {
        "part": part,
        "n": len(points),
        "before": float(np.abs(x).mean()),
        "after": float(np.abs(runs).mean()),
    }
    estimates = _over_professions(x, runs[0], seed) if len(runs) == 1 else _over_seeds(x, runs)
    for name, (value, low, high) in estimates.items():
        row[name], row[f"{name}_low"], row[f"{name}_high"] = value, low, high
    return row


def _over_professions(x: FloatArray, y: FloatArray, seed: int) -> dict[str, _Estimate]:
    """The numbers of one training, with intervals over professions."""
    kept = stats.bootstrap_ratio(np.abs(y), np.abs(x), n=_N, seed=seed)
    shift = stats.cluster_t(y - x)
    exact = math.isnan(shift.low)  # all moved by the same
    estimates: dict[str, _Estimate] = {
        "change": (100 * (kept.value - 1), 100 * (kept.low - 1), 100 * (kept.high - 1)),
        "shift": (shift.value,) * 3 if exact else (shift.value, shift.low, shift.high),
        **dict.fromkeys(("slope", "intercept", "r"), _NOTHING),
    }
    if _has_line(x):
        for name, pick in (("slope", _slope), ("intercept", _intercept)):
            fit = _line(x, y, pick, seed)
            estimates[name] = fit.value, fit.low, fit.high
        linear = stats.correlation(x, y)
        estimates["r"] = linear.r, linear.low, linear.high
    return estimates


def _over_seeds(x: FloatArray, runs: FloatArray) -> dict[str, _Estimate]:
    """Means over training seeds, with intervals over professions and seeds."""

    def slope(kept: np.ndarray) -> FloatArray:
        away = x[kept] - x[kept].mean()
        of_runs: FloatArray = runs[:, kept] @ away / (away @ away)
        return of_runs

    statistics: dict[str, RunStatistic] = {
        "change": lambda kept: 100 * (np.abs(runs[:, kept]).mean(1) / np.abs(x[kept]).mean() - 1),
        "shift": lambda kept: (runs[:, kept] - x[kept]).mean(1),
    }
    if _has_line(x):
        statistics |= {
            "slope": slope,
            "intercept": lambda kept: runs[:, kept].mean(1) - slope(kept) * x[kept].mean(),
            "r": lambda kept: np.array([np.corrcoef(x[kept], run[kept])[0, 1] for run in runs]),
        }
    estimates: dict[str, _Estimate] = dict.fromkeys(("change", "shift", "slope", "intercept", "r"), _NOTHING)
    for name, statistic in statistics.items():
        fit = stats.crossed_estimate(np.arange(len(x)), statistic)
        low, high = (fit.low, fit.high) if name != "r" else (max(fit.low, -1.0), min(fit.high, 1.0))
        estimates[name] = fit.value, low, high
    return estimates


def _has_line(x: FloatArray) -> bool:
    return len(x) >= _FEWEST and bool(np.ptp(x) > 0)


def _line(x: FloatArray, y: FloatArray, pick: Any, seed: int) -> BootstrapResult:
    """A coefficient of the least-squares line, with its interval over professions drawn again."""
    sums = np.stack([np.ones_like(x), x, y, x * x, x * y], axis=1)

    def evaluate(counts: FloatArray) -> FloatArray:
        n, sx, sy, sxx, sxy = (counts @ sums).T
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = (n * sxy - sx * sy) / (n * sxx - sx * sx)
            coefficient: FloatArray = pick(slope, n, sx, sy)
        return coefficient

    fit = interval(evaluate, np.zeros(len(x), dtype=np.int64), len(x), _N, "bca", 0.95, seed)
    # If every draw has the same line, all points lie on it.
    exact = math.isnan(fit.low) and math.isfinite(fit.value)
    return replace(fit, low=fit.value, high=fit.value) if exact else fit


def _slope(slope: FloatArray, n: FloatArray, sx: FloatArray, sy: FloatArray) -> FloatArray:
    return slope


def _intercept(slope: FloatArray, n: FloatArray, sx: FloatArray, sy: FloatArray) -> FloatArray:
    intercept: FloatArray = (sy - slope * sx) / n
    return intercept


def _answer(fits: pd.DataFrame, has_corpus: bool, kept: float) -> str:
    parts = [_of_all(fits.iloc[0], kept)]
    if {PARTS[1], PARTS[2]} <= set(fits.part):
        seen, unseen = (fits[fits.part == part].iloc[0] for part in PARTS[1:])
        apart = seen.change_high < unseen.change_low or unseen.change_high < seen.change_low
        inside, outside = (decimal_text(part.change, 0, sign=True) for part in (seen, unseen))
        parts.append(
            f"The mean |APPD| changed by {inside} % for the {seen.n} professions in the corpus and by {outside} % for "
            f"the {unseen.n} others: "
            + ("the effect depends on the corpus." if apart else "no difference between the two can be seen.")
        )
    elif has_corpus and PARTS[1] not in set(fits.part):
        parts.append("None of the professions stands in the corpus, so all that changed is generalisation.")
    return " ".join(parts)


def _of_all(fit: pd.Series, kept: float) -> str:
    if np.isnan(fit.slope) or np.isnan(fit.slope_low):
        return "There is no line through the professions: they are too few, or the model tells none of them apart."
    line = _line_text(fit)
    may_be_zero, may_be_one = (
        fit.slope_low <= slope + _TIE and fit.slope_high >= slope - _TIE for slope in (0.0, 1.0)
    )
    if may_be_zero and may_be_one:
        return f"Inconclusive: the slope of the line may be 0, and it may be 1 ({line})."
    if fit.slope_high < -_TIE:
        return f"Reversed: professions that were read as male are now read as more female ({line})."
    if may_be_zero:
        if kept < _STILL_TOLD:
            return (
                "Levelled to nothing: the model no longer tells professions apart, nor words that are bound to one "
                f"gender, which kept {max(0, 100 * kept):.0f} % of their lean ({line})."
            )
        return f"Debiased: what the model said of a profession before hardly tells what it says now ({line})."
    if may_be_one:
        return _same_distances(fit, line)
    if fit.slope_low > 1:
        return (
            f"Widened: differences between professions grew to about {100 * fit.slope:.0f} %{_neutral(fit)} "
            f"({line})."
        )
    shrank = f"differences between professions shrank to about {100 * fit.slope:.0f} %{_neutral(fit)}"
    if fit.r >= _ONE_RATE:
        return f"Levelled rather than debiased: {shrank}; they keep their order ({line})."
    return f"Partly debiased, partly levelled: {shrank}; not all keep their order ({line})."


def _same_distances(fit: pd.Series, line: str) -> str:
    """A slope that may be 1: nothing shows that professions came closer to each other; they may have moved alike."""
    if fit.shift_low > _TIE or fit.shift_high < -_TIE:
        moved = estimate_text(fit["shift"], fit.shift_low, fit.shift_high, sign=True)
        return (
            f"Shifted rather than levelled: professions moved {_towards(fit['shift'])} by {moved} on average, with no "
            "evidence that the distances between them changed, so the change in mean |APPD| need not mean less bias "
            f"({line})."
        )
    return f"Unchanged, as far as can be seen: there is no evidence that professions moved ({line})."


def _neutral(fit: pd.Series) -> str:
    """Where a profession that leaned neither way is now; nothing where the intercept may be 0."""
    if fit.intercept_low <= _TIE and fit.intercept_high >= -_TIE:
        return ""
    size = decimal_text(abs(fit.intercept), 2)
    return f", and one that leaned neither way now leans {_towards(fit.intercept)} by {size}"


def _towards(value: float) -> str:
    return f"towards {'men' if value > 0 else 'women'}"


def _line_text(fit: pd.Series) -> str:
    """Slope, intercept and r; no r where all professions are alike."""
    parts = [
        f"{name} {estimate_text(fit[name], fit[f'{name}_low'], fit[f'{name}_high'])}"
        for name in ("slope", "intercept")
    ]
    if not np.isnan(fit.r):
        parts.append(f"r = {decimal_text(fit.r, 2)}")
    return ", ".join(parts)


def _pattern(word: str) -> str:
    """The word with its last part in the singular or the plural."""
    *first, last = word.lower().split()
    singular = re.sub(r"(?<=[^s])s$", "", last)
    forms = {last, singular, f"{singular}s", f"{singular}es"}
    forms |= {re.sub("y$", "ies", singular), re.sub("man$", "men", singular)}
    alternatives = "|".join(re.escape(form) for form in sorted(forms))
    before = "".join(re.escape(part) + r"\s+" for part in first)
    return rf"(?<!\w){before}(?:{alternatives})(?!\w)"
