"""What a cell costs: time, disk and memory, estimated before it runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Cost:
    """The estimate of one cell.

    flops: floating-point operations; how long they take depends on the machine. seconds: what else takes time. disk:
    bytes that stay in the cell's folder. models: those of them that are weights, which `--drop-models` deletes.
    scratch: bytes on disk that are in use only while the cell runs. memory: bytes in use at the peak.
    """

    flops: float = 0.0
    seconds: float = 0.0
    disk: float = 0.0
    models: float = 0.0
    scratch: float = 0.0
    memory: float = 0.0

    def time(self, speed: float) -> float:
        """Seconds on a machine that makes so many operations a second.

        >>> Cost(flops=6e9, seconds=2).time(3e9)
        4.0
        """
        return self.flops / speed + self.seconds
