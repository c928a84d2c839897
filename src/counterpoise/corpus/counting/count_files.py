"""Counts corpora file by file, or takes the counts that a folder keeps: what was counted once is not counted again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import accumulate, islice
from pathlib import Path

from counterpoise.core.errors import InputError, RunError
from counterpoise.core.notices import notice
from counterpoise.core.progress import progress
from counterpoise.core.spread import spread
from counterpoise.core.version import __version__
from counterpoise.corpus.counting.counter import CorpusCounter, Window
from counterpoise.corpus.counting.counts import SCHEMA, CorpusCounts, check_enough
from counterpoise.corpus.counting.vocabulary import LIMIT
from counterpoise.corpus.counting.words import CorpusWords
from counterpoise.data.corpus import Corpus

MapParts = Callable[..., Iterator[CorpusCounts]]  # `map`, or something like it

_PART = (
    16 << 20
)  # bytes of files to count at once: a process takes as long to start as to count a few of them
ALIKE = 0.98  # a sample that would be larger than this share of a corpus is the corpus


@dataclass(frozen=True)
class CountSettings:
    """What decides the counts of a corpus."""

    terms: str = "all"
    professions: tuple[str, ...] | None = None
    window: Window = "sentence"
    seed: int = 0

    def __post_init__(self) -> None:
        if self.window != "sentence" and (not isinstance(self.window, int) or not 1 <= self.window <= 100):
            raise InputError(f"the window is `sentence` or 1 to 100 words, not {self.window!r}")


def count_corpora(
    corpora: Sequence[Corpus],
    settings: CountSettings,
    *,
    shares: Sequence[float] | None = None,
    keep: str | Path | None = None,
    map_parts: MapParts = map,
) -> list[CorpusCounts]:
    """The counts of several corpora, or of random shares of their documents.

    `keep` is a folder to keep counts in; `map_parts` counts the files: `map`, or a `partial` of `core.spread.spread`.
    The counts are the same whichever it is: the files of a folder are always counted in parts, and merged.

    >>> texts = Corpus.of(["The nurse said she left."] * 30 + ["He is a nurse."] * 10)
    >>> [counts] = count_corpora([texts], CountSettings())
    >>> counts.near[counts.words == "nurse"].sum(axis=2).tolist()
    [[10, 30]]
    """
    parts = [
        _parts(corpus, share) for corpus, share in zip(corpora, shares or [1.0] * len(corpora), strict=True)
    ]
    work = partial(_count_part, settings=settings, keep=Path(keep).resolve() if keep is not None else None)
    part_counts = iter(map_parts(work, [part for of_corpus in parts for part in of_corpus]))
    if (n := sum(map(len, parts))) > len(corpora):
        part_counts = _with_progress(part_counts, n)
    counts = []
    for corpus, of_corpus in zip(corpora, parts, strict=True):
        taken = islice(part_counts, len(of_corpus))
        counts.append(CorpusCounts.merged(corpus.name, taken, LIMIT) if corpus.files else next(taken))
        check_enough(counts[-1])
    return counts


def map_in_processes(n: int) -> MapParts:
    """Counts n parts at once, each in a process of its own."""
    return partial(spread, processes=n)


def equal_samples(
    corpora: Sequence[Corpus],
    counts: Sequence[CorpusCounts],
    settings: CountSettings,
    keep: str | Path | None = None,
    map_parts: MapParts = map,
) -> list[CorpusCounts]:
    """Counts of random documents of each corpus that have about as many words as the smallest corpus."""
    words = [whole.block_totals["words"] for whole in counts]
    shares = [min(words) / n for n in words]
    larger = [number for number, share in enumerate(shares) if share <= ALIKE]
    drawn = count_corpora(
        [corpora[number] for number in larger],
        settings,
        shares=[shares[number] for number in larger],
        keep=keep,
        map_parts=map_parts,
    )
    samples = dict(zip(larger, drawn, strict=True))
    return [samples.get(number, whole) for number, whole in enumerate(counts)]


def check_different(corpora: Sequence[Corpus]) -> None:
    """One corpus given twice is a mistake, and so are two of one name."""
    seen: dict[str, str] = {}
    for corpus in corpora:
        if corpus.is_stream and len(corpora) > 1:
            raise InputError("standard input can be read only once, and a comparison reads twice; name files")
        if corpus.fingerprint in seen:
            first = seen[corpus.fingerprint]
            what = (
                f"{first} is given twice"
                if first == corpus.name
                else f"{first} and {corpus.name} hold the same text"
            )
            raise InputError(f"{what}; a corpus is compared with another one")
        if corpus.name in seen.values():
            raise InputError(f"two corpora are called {corpus.name}; rename one")
        seen[corpus.fingerprint] = corpus.name


@dataclass(frozen=True)
class _Part:
    """Some files of a folder, or a corpus of its own."""

    files: tuple[Corpus, ...]
    first: int  # the number of the first of them in the folder
    share: float
    of_folder: bool


def _parts(corpus: Corpus, share: float) -> list[_Part]:
    """A folder's files in groups that are worth a start, in order."""
    if not corpus.files:
        return [_Part((corpus.resolved(),), 0, share, False)]
    groups: list[list[Corpus]] = [[]]
    size = 0
    for file in corpus.resolved().files:
        if size > _PART:
            groups.append([])
            size = 0
        groups[-1].append(file)
        size += file.size or 0
    starts = accumulate((len(group) for group in groups), initial=0)
    return [_Part(tuple(group), first, share, True) for first, group in zip(starts, groups, strict=False)]


def _count_part(part: _Part, settings: CountSettings, keep: Path | None) -> CorpusCounts:
    words = CorpusWords.of(settings.terms, settings.professions)
    path = _path_in(keep, part, settings, words) if keep is not None and part.files[0].fingerprint else None
    if path is not None and (kept := _kept_counts(path)) is not None:
        return kept
    counter = CorpusCounter(words, settings.window, settings.seed, part.share)
    for number, file in enumerate(part.files, part.first):
        counter.begin_file(number)
        for block in file.blocks():
            counter.add(block)
        file.check_unchanged()
    counts = counter.finish(part.files[0].name, others=part.of_folder)
    if path is not None:
        counts.save(path)
    return counts


def _kept_counts(path: Path) -> CorpusCounts | None:
    """The counts that a file keeps; None if there is none, or it is damaged."""
    if not path.is_file():
        return None
    try:
        return CorpusCounts.load(path)
    except RunError as error:
        notice(f"{error}; its part of the corpus is counted again")
        return None


def _with_progress(part_counts: Iterator[CorpusCounts], n: int) -> Iterator[CorpusCounts]:
    with progress("counting", n, "parts") as advance:
        for counts in part_counts:
            yield counts
            advance(1)


def _path_in(keep: Path, part: _Part, settings: CountSettings, words: CorpusWords) -> Path:
    try:
        keep.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"cannot make the folder {keep}: {error.strerror or error}") from error
    about = {
        "version": __version__,
        "schema": SCHEMA,
        "text": [[file.fingerprint, file.reading_options] for file in part.files],
        "settings": asdict(settings),
        "male": sorted(words.male),
        "female": sorted(words.female),
        "professions": dict(sorted(words.professions.items())),
        "share": part.share,
        "first": part.first if part.of_folder else None,
    }
    key = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:16]
    return keep / f"{key}.npz"
