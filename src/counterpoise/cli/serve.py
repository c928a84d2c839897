"""`counterpoise serve`: the explorer in a browser."""

from __future__ import annotations

import contextlib
import os
import socket
from pathlib import Path
from typing import Annotated, Any

import typer

from counterpoise.cli import options


@options.also_takes(options.LOADING_PROBED)
def serve(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="A folder of runs; runs if not given.")
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODEL",
            help="A language model (also .gguf), a classifier or module:function to probe, beside the built-in model "
            "and those of the runs. Repeatable.",
        ),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Where to listen; 0 takes any port that is free.")
    ] = 8321,
    host: Annotated[
        str, typer.Option(help="The address to listen at. Other machines can reach any but 127.0.0.1.")
    ] = "127.0.0.1",
    **loading: Any,
) -> None:
    """Look at runs, compare them, and try sentences, in a browser.

    How models are loaded (--precision, --adapter, --chat, ...) is said of those that --model names.

    \b
    Examples:
      counterpoise serve
      counterpoise serve runs --model bert-base-uncased --model ./my-model
      counterpoise serve --model ./my-llm --chat --precision bf16
      counterpoise serve ~/audits --port 9000
    """
    from counterpoise.core.errors import CounterpoiseError, InputError

    try:
        import cachetools as _cachetools  # noqa: F401
        import uvicorn
        from fastapi import FastAPI as _FastAPI  # noqa: F401
    except ImportError:
        raise CounterpoiseError(
            "the explorer needs cachetools, fastapi and uvicorn: pip install 'counterpoise[web]'"
        ) from None
    if folder is not None and not folder.expanduser().is_dir():
        raise InputError(f"there is no folder {folder}")
    names = list(dict.fromkeys(model or []))
    load = options.load_options(loading)
    further = load.model_dump(exclude={"device", "offline"}, exclude_defaults=True)
    if further and not names:
        raise typer.BadParameter("how models are loaded is said of those that --model names")
    if len(names) > 1 and (load.adapter or load.revision):
        raise typer.BadParameter("--adapter and --revision are for a single --model")
    os.environ["COUNTERPOISE_PROGRESS"] = "0"  # the bars of several requests at once would be a tangle
    listening = listen(host, port)

    from counterpoise.web.app import make_app
    from counterpoise.web.explorer import Explorer
    from counterpoise.web.guard import LOOPBACK, hosts_of
    from counterpoise.web.server import server_config
    from counterpoise.web.workers import load_to_probe

    for name in names:  # mistakes show before anyone waits for an answer
        load_to_probe(name, load.device, load.offline, with_functions=True, further=further)
    explorer = Explorer(
        folder or Path("runs"), names, device=load.device, offline=load.offline, further=further
    )
    address = f"[{host}]" if ":" in host else host
    typer.echo(f"Counterpoise at http://{address}:{listening.getsockname()[1]} (Ctrl-C to stop)")
    if host not in LOOPBACK:
        typer.echo(
            "counterpoise: others who can reach this machine can read the runs and use the models", err=True
        )
    config = server_config(make_app(explorer, hosts_of(host)), explorer.limits, log_level="warning")
    server = uvicorn.Server(config)
    with contextlib.suppress(KeyboardInterrupt):  # the usual way to end it
        server.run(sockets=[listening])


def listen(host: str, port: int) -> socket.socket:
    """An open socket; a port that is taken is an error before anything is loaded."""
    from counterpoise.core.errors import InputError

    try:
        family, *_ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as error:  # the latter of a label that no host name can have
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"cannot listen at {host[:100]}: {reason}; choose another address with --host"
        ) from None
    try:
        listening = socket.socket(family)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(1024)
    except OSError as error:
        raise InputError(
            f"cannot listen at {host}:{port} ({error.strerror or error}); choose another port with --port"
        ) from None
    return listening
