"""The papers' own numbers, which need the public weights (COUNTERPOISE_HUB=1) or vectors (in the data folder)."""

from __future__ import annotations

import os
from functools import cache

import pytest

import counterpoise as cp


@pytest.fixture(scope="session")
def hub():
    """Loads a language model by its name on the hub, once."""
    if os.environ.get("COUNTERPOISE_HUB") != "1":
        pytest.skip("needs the hub: public weights, loaded where COUNTERPOISE_HUB=1")
    return cache(cp.load)
