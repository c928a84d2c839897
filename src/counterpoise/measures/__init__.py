"""Measures: functions from a model and data to a `Result`.

Each family is a folder, and each measure a module of its family; what they share is in `base` and in the family's
`common`. Modules of families, and entry points of the group `counterpoise.measures`, enter their measures into the
catalogue; each is then an attribute of this package: `counterpoise.measures.lpbs(model)`.
"""

import importlib
import pkgutil
import warnings
from importlib.metadata import entry_points

from counterpoise.measures.base.catalogue import Measure, _measures, measure
from counterpoise.measures.base.result import Result
from counterpoise.measures.base.rows import Ideal

__all__ = ["Ideal", "Measure", "Result", "measure"]

for _family in pkgutil.iter_modules(__path__, f"{__name__}."):
    if _family.name != f"{__name__}.base":
        _folder = importlib.import_module(_family.name)
        for _module in pkgutil.iter_modules(_folder.__path__, f"{_family.name}."):
            importlib.import_module(_module.name)

for _entry in entry_points(group="counterpoise.measures"):
    try:
        _entry.load()
    except Exception as error:  # someone else's package must not break ours
        warnings.warn(f"the measures of {_entry.value} cannot be loaded: {error}", stacklevel=2)

# A family is a folder, a measure a function: the package shows the functions.
globals().update({_name: _found.function for _name, _found in _measures.items()})
