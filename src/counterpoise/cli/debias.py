"""`counterpoise debias`: trains a model on swapped text and proves what that did."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterpoise.cli import options
from counterpoise.core.printable import printable

if TYPE_CHECKING:
    from counterpoise.mitigate.finetune.debiasing import Debiased


def debias(
    out: Annotated[Path, typer.Option(help="Folder for the debiased model.")],
    model: options.Model = "builtin",
    corpus: Annotated[
        str,
        typer.Option(
            metavar="FILE|FOLDER|gap|mt-gender|imdb|jigsaw:LABEL",
            help="Text to train on: a dataset by name, a file (text, CSV, TSV, JSONL or Parquet, also .gz, .xz, .zst), "
            "or a folder of such files.",
        ),
    ] = "gap",
    method: Annotated[
        str | None,
        typer.Option(help="cds, cda, flip or none (no swap); the preset's if not given, cda by default."),
    ] = None,
    names: Annotated[
        bool | None,
        typer.Option("--names/--no-names", help="Swap first names too; the preset says if not given."),
    ] = None,
    terms: options.Terms = "all",
    reminders: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|N",
            help="Sentences that keep pregnant and the like with their gender: a file, one a line, or N of our own.",
        ),
    ] = None,
    reminder_copies: Annotated[int, typer.Option(help="How often each reminder is trained on.")] = 1,
    keep: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|imdb", help="Text whose neutral sentences the model is to predict as it did before."
        ),
    ] = None,
    preset: Annotated[
        str,
        typer.Option(
            help="default (our recipe), plain (substitution alone), paper (Bartl et al. 2020 as written) or published "
            "(as their code has it)."
        ),
    ] = "default",
    control: Annotated[
        bool, typer.Option(help="Also train on the unswapped text, to tell what swapping itself did.")
    ] = True,
    proof: Annotated[
        str,
        typer.Option(
            help="full, or quick: fewer questions about each model, in about a quarter of the time."
        ),
    ] = "full",
    column: options.Column = "text",
    epochs: Annotated[
        int | None, typer.Option(help="The preset's if not given: 1 by default, else 3.")
    ] = None,
    learning_rate: Annotated[float | None, typer.Option(help="The preset's if not given: 5e-5.")] = None,
    batch_size: Annotated[int | None, typer.Option(help="The preset's if not given: 64 by default.")] = None,
    seed: options.Seed = 42,
    device: options.TrainingDevice = "auto",
    data: options.Data = None,
) -> None:
    """Train a language model on swapped text, and see what that did for better and for worse.

    The model is measured before and after, and beside a control that was trained on the same text without the swap. If
    it is stopped, the same command resumes it.

    \b
    Examples:
      counterpoise debias --corpus gap --out fairer
      counterpoise debias bert-base-uncased --corpus reviews.csv --column review --out fairer-bert
      counterpoise debias --corpus gap --preset plain --method flip --reminders 50 --out with-reminders
      counterpoise debias bert-base-uncased --preset published --out as-published
      counterpoise debias --corpus my.txt --proof quick --no-control --out trial
    """
    from dataclasses import replace

    from counterpoise.data.thirdparty.folders import using_data
    from counterpoise.mitigate.finetune.debiasing import debias as run
    from counterpoise.mitigate.finetune.recipes import preset_recipe
    from counterpoise.tuning.training import Stopped

    options_given: dict[str, Any] = {
        "epochs": epochs,
        "learning_rate": learning_rate,
        "batch_size": batch_size,
    }
    changes = {name: value for name, value in options_given.items() if value is not None}
    with options.named_as_options(*options_given):
        settings = replace(preset_recipe(preset).settings, **changes)
    try:
        with using_data(data):
            debiased = run(
                model,
                corpus,
                out,
                method=method,  # type: ignore[arg-type]
                names=names,
                terms=terms,
                reminders=reminders,
                reminder_copies=reminder_copies,
                keep=keep,
                preset=preset,
                settings=settings,
                control=control,
                column=column,
                seed=seed,
                device=device,
                scope=proof,  # type: ignore[arg-type]
            )
    except Stopped as stopped:
        typer.echo(f"counterpoise: {stopped}", err=True)
        raise typer.Exit(130) from None
    _report(debiased)


def _report(debiased: Debiased) -> None:
    """Writes the page with all rows; prints the verdict and the rows of whole measures."""
    from counterpoise.report.debias_page import main_rows, write_debias_page
    from counterpoise.report.terminal_table import print_table

    page = write_debias_page(debiased.proof, debiased.folder)
    for sentence in debiased.proof.verdict:
        typer.echo(f"- {printable(sentence)}")
    for note in debiased.proof.notes:
        typer.echo(f"note: {printable(note)}")
    rows = main_rows(debiased.proof)
    print_table(list(rows.columns), rows.to_numpy().tolist())
    typer.echo(f"\nmodel   {debiased.folder}\ncard    {debiased.folder / 'README.md'}\npage    {page}")
