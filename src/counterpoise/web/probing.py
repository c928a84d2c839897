"""Probe: what a model makes of a sentence in its male and in its female version.

The likelihood of a version is `MaskedLM.pseudo_log_likelihood` or `CausalLM.log_likelihood`, and the difference is
male minus female. Fills are what a masked model would write with all gendered words hidden at once, so that none of
them gives another away; a causal model, which sees only what stands before, is asked how probable the two words are
there.

Many probes are answered in one call of the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from counterpoise.core.errors import InputError
from counterpoise.core.mask import MASK
from counterpoise.models.causal import CausalLM
from counterpoise.models.masked import Fill, MaskedLM
from counterpoise.models.scoring.spans import own_tokens
from counterpoise.text.edits import Edit, apply
from counterpoise.text.sides import GenderedVersions
from counterpoise.web.alignment import AlignedTokens, Token, align, parts_of
from counterpoise.web.limits import SENTENCE_TOKENS

LanguageModel = MaskedLM | CausalLM


@dataclass(frozen=True)
class PlaceFills:
    """What the model would put at a gendered word, the most probable first."""

    word: str
    fills: tuple[Fill, ...]


@dataclass(frozen=True)
class Probe:
    """What one model makes of a sentence; likelihoods are natural logs, summed over tokens."""

    model: str
    kind: str
    male: float
    female: float
    cells: tuple[AlignedTokens, ...]
    places: tuple[PlaceFills, ...]

    @property
    def difference(self) -> float:
        """Male minus female."""
        return self.male - self.female


@dataclass(frozen=True)
class Wanted:
    """A sentence that is asked about, in both versions, and how many fills are wanted."""

    both: GenderedVersions
    fills: int = 5


def probe(model: LanguageModel, both: GenderedVersions, fills: int = 5) -> Probe:
    """What does the model make of the two versions of a sentence?

    >>> import counterpoise as cp
    >>> from counterpoise.text.sides import sides
    >>> found = probe(cp.load(), sides(cp.text.Swapper(), "He is a nurse."))
    >>> bool(found.difference < 0), [cell.female for cell in found.cells]
    (True, ['She', 'is', 'a', 'nurse', '.'])
    """
    [found] = probe_all(model, [Wanted(both, fills)])
    if isinstance(found, InputError):
        raise found
    return found


def probe_all(model: LanguageModel, wanted: Sequence[Wanted]) -> list[Probe | InputError]:
    """Many probes at once; what the model cannot read is an error in its place and does not touch the others."""
    problems = [_problem(model, one.both) for one in wanted]
    readable = [one for one, problem in zip(wanted, problems, strict=True) if problem is None]
    answered = iter(_probe_readable(model, readable))
    return [next(answered) if problem is None else InputError(problem) for problem in problems]


def _problem(model: LanguageModel, both: GenderedVersions) -> str | None:
    """Why the model cannot be asked about this sentence, or None."""
    versions = [both.male, both.female]
    mask = model.tokenizer.mask_token
    if any(one and one in both.text for one in (MASK, mask)):
        return "a sentence to score must have no mask in it"
    for encoded in model.tokenize(versions):
        if problem := model.encoding_problem(encoded):
            return problem
        if len(encoded.ids) > SENTENCE_TOKENS:
            return f"the sentence has {len(encoded.ids)} tokens and a probe takes {SENTENCE_TOKENS}"
    return None


def _probe_readable(model: LanguageModel, wanted: Sequence[Wanted]) -> list[Probe]:
    if not wanted:
        return []
    tokens = _tokens(model, [version for one in wanted for version in (one.both.male, one.both.female)])
    return [
        Probe(
            model.name,
            model.kind,
            sum(token.log_prob for token in male),
            sum(token.log_prob for token in female),
            tuple(align(parts_of(one.both), male, female)),
            places,
        )
        for one, male, female, places in zip(
            wanted, tokens[::2], tokens[1::2], _fills(model, wanted), strict=True
        )
    ]


def _tokens(model: LanguageModel, versions: Sequence[str]) -> list[list[Token]]:
    """The tokens of each version that have a log-probability."""
    encoded = model.encode(versions)
    places = [own_tokens(one) if model.kind == "masked" else np.arange(1, len(one.ids)) for one in encoded]
    found = []
    for version, one, scored, logs in zip(
        versions, encoded, places, model.token_log_probs(versions), strict=True
    ):
        names = model.tokenizer.convert_ids_to_tokens(list(one.ids))
        tokens = []
        for i, log in zip(scored.tolist(), logs, strict=True):
            start, end = one.spans[i]
            tokens.append(Token(start, end, version[start:end] or names[i], float(log)))
        found.append(tokens)
    return found


def _fills(model: LanguageModel, wanted: Sequence[Wanted]) -> list[tuple[PlaceFills, ...]]:
    asked = [i for i, one in enumerate(wanted) if one.both.places and one.fills]
    found: list[tuple[PlaceFills, ...]] = [()] * len(wanted)
    if isinstance(model, CausalLM):
        for i in asked:
            found[i] = _both_words(model, wanted[i].both)
        return found
    hidden = [
        apply(one.both.text, [Edit(place.start, place.end, "", MASK) for place in one.both.places])
        for one in (wanted[i] for i in asked)
    ]
    problems = model.problems([model.own_mask(text) for text in hidden])
    asked = [i for i, problem in zip(asked, problems, strict=True) if problem is None]
    hidden = [text for text, problem in zip(hidden, problems, strict=True) if problem is None]
    most = max((wanted[i].fills for i in asked), default=1)
    for i, places in zip(asked, model.fills(hidden, most), strict=True):
        of_sentence = zip(wanted[i].both.places, places, strict=True)
        found[i] = tuple(
            PlaceFills(place.pair, tuple(fills[: wanted[i].fills])) for place, fills in of_sentence
        )
    return found


def _both_words(model: CausalLM, both: GenderedVersions) -> tuple[PlaceFills, ...]:
    """How probable the male and the female word are after what stands before them; none where that cannot be told."""
    found = []
    for place in both.places:
        words = [place.male, place.female]
        try:
            [logs] = model.next_log_probs([both.text[: place.start]], words)
        except InputError:  # a word that cannot stand there for this model
            continue
        fills = [Fill(word, float(np.exp(log))) for word, log in zip(words, logs, strict=True)]
        found.append(PlaceFills(place.pair, tuple(sorted(fills, key=lambda one: -one.probability))))
    return tuple(found)
