"""`counterpoise cache`: the answers of models, and the converted files of word vectors, that are kept on disk."""

from __future__ import annotations

import typer

app = typer.Typer(
    name="cache",
    help="Look at or clear the answers of models and the converted word vectors that are kept on disk.",
    no_args_is_help=True,
)


@app.command()
def info() -> None:
    """Say where the cache is and how much is in it."""
    from counterpoise.core.cache import ScoreCache
    from counterpoise.models.vector_files import converted_files

    found = ScoreCache().info()
    typer.echo(f"{found.path}: {found.scores:,} answers, {found.size / 1e6:.1f} MB")
    for space, scores in found.spaces.items():
        typer.echo(f"  {space}: {scores:,}")
    vectors = converted_files()
    total = sum(size for _, size in vectors.values())
    typer.echo(f"{found.path.parent / 'vectors'}: {len(vectors)} files of word vectors, {total / 1e6:.1f} MB")
    for source, size in vectors.values():
        typer.echo(f"  {source}: {size / 1e6:.1f} MB")


@app.command()
def clear() -> None:
    """Forget all answers and converted word vectors. Runs keep their results, and data sets stay."""
    from counterpoise.core.cache import ScoreCache
    from counterpoise.models.vector_files import clear_converted

    cache = ScoreCache()
    cache.clear()
    clear_converted()
    typer.echo(f"{cache.path} and {cache.path.parent / 'vectors'}: cleared")
