"""The corpus: texts from a file of any format that `swap` reads, a folder of files, a dataset, or a list."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path

from counterpoise.core.errors import DataError, InputError, did_you_mean, unknown
from counterpoise.core.hashing import hash_file
from counterpoise.core.progress import progress
from counterpoise.data.named_corpora import CORPUS_NAMES, is_corpus_name, named_texts
from counterpoise.io.blocks import read_blocks, text_blocks
from counterpoise.io.file_lists import text_files
from counterpoise.io.record_types import RecordOptions
from counterpoise.io.records import FORMATS, make
from counterpoise.io.streams import STANDARD, reading, suffixes
from counterpoise.text.sentences import sentences


@dataclass(frozen=True)
class Corpus:
    """Texts in memory, or those of a file or a folder, which are streamed as often as they are needed.

    >>> corpus = Corpus.of(["He left.", "It rains. She stayed."], name="mine")
    >>> list(corpus.sentences())
    ['He left.', 'It rains.', 'She stayed.']
    >>> list(corpus.blocks())
    [b'He left.\\nIt rains. She stayed.\\n']
    """

    name: str
    texts: tuple[str, ...] = ()  # in memory; empty for a file or a folder
    options: RecordOptions | None = None  # of a file
    format: str | None = None
    files: tuple[Corpus, ...] = ()  # of a folder, each a corpus of its own
    file_state: tuple[int, int] | None = field(
        default=None, compare=False
    )  # size and time when it was opened

    @classmethod
    def of(
        cls,
        source: str | Path | Iterable[str] | Corpus,
        *,
        name: str | None = None,
        column: str = "text",
        format: str | None = None,
        encoding: str = "utf-8",
        paragraphs: bool = False,
        on_error: str = "stop",
        column_advice: str = RecordOptions.column_advice,
        encoding_advice: str = RecordOptions.encoding_advice,
    ) -> Corpus:
        """A corpus from the path of a file or a folder, the name of a dataset, or texts.

        Parameters
        ----------
        source
            A path; "gap", "mt-gender", "imdb" or "jigsaw:LABEL", such as `jigsaw:toxic` (a file of that name is read
            if it is given as a `Path`, or as `./gap`); "-" for standard input; texts; or a corpus, returned as it is.
        name
            What reports call it; the name of the file, folder or dataset if not given.
        column
            The column or field of a table that holds the text.
        format
            Of all files, whatever their suffix: text, csv, tsv, jsonl or parquet.
        paragraphs
            In plain text a document is a paragraph, not a line.
        on_error
            "stop" at a broken line, or "skip" it.
        column_advice, encoding_advice
            What an error tells the user to do about a missing column or a wrong encoding.
        """
        if isinstance(source, Corpus):
            return source
        if not isinstance(source, str | Path):
            return cls(name or "texts", _checked_texts(source))
        if isinstance(source, str) and is_corpus_name(source):
            return cls(name or source, named_texts(source))
        if format is not None and format not in FORMATS.values():
            raise unknown("format", format, set(FORMATS.values()))
        if on_error not in ("stop", "skip"):
            raise unknown("way to treat errors", on_error, ["stop", "skip"])
        path = str(Path(source).expanduser()) if str(source) != STANDARD else STANDARD
        options = RecordOptions(
            path,
            column,
            None,
            encoding,
            on_error,  # type: ignore[arg-type]
            paragraphs,
            column_advice=column_advice,
            encoding_advice=encoding_advice,
        )
        if Path(path).is_dir():
            return cls._of_folder(name or Path(path).resolve().name, options, format)
        if isinstance(source, str) and path != STANDARD and not Path(path).exists():
            raise DataError(
                f"there is no file {path}, and no corpus of that name (there are: {', '.join(CORPUS_NAMES)})"
                f"{did_you_mean(source, CORPUS_NAMES)}"
            )
        return cls._of_file(name, options, format)

    @classmethod
    def _of_file(cls, name: str | None, options: RecordOptions, format: str | None) -> Corpus:
        path = options.path
        with reading(path):
            pass  # what cannot be opened is reported before anything is read
        if path == STANDARD:
            return cls(name or "standard input", (), options, format)
        return cls(name or Path(path).name, (), options, format, file_state=_file_state(path))

    @classmethod
    def _of_folder(cls, name: str, options: RecordOptions, format: str | None) -> Corpus:
        files = tuple(
            cls._of_file(str(file.name), replace(options, path=str(file.path)), format)
            for file in text_files([options.path])
            if file.path.stat().st_size
        )
        if not files:
            raise DataError(f"all files of the folder {options.path} are empty")
        return cls(name, (), None, format, files)

    @property
    def in_memory(self) -> bool:
        """True if the texts are at hand, false if they are read from files."""
        return self.options is None and not self.files

    @property
    def is_stream(self) -> bool:
        """True for standard input, which can be read only once."""
        return self.options is not None and self.options.path == STANDARD

    @property
    def size(self) -> int | None:
        """The size of the file in bytes; None if the corpus is no file."""
        return self.file_state[0] if self.file_state is not None else None

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the file's bytes, or of the texts; empty for standard input."""
        if self.files:
            return _hash(file.fingerprint for file in self.files)
        if self.options is None:
            return _hash(self.texts)
        return "" if self.is_stream else hash_file(self.options.path)

    @property
    def reading_options(self) -> dict[str, object]:
        """How the text is read, whatever the file is called: with the fingerprint this decides what is read."""
        if self.options is None:
            return {}
        format_ = {"format": self._format, "compression": suffixes(self.options.path)[1]}
        return asdict(self.options) | {"path": "", "broken": 0} | format_

    def check_unchanged(self) -> None:
        """Raises an error if the file is no longer the one that was opened."""
        if self.file_state is None or self.options is None:
            return
        if _file_state(self.options.path) != self.file_state:
            raise DataError(f"{self.options.path} has changed while it was read; give the command again")

    def resolved(self) -> Corpus:
        """The same corpus with absolute paths, which are right in any working directory."""
        if self.files:
            copy = replace(self, files=tuple(file.resolved() for file in self.files))
        elif self.options is None or self.is_stream:
            return self
        else:
            copy = replace(self, options=replace(self.options, path=str(Path(self.options.path).resolve())))
        if "fingerprint" in vars(self):  # a large file need not be hashed twice
            vars(copy)["fingerprint"] = self.fingerprint
        return copy

    def documents(self) -> Iterator[str]:
        """The texts one by one, as they are written.

        >>> list(Corpus.of(["Élan!", "She stayed."]).documents())
        ['Élan!', 'She stayed.']
        """
        if self.options is None:
            yield from self.texts
            for file in self.files:
                yield from file.documents()
            return
        with reading(self.options.path) as (stream, _):
            for batch in make(self._format, _skip_byte_order_mark(self.options)).read(stream):
                yield from batch.texts

    def sentences(self) -> Iterator[str]:
        """The sentences of all texts, one by one."""
        return (sentence for text in self.documents() for sentence in sentences(text))

    def count_sentences(self) -> int:
        return sum(1 for _ in self.sentences())

    def blocks(self) -> Iterator[bytes]:
        """The texts in blocks of one document a line, folded for counting; a progress bar shows how far it is."""
        if self.options is None:
            yield from text_blocks(self.texts)
            for file in self.files:
                yield from file.blocks()
            return
        size = self.size
        is_plain = self._format == "text"  # of which blocks are read without a step for each line
        options = self.options if is_plain else _skip_byte_order_mark(self.options)
        with (
            reading(self.options.path) as (stream, beneath),
            progress(f"counting {self.name}", size, "bytes") as advance,
        ):
            position = 0
            for block in read_blocks(options, stream, self.format):
                yield block
                if size is not None:
                    reached = beneath.tell()
                    advance(reached - position)
                    position = reached

    @property
    def _format(self) -> str:
        assert self.options is not None
        return self.format or FORMATS.get(suffixes(self.options.path)[0], "text")


def _checked_texts(source: Iterable[str]) -> tuple[str, ...]:
    texts = tuple(source)
    for text in texts:
        if not isinstance(text, str):
            raise InputError(
                f"a text must be a string, not {type(text).__name__}: one of them is {text!r:.60}"
            )
    return texts


def _skip_byte_order_mark(options: RecordOptions) -> RecordOptions:
    """Options that read UTF-8 with or without the mark that some editors put at its beginning."""
    is_utf8 = options.encoding.lower().replace("_", "-") in ("utf-8", "utf8")
    return replace(options, encoding="utf-8-sig") if is_utf8 else options


def _file_state(path: str) -> tuple[int, int]:
    state = Path(path).stat()
    return state.st_size, state.st_mtime_ns


def _hash(texts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()
