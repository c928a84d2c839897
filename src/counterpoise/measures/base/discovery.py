"""Imports the modules that declare measures: those of the families, and those of other installed packages."""

from __future__ import annotations

import importlib
import pkgutil
import warnings
from collections.abc import Iterable
from importlib.metadata import entry_points

ENTRY_POINTS = "counterpoise.measures"


def import_families(path: Iterable[str], package: str) -> None:
    """Imports every module of every family: of each folder of the package but `base`."""
    for family in pkgutil.iter_modules(path, f"{package}."):
        if family.ispkg and family.name != f"{package}.base":
            folder = importlib.import_module(family.name)
            for module in pkgutil.iter_modules(folder.__path__, f"{family.name}."):
                importlib.import_module(module.name)


def import_entry_points() -> None:
    """Imports the measures of other packages; one that cannot be imported is a warning, not an error."""
    for entry in entry_points(group=ENTRY_POINTS):
        try:
            entry.load()
        except Exception as error:  # someone else's package must not break ours
            warnings.warn(f"the measures of {entry.value} cannot be loaded: {error}", stacklevel=2)
