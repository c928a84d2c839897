"""A model in, a fairer model out.

Projections are split in three: how a direction is found (`directions`), what is done with it (`projections`), where it
is applied (`applying`).
"""

from counterpoise.mitigate.applying import Projected, apply_projection, fit_projection, what_remains
from counterpoise.mitigate.projections import HardDebias, LinearProjection, Rotation, load_projection

__all__ = [
    "HardDebias",
    "LinearProjection",
    "Projected",
    "Rotation",
    "apply_projection",
    "fit_projection",
    "load_projection",
    "what_remains",
]
