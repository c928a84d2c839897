"""Short reviews in the form of IMDB's file, and a tiny base model."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tiny

WORDS = {"pos": ("good", "great"), "neg": ("bad", "boring")}
PEOPLE = ("he", "she", "his", "her", "the actress", "a man", "nobody", "film")


@pytest.fixture(scope="session")
def imdb_file(tmp_path_factory):
    dice = np.random.default_rng(0)
    rows = []
    for split in ("train", "test"):
        for number in range(40):
            sentiment = ("neg", "pos")[number % 2]
            words = [*dice.choice(PEOPLE, size=4), dice.choice(WORDS[sentiment]), f"part {number}"]
            rows.append([split, sentiment, " ".join(dice.permutation(words))])
    path = tmp_path_factory.mktemp("imdb") / "reviews.csv"
    pd.DataFrame(rows, columns=["split", "sentiment", "review"]).to_csv(path, index=False)
    return path


@pytest.fixture(scope="session")
def base(tmp_path_factory):
    return tiny.save("bert", tmp_path_factory.mktemp("base"))
