"""Lines on standard error about what went wrong without stopping the work."""

from __future__ import annotations

import sys

from counterpoise.core.printable import printable


def notice(message: str) -> None:
    """Prints one line on standard error; results and exit codes are not affected."""
    print(f"counterpoise: {printable(' '.join(message.split()))}", file=sys.stderr, flush=True)
