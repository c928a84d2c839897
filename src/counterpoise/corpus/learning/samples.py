"""What a model is trained on to learn a corpus: samples of its sentences, and as much neutral text for the control.

Samples of all corpora have the same number of sentences. Neutral sentences are those of the corpora without a gendered
word, equally many of each; if there are too few, our own 150 are repeated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from counterpoise.core.errors import DataError
from counterpoise.core.plurals import count_text
from counterpoise.data.builtin.neutral import neutral_texts
from counterpoise.data.corpus import Corpus
from counterpoise.mitigate.finetune.training_texts import FEWEST_SENTENCES
from counterpoise.text.swap import Swapper

_POOL = 20_000  # sentences of a corpus that are held; samples are drawn from them


@dataclass(frozen=True)
class Samples:
    """Sentences by corpus, and neutral ones; `size` of each are trained on."""

    pools: Mapping[str, Sequence[str]]
    neutral: Sequence[str]
    neutral_name: str
    size: int

    def of(self, name: str, seed: int) -> list[str]:
        """The sample of a corpus."""
        return _drawn(self.pools[name], self.size, seed)

    def control(self, seed: int) -> list[str]:
        """Neutral sentences, each as often as any other where there are fewer than are wanted."""
        times, rest = divmod(self.size, len(self.neutral))
        return [*self.neutral] * times + _drawn(self.neutral, rest, seed)


def draw_samples(
    corpora: Sequence[Corpus], size: int, control: Corpus | None = None, most: int = _POOL
) -> Samples:
    """Reads the corpora, each once; one clear line for what a model cannot learn anything from.

    >>> corpus = Corpus.of(["She left. It rains."] * 20, name="mine")
    >>> samples = draw_samples([corpus], 20)
    >>> samples.size, samples.neutral_name
    (20, 'sentences of the corpora without a gendered word')
    """
    pools = {corpus.name: _pool(corpus, max(most, size)) for corpus in corpora}
    size = min(size, *map(len, pools.values()))
    swapper = Swapper()
    neutral_pools = {
        name: [sentence for sentence in pool if not swapper.edits(sentence, "flip")]
        for name, pool in pools.items()
    }
    for name, pool in pools.items():
        if len(neutral_pools[name]) == len(pool):
            raise DataError(
                f"{name} has no gendered word in {count_text(len(pool), 'sentence')}, so there is nothing to learn"
            )
    return Samples(pools, *_neutral(neutral_pools, control, size), size)


def _neutral(of_corpora: Mapping[str, list[str]], control: Corpus | None, size: int) -> tuple[list[str], str]:
    """Neutral sentences and where they are from."""
    if control is not None:
        return _pool(control, max(_POOL, size)), f"{control.name}, as given"
    each = -(-size // len(of_corpora))
    fewest = min(map(len, of_corpora.values()))
    if fewest >= each:
        drawn = [sentence for pool in of_corpora.values() for sentence in _drawn(pool, fewest, 0)]
        return drawn, "sentences of the corpora without a gendered word"
    own = neutral_texts().table.text.tolist()
    return (
        own,
        f"our own {len(own)} neutral sentences, repeated, since the corpora have too few without gender",
    )


def _pool(corpus: Corpus, most: int) -> list[str]:
    """At most `most` sentences of a corpus, each as likely as any other (Vitter's algorithm R)."""
    rng = np.random.default_rng(0)
    pool: list[str] = []
    for number, sentence in enumerate(corpus.sentences()):
        if number < most:
            pool.append(sentence)
        elif (place := int(rng.integers(number + 1))) < most:
            pool[place] = sentence
    if not pool:
        raise DataError(f"{corpus.name} has no text")
    if len(pool) < FEWEST_SENTENCES:
        raise DataError(
            f"{corpus.name} has {count_text(len(pool), 'sentence')}; a model learns nothing from fewer than "
            f"{FEWEST_SENTENCES}"
        )
    return pool


def _drawn(listed: Sequence[str], n: int, seed: int) -> list[str]:
    """So many of them, drawn without replacement, in the order in which they stand."""
    chosen = np.random.default_rng(seed).choice(len(listed), size=n, replace=False)
    return [listed[number] for number in np.sort(chosen)]
