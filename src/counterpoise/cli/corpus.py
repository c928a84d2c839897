"""`counterpoise corpus`: how biased is this text?"""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from counterpoise.cli import options

if TYPE_CHECKING:
    from counterpoise.measures.corpus_runs import CountSettings

METHODS = ("counts", "model", "both")


def corpus(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE ...",
            help="Text, CSV, TSV, JSONL or Parquet, also .gz, .xz, .zst; jigsaw:toxic, jigsaw:severe_toxic; - is "
            "standard input.",
        ),
    ],
    column: Annotated[str, typer.Option(help="The column or field that holds the text.")] = "text",
    method: Annotated[str, typer.Option(help="counts.")] = "counts",
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
    format_: Annotated[
        str | None,
        typer.Option("--format", help="text, csv, tsv, jsonl or parquet, where a file's name does not say."),
    ] = None,
    paragraphs: Annotated[
        bool,
        typer.Option(
            "--paragraphs", help="In plain text a document ends at an empty line, not at each line."
        ),
    ] = False,
    encoding: Annotated[str, typer.Option(help="Of the text.")] = "utf-8",
    on_error: Annotated[str, typer.Option(help="stop at a broken line, or skip it.")] = "stop",
    data: options.Data = None,
) -> None:
    """Measure a corpus by counting: who is in it, and which words stand near men and near women.

    Several corpora are also compared with each other, in random samples of one size. What was counted is kept in the
    folder; stopped and started again, the command goes on with the next file.

    \b
    Examples:
      counterpoise corpus reviews.csv --column review
      counterpoise corpus old.txt.xz new.txt.xz --paragraphs --out runs/old-new
      counterpoise corpus jigsaw:toxic jigsaw:severe_toxic --data ~/data
    """
    from counterpoise.core.errors import InputError, unknown
    from counterpoise.data.corpora import TextCorpus
    from counterpoise.data.folders import using_data
    from counterpoise.measures.corpus_compare import measure_corpora
    from counterpoise.report.corpus_page import write_corpus_page
    from counterpoise.report.corpus_terminal import print_corpora

    if method not in METHODS:
        raise unknown("method", method, METHODS)
    if method != "counts":
        raise InputError(
            f"--method {method} needs a model to be trained on the text, which is not there yet; use counts"
        )
    try:
        codecs.lookup(encoding)
    except LookupError:
        raise InputError(f"there is no encoding {encoding!r}; e.g. utf-8, latin-1, cp1252") from None
    settings = _settings(terms, professions, window, seed)
    folder = (out or Path("runs") / f"corpus-{'-'.join(map(_slug, files))}").expanduser()
    with using_data(data):
        corpora = [
            TextCorpus.of(
                file,
                column=column,
                format=format_,
                encoding=encoding,
                paragraphs=paragraphs,
                on_error=on_error,
            )
            for file in files
        ]
        _make_folder(folder)
        try:
            found = measure_corpora(corpora, settings, min_count, keep=folder / "counts")
        except KeyboardInterrupt:
            typer.echo(f"counterpoise: stopped; the same command goes on where it was ({folder})", err=True)
            raise typer.Exit(130) from None
    _write_manifest(folder, files, settings, min_count)
    print_corpora(found, write_corpus_page(found, folder))


def _settings(terms: str, professions: Path | None, window: str, seed: int) -> CountSettings:
    from counterpoise.core.errors import DataError, InputError
    from counterpoise.measures.corpus_runs import CountSettings

    if window != "sentence" and not window.isdecimal():
        raise InputError(f"--window is `sentence` or 1 to 100 words, not {window!r}")
    listed = None
    if professions is not None:
        lines = professions.read_text(encoding="utf-8-sig").splitlines()
        listed = tuple(line.strip().lower() for line in lines if line.strip())
        if not listed:
            raise DataError(f"{professions} holds no professions")
    return CountSettings(terms, listed, "sentence" if window == "sentence" else int(window), seed)


def _make_folder(folder: Path) -> None:
    """Makes the folder; one that holds something else is left alone."""
    from counterpoise.core.errors import RunError

    if folder.exists() and not folder.is_dir():
        raise RunError(f"{folder} is a file; choose another folder with --out")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / "counts").is_dir():
        raise RunError(f"{folder} exists and holds something else; choose another folder with --out")
    try:
        (folder / "counts").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"cannot make the folder {folder}: {error.strerror or error}") from error


def _write_manifest(folder: Path, files: list[str], settings: CountSettings, min_count: int) -> None:
    from dataclasses import asdict

    from counterpoise.audit.run import versions
    from counterpoise.core.files import write_json

    manifest = {
        "schema": 1,
        "corpora": files,
        "method": "counts",
        "settings": asdict(settings) | {"min_count": min_count},
        "versions": versions(),
    }
    write_json(folder / "manifest.json", manifest)


def _slug(name: str) -> str:
    return re.sub(r"\W+", "-", Path(name).name).strip("-")[-40:] or "input"
