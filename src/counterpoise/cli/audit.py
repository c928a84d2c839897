"""`counterpoise audit`: a model against a suite of measures."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterpoise.cli import options

if TYPE_CHECKING:
    from counterpoise.audit.auditing import Audit
    from counterpoise.audit.request import AuditRequest


@options.also_takes(options.file_options(), options.LOADING)
def audit(
    model: options.Model = "builtin",
    suite: Annotated[str, typer.Option(help="quick or full.")] = "quick",
    measures: Annotated[
        str | None, typer.Option(help="Measures to run instead of a suite, as a,b,c.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the run; runs/<model>-<suite> if not given.")
    ] = None,
    data: options.Data = None,
    column: Annotated[
        str | None, typer.Option(help="The column of --texts with the texts; text if not given.")
    ] = None,
    label: Annotated[str | None, typer.Option(help="The column of --texts with the right labels.")] = None,
    gender: Annotated[
        str | None, typer.Option(help="The column of --texts with the gender of the person, for tpr_gap.")
    ] = None,
    terms: Annotated[
        str | None, typer.Option(help="Gendered terms to turn in texts: pro, weat, all, or a file.")
    ] = None,
    categories: Annotated[
        str | None,
        typer.Option(
            help="Categories of crows, stereoset, aul and aula, as a,b,c, or all; gender if not given."
        ),
    ] = None,
    allow_lost: Annotated[
        bool,
        typer.Option("--allow-lost", help="Measure word sets that lose more than a fifth of their words."),
    ] = False,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A setting of a measure, such as scoring=word_l2r; see the page of the measure. Repeatable.",
        ),
    ] = None,
    variant: Annotated[
        str, typer.Option(help="corrected, or published: as the papers' own code did it.")
    ] = "corrected",
    seed: Annotated[int, typer.Option(min=0, help="Seed of all that is drawn at random.")] = 0,
    cache: Annotated[
        bool, typer.Option("--cache/--no-cache", help="Keep and use the model's answers on disk.")
    ] = True,
    fail_above: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MEASURE:LIMIT",
            help="Exit code 1 if the measure's first overall value is further than LIMIT from its ideal. Repeatable.",
        ),
    ] = None,
    **others: Any,
) -> None:
    """Measure a model, print what was found, and keep it in a run folder with a report.

    A run that was stopped goes on where it was when the same command is given again.

    \b
    Examples:
      counterpoise audit
      counterpoise audit bert-base-uncased --suite full
      counterpoise audit ./my-model --measures lpbs,ppd --out runs/mine
      counterpoise audit ./my-model --measures sld --pairs my-pairs.csv --set scoring=word_l2r
      counterpoise audit ./my-model --measures crows,stereoset --categories all --data ~/data
      counterpoise audit ./my-model --measures ppd --templates my-templates.yaml
      counterpoise audit ./my-classifier --texts reviews.csv --column review --terms all
      counterpoise audit ./my-model --fail-above lpbs:0.3 --fail-above ppd:0.2    for a build
    """
    from counterpoise.audit.auditing import run_audit
    from counterpoise.audit.request import AuditRequest, LoadOptions, parse_settings
    from counterpoise.report.html import write_report
    from counterpoise.report.terminal import print_audit

    limits = [_limit(text) for text in fail_above or []]
    settings = parse_settings(setting or [])
    if categories is not None:
        chosen = [name.strip() for name in categories.split(",") if name.strip()]
        settings["categories"] = "all" if chosen == ["all"] else chosen
    settings |= {"terms": terms} if terms is not None else {}
    settings |= {"allow_lost": True} if allow_lost else {}
    named = {"text": column, "label": label, "gender": gender}
    files = {parameter.name: others.pop(parameter.name) for parameter in options.file_options()}
    request = AuditRequest.of(
        model=model,
        load=LoadOptions(dtype=others.pop("precision"), **others),
        measures=options.measure_names(measures),
        suite=suite,
        data=data,
        seed=seed,
        variant=variant,
        files={name: path for name, path in files.items() if path is not None},
        columns={name: given for name, given in named.items() if given is not None},
        settings=settings,
        cache=cache,
    )
    _check_limits(limits, request)
    folder = (out or _default_folder(request)).expanduser()
    try:
        found = run_audit(request.model_copy(update={"out": folder}))
    except KeyboardInterrupt:
        typer.echo(f"counterpoise: stopped; the same command goes on where it was ({folder})", err=True)
        raise typer.Exit(130) from None
    report = write_report(folder)
    print_audit(found, folder, report)
    if _above(found, limits):
        raise typer.Exit(1)


def _check_limits(limits: list[tuple[str, float]], request: AuditRequest) -> None:
    planned = [measure.name for measure in request.planned]
    for name, _ in limits:
        if name not in planned:
            raise typer.BadParameter(
                f"--fail-above {name}: that measure is not part of this audit ({', '.join(planned)})"
            )


def _limit(text: str) -> tuple[str, float]:
    name, _, number = text.partition(":")
    try:
        limit = float(number)
        if not 0 <= limit < math.inf:
            raise ValueError
        return name, limit
    except ValueError:
        raise typer.BadParameter(
            f"--fail-above takes MEASURE:LIMIT, such as lpbs:0.3, not {text!r}"
        ) from None


def _default_folder(request: AuditRequest) -> Path:
    """Named by all that decides the numbers, so that other options go into another folder."""
    named = request.measures
    parts = [_slug(str(request.model)) or "model", "-".join(named) if named else request.suite]
    parts += [path.stem for path in request.files.values()]
    read_as = {name: getattr(request.load, name) for name in ("kind", "pooling", "layer")}
    chosen = {**{name: value for name, value in read_as.items() if value is not None}, **request.settings}
    parts += [_slug(f"{name}-{value}") for name, value in chosen.items()]
    parts += [request.variant] if request.variant != "corrected" else []
    parts += [f"seed{request.seed}"] if request.seed else []
    return Path("runs") / "-".join(parts)


def _slug(text: str) -> str:
    return re.sub(r"\W+", "-", text).strip("-")


def _above(found: Audit, limits: list[tuple[str, float]]) -> bool:
    """Says which measures' headline value, the first overall one, is further from its ideal than allowed."""
    failed = False
    for name, limit in limits:
        if name not in found.results:
            typer.echo(
                f"counterpoise: {name} was not measured, so its limit is not kept: {found.left_out.get(name, '')}",
                err=True,
            )
            failed = True
            continue
        rows = found.results[name].overall.head(1)
        if rows.empty or rows.ideal.isna().any():
            raise typer.BadParameter(
                f"--fail-above {name}: the measure has no single ideal value to be far from"
            )
        if rows.value.isna().any():
            why = rows.note.iloc[0] or "its value is not a number"
            typer.echo(f"counterpoise: the limit of {name} is not kept: {why}", err=True)
            failed = True
        for row in rows[(rows.value - rows.ideal).abs() > limit].itertuples():
            typer.echo(
                f"counterpoise: {name}: {row.statistic} is {row.value:.3f}, above the limit {limit:g}",
                err=True,
            )
            failed = True
    return failed
