from __future__ import annotations

import pytest

from counterpoise.core import download as downloads
from counterpoise.data.thirdparty import sources as registry
from counterpoise.data.thirdparty.sources import DataSource
from web_server import serving


@pytest.fixture
def web():
    with serving() as started:
        yield started


@pytest.fixture
def registered(monkeypatch):
    """Replaces the registry by datasets of the test; nothing is waited for, and no data folder is given."""

    def register(**sets: DataSource) -> None:
        monkeypatch.setattr(downloads, "WAITS", ())
        monkeypatch.delenv("COUNTERPOISE_DATA", raising=False)
        monkeypatch.setattr(registry, "sources", lambda: sets)

    return register
