"""Measures: functions from a model and data to a `Result`.

Each family is a folder, and each measure a module of its family; what they share is in `base` and in the family's
`common`. Importing this package imports the modules of all families, and those that other packages name as entry
points of the group `counterpoise.measures`: each enters its measures into the catalogue. A measure is then an attribute
of this package: `counterpoise.measures.lpbs(model)`.
"""

from counterpoise.measures.base.catalogue import Measure, all_measures, measure
from counterpoise.measures.base.discovery import import_entry_points, import_families
from counterpoise.measures.base.result import Result
from counterpoise.measures.base.rows import Ideal

__all__ = ["Ideal", "Measure", "Result", "measure"]

import_families(__path__, __name__)
import_entry_points()

# A family is a folder, a measure a function: the package shows the functions.
globals().update({name: measure.function for name, measure in all_measures().items()})
