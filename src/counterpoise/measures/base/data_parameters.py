"""Data that measures of several families take, with what readers are told about them."""

from __future__ import annotations

from typing import Annotated

import pandas as pd

from counterpoise.measures.base.documentation import Doc

EecSentences = Annotated[
    pd.DataFrame | None,
    Doc("Sentences in the columns of `counterpoise.data.eec`; the corpus from the data folder if not given."),
]
