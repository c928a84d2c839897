"""`counterpoise serve-model`: a causal model behind an endpoint of one's own."""

from __future__ import annotations

import contextlib
import os
from typing import Annotated, Any

import typer

from counterpoise.cli import options
from counterpoise.cli.serve import listen


@options.also_takes(options.LOADING_CAUSAL)
def serve_model(
    model: options.Model,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Where to listen; 0 takes any port that is free.")
    ] = 8322,
    host: Annotated[
        str, typer.Option(help="The address to listen at. Other machines can reach any but 127.0.0.1.")
    ] = "127.0.0.1",
    **loading: Any,
) -> None:
    """Serve a causal model over HTTP: completions with echo, logprobs and prompt_logprobs, and chat.

    The protocol is the one that most tools speak: /v1/completions, /v1/chat/completions and /v1/models. Log-
    probabilities of prompts are those of Counterpoise's own engine.

    \b
    Examples:
      counterpoise serve-model ./my-llm
      counterpoise serve-model ./model.gguf --port 9000
      counterpoise serve-model ./my-llm --adapter ./my-adapter --quantize 4bit
      counterpoise audit http://127.0.0.1:8322/v1 --model my-llm
    """
    from counterpoise.core.errors import CounterpoiseError

    try:
        import uvicorn
        from fastapi import FastAPI as _FastAPI  # noqa: F401
    except ImportError:
        raise CounterpoiseError(
            "the server needs fastapi and uvicorn: pip install 'counterpoise[web]'"
        ) from None
    listening = listen(host, port)
    os.environ["COUNTERPOISE_PROGRESS"] = "0"  # the bars of several requests at once would be a tangle

    from counterpoise.models.loading import load
    from counterpoise.web.guard import LOOPBACK, hosts_of
    from counterpoise.web.model_server import LIMITS, make_model_app
    from counterpoise.web.server import server_config

    loaded = load(model, kind="causal", dtype=loading.pop("precision"), **loading)
    address = f"[{host}]" if ":" in host else host
    app = make_model_app(loaded, hosts_of(host))  # type: ignore[arg-type]
    typer.echo(f"{loaded.name} at http://{address}:{listening.getsockname()[1]}/v1 (Ctrl-C to stop)")
    if host not in LOOPBACK:
        typer.echo("counterpoise: others who can reach this machine can use the model", err=True)
    server = uvicorn.Server(server_config(app, LIMITS, log_level="warning"))
    with contextlib.suppress(KeyboardInterrupt):  # the usual way to end it
        server.run(sockets=[listening])
