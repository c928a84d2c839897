"""counterpoise swap: a file, or many, with the people in it made male, female, neutral, flipped or removed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from counterpoise.cli.options import Address, Column, Paragraphs, Terms, TextFormat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from counterpoise.io.record_types import RecordOptions
    from counterpoise.text.pipeline import Job, SwapCounts


def swap(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Text, CSV, TSV, JSONL or Parquet, also .gz, .xz, .zst, or folders of such; - is standard input.",
        ),
    ],
    to: Annotated[
        str,
        typer.Option(
            help="male, female, flip, remove, neutral, cda, cds or mix; or other pronouns for he and she: "
            "they, xe, ze, ey, fae, or a YAML file."
        ),
    ],
    terms: Terms = "all",
    out: Annotated[
        str,
        typer.Option("--out", "-o", help="Where to write; - is standard output. Of several files: a folder."),
    ] = "-",
    names: Annotated[bool, typer.Option("--names", help="Swap first names too.")] = False,
    guard: Annotated[
        bool, typer.Option("--guard", help="Leave alone what a swap would make absurd.")
    ] = False,
    without: Annotated[str, typer.Option(help="Words to leave out of the terms, e.g. count,host.")] = "",
    variant: Annotated[
        str, typer.Option(help="corrected, or published (Jentzsch & Turan 2022).")
    ] = "corrected",
    tagger: Annotated[
        str | None, typer.Option(help="A spaCy model that chooses between his and him, instead of our own.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the coin of cds.")] = 0,
    column: Column = "text",
    version_column: Annotated[
        str | None, typer.Option(help="Add a column of this name: what was done to each row.")
    ] = None,
    edits: Annotated[str | None, typer.Option(help="Write every edit to this CSV or JSONL file.")] = None,
    format_: TextFormat = None,
    paragraphs: Paragraphs = False,
    encoding: Annotated[str, typer.Option(help="Of the text, in and out.")] = "utf-8",
    on_error: Annotated[str, typer.Option(help="stop at a broken line, or skip and count it.")] = "stop",
    processes: Annotated[
        int, typer.Option("--processes", "-j", min=1, max=1024, help="How many processes work.")
    ] = 1,
    engine: Annotated[
        str, typer.Option(help="local, or ray: several files on a Ray cluster, which must see them.")
    ] = "local",
    address: Address = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no counts at the end.")] = False,
) -> None:
    """Swap the gendered words of a file, or of many.

    A file larger than memory is no problem; nothing but the terms is changed; the output appears whole or
    not at all.

    \b
    Examples:
      counterpoise swap reviews.csv --column review --to female -o female.csv
      counterpoise swap corpus.txt.xz --to cds --seed 1 --names -j 4 -o augmented.txt.zst --edits edits.csv
      echo "She lost her hat." | counterpoise swap - --to flip
      echo "She walks her dog, doesn't she?" | counterpoise swap - --to they
      counterpoise swap corpus/ --to flip --engine ray --address head:6379 -o flipped/
    """
    import sys
    import time
    from functools import partial

    from counterpoise.core.errors import InputError
    from counterpoise.core.spread import spread
    from counterpoise.io.record_types import RecordOptions
    from counterpoise.text.pipeline import Job, swap_file
    from counterpoise.text.terms import load
    from counterpoise.text.versions import check_method

    check_method(to)
    _check(variant, on_error, encoding, to)
    chosen = load(terms)
    if without:
        chosen = chosen.without(word.strip() for word in without.split(","))
    swapper = {"terms": chosen if without or variant == "corrected" else terms}
    job = Job(
        method=to,
        seed=seed,
        swapper={**swapper, "names": names, "variant": variant, "guard": guard, "pronouns": tagger},
        keep_edits=edits is not None,
    )
    options = RecordOptions(
        path=files[0],
        column=column,
        version_column=version_column,
        encoding=encoding,
        on_error=on_error,  # type: ignore[arg-type]
        paragraphs=paragraphs,
    )
    began = time.perf_counter()
    try:
        if len(files) > 1 or Path(files[0]).is_dir():
            if edits is not None:
                raise InputError(
                    "--edits is for one file; swap the files one by one to have the edits of each"
                )
            spreading = partial(spread, engine=engine, processes=processes, address=address)
            counts = _swap_many(job, options, files, out, format_, spreading)
        elif engine != "local" or address is not None:
            raise InputError(
                "--engine and --address are for folders and lists of files; one file is done here"
            )
        else:
            counts = swap_file(job, _format(files[0], out, format_), options, out, edits, processes)
    except BrokenPipeError:  # the reader of our output has seen enough
        sys.stderr.close()
        return
    if not quiet:
        typer.echo(_summary(counts, time.perf_counter() - began), err=True)


def _swap_many(
    job: Job,
    options: RecordOptions,
    files: list[str],
    out: str,
    format_: str | None,
    spreading: Callable[..., Iterator[SwapCounts]],
) -> SwapCounts:
    """Each file into one of the same name in the folder `out`, as if it were swapped alone."""
    from dataclasses import replace
    from functools import partial

    from counterpoise.core.errors import InputError
    from counterpoise.core.progress import progress
    from counterpoise.io.file_lists import text_files
    from counterpoise.io.streams import STANDARD
    from counterpoise.text.pipeline import SwapCounts

    if out == STANDARD or STANDARD in files or Path(out).is_file():
        raise InputError("several files are written to a folder; name one with -o")
    folder = Path(out).resolve()
    for named in map(Path, files):
        if named.is_dir() and folder.is_relative_to(named.resolve()):
            raise InputError(f"{out} lies in {named}, which is read; write to a folder outside")
    listed = []
    for file in text_files(files):
        source, target = file.path.resolve(), folder / file.name
        target.parent.mkdir(parents=True, exist_ok=True)
        format_name = _format(str(source), str(target), format_)
        listed.append((format_name, replace(options, path=str(source)), str(target)))
    total = SwapCounts()
    with progress("swapping", len(listed), unit="files") as advance:
        for counts in spreading(partial(_swap_listed, job), listed):
            total.add(counts)
            advance(1)
    return total


def _swap_listed(job: Job, file: tuple[str, RecordOptions, str]) -> SwapCounts:
    from counterpoise.text.pipeline import swap_file

    return swap_file(job, *file)


def _format(file: str, out: str, named: str | None) -> str:
    """The format, by option or by the file's name; the output has the same."""
    from counterpoise.core.errors import InputError, unknown
    from counterpoise.io.records import FORMATS
    from counterpoise.io.streams import STANDARD, suffixes

    if named is not None and named not in FORMATS.values():
        raise unknown("format", named, set(FORMATS.values()))
    name = named or FORMATS.get(suffixes(file)[0], "text")
    wanted = FORMATS.get(suffixes(out)[0]) if out != STANDARD else None
    if wanted not in (None, name):
        raise InputError(f"{out}: the output is written in the format of the input, {name}; name it .{name}")
    if out != STANDARD and file != STANDARD and Path(out).exists() and Path(out).samefile(file):
        raise InputError(f"{out} is the input; write to another file")
    return name


def _check(variant: str, on_error: str, encoding: str, to: str) -> None:
    import codecs
    from typing import get_args

    from counterpoise.core.errors import InputError, unknown
    from counterpoise.text.swap import Variant

    if variant not in get_args(Variant):
        raise unknown("variant", variant, get_args(Variant))
    if variant == "published" and to not in ("male", "female", "remove", "mix"):
        raise InputError(
            f"the published code makes texts male, female, mixed or without terms; it has no {to}"
        )
    if on_error not in ("stop", "skip"):
        raise unknown("way to treat errors", on_error, ["stop", "skip"])
    try:
        codecs.lookup(encoding)
    except (LookupError, UnicodeEncodeError) as error:
        raise InputError(f"there is no encoding {encoding!r}; e.g. utf-8, latin-1, cp1252") from error


def _summary(counts: SwapCounts, seconds: float) -> str:
    lines = [
        f"{counts.documents:,} documents, {counts.changed:,} changed; "
        f"{counts.words:,} words in {seconds:.1f} s ({counts.words / max(seconds, 1e-9):,.0f} words/s)"
    ]
    if counts.edits:
        most = ", ".join(
            f"{old} -> {new or '(removed)'} {n:,}" for (old, new), n in counts.changes.most_common(8)
        )
        lines.append(f"{counts.edits:,} edits: {most}" + (" ..." if len(counts.changes) > 8 else ""))
    if counts.guarded:
        lines.append(f"{counts.guarded:,} left alone: a swap would make them absurd")
    if counts.unsure:
        left = "1 sentence" if counts.unsure == 1 else f"{counts.unsure:,} sentences"
        lines.append(f"{left} left alone: pronouns or verbs that can be read in two ways")
    if counts.broken:
        lines.append(f"{counts.broken:,} broken lines skipped")
    return "\n".join(lines)
