"""A Ray cluster, for those who ask for one: an existing one by its address, or one on this machine for the time."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from counterpoise.core.errors import InputError, RunError


@contextmanager
def connected(address: str | None = None, cpus: int | None = None) -> Iterator[Any]:
    """The module `ray`, connected while the block runs.

    A connection that is there already is used and left as it is. A cluster on this machine has no dashboard and
    reports to nobody.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError as error:
        raise InputError(
            "--engine ray needs Ray, which is not installed: pip install 'counterpoise[ray]'"
        ) from error
    if ray.is_initialized():
        yield ray
        return
    options: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": False}
    if address is None:
        options |= {"num_cpus": cpus, "include_dashboard": False, "address": "local"}
    else:
        _check_answers(address)
        options["address"] = address
    try:
        ray.init(**options)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        raise _unreachable(address, error) from error
    try:
        yield ray
    finally:
        ray.shutdown()


def largest_node(ray: Any, resource: str) -> float:
    """How much of a resource (CPU, GPU) the best node alive has: no task can have more."""
    return max((node["Resources"].get(resource, 0.0) for node in ray.nodes() if node["Alive"]), default=0.0)


def why_given_up(error: Exception, attempts: int) -> str:
    """What became of a task, from the error of Ray: the work itself raises none."""
    from ray.exceptions import RayTaskError

    if isinstance(error, RayTaskError):
        last = str(error).splitlines()[-1]
        return f"a task cannot begin ({last}); all nodes need this version of Counterpoise"
    return f"a worker or node died {attempts} times ({type(error).__name__})"


def _check_answers(address: str) -> None:
    """Ray itself tries for minutes where nobody answers."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not host or not port.isdigit():
        if address == "auto":
            return
        raise InputError(f"{address!r} is no address of a Ray cluster; give host:port, or auto")
    try:
        socket.create_connection((host, int(port)), timeout=10).close()
    except OSError as error:
        raise _unreachable(address, error) from error


def _unreachable(address: str | None, error: Exception) -> RunError:
    why = " ".join(str(error).split())[:200]
    if address is None:
        return RunError(f"a Ray cluster cannot be started on this machine: {why}")
    return RunError(
        f"there is no Ray cluster at {address} ({why}); start one with `ray start --head`, or leave out --address"
    )
