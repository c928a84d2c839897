"""Probe: what a model makes of a sentence in its male and in its female version.

A classifier rates both versions, and the neutral one, from which the gendered words are taken out.

The likelihood of a version is `MaskedLM.pseudo_log_likelihood` or `CausalLM.log_likelihood`, and the difference is
male minus female. Fills are what a masked model would write with all gendered words hidden at once, so that none of
them gives another away. A causal model, which sees only what comes before, is asked how probable the two words are
there; if the sentence has no gendered word, how probable he, she and they are as its next word.

Many probes are answered in one call of the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from counterpoise.core.errors import InputError
from counterpoise.core.mask import MASK
from counterpoise.models.causal import CausalLM
from counterpoise.models.classifier import Classifier
from counterpoise.models.fills import Fill
from counterpoise.models.function_classifier import FunctionClassifier
from counterpoise.models.masked import MaskedLM
from counterpoise.models.scoring.spans import own_tokens
from counterpoise.text.edits import Edit, apply
from counterpoise.text.gendered_versions import GenderedVersions
from counterpoise.web.alignment import AlignedTokens, Token, align, parts_of
from counterpoise.web.limits import SENTENCE_TOKENS

LanguageModel = MaskedLM | CausalLM
RatingModel = Classifier | FunctionClassifier
ProbedModel = LanguageModel | RatingModel

_PRONOUNS = ("he", "she", "they")
NEXT_WORD = "the next word"
_ENDS = " .!?\n\t"  # of a sentence, taken off before it is continued


@dataclass(frozen=True)
class PlaceFills:
    """What the model would write in place of a gendered word, the most probable first."""

    word: str
    fills: tuple[Fill, ...]


@dataclass(frozen=True)
class Probe:
    """What one model makes of a sentence.

    A language model gives likelihoods, which are natural logs, summed over tokens; a classifier gives ratings, and one
    of the neutral version too.
    """

    model: str
    kind: str
    male: float
    female: float
    tokens: tuple[AlignedTokens, ...] = ()
    fills: tuple[PlaceFills, ...] = ()
    neutral: float | None = None
    is_probability: bool = False  # the ratings are between 0 and 1

    @property
    def difference(self) -> float:
        """Male minus female."""
        return self.male - self.female


@dataclass(frozen=True)
class ProbeInput:
    """Both versions of a sentence to probe, how many fills to give for each gendered word, and the neutral version."""

    versions: GenderedVersions
    fills: int = 5
    neutral: str = ""


def no_gendered_word(versions: GenderedVersions, names: bool = False) -> str:
    """A sentence for readers where there is nothing to compare; empty where there is.

    >>> import counterpoise as cp
    >>> from counterpoise.text.gendered_versions import gendered_versions
    >>> no_gendered_word(gendered_versions(cp.text.Swapper(), "The nurse was late."))
    'This sentence has no gendered word, so its male and female versions are the same. Use a word such as he, she, \
mother or man, or change first names too.'
    """
    if versions.places:
        return ""
    hint = "" if names else ", or change first names too"
    return (
        "This sentence has no gendered word, so its male and female versions are the same. "
        f"Use a word such as he, she, mother or man{hint}."
    )


def probe(model: ProbedModel, versions: GenderedVersions, fills: int = 5, neutral: str = "") -> Probe:
    """What does the model make of the two versions of a sentence?

    >>> import counterpoise as cp
    >>> from counterpoise.text.gendered_versions import gendered_versions
    >>> answer = probe(cp.load(), gendered_versions(cp.text.Swapper(), "He is a nurse."))
    >>> bool(answer.difference < 0), [token.female for token in answer.tokens]
    (True, ['She', 'is', 'a', 'nurse', '.'])
    """
    [answer] = probe_all(model, [ProbeInput(versions, fills, neutral)])
    if isinstance(answer, InputError):
        raise answer
    return answer


def probe_all(model: ProbedModel, inputs: Sequence[ProbeInput]) -> list[Probe | InputError]:
    """Many probes at once; a sentence that the model cannot read gets an error and does not affect the others."""
    if isinstance(model, RatingModel):
        return [*_rate(model, inputs)]
    problems = [_problem(model, each.versions) for each in inputs]
    readable = [each for each, problem in zip(inputs, problems, strict=True) if problem is None]
    answers = iter(_probe_readable(model, readable))
    return [next(answers) if problem is None else InputError(problem) for problem in problems]


def _rate(model: RatingModel, inputs: Sequence[ProbeInput]) -> list[Probe]:
    """The ratings of the male, the female and the neutral version; a neutral version of no words has none."""
    texts = [side for each in inputs for side in (each.versions.male, each.versions.female, each.neutral)]
    worded = [text for text in texts if text.strip()]
    ratings = model.rate(worded)
    by_text = dict(zip(worded, map(float, ratings), strict=True))
    # A function may return a score of any range where a classifier would return a probability.
    is_probability = not model.is_regression and bool(((ratings >= 0) & (ratings <= 1)).all())
    return [
        Probe(
            model.name,
            model.kind,
            by_text[each.versions.male],
            by_text[each.versions.female],
            neutral=by_text.get(each.neutral),
            is_probability=is_probability,
        )
        for each in inputs
    ]


def _problem(model: LanguageModel, versions: GenderedVersions) -> str | None:
    """Why the model cannot be asked about this sentence, or None."""
    if any(mask and mask in versions.text for mask in (MASK, model.tokenizer.mask_token)):
        return "a sentence to score must have no mask in it"
    for encoded in model.tokenize([versions.male, versions.female]):
        if problem := model.encoding_problem(encoded):
            return problem
        if len(encoded.ids) > SENTENCE_TOKENS:
            return f"the sentence has {len(encoded.ids)} tokens and a probe takes {SENTENCE_TOKENS}"
    return None


def _probe_readable(model: LanguageModel, inputs: Sequence[ProbeInput]) -> list[Probe]:
    if not inputs:
        return []
    sentences = [side for each in inputs for side in (each.versions.male, each.versions.female)]
    tokens = _scored_tokens(model, sentences)
    return [
        Probe(
            model.name,
            model.kind,
            sum(token.log_prob for token in male),
            sum(token.log_prob for token in female),
            tuple(align(parts_of(each.versions), male, female)),
            fills,
        )
        for each, male, female, fills in zip(
            inputs, tokens[::2], tokens[1::2], _fills(model, inputs), strict=True
        )
    ]


def _scored_tokens(model: LanguageModel, sentences: Sequence[str]) -> list[list[Token]]:
    """The tokens of each sentence that have a log-probability."""
    scored = []
    for sentence, encoded, log_probs in zip(
        sentences, model.encode(sentences), model.token_log_probs(sentences), strict=True
    ):
        last = len(encoded.ids)
        positions = own_tokens(encoded) if model.kind == "masked" else np.arange(last - len(log_probs), last)
        names = model.tokenizer.convert_ids_to_tokens(list(encoded.ids))
        tokens = []
        for i, log_prob in zip(positions.tolist(), log_probs, strict=True):
            start, end = encoded.spans[i]
            tokens.append(Token(start, end, sentence[start:end] or names[i], float(log_prob)))
        scored.append(tokens)
    return scored


def _fills(model: LanguageModel, inputs: Sequence[ProbeInput]) -> list[tuple[PlaceFills, ...]]:
    fills: list[tuple[PlaceFills, ...]] = [()] * len(inputs)
    if isinstance(model, CausalLM):
        return [_word_probabilities(model, each.versions) if each.fills else () for each in inputs]
    with_fills = [i for i, each in enumerate(inputs) if each.versions.places and each.fills]
    masked = [_mask_gendered_words(inputs[i].versions) for i in with_fills]
    problems = model.problems([model.own_mask(text) for text in masked])
    with_fills = [i for i, problem in zip(with_fills, problems, strict=True) if problem is None]
    masked = [text for text, problem in zip(masked, problems, strict=True) if problem is None]
    most = max((inputs[i].fills for i in with_fills), default=1)
    for i, at_masks in zip(with_fills, model.fills(masked, most), strict=True):
        fills[i] = tuple(
            PlaceFills(place.pair, tuple(at_mask[: inputs[i].fills]))
            for place, at_mask in zip(inputs[i].versions.places, at_masks, strict=True)
        )
    return fills


def _mask_gendered_words(versions: GenderedVersions) -> str:
    return apply(versions.text, [Edit(place.start, place.end, "", MASK) for place in versions.places])


def _word_probabilities(model: CausalLM, versions: GenderedVersions) -> tuple[PlaceFills, ...]:
    """How probable the male and the female word are after the text before them; none where the model cannot say.

    A sentence without a gendered word is asked for the pronoun that comes next.
    """
    asked = [
        (place.pair, versions.text[: place.start], [place.male, place.female]) for place in versions.places
    ]
    if not asked:
        asked = [(NEXT_WORD, f"{versions.text.rstrip(_ENDS)} ", list(_PRONOUNS))]
    of_places = []
    for name, before, words in asked:
        try:
            [log_probs] = model.next_log_probs([before], words)
        except InputError:  # a word that the model cannot write there
            continue
        fills = [Fill(word, float(np.exp(log_prob))) for word, log_prob in zip(words, log_probs, strict=True)]
        of_places.append(PlaceFills(name, tuple(sorted(fills, key=lambda fill: -fill.probability))))
    return tuple(of_places)
