"""`counterpoise audit`: a model against a suite of measures."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterpoise.cli import options

if TYPE_CHECKING:
    from counterpoise.audit import Audit
    from counterpoise.audit.own import OwnFiles


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
    pairs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Sentence pairs of your own for sld, crows, aul and aula: CSV, TSV, JSONL or Parquet with columns "
            "stereotyped and counterpart, and category if you like.",
        ),
    ] = None,
    templates: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Templates of your own for ppd: a YAML file with words and sentences (docs/templates.md).",
        ),
    ] = None,
    associations: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Association tests of your own for lpbs_weat: a YAML file with groups of words and sentences "
            "(docs/associations.md).",
        ),
    ] = None,
    words: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Word sets of your own for weat, seat, cseat, weat_contextual and ceat: a YAML file, or a CSV file of "
            "translations (docs/vectors.md).",
        ),
    ] = None,
    gender_words: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Gendered pairs and neutral words of your own for direct_bias, ripa, ect and neighbours: a YAML file.",
        ),
    ] = None,
    corpus: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Natural sentences for ceat: text, CSV, TSV, JSONL or Parquet."),
    ] = None,
    texts: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Texts of your own for sentiment, perturbation and tpr_gap: CSV, TSV, JSONL or Parquet.",
        ),
    ] = None,
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
    positive: Annotated[
        str | None,
        typer.Option(help="The label of a classifier that is a high rating, if it cannot be told."),
    ] = None,
    allow_lost: Annotated[
        bool,
        typer.Option("--allow-lost", help="Measure word sets that lose more than a fifth of their words."),
    ] = False,
    categories: Annotated[
        str | None,
        typer.Option(
            help="Categories of crows, stereoset, aul and aula, as a,b,c, or all; gender if not given."
        ),
    ] = None,
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
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.")] = "auto",
    precision: Annotated[
        str, typer.Option(help="float32; quicker and less exact on a GPU: tf32, bf16. Also float16, float64.")
    ] = "float32",
    kind: Annotated[
        str | None, typer.Option(help="masked, causal, encoder or classifier, if it cannot be told.")
    ] = None,
    pooling: Annotated[
        str | None,
        typer.Option(help="How an encoder makes the vector of a sentence: own, mean, cls, max and others."),
    ] = None,
    layer: Annotated[
        int | None, typer.Option(help="Which layer of an encoder is read; the last if not given.")
    ] = None,
    revision: Annotated[str | None, typer.Option(help="Branch, tag or commit of a hub model.")] = None,
    offline: options.Offline = False,
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
    trust_remote_code: Annotated[
        bool, typer.Option("--trust-remote-code", help="Run Python code that comes with the model.")
    ] = False,
    allow_pickle: Annotated[
        bool, typer.Option("--allow-pickle", help="Read pickled weights, which can run code.")
    ] = False,
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
    from counterpoise.audit import audit as run_audit
    from counterpoise.audit.own import OwnFiles
    from counterpoise.audit.settings import check_settings, parse_settings
    from counterpoise.data.spec import check_variant
    from counterpoise.measures.catalogue import find_measure, suite_measures
    from counterpoise.models.loading import load
    from counterpoise.report.html import write_report
    from counterpoise.report.terminal import print_audit

    names = options.measure_names(measures)
    limits = [_limit(text) for text in fail_above or []]
    for name in names or []:
        find_measure(name)  # mistakes are said before a model is loaded
    planned = names if names is not None else [measure.name for measure in suite_measures(suite)]
    for name, _ in limits:
        if name not in planned:
            raise typer.BadParameter(
                f"--fail-above {name}: that measure is not part of this audit ({', '.join(planned)})"
            )
    check_variant(variant)
    settings = parse_settings(setting or [])
    if categories is not None:
        chosen = [name.strip() for name in categories.split(",") if name.strip()]
        settings["categories"] = "all" if chosen == ["all"] else chosen
    if terms is not None:
        settings["terms"] = terms
    if allow_lost:
        settings["allow_lost"] = True
    named = {"text": column, "label": label, "gender": gender}
    columns = {name: given for name, given in named.items() if given is not None}
    own = OwnFiles.of(
        pairs=pairs,
        templates=templates,
        associations=associations,
        words=words,
        gender_words=gender_words,
        corpus=corpus,
        texts=texts,
        columns=columns,
    )
    own.check(planned)
    data_of = own.read(variant)  # type: ignore[arg-type]
    check_settings(settings, [find_measure(name) for name in planned], data_of)
    loaded = load(
        model,
        kind=kind,  # type: ignore[arg-type]
        device=device,
        dtype=precision,  # type: ignore[arg-type]
        positive=positive,
        pooling=pooling,  # type: ignore[arg-type]
        layer=layer,
        revision=revision,
        offline=offline,
        trust_remote_code=trust_remote_code,
        allow_pickle=allow_pickle,
    )
    read_as = {"kind": kind, "pooling": pooling, "layer": layer}
    told_by = {**{name: value for name, value in read_as.items() if value is not None}, **settings}
    folder = out.expanduser() if out else _default_folder(model, names, suite, own, told_by, variant, seed)
    try:
        found = run_audit(
            loaded,
            names,
            suite,
            folder,
            data,
            seed,
            variant=variant,  # type: ignore[arg-type]
            **own.paths,
            columns=own.columns,
            settings=settings,
            cache=cache,
        )
    except KeyboardInterrupt:
        typer.echo(f"counterpoise: stopped; the same command goes on where it was ({folder})", err=True)
        raise typer.Exit(130) from None
    report = write_report(folder)
    print_audit(found, folder, report)
    if _above(found, limits):
        raise typer.Exit(1)


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


def _default_folder(
    model: str,
    names: list[str] | None,
    suite: str,
    own: OwnFiles,
    settings: Mapping[str, Any],
    variant: str,
    seed: int,
) -> Path:
    parts = [re.sub(r"\W+", "-", model).strip("-") or "model", "-".join(names) if names else suite]
    parts += [path.stem for path in own.paths.values()]
    parts += [re.sub(r"\W+", "-", f"{name}-{value}").strip("-") for name, value in settings.items()]
    parts += [variant] if variant != "corrected" else []
    parts += [f"seed{seed}"] if seed else []
    return Path("runs") / "-".join(parts)


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
