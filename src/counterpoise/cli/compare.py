"""`counterpoise compare`: models or runs side by side, differences tested."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from counterpoise.cli import options
from counterpoise.cli.interruption import resumable
from counterpoise.core.files import slug


@options.also_takes(options.LOADING)
def compare(
    models: Annotated[
        list[str],
        typer.Argument(metavar="A B ...", help="Run folders, hub names, folders with models, 'builtin'."),
    ],
    suite: Annotated[str, typer.Option(help="quick or full, for models that have no run yet.")] = "quick",
    measures: options.Measures = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the comparison; runs/compare-<A>-<B> if not given.")
    ] = None,
    data: options.Data = None,
    variant: options.Variant = "corrected",
    seed: options.Seed = 0,
    format: Annotated[
        str,
        typer.Option(
            metavar="html|md|latex|csv",
            help="html (the page), or one table of models and measures: md, latex (booktabs, with a .bib file), csv.",
        ),
    ] = "html",
    charts: Annotated[
        str | None, typer.Option(metavar="svg|pdf|png", help="Also write the charts as files, for a paper.")
    ] = None,
    **loading: Any,
) -> None:
    """Compare models on the same items: what differs, how sure that is, and what changed most.

    What is no run folder is audited first, into the folder of the comparison; if that was stopped, the same command
    goes on where it was.

    \b
    Examples:
      counterpoise compare runs/before runs/after
      counterpoise compare bert-base-uncased roberta-base --measures ppd,sld
      counterpoise compare builtin ./my-model --out runs/mine-compared --charts svg
      counterpoise compare ./my-llm ./my-adapter --precision bf16 --chat
      counterpoise compare runs/my-llm ./my-llm --adapter ./my-adapter
      counterpoise compare runs/bert runs/roberta runs/mine --format latex
    """
    from counterpoise.audit.compare import compare as run_comparison
    from counterpoise.audit.compare import is_run
    from counterpoise.measures.base.catalogue import find_measure
    from counterpoise.report.charts.draw import check_format, write_figures
    from counterpoise.report.compare_page import comparison_figures
    from counterpoise.report.comparison_formats import check_format as check_table_format
    from counterpoise.report.comparison_formats import write_format
    from counterpoise.report.terminal import print_comparison

    names = options.measure_names(measures)
    for name in names or []:
        find_measure(name)  # mistakes are reported before a model is loaded
    check_table_format(format)
    if charts is not None:
        check_format(charts)
    if len(models) < 2:
        raise typer.BadParameter("a comparison needs two models or runs")
    given = [flag for name, flag in options.OF_ONE_MODEL.items() if loading[name] is not None]
    if given and sum(not is_run(model) for model in models) != 1:
        raise typer.BadParameter(
            f"{given[0]} belongs to one model: audit the others first, and compare it with their runs"
        )
    folder = (out or Path("runs") / f"compare-{'-'.join(map(_short_name, models))}").expanduser()
    with resumable(folder):
        comparison = run_comparison(
            *models,
            measures=names,
            suite=suite,
            out=folder,
            data=data,
            seed=seed,
            variant=variant,  # type: ignore[arg-type]
            load=options.load_options(loading),
        )
    files = write_format(comparison, folder, format)
    if charts is not None:
        write_figures(comparison_figures(comparison), folder / "charts", charts)
    print_comparison(comparison, files)


def _short_name(model: str) -> str:
    return slug(Path(model).name)[-40:] or "model"
