import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def real_data():
    """Paths in the folder of real data named by COUNTERPOISE_DATA; without it the test is skipped."""
    folder = os.environ.get("COUNTERPOISE_DATA")
    if not folder:
        pytest.skip("COUNTERPOISE_DATA is not set")

    def path(name: str) -> Path:
        found = Path(folder) / name
        if not found.exists():
            pytest.skip(f"{found} is missing")
        return found

    return path
