"""`counterpoise cache`: the answers of models that are kept on disk."""

from __future__ import annotations

import typer

app = typer.Typer(
    name="cache", help="Look at or clear the answers of models that are kept on disk.", no_args_is_help=True
)


@app.command()
def info() -> None:
    """Say where the cache is and how much is in it."""
    from counterpoise.core.cache import ScoreCache

    found = ScoreCache().info()
    typer.echo(f"{found.path}: {found.scores:,} answers, {found.size / 1e6:.1f} MB")
    for space, scores in found.spaces.items():
        typer.echo(f"  {space}: {scores:,}")


@app.command()
def clear() -> None:
    """Forget all answers. Runs keep their results."""
    from counterpoise.core.cache import ScoreCache

    cache = ScoreCache()
    cache.clear()
    typer.echo(f"{cache.path}: cleared")
