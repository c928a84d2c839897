"""The passages of GAP as the case study reads them: checked, with their answers and the vectors of their mentions."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd

from counterpoise.core.errors import MissingData
from counterpoise.data.thirdparty.folders import check_whole, find_file
from counterpoise.data.thirdparty.gap import gap
from counterpoise.models.encoder import Encoder
from counterpoise.models.masked import MaskedLM
from counterpoise.studies.engine.cells import left_out_without_data
from counterpoise.studies.papers.kurita2019.resolution import NEITHER

Split = Literal["development", "test", "validation"]
Training = Literal["development", "test+validation"]

MENTIONS = ("pronoun", "a", "b")
# What a perceptron is trained on and asked about. The paper's text speaks of gap-development as the training set; the
# kernel that it cites trains on the other two and is asked about gap-development.
TRAINING: dict[Training, tuple[tuple[Split, ...], Split]] = {
    "development": (("development",), "test"),
    "test+validation": (("test", "validation"), "development"),
}


def passages(split: str) -> pd.DataFrame:
    """A split of GAP with the column `answer`: 0 for name A, 1 for B, 2 for neither.

    A file that is not the published one is an error, and so is a passage whose offsets do not fit, by its name.
    """
    name = f"gap-{split}.tsv"
    with left_out_without_data(MissingData):
        path = find_file("gap", name, f"{name}.xz")
    check_whole("gap", path)
    table = gap(split)
    return table.assign(answer=np.select([table.a_coref, table.b_coref], [0, 1], NEITHER))


def mention_vectors(model: MaskedLM, passages: pd.DataFrame, layers: int = 3) -> np.ndarray:
    """The vectors of pronoun, A and B in the last layers of a frozen model: (passages, 3, layers, width).

    A mention of several pieces has the mean of their vectors; the last layer comes first.
    """
    layers = min(layers, model.model.config.num_hidden_layers + 1)
    encoder = Encoder.of(model, layer=tuple(range(-1, -layers - 1, -1)))
    texts = passages.text.tolist()
    spans = [
        (int(start), int(start) + len(words))
        for mention in MENTIONS
        for start, words in zip(passages[f"{mention}_offset"], passages[mention], strict=True)
    ]
    vectors = encoder.span_vectors(texts * len(MENTIONS), spans)
    return vectors.reshape(len(MENTIONS), len(passages), layers, -1).swapaxes(0, 1)
