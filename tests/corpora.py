"""Corpora that tests make: professions beside pronouns at known log odds."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

PROFESSIONS = [
    "nurse",
    "carpenter",
    "doctor",
    "lawyer",
    "teacher",
    "plumber",
    "chef",
    "editor",
    "clerk",
    "librarian",
    "poet",
    "pilot",
    "judge",
    "painter",
    "farmer",
    "dancer",
]


def planted(log_odds: float, n: int, seed: int, professions: Sequence[str] = PROFESSIONS) -> list[str]:
    """Sentences in which every other profession leans to he by so much, and the others to she."""
    dice = np.random.default_rng(seed)
    texts = []
    for at in dice.integers(len(professions), size=n).tolist():
        lean = log_odds if at % 2 else -log_odds
        pronoun = "he" if dice.random() < 1 / (1 + math.exp(-lean)) else "she"
        end = ("tired", "very late", "at the office", "in the garden")[int(dice.integers(4))]
        texts.append(f"The {professions[at]} said that {pronoun} was {end}.")
    return texts
