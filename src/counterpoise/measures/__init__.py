"""Measures: functions from a model and data to a `Result`.

Every module of this folder, and every entry point of the group `counterpoise.measures`, may enter measures into the
catalogue; each is then an attribute of this package: `counterpoise.measures.lpbs(model)`.
"""

import importlib
import pkgutil
import warnings
from importlib.metadata import entry_points

from counterpoise.measures.catalogue import Measure, _measures, measure
from counterpoise.measures.corpus_compare import compare_corpora
from counterpoise.measures.result import Ideal, Result

__all__ = ["Ideal", "Measure", "Result", "compare_corpora", "corpus", "measure"]

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

for _entry in entry_points(group="counterpoise.measures"):
    try:
        _entry.load()
    except Exception as error:  # someone else's package must not break ours
        warnings.warn(f"the measures of {_entry.value} cannot be loaded: {error}", stacklevel=2)

# A measure is often named like its module (lpbs in lpbs.py); the package shows the function, not the module.
globals().update({_name: _found.function for _name, _found in _measures.items()})

# It measures texts and takes no model, so that it is not in the catalogue, which audits choose from.
from counterpoise.measures.corpus import corpus  # noqa: E402  (the function, in the place of the module)
