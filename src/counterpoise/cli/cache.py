"""`counterpoise cache`: what is kept on disk because it takes long to make."""

from __future__ import annotations

import typer

app = typer.Typer(
    name="cache",
    help="Look at or clear what is kept on disk: answers of models, word vectors, controls, proofs.",
    no_args_is_help=True,
)


@app.command()
def info() -> None:
    """Say where the cache is and how much is in it."""
    from counterpoise.core.cache import MADE, ScoreCache, made_folder, made_things
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
    for kind, what in MADE.items():
        things = made_things(kind)
        typer.echo(f"{made_folder(kind)}: {len(things)}, {sum(things.values()) / 1e6:.1f} MB ({what})")


@app.command()
def clear() -> None:
    """Forget all that can be made again. Runs keep their results, and data sets stay."""
    import shutil

    from counterpoise.core.cache import MADE, ScoreCache, made_things
    from counterpoise.models.vector_files import clear_converted

    cache = ScoreCache()
    cache.clear()
    clear_converted()
    for thing in (thing for kind in MADE for thing in made_things(kind)):
        if thing.is_dir():
            shutil.rmtree(thing)
        else:
            thing.unlink(missing_ok=True)
    typer.echo(f"{cache.path.parent}: cleared, but for data sets")
