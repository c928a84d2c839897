"""`counterpoise corpus`: how biased is this text?"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from counterpoise.cli import options
from counterpoise.cli.interruption import resumable
from counterpoise.core.files import slug

if TYPE_CHECKING:
    from counterpoise.corpus.counting.compare import CorpusComparison
    from counterpoise.corpus.counting.count_files import CountSettings, MapParts
    from counterpoise.corpus.learning.experiment import LearningSettings
    from counterpoise.corpus.quotes import Quotes
    from counterpoise.data.corpus import Corpus

METHODS = ("counts", "model", "both")


def corpus(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE ...",
            help="Text, CSV, TSV, JSONL or Parquet, also .gz, .xz, .zst; a folder of such files is one corpus; "
            "gap, mt-gender, imdb, jigsaw:toxic and other datasets by name; - is standard input.",
        ),
    ],
    column: options.Column = "text",
    method: Annotated[
        str, typer.Option(help="counts; model: train a model on the text and ask it; or both.")
    ] = "counts",
    window: Annotated[
        str, typer.Option(help="What is near: sentence, or a number of words to either side.")
    ] = "sentence",
    terms: Annotated[
        str,
        typer.Option(
            help="The gendered words: all, pro, weat, german, genbit, bolukbasi, or a file of pairs."
        ),
    ] = "all",
    professions: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Professions of your own, one on each line.")
    ] = None,
    min_count: Annotated[
        int, typer.Option(min=1, help="How often a word must stand near one gender alone to be shown.")
    ] = 20,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the page and the numbers; runs/corpus-<FILE> if not given.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the samples and of the blocks of documents.")] = 0,
    format_: options.TextFormat = None,
    paragraphs: options.Paragraphs = False,
    encoding: Annotated[str, typer.Option(help="Of the text.")] = "utf-8",
    on_error: Annotated[str, typer.Option(help="stop at a broken line, or skip it.")] = "stop",
    reference: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="model: what is trained on the text, as it is; the built-in model debiased on GAP if not given.",
        ),
    ] = None,
    sentences: Annotated[int, typer.Option(help="model: sentences of each corpus to train on.")] = 2000,
    seeds: Annotated[str, typer.Option(help="model: seeds to train with, three at least.")] = "0,1,2",
    epochs: Annotated[int, typer.Option(help="model: how often each sentence is trained on.")] = 3,
    learning_rate: Annotated[float, typer.Option(help="model: of the training.")] = 5e-5,
    control: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="model: neutral text for the control; sentences of the corpora without a gendered word if not given.",
        ),
    ] = None,
    baselines: Annotated[
        bool,
        typer.Option(
            "--baselines", help="model: also a classifier's direct bias, and WEAT of vectors of the text."
        ),
    ] = False,
    device: Annotated[
        str, typer.Option(help="model: auto (a GPU if there is one), cpu, cuda or mps.")
    ] = "auto",
    processes: Annotated[
        int,
        typer.Option("--processes", "-j", min=1, max=1024, help="counts: how many processes count files."),
    ] = 1,
    engine: Annotated[
        str, typer.Option(help="counts: local, or ray to count files at once on a Ray cluster.")
    ] = "local",
    address: options.Address = None,
    data: options.Data = None,
    quotes: Annotated[
        bool,
        typer.Option("--quotes/--no-quotes", help="counts: whether the page quotes lines of the corpus."),
    ] = True,
    concordance: Annotated[
        str | None,
        typer.Option(
            metavar="WORD",
            help="Only print where a word or phrase occurs, with the text around it; nothing is counted or written.",
        ),
    ] = None,
    lines: Annotated[int, typer.Option(help="concordance: how many occurrences to print at most.")] = 20,
    width: Annotated[int, typer.Option(help="concordance: how many characters to either side.")] = 40,
    first: Annotated[
        bool,
        typer.Option(
            "--first", help="concordance: the first occurrences, not some from all over the corpus."
        ),
    ] = False,
) -> None:
    """Measure a corpus: which words stand near men and near women, and what a model learns from it.

    Several corpora are also compared with each other, in random samples of one size. What was counted is kept in the
    folder, what a trained model answered in the cache; if it is stopped, the same command resumes it.

    \b
    Examples:
      counterpoise corpus reviews.csv --column review
      counterpoise corpus old.txt.xz new.txt.xz --paragraphs --out runs/old-new
      counterpoise corpus jigsaw:toxic jigsaw:severe_toxic --data ~/data
      counterpoise corpus old.txt.xz new.txt.xz --method both --sentences 5000
      counterpoise corpus newspaper/ -j 8                        # a folder of files
      counterpoise corpus 1990/ 2020/ --engine ray --address auto
      counterpoise corpus reviews.csv --column review --concordance nurse --lines 30
    """
    from counterpoise.core.errors import InputError, unknown
    from counterpoise.corpus.counting.compare import measure_corpora
    from counterpoise.corpus.run_folder import make_corpus_folder, write_corpus_manifest
    from counterpoise.data.corpus import Corpus
    from counterpoise.data.thirdparty.folders import using_data
    from counterpoise.report.corpus_page import write_corpus_page
    from counterpoise.report.corpus_terminal import print_corpora, print_learned_bias

    if method not in METHODS:
        raise unknown("method", method, METHODS)
    # Importing what trains takes seconds, which counting does not need.
    learning = None if method == "counts" else _learning(sentences, seeds, epochs, learning_rate, device)
    try:
        codecs.lookup(encoding)
    except (LookupError, UnicodeEncodeError):
        raise InputError(f"there is no encoding {encoding!r}; e.g. utf-8, latin-1, cp1252") from None
    settings = _settings(terms, professions, window, seed)
    folder = (out or Path("runs") / f"corpus-{'-'.join(map(_slug, files))}").expanduser()
    with using_data(data):
        corpora = [
            Corpus.of(
                file,
                column=column,
                format=format_,
                encoding=encoding,
                paragraphs=paragraphs,
                on_error=on_error,
            )
            for file in files
        ]
        if concordance is not None:
            _print_concordances(corpora, concordance, lines, width, first, out)
            return
        if method == "both" and any(corpus.is_stream for corpus in corpora):
            raise InputError(
                "standard input can be read only once, and --method both reads twice; name files"
            )
        make_corpus_folder(folder)
        comparison = learned = None
        with resumable(folder):
            if method != "model":
                with _mapping_parts(corpora, engine, processes, address) as map_parts:
                    comparison = measure_corpora(corpora, settings, min_count, folder / "counts", map_parts)
            if method != "counts":
                from counterpoise.corpus.learning.learned_bias import learned_bias

                learned = learned_bias(
                    corpora,
                    reference=reference,
                    learning=learning,
                    control=control,
                    baselines=baselines,
                    column=column,
                    device=device,
                )
        quoted = _quotes(corpora, comparison, settings) if quotes and comparison is not None else None
    page = write_corpus_page(comparison, folder, learned, quoted)
    write_corpus_manifest(folder, files, method, settings, min_count, learning)
    if comparison is not None:
        print_corpora(comparison)
    if learned is not None:
        print_learned_bias(learned)
    typer.echo(f"\npage    {page}\nnumbers {page.with_name('summary.json')}")
    if quoted and any(quoted.values()):
        typer.echo("The page quotes lines of the corpus; --no-quotes leaves them out.")


def _print_concordances(
    corpora: list[Corpus], word: str, lines: int, width: int, first: bool, out: Path | None
) -> None:
    from counterpoise.core.errors import InputError
    from counterpoise.corpus.concordance import concordance

    if out is not None:
        raise InputError("--concordance only prints; leave out --out, and write its output to a file with >")
    for number, corpus in enumerate(corpora):
        found = concordance(corpus, word, lines=lines, width=width, first=first)
        typer.echo(f"{chr(10) if number else ''}{found}")


def _quotes(
    corpora: list[Corpus], comparison: CorpusComparison, settings: CountSettings
) -> dict[str, list[Quotes]]:
    from counterpoise.corpus.counting.words import CorpusWords
    from counterpoise.corpus.quotes import leading_quotes

    words = CorpusWords.of(settings.terms, settings.professions)
    return {
        corpus.name: leading_quotes(corpus, comparison.results[corpus.name].items, words)
        for corpus in corpora
    }


@contextmanager
def _mapping_parts(
    corpora: list[Corpus], engine: str, processes: int, address: str | None
) -> Iterator[MapParts]:
    """How parts of corpora are counted; a Ray cluster is connected once for all of them."""
    from functools import partial

    from counterpoise.core.errors import InputError
    from counterpoise.core.ray_cluster import connected
    from counterpoise.core.spread import spread

    if any(corpus.is_stream for corpus in corpora) and (engine != "local" or processes > 1):
        raise InputError("standard input is counted by one process alone; name files")
    cluster = connected(address, None if processes == 1 else processes) if engine == "ray" else nullcontext()
    with cluster:
        yield partial(spread, engine=engine, processes=processes, address=address)


def _learning(sentences: int, seeds: str, epochs: int, learning_rate: float, device: str) -> LearningSettings:
    from counterpoise.core.errors import InputError
    from counterpoise.corpus.learning.experiment import LearningSettings
    from counterpoise.tuning.devices import training_device

    training_device(device)
    listed = [seed.strip() for seed in seeds.split(",")]
    if not all(seed.isdecimal() for seed in listed):
        raise InputError(f"--seeds are numbers such as 0,1,2, not {seeds!r}")
    with options.named_as_options("epochs", "learning_rate"):
        return LearningSettings(sentences, tuple(map(int, listed)), epochs, learning_rate)


def _settings(terms: str, professions: Path | None, window: str, seed: int) -> CountSettings:
    from counterpoise.core.documents import read_text
    from counterpoise.core.errors import DataError, InputError
    from counterpoise.core.limits import YAML
    from counterpoise.corpus.counting.count_files import CountSettings

    if window != "sentence" and not window.isdecimal():
        raise InputError(f"--window is `sentence` or 1 to 100 words, not {window!r}")
    listed = None
    if professions is not None:
        lines = read_text(professions, limit=YAML).splitlines()
        listed = tuple(line.strip().lower() for line in lines if line.strip())
        if not listed:
            raise DataError(f"{professions} holds no professions")
    return CountSettings(terms, listed, "sentence" if window == "sentence" else int(window), seed)


def _slug(name: str) -> str:
    return slug(Path(name).name)[-40:] or "input"
