"""Packages that only some models need: the extra `llm`."""

from __future__ import annotations

import importlib.util

from counterpoise.core.errors import ModelError

INSTALL = "pip install 'counterpoise[llm]'"


def need(package: str, what: str) -> None:
    """Raises an error with the command that installs a package, unless it is installed.

    >>> need("transformers", "a hub model")
    >>> need("no_such_package", "a quantised model")
    Traceback (most recent call last):
    counterpoise.core.errors.ModelError: a quantised model needs the package no_such_package: \
pip install 'counterpoise[llm]'
    """
    if importlib.util.find_spec(package) is None:
        raise ModelError(f"{what} needs the package {package}: {INSTALL}")
