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
    from counterpoise.core.cache import ARTIFACTS, ScoreCache, artifact_folder, artifacts
    from counterpoise.models.vector_files import converted_files

    scores = ScoreCache().info()
    if scores.problem is None:
        typer.echo(f"{scores.path}: {scores.scores:,} answers, {scores.size / 1e6:.1f} MB")
    else:
        typer.echo(
            f"{scores.path}: cannot be used ({scores.problem}), {scores.size / 1e6:.1f} MB; "
            "`counterpoise cache clear` removes it"
        )
    for space, count in scores.spaces.items():
        typer.echo(f"  {space}: {count:,}")
    vectors = converted_files()
    total = sum(size for _, size in vectors.values())
    typer.echo(
        f"{scores.path.parent / 'vectors'}: {len(vectors)} files of word vectors, {total / 1e6:.1f} MB"
    )
    for source, size in vectors.values():
        typer.echo(f"  {source}: {size / 1e6:.1f} MB")
    for kind, what in ARTIFACTS.items():
        sizes = artifacts(kind)
        typer.echo(f"{artifact_folder(kind)}: {len(sizes)}, {sum(sizes.values()) / 1e6:.1f} MB ({what})")


@app.command()
def clear() -> None:
    """Forget all that can be made again. Runs keep their results, and datasets stay."""
    import shutil

    from counterpoise.core.cache import ARTIFACTS, ScoreCache, artifacts
    from counterpoise.models.vector_files import clear_converted

    cache = ScoreCache()
    cache.clear()
    clear_converted()
    for path in (path for kind in ARTIFACTS for path in artifacts(kind)):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    typer.echo(f"{cache.path.parent}: cleared, but for datasets")
