"""How fast this machine multiplies matrices, as a measure of how fast it runs models."""

from __future__ import annotations

import time
from dataclasses import dataclass

_SECONDS = 0.5  # that the measurement takes
_SIDE = {"cpu": 512, "cuda": 4096, "mps": 2048}
# The share of that speed at which models are trained and asked: the rest goes into small products, normalisation,
# tokens and, on a GPU, waiting for the next step.
EFFICIENCY = {"cpu": 0.65, "cuda": 0.25, "mps": 0.25}


@dataclass(frozen=True)
class Speed:
    """Operations a second: of plain products of matrices, and those that models reach of them."""

    device: str
    products: float

    @property
    def models(self) -> float:
        return self.products * EFFICIENCY.get(self.device, EFFICIENCY["cuda"])

    def __str__(self) -> str:
        """
        >>> str(Speed("cpu", 42e9))
        '42 GFLOP/s on cpu'
        """
        unit, size = ("TFLOP/s", 1e12) if self.products >= 1e12 else ("GFLOP/s", 1e9)
        return f"{self.products / size:.3g} {unit} on {self.device}"


def measure_speed(device: str, threads: int) -> Speed:
    """Multiplies matrices for half a second, on a CPU with so many threads."""
    import torch

    from counterpoise.models.devices import resolve_device

    kind = resolve_device(device).type
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        return Speed(kind, _products(torch.device(kind), _SIDE.get(kind, _SIDE["cuda"])))
    finally:
        torch.set_num_threads(before)


def _products(device: object, side: int) -> float:
    """Operations a second in products of square matrices."""
    import torch

    a, b = (torch.ones(side, side, device=device) for _ in range(2))  # type: ignore[call-overload]

    def multiply() -> None:
        (a @ b)[0, 0].item()  # waits for a GPU to finish

    multiply()
    began, repeats = time.perf_counter(), 0
    while time.perf_counter() - began < _SECONDS:
        multiply()
        repeats += 1
    return float(2 * side**3 * repeats / (time.perf_counter() - began))
