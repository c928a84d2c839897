"""What measures of classifiers declare alike, and what they say about the ratings of texts."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import numpy as np
from pydantic import Field

from counterpoise.measures.base.catalogue import measure
from counterpoise.measures.base.documentation import Doc
from counterpoise.measures.base.rows import ZERO
from counterpoise.models.classifier import Classifier

TextsToDraw = Annotated[
    Annotated[int, Field(ge=1)] | None, Doc("How many texts to draw; all of your own if not given.")
]

rating_measure = partial(measure, needs=Classifier, ideal=ZERO)


def cut_warning(truncated: np.ndarray, length: int | None) -> tuple[str, ...]:
    """A warning where the model does not read texts to their end."""
    if not truncated.any():
        return ()
    return (
        f"{truncated.sum()} of {len(truncated)} texts are longer than the {length} tokens that the model reads; "
        "only their beginning counts",
    )
