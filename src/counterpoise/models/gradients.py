"""Whether what a model computes may still be part of a training.

Nothing that is measured needs gradients. Torch's inference mode is the cheapest way without, but where a model keeps a
tensor that was made in it (positions, a mask), the model can never be trained with that tensor.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any

_in_training: ContextVar[bool] = ContextVar("in_training", default=False)


@contextmanager
def amid_training() -> Iterator[None]:
    """While the block runs, models are asked that go on being trained afterwards."""
    before = _in_training.set(True)
    try:
        yield
    finally:
        _in_training.reset(before)


def no_gradients() -> AbstractContextManager[Any]:
    """What models are asked in: torch's inference mode, or amid a training no more than `torch.no_grad`.

    >>> import torch
    >>> with no_gradients():
    ...     torch.ones(1).is_inference()
    True
    >>> with amid_training(), no_gradients():
    ...     torch.ones(1).is_inference()
    False
    """
    import torch

    return torch.no_grad() if _in_training.get() else torch.inference_mode()
