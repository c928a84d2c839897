"""Where cells run: the engine by its name."""

from __future__ import annotations

from counterpoise.core.errors import InputError, unknown
from counterpoise.studies.engine.execution import Engine
from counterpoise.studies.engine.local_engine import LocalEngine, available_gpus
from counterpoise.studies.engine.ray_engine import RayEngine


def find_engine(name: str, workers: int | None, address: str | None, with_gpus: bool) -> Engine:
    """The engine "local" or "ray"; `with_gpus` gives each cell on this machine a GPU, as far as there are any."""
    if name == "ray":
        return RayEngine(address, workers)
    if name != "local":
        raise unknown("engine", name, ["local", "ray"])
    if address is not None:
        raise InputError("--address is that of a Ray cluster; add --engine ray")
    return LocalEngine(workers, available_gpus() if with_gpus else ())
