"""Pools token vectors to one vector: mean, first token, maximum and so on, alone or concatenated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from counterpoise.core.errors import InputError, unknown

if TYPE_CHECKING:
    import torch

# Names and order of sentence-transformers, which concatenates several poolings in this order.
Pooling = Literal["cls", "max", "mean", "mean_sqrt_len", "weightedmean", "lasttoken"]
POOLINGS: tuple[Pooling, ...] = get_args(Pooling)


@dataclass(frozen=True)
class SentencePooling:
    """How an encoder makes the vector of a text.

    `prompt` is put before every text; the encoder is not made for texts of more than `max_length` tokens.

    >>> SentencePooling.of("mean").poolings
    ('mean',)
    """

    poolings: tuple[Pooling, ...] = ("mean",)
    normalize: bool = False
    lower_case: bool = False
    prompt: str = ""
    max_length: int | None = None

    def __post_init__(self) -> None:
        if not self.poolings:
            raise InputError("an encoder needs a pooling, such as 'mean'")
        for pooling in self.poolings:
            if pooling not in POOLINGS:
                raise unknown("pooling", str(pooling), POOLINGS)

    @classmethod
    def of(cls, pooling: str | SentencePooling) -> SentencePooling:
        return pooling if isinstance(pooling, cls) else cls(poolings=(pooling,))  # type: ignore[arg-type]


def pool(tokens: torch.Tensor, real: torch.Tensor, poolings: tuple[Pooling, ...]) -> torch.Tensor:
    """Vectors (items, width) from their token vectors (items, tokens, width); padding comes last in a row.

    >>> import torch
    >>> tokens = torch.tensor([[[1.0], [3.0], [99.0]]])
    >>> pool(tokens, torch.tensor([[True, True, False]]), ("cls", "max", "mean")).tolist()
    [[1.0, 3.0, 2.0]]
    """
    import torch

    return torch.cat([_pool(tokens, real, pooling) for pooling in poolings], dim=-1)


def _pool(tokens: torch.Tensor, real: torch.Tensor, pooling: Pooling) -> torch.Tensor:
    import torch

    count = real.sum(1, keepdim=True)
    if pooling == "cls":
        return tokens[:, 0]
    if pooling == "lasttoken":
        return tokens[torch.arange(len(tokens), device=tokens.device), count[:, 0] - 1]
    if pooling == "max":
        return tokens.masked_fill(~real[:, :, None], -torch.inf).amax(1)
    weights = real.to(tokens.dtype)
    if pooling == "weightedmean":
        weights = weights * torch.arange(1, real.shape[1] + 1, device=tokens.device)
    divisor = count.sqrt() if pooling == "mean_sqrt_len" else weights.sum(1, keepdim=True)
    return (tokens * weights[:, :, None]).sum(1) / divisor
