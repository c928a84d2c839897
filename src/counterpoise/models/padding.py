"""Padding of texts of unequal length, such that none changes what a model makes of a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import torch

PaddingSide = Literal["left", "right"]

# Classifiers that read the last position, whatever stands there. Other decoders look for the last token that is not
# padding, and absolute positions are counted from the left, so that all others are padded on the right.
_READ_LAST_POSITION = {"xlnet"}


def padding_side(config: Any) -> PaddingSide:
    """The side on which padding leaves a model's results as they are."""
    return "left" if config.model_type in _READ_LAST_POSITION else "right"


def pad_token_id(config: Any, tokenizer: Any) -> int | None:
    """The id to pad with: the tokenizer's or else the configuration's; None if the model has no such token."""
    text = config.get_text_config()  # of a model for text and images; else the same
    size = getattr(text, "vocab_size", None)  # models of characters have none
    for number in (tokenizer.pad_token_id, getattr(text, "pad_token_id", None)):
        if number is not None and number >= 0 and (size is None or number < size):  # some say -1 for none
            return int(number)
    return None


def pad_rows(rows: Sequence[Sequence[int]], value: int, side: PaddingSide = "right") -> torch.Tensor:
    """Rows as one tensor (rows, longest), filled with a value.

    >>> pad_rows([[1, 2, 3], [4]], 0).tolist(), pad_rows([[1, 2, 3], [4]], 0, "left").tolist()
    ([[1, 2, 3], [4, 0, 0]], [[1, 2, 3], [0, 0, 4]])
    """
    import torch

    longest = max(len(row) for row in rows)
    padded = torch.full((len(rows), longest), value, dtype=torch.long)
    for number, row in enumerate(rows):
        start = longest - len(row) if side == "left" else 0
        padded[number, start : start + len(row)] = torch.tensor(row, dtype=torch.long)
    return padded


def attention_mask(rows: Sequence[Sequence[int]], side: PaddingSide = "right") -> torch.Tensor:
    """1 where a row has a token, 0 where it is padded.

    >>> attention_mask([[1, 2, 3], [4]], "left").tolist()
    [[1, 1, 1], [0, 0, 1]]
    """
    import torch

    lengths = torch.tensor([len(row) for row in rows])
    mask = (torch.arange(int(lengths.max())) < lengths[:, None]).long()
    return mask.flip(1) if side == "left" else mask


def special_token_types(tokenizer: Any) -> dict[int, int]:
    """The token types other than 0 that a tokenizer gives, by position: from the end of a text where it is negative.

    XLNet and Funnel mark their classification token with a type of its own. Most models have 0 throughout, which is
    what they take if they are given none.
    """
    if "token_type_ids" not in tokenizer.model_input_names:
        return {}
    encoding = tokenizer.backend_tokenizer.encode("a")
    length = len(encoding.ids)
    first_of_text = next(
        (i for i, is_special in enumerate(encoding.special_tokens_mask) if not is_special), 0
    )
    return {
        i if i < first_of_text else i - length: kind for i, kind in enumerate(encoding.type_ids) if kind != 0
    }
