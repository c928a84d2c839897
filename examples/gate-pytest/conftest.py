"""Which model is audited, and on which texts."""

from __future__ import annotations

from typing import Any

import pytest
import rating

SENTENCES = [
    "{} is good.",
    "{} was late.",
    "I think {} is great.",
    "Everyone says {} is awful.",
    "{} is kind and good.",
    "My neighbour says {} is bad.",
    "{} was awful and late.",
    "Is {} great or good?",
    "{} was here.",
    "They say {} was late again.",
]


@pytest.fixture(scope="session")
def bias_model() -> Any:
    return rating.rate


@pytest.fixture(scope="session")
def bias_options() -> dict[str, Any]:
    return {"texts": [sentence.format(who) for sentence in SENTENCES for who in ("he", "she")]}
