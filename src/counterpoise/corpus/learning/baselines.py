"""Two older ways to ask what is learnt from a corpus, for comparison; the thesis criticises both.

A classifier is trained to tell the corpus from neutral text, and direct bias (Bolukbasi et al. 2016) is asked of its
encoder's vectors of single words. It learns what tells the two apart, which need not be gender, and has no control.

Static vectors are made from the corpus itself, and asked by WEAT (Caliskan et al. 2017): positive pointwise mutual
information of words within five words of each other, context counts to the power 0.75, and a truncated singular value
decomposition with the root of the singular values (Levy et al. 2015). A corpus must be large for its words to be there.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import svds

from counterpoise.core.errors import DataError
from counterpoise.core.files import read_json, write_json
from counterpoise.core.hashing import hash_texts
from counterpoise.corpus.learning.experiment import Experiment
from counterpoise.corpus.learning.rows import gained_row
from counterpoise.corpus.learning.samples import Samples
from counterpoise.data.builtin.gender_words import gender_words
from counterpoise.data.builtin.wordsets import weat as caliskan_tests
from counterpoise.data.spec import citation
from counterpoise.measures.base.result import Direction, Result, make_summary
from counterpoise.measures.base.rows import OVERALL
from counterpoise.measures.base.skipped import skipped_table
from counterpoise.measures.vectors.direct_bias import direct_bias
from counterpoise.measures.vectors.weat import weat
from counterpoise.models.loading import load
from counterpoise.models.vectors import WordVectors
from counterpoise.tuning.classifier import train_classifier
from counterpoise.tuning.settings import Settings

_GENDER_TESTS = ("weat6", "weat7", "weat8")
_WORD = re.compile(r"[^\W\d_]+")
_WINDOW, _DIMENSIONS, _MIN_COUNT, _CONTEXT_POWER = 5, 100, 3, 0.75


def baselines_of(name: str, room: Experiment, samples: Samples) -> list[Result]:
    """Both of them for one corpus."""
    return [classifier_baseline(name, room, samples), vectors_baseline(name, samples.pools[name])]


def classifier_baseline(name: str, room: Experiment, samples: Samples) -> Result:
    """How much nearer to gender are professions in a classifier that knows the corpus than in the reference?"""
    reference = _projections(load(room.reference.location, kind="encoder", device=room.device))
    runs = [
        _classified(room, samples.of(name, seed), samples.control(seed), seed) for seed in room.learning.seeds
    ]
    gained = np.abs(np.stack([run.to_numpy() for run in runs])) - np.abs(reference.to_numpy())
    note = f"reference {np.abs(reference).mean():.3f}; without a control"
    row = gained_row(gained, OVERALL, "direct_bias", "direct bias, classifier - reference", note)
    return Result(
        measure="corpus_classifier",
        dataset=name,
        model=room.reference.name,
        variant="corrected",
        seed=room.learning.seeds[0],
        items=pd.DataFrame(
            {"word": reference.index, "reference": reference.to_numpy(), "gained": gained.mean(axis=0)}
        ),
        summary=make_summary([row], "corpus_classifier", name, "corrected"),
        skipped=skipped_table([], []),
        direction=Direction(
            positive="Professions lie nearer to the gender direction than in the reference.",
            negative="Professions lie less near to the gender direction than in the reference.",
        ),
        citation=citation("bolukbasi2016"),
    )


def vectors_baseline(name: str, sentences: Sequence[str]) -> Result:
    """Are the stereotypes of WEAT in vectors made from the corpus? A word that is missing is named."""
    return weat(corpus_vectors(sentences, name), caliskan_tests(_GENDER_TESTS))


def corpus_vectors(
    sentences: Sequence[str],
    name: str = "corpus",
    *,
    dimensions: int = _DIMENSIONS,
    window: int = _WINDOW,
    min_count: int = _MIN_COUNT,
) -> WordVectors:
    """Word vectors from sentences by PPMI and truncated SVD; the same ones every time.

    >>> vectors = corpus_vectors(["she sings and he runs", "she sings", "he runs"] * 5, dimensions=2)
    >>> sorted(vectors.words)
    ['and', 'he', 'runs', 'she', 'sings']
    """
    listed = [_WORD.findall(sentence.lower()) for sentence in sentences]
    often = Counter(word for words in listed for word in words)
    words = sorted(word for word, n in often.items() if n >= min_count)
    size = min(dimensions, len(words) - 1)
    if size < 1:
        raise DataError(
            f"{name} has {len(words)} words that occur {min_count} times or more: too few for vectors"
        )
    numbers = {word: number for number, word in enumerate(words)}
    values = positive_mutual_information(
        [[numbers[word] for word in sentence if word in numbers] for sentence in listed], len(words), window
    )
    # The start is fixed, since it decides the signs of the components.
    left, sizes, _ = svds(values, k=size, v0=np.ones(len(words)))
    return WordVectors(words, left * np.sqrt(np.maximum(sizes, 0.0)), f"vectors of {name}")


def positive_mutual_information(sentences: Sequence[Sequence[int]], size: int, window: int) -> csr_matrix:
    """max(0, log P(w, c) / (P(w) P(c))) of words and contexts, with smoothed P(c), where they are above 0."""
    near: Counter[tuple[int, int]] = Counter()
    for words in sentences:
        for distance in range(1, min(window, len(words) - 1) + 1):
            near.update(zip(words[:-distance], words[distance:], strict=True))
            near.update(zip(words[distance:], words[:-distance], strict=True))
    if not near:
        raise DataError("no two words of the corpus stand near each other")
    pairs = np.array(list(near))
    counts = np.fromiter(near.values(), dtype=np.float64)
    totals = np.bincount(pairs[:, 0], weights=counts, minlength=size)
    smoothed = totals**_CONTEXT_POWER
    shares = counts / counts.sum()
    expected = (totals / totals.sum())[pairs[:, 0]] * (smoothed / smoothed.sum())[pairs[:, 1]]
    values = np.maximum(np.log(shares / expected), 0.0)
    return csr_matrix((values, (pairs[:, 0], pairs[:, 1])), shape=(size, size))


def _classified(room: Experiment, texts: Sequence[str], neutral: Sequence[str], seed: int) -> pd.Series:
    """Projections of professions in a classifier's encoder; they are kept, the classifier is not."""
    settings = replace(Settings(seed=seed, max_length=256), epochs=room.learning.epochs)
    decisive = [room.reference.fingerprint, json.dumps(asdict(settings)), hash_texts(texts), *neutral]
    path = room.keep / f"{hash_texts(decisive)}.classifier.json"
    if not path.is_file():
        labels = ["corpus"] * len(texts) + ["neutral"] * len(neutral)
        with tempfile.TemporaryDirectory(dir=room.keep) as work:
            folder = Path(work) / "classifier"
            train_classifier(
                [*texts, *neutral],
                labels,
                folder,
                base=room.reference.location,
                settings=settings,
                device=room.device,
            )
            found = _projections(load(folder, kind="encoder", device=room.device))
            write_json(path, found.to_dict())
            shutil.rmtree(folder)
    return pd.Series(read_json(path))


def _projections(encoder: object) -> pd.Series:
    """Where each profession lies along the gender direction of an encoder's vectors of single words."""
    data = gender_words()
    words = [word for pair in data.pairs for word in pair] + [
        word for one in data.neutral for word in one.words
    ]
    vectors = np.asarray(encoder.sentence_vectors(words), dtype=np.float64)  # type: ignore[attr-defined]
    return direct_bias(WordVectors(words, vectors, encoder.name), data).items.set_index("word").projection  # type: ignore[attr-defined]
