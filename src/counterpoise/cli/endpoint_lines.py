"""What `counterpoise audit` says about a model behind an endpoint before and after it is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from counterpoise.audit.request import AuditRequest
    from counterpoise.models.endpoints.endpoint import Endpoint


def open_endpoint(request: AuditRequest, price_in: float | None, price_out: float | None) -> AuditRequest:
    """The request with its endpoint opened; prints what was found and what will be asked."""
    from counterpoise.audit.auditing import plan
    from counterpoise.core.printable import printable

    endpoint: Endpoint = request.load_model()
    typer.echo(f"{printable(endpoint.name)}, by {endpoint.asker.transport.traffic.probes} probes:", err=True)
    for line in endpoint.capabilities.describe():
        typer.echo(f"  {printable(line)}", err=True)
    if endpoint.other_models:
        names = ", ".join(endpoint.other_models)
        typer.echo(f"counterpoise: the server answers as another model: {names}", err=True)
    opened = request.model_copy(update={"model": endpoint})
    typer.echo(f"  {plan(opened, endpoint).describe(price_in, price_out)}", err=True)
    return opened


def print_traffic(endpoint: Endpoint) -> None:
    """How much was asked."""
    traffic = endpoint.asker.transport.traffic
    typer.echo(
        f"asked {traffic.questions:,} questions, besides {traffic.probes} probes and {traffic.retries} retries; "
        f"{traffic.tokens_in:,} tokens in, {traffic.tokens_out:,} out",
        err=True,
    )
