"""What `--help` and `catalog measures` say of measures, at once: importing the measures takes seconds.

It stands in a file that `make docs` writes from what the measures declare. Only where another package adds measures
are they asked themselves.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from importlib.metadata import entry_points
from typing import Any


@cache
def measures_index() -> dict[str, Any]:
    """As `counterpoise.measures.base.catalogue.index` has it."""
    if entry_points(group="counterpoise.measures"):
        from counterpoise.measures.base.catalogue import index

        return index()
    file = resources.files("counterpoise") / "measures" / "index.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found
