"""What `--help` and `catalog measures` say about measures, without importing them, which takes seconds.

It is read from a file that `make docs` writes from the measures' declarations. The measures themselves are imported
only if another package adds some.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from importlib.metadata import entry_points
from typing import Any


@cache
def measures_index() -> dict[str, Any]:
    """The index that `counterpoise.measures.base.catalogue.index` makes."""
    if entry_points(group="counterpoise.measures"):
        from counterpoise.measures.base.catalogue import index

        return index()
    file = resources.files("counterpoise") / "measures" / "index.json"
    contents: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return contents
