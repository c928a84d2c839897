"""`counterpoise audit`: a model against a suite of measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterpoise.cli import options
from counterpoise.cli.endpoint_lines import open_endpoint, print_traffic
from counterpoise.cli.gate import Junit, Markdown, show_gate
from counterpoise.cli.interruption import resumable
from counterpoise.cli.tracking import log_to, usable_trackers
from counterpoise.core.addresses import is_url
from counterpoise.core.files import slug

if TYPE_CHECKING:
    from counterpoise.audit.request import AuditRequest


@options.also_takes(options.file_options(), options.LOADING)
def audit(
    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[MODEL|URL]...",
            help="A hub name, a folder with a saved model or a LoRA adapter, a GGUF file, the address of an endpoint, "
            "module:function of a Python classifier or, with --kind, of another model, or 'builtin' (the "
            "default). Several are audited in processes of their own.",
        ),
    ] = None,
    suite: Annotated[str, typer.Option(help="quick or full.")] = "quick",
    measures: options.Measures = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the run; runs/<model>-<suite> if not given.")
    ] = None,
    data: options.Data = None,
    column: Annotated[
        str | None,
        typer.Option(help="The column of --texts with the texts; if not given text, or the only one."),
    ] = None,
    label: Annotated[str | None, typer.Option(help="The column of --texts with the right labels.")] = None,
    gender: Annotated[
        str | None,
        typer.Option(help="The column of --texts with the gender of the person, for tpr_gap and toxicity."),
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
    variant: options.Variant = "corrected",
    seed: options.Seed = 0,
    cache: Annotated[
        bool, typer.Option("--cache/--no-cache", help="Keep and use the model's answers on disk.")
    ] = True,
    limit: Annotated[
        int | None,
        typer.Option(
            min=2,
            help="Of an endpoint, a causal model or a function that answers: at most this many items of each measure, "
            "a balanced sample.",
        ),
    ] = None,
    price_in: Annotated[
        float | None, typer.Option(min=0.0, help="Of an endpoint: price of a million tokens of questions.")
    ] = None,
    price_out: Annotated[
        float | None, typer.Option(min=0.0, help="Of an endpoint: price of a million tokens of answers.")
    ] = None,
    fail_above: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MEASURE:LIMIT",
            help="Short form of a rule: the measure's first overall value is at most LIMIT from its ideal. Repeatable.",
        ),
    ] = None,
    gate: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Check the run against a YAML file of rules (docs/gate.md)."),
    ] = None,
    junit: Junit = None,
    markdown: Markdown = None,
    log: Annotated[
        list[str] | None,
        typer.Option(
            metavar="mlflow|wandb",
            help="Also log the numbers, the page and the items to this experiment tracker (docs/trackers.md). "
            "Repeatable.",
        ),
    ] = None,
    curve: Annotated[
        bool,
        typer.Option(
            "--curve",
            help="The models are checkpoints of one training: show each measure over the steps, tested against the "
            "first one.",
        ),
    ] = False,
    engine: Annotated[str, typer.Option(help="Of several models: local (processes) or ray.")] = "local",
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Of several models: how many at once, each with a model in memory; one, or one on each GPU, if not "
            "given.",
        ),
    ] = None,
    address: options.Address = None,
    **others: Any,
) -> None:
    """Measure a model, print what was found, and keep it in a run folder with a report.

    A run that was stopped goes on where it was when the same command is given again.

    With --gate or --fail-above the exit code is 0 if all rules pass, 1 if one fails, and 3 if none fails but the items
    at hand cannot tell about one; see `counterpoise gate --help`.

    Several models have a run folder each in one folder. What is no model, as among checkpoints/*, is skipped; a model
    that fails leaves the others, and the exit code is 1. The same command with more models measures only those. With
    --curve the step of a model is read from a name such as checkpoint-500 or step_500, or from trainer_state.json;
    0=MODEL says it.

    \b
    Examples:
      counterpoise audit
      counterpoise audit bert-base-uncased --suite full
      counterpoise audit ./my-model --measures lpbs,ppd --out runs/mine
      counterpoise audit ./my-model --measures sld --pairs my-pairs.csv --set scoring=word_l2r
      counterpoise audit ./my-model --measures crows,stereoset --categories all --data ~/data
      counterpoise audit ./my-model --measures ppd --templates my-templates.yaml
      counterpoise audit my_package.rating:rate --texts reviews.csv          a function from texts to numbers
      counterpoise audit my_package.coref:clusters --kind coreference        a function from texts to clusters
      counterpoise audit ./my-classifier --texts reviews.csv --column review --terms all
      counterpoise audit ./my-classifier --texts hf:stanfordnlp/imdb:test --label label         of the hub
      counterpoise audit ./toxicity-classifier --texts comments.csv --label toxic
      counterpoise audit my_package.inference:infer --kind nli     a function from premises and hypotheses to numbers
      counterpoise audit my_package.chat:answer --kind answers     a function from a prompt and a seed to a text
      counterpoise audit ./my-chat-model --chat --chat-user "Write a sentence."
      counterpoise audit ./my-adapter                              a LoRA adapter with the base that it names
      counterpoise audit ./my-llm --adapter ./my-adapter --quantize 4bit
      counterpoise audit some-lab/model-70b --device-map auto      more than one GPU holds
      counterpoise audit http://127.0.0.1:8080/v1 --model NAME --limit 200      a model behind an endpoint
      counterpoise audit ./my-model --gate gate.yaml --junit gate.xml              for a build
      counterpoise audit ./my-model --fail-above lpbs:0.3 --fail-above ppd:0.2
      counterpoise audit ./my-model --log mlflow                   into an experiment tracker
      counterpoise audit bert-base-uncased ./my-model                  several, in a table
      counterpoise audit checkpoints/* --curve --measures lpbs,ppd     bias over the steps of a training
      counterpoise audit 0=bert-base-uncased checkpoints/* --curve --workers 4
    """
    from counterpoise.audit.auditing import run_audit
    from counterpoise.audit.gate.fail_above import HeadlineLimit, check_planned
    from counterpoise.audit.gate.gating import gate as check_rules
    from counterpoise.audit.gate.rule_files import collect_rules
    from counterpoise.audit.request import AuditRequest
    from counterpoise.report.html import write_report
    from counterpoise.report.terminal import print_audit

    trackers = usable_trackers(log or [])
    names = models or ["builtin"]
    model = names[0]
    several = len(names) > 1 or curve
    if several and (fail_above or gate is not None):
        raise typer.BadParameter(
            "--gate and --fail-above are for one model; see `counterpoise gate` for its run"
        )
    if not several and (engine != "local" or workers is not None or address is not None):
        raise typer.BadParameter("--engine, --workers and --address are for several models")
    limits = [HeadlineLimit.parse(text) for text in fail_above or []]
    rules = collect_rules([], gate)
    if not limits and gate is None and (junit or markdown):
        raise typer.BadParameter("--junit and --markdown are for the outcomes of --gate or --fail-above")
    if not is_url(model) and (price_in, price_out) != (None, None):
        raise typer.BadParameter("--price-in and --price-out are for models behind an endpoint")
    files = {parameter.name: others.pop(parameter.name) for parameter in options.file_options()}
    request = AuditRequest.of(
        model="builtin" if several else _model(model, others),
        load=options.load_options(others),
        measures=options.measure_names(measures),
        suite=suite,
        data=data,
        seed=seed,
        variant=variant,
        files=_given(files),
        columns=_given({"text": column, "label": label, "gender": gender}),
        settings=_settings(setting or [], categories, terms, allow_lost),
        cache=cache,
        limit=limit,
    )
    if several:
        from counterpoise.cli.audit_many import audit_several, label_of
        from counterpoise.studies.audits.models import find_models

        found = find_models(names, curve)
        folder = (out or _default_folder(request, label_of(found, curve))).expanduser()
        audit_several(
            found,
            request,
            folder,
            curve=curve,
            trackers=trackers,
            engine=engine,
            workers=workers,
            address=address,
        )
        return
    planned = [measure.name for measure in request.planned]
    check_planned("--fail-above", [limit.measure for limit in limits], planned)
    check_planned(f"--gate {gate}:", [rule.measure for rule in rules.rules], planned)
    folder = (out or _default_folder(request, model)).expanduser()
    with resumable(folder):
        if is_url(model):
            request = open_endpoint(request, price_in, price_out)
        audited = run_audit(request.model_copy(update={"out": folder}))
        if is_url(model):
            print_traffic(request.model)
    print_audit(audited, folder, write_report(folder))
    log_to(trackers, audited)
    if limits or gate is not None:
        typed = tuple(limit.rule(audited) for limit in limits)
        result = check_rules(audited, replace(rules, rules=(*rules.rules, *typed)))
        typer.echo()
        raise typer.Exit(show_gate(result, junit, markdown))


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _settings(
    texts: Sequence[str], categories: str | None, terms: str | None, allow_lost: bool
) -> dict[str, Any]:
    """The settings of --set, and of the options that are short forms of settings."""
    from counterpoise.audit.request import parse_settings

    settings = parse_settings(texts)
    if categories is not None:
        names = [name.strip() for name in categories.split(",") if name.strip()]
        settings["categories"] = "all" if names == ["all"] else names
    if terms is not None:
        settings["terms"] = terms
    if allow_lost:
        settings["allow_lost"] = True
    return settings


def _model(name: str, loading: Mapping[str, Any]) -> Any:
    """The function that a name such as `module:function` names; any other name as it is."""
    from counterpoise.models.adopting import adopt
    from counterpoise.models.named_functions import import_function, is_function_name

    if not is_function_name(name):
        return name
    read_as = {option: loading[option] for option in ("kind", "positive", "labels")}
    return adopt(import_function(name), name=name, **read_as)


# Options of loading that decide the numbers, in the order in which they stand in the name of a folder.
_DECISIVE = (
    "model",
    "revision",
    "kind",
    "labels",
    "pooling",
    "layer",
    "adapter",
    "quantize",
    "dtype",
    "start",
)


def _default_folder(request: AuditRequest, model: str) -> Path:
    """Named by everything that decides the numbers, so that other options go into another folder."""
    from counterpoise.models.text_start import Chat

    parts = [slug(model) or "model", "-".join(request.measures or [request.suite])]
    parts += [path.stem for path in request.files.values()]
    loading = _given({name: getattr(request.load, name) for name in _DECISIVE})
    parts += [slug(f"{name}-{value}") for name, value in {**loading, **request.settings}.items()]
    if isinstance(request.load.chat, Chat):
        parts += ["chat", *(slug(turn) for turn in vars(request.load.chat).values() if turn)]
    parts += [f"limit{request.limit}"] if request.limit else []
    parts += [request.variant] if request.variant != "corrected" else []
    parts += [f"seed{request.seed}"] if request.seed else []
    return Path("runs") / "-".join(parts)
