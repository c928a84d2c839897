"""`counterpoise train`: fine-tunes a classifier on labelled texts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from counterpoise.cli import options


def train(
    texts: Annotated[
        Path, typer.Argument(metavar="FILE", help="Labelled texts: CSV, TSV, JSONL or Parquet.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for the trained model.")],
    column: Annotated[str, typer.Option(help="The column with the texts.")] = "text",
    label: Annotated[str, typer.Option(help="The column with the labels.")] = "label",
    base: Annotated[
        str,
        typer.Option(
            help="builtin, distbase, bertbase, bertlarge, robertabase, robertalarge, albertbase, albertlarge, "
            "a hub name or a folder."
        ),
    ] = "builtin",
    condition: Annotated[
        str, typer.Option(help="original, R-pro, R-weat, R-all, mix-pro, mix-weat or mix-all.")
    ] = "original",
    variant: Annotated[
        str,
        typer.Option(
            help="corrected, or published: with the settings and models of the paper's own code, and with its lists of "
            "terms where the data folder has them (jentzsch-turan/term_lists.json or .py)."
        ),
    ] = "corrected",
    epochs: Annotated[int | None, typer.Option(help="The most epochs; 4 if not given.")] = None,
    learning_rate: Annotated[float | None, typer.Option(help="5e-5 if not given.")] = None,
    batch_size: Annotated[int | None, typer.Option(help="32 if not given.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of everything random; 0 if not given.")] = None,
    device: options.TrainingDevice = "auto",
    trust_remote_code: Annotated[
        bool, typer.Option("--trust-remote-code", help="Run Python code that comes with the base model.")
    ] = False,
    allow_pickle: Annotated[
        bool,
        typer.Option("--allow-pickle", help="Read pickled weights of the base model, which can run code."),
    ] = False,
) -> None:
    """Fine-tune a classifier, to measure it or to see what its training texts do to its bias.

    After an interruption, the same command resumes where it stopped.

    \b
    Examples:
      counterpoise train reviews.csv --column review --label sentiment --out my-classifier
      counterpoise train reviews.csv --base bertbase --condition mix-pro --out mixed
      counterpoise train reviews.csv --base ./debiased-bert --out from-debiased
    """
    from dataclasses import replace

    from counterpoise.data.user.texts import read_texts
    from counterpoise.tuning import Stopped, train_classifier
    from counterpoise.tuning.authors_lists import default_lists
    from counterpoise.tuning.classifier import default_settings
    from counterpoise.tuning.devices import training_device

    given: dict[str, Any] = {
        "epochs": epochs,
        "learning_rate": learning_rate,
        "batch_size": batch_size,
        "seed": seed,
    }
    chosen = {name: value for name, value in given.items() if value is not None}
    settings = default_settings(base, condition, variant)  # type: ignore[arg-type]
    with options.named_as_options(*given):
        settings = replace(settings, **chosen)
    training_device(device, settings.precision)
    lists = default_lists(variant) if condition != "original" else None
    table = read_texts(texts, column, label=label).table
    try:
        trained = train_classifier(
            table.text.tolist(),
            table.label.tolist(),
            out,
            base=base,
            condition=condition,
            variant=variant,  # type: ignore[arg-type]
            lists=lists,
            settings=settings,
            device=device,
            allow_pickle=allow_pickle,
            trust_remote_code=trust_remote_code,
        )
    except Stopped as stopped:
        typer.echo(f"counterpoise: {stopped}", err=True)
        raise typer.Exit(130) from None
    figures = ", ".join(f"{name} {value:.3g}" for name, value in trained.best.items())
    if variant == "published" and condition != "original":
        typer.echo(f"terms: {lists or 'built-in (the data folder does not have those of the authors)'}")
    took = "trained already, " if trained.is_published else f"in {trained.seconds:.0f} s, "
    typer.echo(f"{trained.folder}: {took}validation {figures}, after {trained.steps} steps")
