"""How well an association of StereoSet fits its context, by a masked or a causal model."""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from counterpoise.core.mask import MASK
from counterpoise.data.spec import Variant
from counterpoise.data.thirdparty.stereoset import BLANK, gap_filling
from counterpoise.models.causal import CausalLM
from counterpoise.models.endpoints.endpoint import Endpoint
from counterpoise.models.masked import MaskedLM
from counterpoise.models.positions import log_probs_at, mask_positions
from counterpoise.models.scoring.spans import tokens_within

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True)
class Asked:
    """A text, and the characters of it whose tokens are scored."""

    text: str
    start: int
    end: int
    is_word: bool = False  # a word in a gap, hidden as a whole; else each token is hidden on its own


def ask(model: MaskedLM | CausalLM | Endpoint, context: str, association: str, variant: Variant) -> Asked:
    """What to ask the model about an association: a word in the gap of the context, or a sentence that follows."""
    if BLANK not in context:
        before = _ended(context)
        text = f"{before} {association}"
        return Asked(text, len(before), len(text))
    if not isinstance(model, MaskedLM) and variant == "published":
        return Asked(association, 0, len(association))
    before, after = context.split(BLANK, 1)
    word = gap_filling(context, association) or ""
    text = before + word + after
    if not isinstance(model, MaskedLM):
        return Asked(text, 0, len(text))
    # Where a space is a token, or part of one, it belongs to the word after it.
    start = len(before) - before.endswith(" ")
    return Asked(text, start, len(before) + len(word), is_word=variant == "corrected")


def unscorable(model: MaskedLM | CausalLM | Endpoint, asked: Sequence[Asked]) -> list[str | None]:
    """For each question why the model cannot answer it, or None."""
    problems = model.problems([question.text for question in asked])
    if isinstance(model, Endpoint):  # its vocabulary is not known
        return problems
    words = [i for i, question in enumerate(asked) if question.is_word and problems[i] is None]
    for i, encoded in zip(words, model.encode([asked[i].text for i in words]), strict=True):
        places = tokens_within(encoded, asked[i].start, asked[i].end)
        if model.tokenizer.unk_token_id in [encoded.ids[place] for place in places]:
            word = asked[i].text[asked[i].start : asked[i].end].strip()
            problems[i] = f"{word!r} is not in the vocabulary"
    return problems


def score(model: MaskedLM | CausalLM | Endpoint, asked: Sequence[Asked], per_token: bool) -> np.ndarray:
    """The log-probability of what is asked about, the mean over its tokens or the sum."""
    scores = np.empty(len(asked))
    for is_word in (True, False):
        chosen = [i for i, question in enumerate(asked) if question.is_word == is_word]
        texts = [asked[i].text for i in chosen]
        places = [
            tokens_within(encoded, asked[i].start, asked[i].end)
            for i, encoded in zip(chosen, model.encode(texts), strict=True)
        ]
        if isinstance(model, MaskedLM):
            logs = model.token_log_probs(texts, places, hidden="rest" if is_word else "token")
        else:  # what a causal model reads first has no log-probability
            logs = model.token_log_probs(texts, [positions[positions > 0] for positions in places])
        scores[chosen] = [tokens.mean() if per_token else tokens.sum() for tokens in logs]
    return scores


def published_word(context: str, sentence: str) -> str | None:
    """The word in the gap as the authors' code finds it: by counting spaces, and without punctuation."""
    gaps = [number for number, word in enumerate(context.split(" ")) if BLANK in word]
    words = sentence.split(" ")
    if gaps[-1] >= len(words):
        return None
    return words[gaps[-1]].translate(_NO_PUNCTUATION) or None


def published_score(model: MaskedLM, cells: Sequence[tuple[str, str]]) -> np.ndarray:
    """The mean probability of the pieces of the word in the gap, for contexts with their sentences.

    The word is tokenized without the space before it. Piece k is asked about at one mask, glued to the text of the
    pieces before it; the pieces after it are not there.
    """
    if not cells:
        return np.zeros(0)
    texts, ids, counts = [], [], []
    for context, sentence in cells:
        word = published_word(context, sentence)
        pieces = model.tokenizer(word, add_special_tokens=False)["input_ids"]
        known = [model.tokenizer.decode(pieces[:k]) for k in range(len(pieces))]
        texts += [context.replace(BLANK, before + MASK) for before in known]
        ids += pieces
        counts.append(len(pieces))
    gaps = [masks[0] for masks in mask_positions(model, texts)]
    probabilities = np.exp(log_probs_at(model, texts, gaps, ids))
    return np.array([pieces.mean() for pieces in np.split(probabilities, np.cumsum(counts)[:-1])])


def _ended(context: str) -> str:
    """A context ends before another sentence begins; some of StereoSet lack the full stop."""
    context = context.rstrip()
    return f"{context}." if context[-1:].isalnum() else context
