"""Published numbers, which are facts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def published() -> dict[str, Any]:
    return json.loads((Path(__file__).parent / "published.json").read_text())
