"""Options that several commands share, and options that measures and the loader declare."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterpoise.cli.measures_index import measures_index
from counterpoise.core.addresses import CONCURRENCY, TIMEOUT
from counterpoise.core.errors import InputError

if TYPE_CHECKING:
    from counterpoise.audit.request import LoadOptions

Model = Annotated[
    str, typer.Argument(metavar="MODEL", help="A hub name, a folder with a saved model, or 'builtin'.")
]
Measures = Annotated[str | None, typer.Option(help="Measures to run instead of a suite, as a,b,c.")]
Variant = Annotated[str, typer.Option(help="corrected, or published: as the papers' own code did it.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of all that is drawn at random.")]
Device = Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.")]
TrainingDevice = Annotated[str, typer.Option(help="auto (a GPU if there is one), cpu, cuda or mps.")]
Column = Annotated[str, typer.Option(help="The column or field that holds the text.")]
Terms = Annotated[str, typer.Option(help="pro, weat, all, german, or a file of pairs.")]
Offline = Annotated[bool, typer.Option("--offline", help="Never ask the model hub.")]
Data = Annotated[
    Path | None,
    typer.Option(
        help="A folder of datasets, looked in first; then the one that COUNTERPOISE_DATA names, then the cache folder."
    ),
]
TextFormat = Annotated[
    str | None,
    typer.Option("--format", help="text, csv, tsv, jsonl or parquet, where a file's name does not say."),
]
Paragraphs = Annotated[
    bool,
    typer.Option("--paragraphs", help="In plain text a document ends at an empty line, not at each line."),
]
Address = Annotated[
    str | None, typer.Option(help="Of a Ray cluster, host:port or auto; a local one if not given.")
]


def _option(name: str, annotation: Any, default: Any, help: str, *flag: str, **how: Any) -> inspect.Parameter:
    return _parameter(name, Annotated[annotation, typer.Option(*flag, help=help, **how)], default)


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


# How a model is loaded: the fields of `counterpoise.audit.request.LoadOptions`.
LOADING = (
    _option(
        "kind",
        str | None,
        None,
        "masked, causal, encoder, classifier or nli, if it cannot be told; coreference or answers for a "
        "module:function.",
    ),
    _parameter("device", Device, "auto"),
    _option(
        "precision",
        str | None,
        None,
        "float32, float64; quicker and less exact on a GPU: tf32, bf16, float16. If not given, as a causal model was "
        "saved, and float32 for others.",
    ),
    _option(
        "adapter",
        str | None,
        None,
        "A LoRA adapter, folder or hub name, to put into MODEL. As MODEL, it brings its base with it.",
        metavar="ADAPTER",
    ),
    _option(
        "quantize",
        str | None,
        None,
        "4bit or 8bit: quantise a causal model by bitsandbytes, on an NVIDIA GPU.",
    ),
    _option(
        "device_map",
        str | None,
        None,
        "auto: spread a causal model over GPUs, memory and disk, where it is too large for one GPU.",
    ),
    _option(
        "positive", str | None, None, "The label of a classifier that is a high rating, if it cannot be told."
    ),
    _option(
        "labels",
        str | None,
        None,
        "entailment, neutral and contradiction in the order of an nli model's outputs, as a,b,c, if it cannot be told.",
    ),
    _option(
        "pooling",
        str | None,
        None,
        "How an encoder makes the vector of a sentence: own, mean, cls, max and others.",
    ),
    _option("layer", int | None, None, "Which layer of an encoder is read; the last if not given."),
    _option(
        "start",
        str | None,
        None,
        "The token that a causal model reads before every text, or none; if not given, its tokenizer's own, or else "
        "the one after which plain text is likeliest.",
    ),
    _option(
        "chat",
        bool,
        False,
        "Ask a causal model in a chat: texts are the assistant's answer, in its chat template.",
        "--chat",
    ),
    _option("chat_user", str | None, None, "With --chat: what the user says before the answer."),
    _option(
        "chat_system", str | None, None, "With --chat: the system prompt; the template's own if not given."
    ),
    _option(
        "served",
        str | None,
        None,
        "Of an endpoint: the name that the server knows the model by.",
        "--model",
        metavar="NAME",
    ),
    _option(
        "key_file",
        Path | None,
        None,
        "Of an endpoint: a file with its key; if not given, COUNTERPOISE_API_KEY or OPENAI_API_KEY of the environment.",
    ),
    _option("concurrency", int, CONCURRENCY, "Of an endpoint: questions asked at once.", min=1),
    _option("timeout", float, TIMEOUT, "Of an endpoint: seconds that an answer may take.", min=0.1),
    _option(
        "strict_model",
        bool,
        False,
        "Of an endpoint: refuse answers of another model than the one asked for.",
        "--strict-model",
    ),
    _option("revision", str | None, None, "Branch, tag or commit of MODEL on the hub."),
    _parameter("offline", Offline, False),
    _option(
        "trust_remote_code",
        bool,
        False,
        "Run Python code that comes with the model.",
        "--trust-remote-code",
    ),
    _option("allow_pickle", bool, False, "Read pickled weights, which can run code.", "--allow-pickle"),
)


def file_options() -> list[inspect.Parameter]:
    """An option for each kind of file that a measure accepts."""
    return [
        _option(
            file["name"],
            str | None,  # a path, or of a table also hf:NAME
            None,
            f"{file['help']} For {', '.join(file['measures'])}.",
            metavar="FILE",
        )
        for file in measures_index()["files"]
    ]


def also_takes(
    *groups: Sequence[inspect.Parameter],
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a command further options, which it receives as keyword arguments."""

    def add(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        own = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in signature.parameters.values()
            if parameter.kind is not inspect.Parameter.VAR_KEYWORD
        ]
        more = [parameter for group in groups for parameter in group]
        command.__signature__ = signature.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
        return command

    return add


# Of these `compare` cannot say to which of several models they belong.
OF_ONE_MODEL = {"adapter": "--adapter", "revision": "--revision", "served": "--model"}

# What `serve-model` says of its model; the turns of a chat come with each request.
_OF_ANOTHER_KIND = ("kind", "positive", "labels", "pooling", "layer")
_OF_EACH_QUESTION = ("chat", "chat_user", "chat_system")
_OF_AN_ENDPOINT = ("served", "key_file", "concurrency", "timeout", "strict_model")
LOADING_CAUSAL = tuple(
    option
    for option in LOADING
    if option.name not in (*_OF_ANOTHER_KIND, *_OF_EACH_QUESTION, *_OF_AN_ENDPOINT)
)


# What `serve` says of the models to probe: no kinds that cannot be, and nothing that runs what comes with a model.
_NOT_PROBED = ("kind", "labels", "pooling", "layer", "trust_remote_code", "allow_pickle")
LOADING_PROBED = tuple(option for option in LOADING if option.name not in (*_NOT_PROBED, *_OF_AN_ENDPOINT))


def load_options(given: Mapping[str, Any]) -> LoadOptions:
    """How a model is loaded, from the values of `LOADING`, or of those of them that a command takes."""
    from pydantic import ValidationError

    from counterpoise.audit.request import LoadOptions
    from counterpoise.models.text_start import Chat

    options = dict(given)
    wanted, user, system = (options.pop(name) for name in ("chat", "chat_user", "chat_system"))
    turns = {role: text for role, text in (("user", user), ("system", system)) if text is not None}
    if turns and not wanted:
        raise typer.BadParameter("--chat-user and --chat-system are for --chat")
    options |= {"dtype": options.pop("precision"), "chat": Chat(**turns) if wanted else False}
    try:
        return LoadOptions(model=options.pop("served", None), **options)
    except ValidationError as error:
        first = error.errors()[0]
        name, wrong = str(first["loc"][0]), first["msg"].replace("Input should", "must", 1)
        raise InputError(f"--{name.replace('_', '-')} {wrong}, not {first['input']!r}") from None


def measure_names(measures: str | None) -> list[str] | None:
    """The names in a list such as lpbs,ppd; None if there is none."""
    if measures is None:
        return None
    names = [name.strip() for name in measures.split(",") if name.strip()]
    if not names:
        raise typer.BadParameter("--measures names no measure")
    return names


@contextmanager
def named_as_options(*settings: str) -> Iterator[None]:
    """Errors that begin with the name of one of these settings name the option instead.

    >>> with named_as_options("learning_rate"):
    ...     raise InputError("learning_rate must be a number, not nan")
    Traceback (most recent call last):
    counterpoise.core.errors.InputError: --learning-rate must be a number, not nan
    """
    try:
        yield
    except InputError as error:
        name, _, wrong = str(error).partition(" ")
        if name not in settings:
            raise
        raise InputError(f"--{name.replace('_', '-')} {wrong}") from error
