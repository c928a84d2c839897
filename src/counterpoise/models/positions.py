"""Log-probabilities at any position of a text, masked or not.

Measures ask at masks (`MaskedLM.target_log_probs`). Published code has also read beside the mask, or only the first
piece of a word; these functions reproduce that.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from counterpoise.core.errors import InputError
from counterpoise.core.mask import MASK
from counterpoise.models.masked import MaskedLM
from counterpoise.models.scoring.questions import Questions


def log_probs_at(
    model: MaskedLM, texts: Sequence[str], positions: Sequence[int], tokens: Sequence[int]
) -> np.ndarray:
    """log P(token at a position | text) for each text, natural log, as an array (texts,).

    A position counts the model's tokens, special ones included: 0 is [CLS] in BERT.

    >>> import counterpoise as cp
    >>> lm = cp.load()
    >>> token = lm.tokenizer.convert_tokens_to_ids("she")
    >>> at_mask = log_probs_at(lm, ["[MASK] is a nurse."], [1], [token])
    >>> bool(np.allclose(at_mask, lm.target_log_probs(["[MASK] is a nurse."], ["she"])[:, 0]))
    True
    """
    rows = [
        np.array(encoded.ids, dtype=np.int32).tobytes()
        for encoded in model.encode([model.own_mask(text) for text in texts])
    ]
    for text, row, position in zip(texts, rows, positions, strict=True):
        if not 0 <= position < len(row) // 4:
            raise InputError(f"there is no position {position} in {text!r}")
    return model.answer(Questions(rows, np.asarray(positions, np.int64), np.asarray(tokens, np.int64)))


def mask_positions(model: MaskedLM, texts: Sequence[str]) -> list[list[int]]:
    """The positions of the masks in each text, counting the model's tokens."""
    mask = model.tokenizer.mask_token_id
    return [
        [i for i, token in enumerate(encoded.ids) if token == mask]
        for encoded in model.encode([model.own_mask(text) for text in texts])
    ]


def first_pieces(model: MaskedLM, texts: Sequence[str], words: Sequence[str]) -> list[int]:
    """The first piece of each word, as the tokenizer writes it in place of the first mask of its text."""
    starts = [text.find(MASK) for text in texts]
    filled = [text.replace(MASK, word, 1) for text, word in zip(texts, words, strict=True)]
    encodings = model.encode([model.own_mask(text) for text in filled])
    return [
        next(token for token, (_, end) in zip(encoded.ids, encoded.spans, strict=True) if end > start)
        for start, encoded in zip(starts, encodings, strict=True)
    ]
