"""Functions named on the command line, as `package.module:function`.

Only a name with a colon between two Python names is one; neither hub names nor paths are. The module is imported, which
runs its code, from the current directory too.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from pathlib import Path
from typing import Any

from counterpoise.core.errors import InputError, did_you_mean, in_one_line

_NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


def is_function_name(name: str) -> bool:
    """Is it `module:function`, and no path?

    >>> names = ("app.rating:rate", "org/model", "C:/models", "https://a.b", "localhost:80")
    >>> [is_function_name(name) for name in names]
    [True, False, False, False, False]
    """
    if _NAME.fullmatch(name) is None or Path(name).exists():
        return False
    on_a_drive = os.name == "nt" and name.index(":") == 1  # C:model is a path on Windows
    return not on_a_drive


def import_function(name: str) -> Any:
    """What a name of the form `module:function` names; a function, or an object that is a classifier."""
    module_name, _, path = name.partition(":")
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise InputError(f"{name}: importing {module_name} failed: {in_one_line(error)}") from error
        raise InputError(
            f"{name}: there is no module {error.name!r}, neither in {here} nor installed"
        ) from None
    except (Exception, SystemExit) as error:  # whatever the module's own code can raise
        raise InputError(f"{name}: importing {module_name} failed: {in_one_line(error)}") from error
    for part in path.split("."):
        if not hasattr(found, part):
            names = [other for other in dir(found) if not other.startswith("_")]
            raise InputError(f"{name}: there is no {part!r} in {module_name}{did_you_mean(part, names)}")
        found = getattr(found, part)
    return found
