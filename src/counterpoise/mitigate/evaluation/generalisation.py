"""Is the model debiased, or merely levelled? (Barza 2023, section 6.1, figures 8 to 10)

    APPD after(w) = intercept + slope x APPD before(w)      over the professions w

Where professions that the training text names became fairer and others did not, training taught the model about those
professions. Where all shrank at one rate, their order is as it was: the model holds male and female pronouns for more
alike, whatever the profession. The slope tells: near 0, what the model said of a profession before no longer matters;
near 1 with a moved intercept, all professions were shifted alike; between, the differences between professions shrank
to that share, and a moved intercept says by how much all of them were shifted besides.

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
from counterpoise.stats.inputs import FloatArray
from counterpoise.stats.resampling import BootstrapResult, interval

PARTS = ("all", "in the corpus", "not in the corpus")
_N = 4000
_ONE_RATE = 0.9  # the correlation from which on the order of professions counts as kept
_STILL_TOLD = 0.5  # of the lean of gender-related words, below which they are levelled too
_TIE = 1e-9
_FEWEST = 5  # professions, for a line that says anything


@dataclass(frozen=True)
class Generalisation:
    """`points` has APPD before and after of each profession and whether it was `seen`; `fits` the lines through them.

    `fits` has for all professions and for those inside and outside the corpus the mean |APPD| before and after, slope,
    intercept and correlation, with intervals. `answer` says it in words.
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
    before: pd.Series, after: pd.Series, corpus: Iterable[str], *, kept: float = math.nan, seed: int = 0
) -> Generalisation:
    """Compares the APPD of professions, given as series by word, inside and outside a corpus.

    `kept` is the share of the lean that gender-related words kept, where known: a model that no longer tells
    professions apart is debiased only if it still tells those.
    """
    words = [str(word) for word in before.index if word in after.index]
    if not words:
        raise DataError("the two models share no profession to compare")
    texts = list(corpus)
    seen = words_in(texts, words)
    points = pd.DataFrame(
        {
            "word": words,
            "seen": [word in seen for word in words],
            "before": before.loc[words].to_numpy(dtype=float),
            "after": after.loc[words].to_numpy(dtype=float),
        }
    )
    parts = zip(PARTS, (points, points[points.seen], points[~points.seen]), strict=True)
    fits = pd.DataFrame([_fit(part, part_points, seed) for part, part_points in parts if len(part_points)])
    if not texts:
        fits = fits.head(1)
    return Generalisation(points, fits, _answer(fits, bool(texts), kept))


def _fit(part: str, points: pd.DataFrame, seed: int) -> dict[str, Any]:
    x, y = points.before.to_numpy(), points.after.to_numpy()
    kept = stats.bootstrap_ratio(np.abs(y), np.abs(x), n=_N, seed=seed)
    row: dict[str, Any] = {
        "part": part,
        "n": len(points),
        "before": float(np.abs(x).mean()),
        "after": float(np.abs(y).mean()),
        "change": 100 * (kept.value - 1),
        "change_low": 100 * (kept.low - 1),
        "change_high": 100 * (kept.high - 1),
    }
    enough = len(points) >= _FEWEST and np.ptp(x) > 0
    for name, pick in (("slope", _slope), ("intercept", _intercept)):
        fit = _line(x, y, pick, seed) if enough else None
        row[name] = fit.value if fit else np.nan
        row[f"{name}_low"], row[f"{name}_high"] = (fit.low, fit.high) if fit else (np.nan, np.nan)
    linear = stats.correlation(x, y) if enough else None
    row["r"] = linear.r if linear else np.nan
    row["r_low"], row["r_high"] = (linear.low, linear.high) if linear else (np.nan, np.nan)
    return row


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
        parts.append(
            f"The mean |APPD| changed by {seen.change:+.0f} % for the {seen.n} professions in the corpus and by "
            f"{unseen.change:+.0f} % for the {unseen.n} others: "
            + ("the effect depends on the corpus." if apart else "no difference between the two can be seen.")
        )
    elif has_corpus and PARTS[1] not in set(fits.part):
        parts.append("None of the professions stands in the corpus, so all that changed is generalisation.")
    return " ".join(parts)


def _of_all(fit: pd.Series, kept: float) -> str:
    if np.isnan(fit.slope) or np.isnan(fit.slope_low):
        return "There is no line through the professions: they are too few, or the model tells none of them apart."
    line = (
        f"slope {fit.slope:.2f} [{fit.slope_low:.2f}, {fit.slope_high:.2f}], intercept {fit.intercept:.2f} "
        f"[{fit.intercept_low:.2f}, {fit.intercept_high:.2f}], r {fit.r:.2f}"
    )
    if fit.slope_high < -_TIE:
        return f"Turned round: professions that were read as male are now read as more female ({line})."
    if fit.slope_low <= _TIE:
        if kept < _STILL_TOLD:
            return (
                "Levelled to nothing: the model no longer tells professions apart, but neither words that are bound to "
                f"one gender, which kept {max(0, 100 * kept):.0f} % of their lean ({line})."
            )
        return (
            f"Debiased: what the model said of a profession before no longer tells what it says now ({line})."
        )
    moved = fit.intercept_low > _TIE or fit.intercept_high < -_TIE
    if fit.slope_high >= 1 - _TIE:
        if moved:
            return f"Merely levelled: all professions were shifted alike and keep their distances ({line})."
        return f"Neither: the professions lie where they lay ({line})."
    shrank = f"differences between professions shrank to about {100 * fit.slope:.0f} %"
    if moved:
        shrank += f", and all were shifted by {fit.intercept:+.2f} towards {'men' if fit.intercept > 0 else 'women'}"
    if fit.r >= _ONE_RATE:
        return f"Levelled rather than debiased: {shrank}; they keep their order ({line})."
    return f"Partly debiased, partly levelled: {shrank}; not all keep their order ({line})."


def _pattern(word: str) -> str:
    """The word with its last part in the singular or the plural."""
    *first, last = word.lower().split()
    singular = re.sub(r"(?<=[^s])s$", "", last)
    forms = {last, singular, f"{singular}s", f"{singular}es"}
    forms |= {re.sub("y$", "ies", singular), re.sub("man$", "men", singular)}
    alternatives = "|".join(re.escape(form) for form in sorted(forms))
    before = "".join(re.escape(part) + r"\s+" for part in first)
    return rf"(?<!\w){before}(?:{alternatives})(?!\w)"
