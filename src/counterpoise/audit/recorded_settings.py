"""Settings as a run folder records them: what JSON can hold as it is, files by path and hash, functions and models by
name and fingerprint.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from counterpoise.core.hashing import hash_file
from counterpoise.models.function_answers import function_name
from counterpoise.models.function_fingerprints import function_fingerprint


def recorded(value: Any) -> Any:
    """
    >>> recorded({"n": 5, "raters": {"shouting": str.isupper}})["n"]
    5
    >>> recorded([len])[0].startswith("len, fingerprint ")
    True
    """
    if isinstance(value, str | Path):
        return f"{value}, SHA-256 {hash_file(value)}" if _is_file(value) else str(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(name): recorded(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [recorded(one) for one in value]
    if isinstance(fingerprint := getattr(value, "fingerprint", None), str):
        return f"{getattr(value, 'name', type(value).__name__)}, fingerprint {fingerprint}"
    if callable(value):
        name = function_name(value, None)
        return f"{name}, fingerprint {function_fingerprint(value, name)}"
    return value


def _is_file(value: str | Path) -> bool:
    """Whatever a setting is for: one that could be a file may be read as one."""
    try:
        return Path(value).is_file()
    except (OSError, ValueError):  # longer than a path can be, or with a null byte
        return False
