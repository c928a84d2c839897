"""Where a projection is fitted and applied: word vectors, and encoders."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from counterpoise.core.errors import DataError, unknown
from counterpoise.data.builtin.gender_words import GenderWords, gender_words
from counterpoise.measures.vectors.neighbours import neighbours
from counterpoise.mitigate.projection import directions
from counterpoise.mitigate.projection.projections import HardDebias, LinearProjection, Projection, Rotation
from counterpoise.models.encoder import Encoder
from counterpoise.models.vectors import WordVectors
from counterpoise.stats.vector_association import unit_rows
from counterpoise.text.terms import load as load_terms

Method = Literal["pair", "linear", "means", "hard", "inlp", "oscar"]

_ROWS = 1 << 16  # rows changed at once
_VOCABULARY = 150_000  # words, the first of the file, from which INLP takes the most biased
_WHOLE_WORDS = 5_000  # of a tokenizer
_MOST_BIASED = 7_500  # words of each gender that INLP is trained on, as in its paper


def fit_projection(
    model: WordVectors | Encoder,
    method: Method = "linear",
    data: GenderWords | None = None,
    *,
    components: int = 1,
    seed: int = 0,
) -> Projection:
    """Finds a gender direction in a model and says what is to be done with it.

    Parameters
    ----------
    method
        "pair" takes out he - she, "linear" the first principal component of all pairs, "means" the difference of the
        means of male and female words; "hard" is Bolukbasi's, with pairs equalised; "inlp" takes out what linear
        classifiers find, one direction after another; "oscar" turns professions to a right angle with gender.
    data
        Gender pairs and neutral words; Bolukbasi's pairs and professions if not given.
    components
        How many principal components "linear" and "hard" take.
    seed
        For the rows that "inlp" holds out.

    >>> vectors = WordVectors(["he", "she", "nurse"], np.array([[1.0, 1], [-1, 1], [-2, 3]]))
    >>> words = GenderWords.of([("he", "she")], ["nurse"])
    >>> apply_projection(vectors, fit_projection(vectors, "pair", words))["nurse"].tolist()
    [0.0, 3.0]
    """
    if method not in get_args(Method):
        raise unknown("method", method, get_args(Method))
    words = gender_words() if data is None else data
    pairs, male, female = _pairs(model, words)
    if method == "pair":
        chosen = pairs.index(("he", "she")) if ("he", "she") in pairs else 0
        return LinearProjection(directions.from_pair(male[chosen], female[chosen]))
    if method == "linear":
        return LinearProjection(directions.from_pairs(male, female, components))
    if method == "means":
        return LinearProjection(directions.from_means(male, female))
    if method == "hard":
        basis = directions.from_pairs(unit_rows(male), unit_rows(female), components)
        return HardDebias(basis, _gendered_words(pairs), _as_found(model, pairs))
    if method == "inlp":
        return LinearProjection(directions.from_classifiers(*_labelled(model, pairs), seed=seed))
    neutral = [word for group in words.neutral for word in group.words]
    [gender], [spread] = (
        directions.from_pairs(male, female),
        directions.from_spread(_vectors(model, _usable(model, neutral))),
    )
    return Rotation(gender, spread)


def apply_projection(model: Any, projection: Projection) -> Any:
    """The model with its vectors changed: new `WordVectors`, or a `Projected` encoder."""
    if isinstance(model, WordVectors):
        return _project_vectors(model, projection)
    return Projected(model, projection)


class Projected:
    """An encoder whose vectors go through a projection; in everything else it is that encoder."""

    kind = "encoder"

    def __init__(self, encoder: Encoder, projection: Projection) -> None:
        self.encoder = encoder
        self.projection = projection
        self.name = f"{encoder.name} ({projection.kind})"

    def __getattr__(self, name: str) -> Any:
        if name == "encoder":  # not there yet: while it is being copied
            raise AttributeError(name)
        return getattr(self.encoder, name)

    @property
    def fingerprint(self) -> str:
        digest = hashlib.blake2b(self.encoder.fingerprint.encode(), digest_size=16)
        for _, value in sorted(vars(self.projection).items()):
            digest.update(value.tobytes() if isinstance(value, np.ndarray) else repr(value).encode())
        return digest.hexdigest()

    def sentence_vectors(self, texts: Sequence[str], **options: Any) -> np.ndarray:
        return self._changed(self.encoder.sentence_vectors(texts, **options))

    def word_vectors(self, texts: Sequence[str], words: Sequence[str], **options: Any) -> np.ndarray:
        return self._changed(self.encoder.word_vectors(texts, words, **options))

    def _changed(self, vectors: np.ndarray) -> np.ndarray:
        return self.projection.transform(vectors).astype(vectors.dtype)


def what_remains(
    before: WordVectors | Encoder,
    after: WordVectors | Encoder | Projected,
    data: GenderWords | None = None,
    *,
    vocabulary: Sequence[str] | None = None,
    **options: Any,
) -> pd.DataFrame:
    """How much gender is left by Gonen & Goldberg's measure: its rows before and after, side by side.

    Parameters
    ----------
    vocabulary
        Of encoders: the words among which neighbours are looked for, each read on its own; if not given, the first
        5,000 whole words of the tokenizer.
    options
        What `counterpoise.measures.neighbours` takes.
    """
    if not isinstance(before, WordVectors):
        words = _vocabulary(before, gender_words() if data is None else data, vocabulary)
        before, after = (WordVectors(words, _vectors(model, words), model.name) for model in (before, after))
    first = neighbours(before, data, **options).summary
    second = neighbours(after, data, original=before, **options).summary
    return pd.DataFrame(
        {
            "statistic": first.statistic,
            "before": first["value"],
            "after": second["value"],
            "p after": second.p_value,
            "nothing left": first.ideal,
        }
    )


def _vocabulary(encoder: Encoder, data: GenderWords, vocabulary: Sequence[str] | None) -> list[str]:
    """The words of the measure, and those given or the first whole words of the tokenizer."""
    needed = [word for pair in data.pairs for word in pair]
    needed += [word for group in data.neutral for word in group.words]
    words = list(vocabulary) if vocabulary is not None else _whole_words(encoder)
    return _usable(encoder, list(dict.fromkeys([*needed, *words])))


def _whole_words(encoder: Encoder) -> list[str]:
    """Tokens that are a word of three letters or more, the first ones, which in most tokenizers are the commonest."""
    tokenizer, words = encoder.tokenizer, []
    for token in tokenizer.convert_ids_to_tokens(range(len(tokenizer))):
        word = tokenizer.convert_tokens_to_string([token]).strip()
        if len(word) > 2 and word.isalpha() and tokenizer.tokenize(f" {word}") == [token]:
            words.append(word)
        if len(words) == _WHOLE_WORDS:
            break
    return words


def _pairs(
    model: WordVectors | Encoder, words: GenderWords
) -> tuple[list[tuple[str, str]], np.ndarray, np.ndarray]:
    usable = set(_usable(model, [word for pair in words.pairs for word in pair]))
    pairs = [pair for pair in words.pairs if usable.issuperset(pair)]
    if not pairs:
        raise DataError(f"{model.name} has no vectors for any pair of gender words of {words.name}")
    return (
        pairs,
        _vectors(model, [male for male, _ in pairs]),
        _vectors(model, [female for _, female in pairs]),
    )


def _usable(model: WordVectors | Encoder, words: list[str]) -> list[str]:
    return [word for word, problem in zip(words, model.problems(words), strict=True) if problem is None]


def _vectors(model: WordVectors | Encoder | Projected, words: list[str]) -> np.ndarray:
    vectors = model.lookup(words) if isinstance(model, WordVectors) else model.sentence_vectors(words)
    return np.asarray(vectors, dtype=np.float64)


def _gendered_words(pairs: Sequence[tuple[str, str]]) -> frozenset[str]:
    """Words that are to keep their gender, in lower case."""
    listed = [(term.male, term.female) for term in load_terms("all").terms]
    return frozenset(word.lower() for pair in (*listed, *pairs) for word in pair)


def _as_found(model: WordVectors | Encoder, pairs: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    if not isinstance(model, WordVectors):
        return tuple(pairs)
    return tuple((model.key(male) or male, model.key(female) or female) for male, female in pairs)


def _labelled(
    model: WordVectors | Encoder, pairs: Sequence[tuple[str, str]]
) -> tuple[np.ndarray, np.ndarray]:
    """What INLP learns from: of word vectors the most biased words, of an encoder the gendered terms."""
    if isinstance(model, WordVectors):
        male, female = ("he", "she") if ("he", "she") in pairs else pairs[0]
        vectors = np.asarray(model.matrix[:_VOCABULARY], dtype=np.float64)
        vectors = vectors[vectors.any(axis=1)]
        lean = unit_rows(vectors) @ directions.from_pair(model[male], model[female])[0]
        count = min(_MOST_BIASED, len(vectors) // 4)
        order = np.argsort(lean, kind="stable")
        return vectors[np.concatenate([order[-count:], order[:count]])], np.repeat([1, 0], count)
    terms = [(term.male, term.female) for term in load_terms("all").terms if term.direction == "both"]
    sides = [_usable(model, list(dict.fromkeys(side))) for side in zip(*terms, strict=True)]
    return _vectors(model, [*sides[0], *sides[1]]), np.repeat([1, 0], [len(sides[0]), len(sides[1])])


def _project_vectors(vectors: WordVectors, projection: Projection) -> WordVectors:
    changed = np.empty(vectors.matrix.shape, dtype=vectors.matrix.dtype)
    for start in range(0, len(changed), _ROWS):  # the matrix may be larger than memory bears twice
        rows = slice(start, start + _ROWS)
        if isinstance(projection, HardDebias):
            changed[rows] = projection.neutralise(vectors.words[rows], vectors.matrix[rows])
        else:
            changed[rows] = projection.transform(vectors.matrix[rows])
    if isinstance(projection, HardDebias):
        for pair in projection.equalised:
            if all(word in vectors.index for word in pair):
                both = [vectors.index[word] for word in pair]
                first, second = unit_rows(np.asarray(vectors.matrix[both], dtype=np.float64))
                changed[both] = projection.equalise(first, second)
    name = f"{vectors.name} ({projection.kind})"
    return WordVectors(vectors.words, changed, name, case=vectors.case, warnings=vectors.warnings)
