"""Scores and proofs made by hand: the arithmetic of a proof needs no model."""

from __future__ import annotations

import numpy as np
import pandas as pd

from counterpoise.mitigate.evaluation.fills import COLUMNS as FILL_COLUMNS
from counterpoise.mitigate.evaluation.held_out import COLUMNS as TEXT_COLUMNS
from counterpoise.mitigate.evaluation.scores import APPD, ASSOCIATION, ITEM_COLUMNS, ModelScores

_BOUND = {"pregnant": ("female", -0.4), "waitress": ("female", -0.3), "testicles": ("male", 0.3)}


def scores(
    name: str,
    association: np.ndarray,
    appd: np.ndarray,
    *,
    kept: float = 1.0,
    right: float = 0.5,
    seed: int = 0,
    fills: tuple[str, ...] = ("he", "she", "it"),
) -> ModelScores:
    """Professions with these leans, words with a gender that kept a share of theirs, texts guessed so well."""
    rows = [
        (ASSOCIATION, f"group {i % 2}", f"profession {i}", "", "", value)
        for i, value in enumerate(association)
    ]
    rows += [
        (APPD, f"field {i % 3}", f"job {i}", template, "", value)
        for i, value in enumerate(appd)
        for template in ("a", "b")
    ]
    rows += [
        (APPD, "gender-related words", word, template, gender, kept * lean * more)
        for word, (gender, lean) in _BOUND.items()
        for template, more in (("a", 0.9), ("b", 1.0), ("c", 1.1))
    ]
    rng = np.random.default_rng(1)
    tokens = rng.integers(10, 20, 40)
    texts = [(i, n, round(right * n), -2.0 * n) for i, n in enumerate(tokens.tolist())]
    guesses = [("[MASK] works.", rank, word, 0.5 / rank) for rank, word in enumerate(fills, start=1)]
    return ModelScores(
        model=name,
        kind="masked",
        fingerprint=name,
        seed=seed,
        neutral="own, 40 texts",
        items=pd.DataFrame(rows, columns=ITEM_COLUMNS),
        texts=pd.DataFrame(texts, columns=TEXT_COLUMNS),
        fills=pd.DataFrame(guesses, columns=FILL_COLUMNS),
    )


def three(seed: int = 0) -> tuple[ModelScores, ModelScores, ModelScores]:
    """A base model, its control with 80 % of its leans, and a debiased one with 40 %, each with some noise."""
    rng = np.random.default_rng(seed)
    association, appd = rng.normal(0.3, 0.5, 60), rng.normal(0.2, 0.4, 40)
    return (
        scores("base", association, appd),
        scores(
            "control",
            0.8 * association + rng.normal(0, 0.02, 60),
            0.8 * appd + rng.normal(0, 0.02, 40),
            kept=0.9,
            right=0.48,
        ),
        scores(
            "debiased",
            0.4 * association + rng.normal(0, 0.02, 60),
            0.4 * appd + rng.normal(0, 0.02, 40),
            kept=0.3,
            right=0.45,
            fills=("she", "they", "he"),
        ),
    )
