"""Corpora by name: a file of any format that `swap` reads, a folder of them, a labelled part of Jigsaw's comments, or
texts at hand.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from counterpoise.core.errors import DataError, InputError, unknown
from counterpoise.core.hashing import hash_file
from counterpoise.core.progress import progress
from counterpoise.data.thirdparty.jigsaw import JIGSAW_LABELS, jigsaw
from counterpoise.io.blocks import read_blocks, text_blocks
from counterpoise.io.file_lists import text_files
from counterpoise.io.record_types import RecordOptions
from counterpoise.io.records import FORMATS, make
from counterpoise.io.streams import STANDARD, reading, suffixes


@dataclass(frozen=True)
class TextCorpus:
    """Texts that are read block by block, as often as needed.

    >>> list(TextCorpus.of(["He left.", "She stayed."], name="mine").blocks())
    [b'He left.\\nShe stayed.\\n']
    """

    name: str
    texts: Sequence[str] | None = None
    options: RecordOptions | None = None
    format: str | None = None
    fingerprint: str = field(default="", compare=False)
    seen: tuple[int, int] | None = field(default=None, compare=False)  # the hashed file's size and time
    files: tuple[TextCorpus, ...] = ()  # of a folder, each a corpus of its own

    @classmethod
    def of(
        cls,
        source: str | Path | Iterable[str] | TextCorpus,
        *,
        name: str | None = None,
        column: str = "text",
        format: str | None = None,
        encoding: str = "utf-8",
        paragraphs: bool = False,
        on_error: str = "stop",
    ) -> TextCorpus:
        """A corpus from the path of a file or a folder, a name such as `jigsaw:toxic`, or texts.

        `column` names that of the texts.
        """
        if isinstance(source, TextCorpus):
            return source
        if not isinstance(source, str | Path):
            texts = tuple(source)
            for text in texts:
                if not isinstance(text, str):
                    raise InputError(f"a corpus is made of texts, and one of them is {text!r:.60}")
            return cls(name or "texts", texts, fingerprint=_fingerprint(texts))
        if str(source).startswith("jigsaw:"):
            texts = jigsaw_texts(str(source).removeprefix("jigsaw:"))
            return cls(name or str(source), texts, fingerprint=_fingerprint(texts))
        if format is not None and format not in FORMATS.values():
            raise unknown("format", format, set(FORMATS.values()))
        if on_error not in ("stop", "skip"):
            raise unknown("way to treat errors", on_error, ["stop", "skip"])
        path = str(Path(source).expanduser()) if str(source) != STANDARD else STANDARD
        if Path(path).is_dir():
            files = tuple(
                cls.of(
                    file.path,
                    name=str(file.name),
                    column=column,
                    format=format,
                    encoding=encoding,
                    paragraphs=paragraphs,
                    on_error=on_error,
                )
                for file in text_files([path])
                if file.path.stat().st_size
            )
            if not files:
                raise DataError(f"all files of the folder {path} are empty")
            fingerprint = _fingerprint([file.fingerprint for file in files])
            return cls(name or Path(path).resolve().name, None, None, format, fingerprint, files=files)
        with reading(path):
            pass  # what cannot be opened is said before anything is counted
        options = RecordOptions(path, column, None, encoding, on_error, paragraphs)  # type: ignore[arg-type]
        if path == STANDARD:
            return cls(name or "standard input", None, options, format)
        seen = _seen(path)
        return cls(name or Path(path).name, None, options, format, hash_file(path), seen)

    @property
    def is_stream(self) -> bool:
        """True for standard input, which can be read only once."""
        return self.options is not None and self.options.path == STANDARD

    @property
    def size(self) -> int | None:
        """Of the file that was hashed, in bytes; None where there is none."""
        return self.seen[0] if self.seen is not None else None

    @property
    def reading(self) -> dict[str, object]:
        """How the text is read, whatever the file is called: with the fingerprint this decides what is read."""
        if self.options is None:
            return {}
        suffix, compression = suffixes(self.options.path)
        how = {"format": self.format or FORMATS.get(suffix, "text"), "compression": compression}
        return asdict(self.options) | {"path": "", "broken": 0} | how

    def check_unchanged(self) -> None:
        """What was read is what was hashed."""
        if self.seen is not None and self.options is not None and _seen(self.options.path) != self.seen:
            raise DataError(f"{self.options.path} has changed while it was read; give the command again")

    def resolved(self) -> TextCorpus:
        """The same with a path that is right in any folder."""
        if self.files:
            return replace(self, files=tuple(file.resolved() for file in self.files))
        if self.options is None or self.is_stream:
            return self
        return replace(self, options=replace(self.options, path=str(Path(self.options.path).resolve())))

    def documents(self) -> Iterator[str]:
        """The texts one by one, as they are written.

        >>> list(TextCorpus.of(["Élan!", "She stayed."]).documents())
        ['Élan!', 'She stayed.']
        """
        if self.files:
            for file in self.files:
                yield from file.documents()
            return
        if self.options is None:
            yield from self.texts or ()
            return
        form = make(self.format or FORMATS.get(suffixes(self.options.path)[0], "text"), self.options)
        with reading(self.options.path) as (stream, _):
            for batch in form.read(stream):
                yield from batch.texts

    def blocks(self) -> Iterator[bytes]:
        """The texts in blocks of one document a line; a bar shows how far it is."""
        if self.files:
            for file in self.files:
                yield from file.blocks()
            return
        if self.options is None:
            yield from text_blocks(self.texts or ())
            return
        size = self.size
        with (
            reading(self.options.path) as (stream, beneath),
            progress(f"counting {self.name}", size, "bytes") as advance,
        ):
            read = 0
            for block in read_blocks(self.options, stream, self.format):
                yield block
                if size is not None:
                    now = beneath.tell()
                    advance(now - read)
                    read = now


def _seen(path: str) -> tuple[int, int]:
    found = Path(path).stat()
    return found.st_size, found.st_mtime_ns


def jigsaw_texts(label: str) -> tuple[str, ...]:
    """The comments of Jigsaw with a label, such as `toxic` or `severe_toxic`."""
    if label not in JIGSAW_LABELS:
        raise unknown("label of Jigsaw's comments", label, JIGSAW_LABELS)
    table = jigsaw()
    texts = tuple(table.comment_text[table[label]])
    if not texts:
        raise DataError(f"Jigsaw's comments hold none that is labelled {label}")
    return texts


def _fingerprint(texts: Sequence[str]) -> str:
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()
