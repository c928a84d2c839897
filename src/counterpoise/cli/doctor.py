"""`counterpoise doctor`: is everything in place?"""

from __future__ import annotations

import typer

from counterpoise.cli import options


def doctor(data: options.Data = None) -> None:
    """Show versions, devices, the cache, and what data is at hand, and ask the built-in model one question."""
    import platform

    import torch

    from counterpoise.audit.record import versions
    from counterpoise.core.cache import ScoreCache
    from counterpoise.data.thirdparty.folders import at_hand, data_folder, using_data
    from counterpoise.models.loading import load

    typer.echo(f"platform      {platform.platform()}, {torch.get_num_threads()} threads")
    for name, version in versions().items():
        typer.echo(f"{name:<13} {version}")
    typer.echo(f"devices       {', '.join(_devices())}")
    cache = ScoreCache().info()
    answers = f"{cache.scores:,} answers" if cache.problem is None else f"cannot be used: {cache.problem}"
    typer.echo(f"cache         {cache.path} ({answers}, {cache.size / 1e6:.1f} MB)")
    with using_data(data):
        datasets = at_hand()
        typer.echo(f"data folder   {data_folder() or 'none (use --data or COUNTERPOISE_DATA)'}")
        typer.echo(
            f"  at hand     {', '.join(name for name, present in datasets.items() if present) or 'nothing'}"
        )
        typer.echo(
            f"  not at hand {', '.join(name for name, present in datasets.items() if not present) or 'nothing'}"
        )
    [[best, *_]] = load(device="cpu").fill("paris is the capital of [MASK].", k=1)  # type: ignore[union-attr]
    typer.echo(f"built-in      paris is the capital of {best.word} ({best.probability:.2f})")


def _devices() -> list[str]:
    import torch

    gpus = [f"cuda:{i} ({torch.cuda.get_device_name(i)})" for i in range(torch.cuda.device_count())]
    mps = ["mps"] if torch.backends.mps.is_available() else []
    return ["cpu", *gpus, *mps]
