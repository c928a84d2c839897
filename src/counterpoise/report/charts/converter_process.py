"""Runs vl-convert for `converter.py`, as a program of its own: what makes it crash ends this process and no other.

It is started with `python -I` and imports nothing of this package. The first line on stdin is the search path of
modules; each line after it is a request. An answer is a line of JSON with the number of bytes that follow it.
"""

from __future__ import annotations

import json
import sys


def lift_soft_limit() -> None:
    """Allows all address space that may be allowed: vl-convert reserves far more than it uses when it starts."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def main() -> None:
    lift_soft_limit()
    sys.path[:] = json.loads(sys.stdin.buffer.readline())
    import vl_convert

    for line in sys.stdin.buffer:
        request = json.loads(line)
        convert = getattr(vl_convert, f"vegalite_to_{request['format']}")
        try:
            picture = convert(request["spec"], allowed_base_urls=[], **request["options"])
            status, content = "drawn", picture.encode() if isinstance(picture, str) else bytes(picture)
        except Exception as error:  # whatever vl-convert raises is the answer
            status, content = "failed", f"{type(error).__name__}: {error}".encode()
        sys.stdout.buffer.write(
            json.dumps({"status": status, "bytes": len(content)}).encode() + b"\n" + content
        )
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
