"""Counts a corpus, or takes the counts that a folder keeps of it: what was counted once is not counted again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from counterpoise import __version__
from counterpoise.core.errors import InputError, RunError
from counterpoise.data.corpora import TextCorpus
from counterpoise.data.corpus_words import CorpusWords
from counterpoise.measures.corpus_counting import Counting, Window
from counterpoise.measures.corpus_counts import Counts, check_enough

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


def count_corpus(
    corpus: TextCorpus, settings: CountSettings, *, share: float = 1.0, keep: str | Path | None = None
) -> Counts:
    """The counts of a corpus, or of a random share of its documents; `keep` is the folder to keep them in.

    >>> texts = TextCorpus.of(["The nurse said she left."] * 30 + ["He is a nurse."] * 10)
    >>> counts = count_corpus(texts, CountSettings())
    >>> counts.near[counts.words == "nurse"].sum(axis=2).tolist()
    [[10, 30]]
    """
    words = CorpusWords.of(settings.terms, settings.professions)
    path = _kept_at(keep, corpus, settings, words, share) if keep is not None and corpus.fingerprint else None
    if path is not None and path.is_file():
        return Counts.load(path)
    counting = Counting(words, settings.window, settings.seed, share)
    for block in corpus.blocks():
        counting.add(block)
    counts = counting.finish(corpus.name)
    check_enough(counts)
    if path is not None:
        counts.save(path)
    return counts


def equal_samples(
    corpora: Sequence[TextCorpus],
    counts: Sequence[Counts],
    settings: CountSettings,
    keep: str | Path | None = None,
) -> list[Counts]:
    """Counts of random documents of each corpus that have about as many words as the smallest corpus."""
    words = [one.block_totals["words"] for one in counts]
    samples = []
    for corpus, whole, n in zip(corpora, counts, words, strict=True):
        share = min(words) / n
        samples.append(whole if share > ALIKE else count_corpus(corpus, settings, share=share, keep=keep))
    return samples


def check_different(corpora: Sequence[TextCorpus]) -> None:
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


def _kept_at(
    keep: str | Path, corpus: TextCorpus, settings: CountSettings, words: CorpusWords, share: float
) -> Path:
    folder = Path(keep)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"cannot make the folder {folder}: {error.strerror or error}") from error
    about = {
        "version": __version__,
        "text": corpus.fingerprint,
        "reading": [asdict(corpus.options) | {"path": "", "broken": 0}, corpus.format]
        if corpus.options
        else None,
        "settings": asdict(settings),
        "male": sorted(words.male),
        "female": sorted(words.female),
        "professions": dict(sorted(words.professions.items())),
        "share": share,
    }
    key = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:16]
    return folder / f"{key}.npz"
