"""One server over one folder of runs, for all tests of the explorer."""

from __future__ import annotations

import httpx
import pytest

from counterpoise.web.explorer import Explorer
from explorer_server import make_runs, serving


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("served") / "runs"
    root.mkdir()
    return make_runs(root)


@pytest.fixture(scope="session")
def explorer(folder):
    return Explorer(folder, device="cpu")


@pytest.fixture(scope="session")
def address(explorer):
    with serving(explorer) as url:
        yield url


@pytest.fixture(scope="session")
def client(address):
    with httpx.Client(base_url=address, timeout=60) as found:
        yield found


@pytest.fixture(scope="session")
def ids(client):
    return {run["path"]: run["id"] for run in client.get("/api/runs").json()}
