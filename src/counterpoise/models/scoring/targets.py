"""Words in place of a mask: which tokens each one is there, and why it cannot stand there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from counterpoise.core.mask import MASK
from counterpoise.models.transformer import Encoded, shorten

if TYPE_CHECKING:
    from counterpoise.models.masked import MaskedLM


def pieces_in_place(
    model: MaskedLM, texts: Sequence[str], words_of: Sequence[Sequence[str]], mask: int
) -> list[list[int] | str]:
    """The pieces of each word, text by text, as the tokenizer writes it at its place; or why it cannot be written."""
    found: list[list[int] | str] = []
    filled, places = [], []
    for text, words in zip(texts, words_of, strict=True):
        parts = text.split(MASK)
        at = mask % max(1, len(parts) - 1)
        before = model.own_mask(MASK.join(parts[: at + 1]))
        after = model.own_mask(MASK.join(parts[at + 1 :]))
        for word in words:
            if isinstance(word, str) and word.strip():
                filled.append(before + word + after)
                places.append((len(found), word, len(before)))
            found.append(f"a target must be a word, not {word!r}")
    for (index, word, start), text, encoded in zip(places, filled, model._tokenize(filled), strict=True):
        found[index] = _pieces(model, text, encoded, word, start)
    return found


def target_problems(
    model: MaskedLM, texts: Sequence[str], words_of: Sequence[Sequence[str]], mask: int = 0
) -> list[str | None]:
    """For each text why the model cannot be asked about one of its words at a mask, or None.

    >>> import counterpoise as cp
    >>> target_problems(cp.load(), ["[MASK] is here.", "Nobody is here."], [["he"], ["he"]])
    [None, 'the text has no [MASK]']
    """
    asked = list(zip(texts, map(tuple, words_of), strict=True))
    different = list(dict.fromkeys(asked))
    problems = dict(zip(different, _problems(model, different, mask), strict=True))
    return [problems[one] for one in asked]


def _problems(model: MaskedLM, asked: Sequence[tuple[str, tuple[str, ...]]], mask: int) -> list[str | None]:
    texts, words_of = [text for text, _ in asked], [words for _, words in asked]
    contexts = model._tokenize([model.own_mask(text) for text in texts])
    pieces = iter(pieces_in_place(model, texts, words_of, mask))
    found = []
    for text, context, words in zip(texts, contexts, words_of, strict=True):
        of_words = [_word_problem(model, word, next(pieces), len(context.ids)) for word in words]
        problems = [model._problem(context), _no_mask(text, mask), *of_words]
        found.append(next((problem for problem in problems if problem is not None), None))
    return found


def _no_mask(text: str, mask: int) -> str | None:
    masks = text.count(MASK)
    if not masks:
        return f"the text has no {MASK}"
    return None if -masks <= mask < masks else f"the text has {masks} masks and number {mask} is asked for"


def _word_problem(model: MaskedLM, word: str, pieces: list[int] | str, tokens: int) -> str | None:
    if isinstance(pieces, str):
        return pieces
    tokens += len(pieces) - 1
    if model.max_length is not None and tokens > model.max_length:
        return f"with {word!r} the text has {tokens} tokens and the model takes {model.max_length}"
    return None


def _pieces(model: MaskedLM, text: str, encoded: Encoded, word: str, start: int) -> list[int] | str:
    end = start + len(word)
    inside = [i for i, (left, right) in enumerate(encoded.spans) if left < end and right > start]
    if inside and model._mask_takes_space and _is_space(text, encoded, inside[0] - 1):
        inside.insert(0, inside[0] - 1)
    found = [encoded.ids[i] for i in inside]
    if not found or model.tokenizer.unk_token_id in found or max(found) >= model.model.config.vocab_size:
        return f"the target {word!r} is not in the vocabulary of {model.name}"
    left, right = encoded.spans[inside[0]][0], encoded.spans[inside[-1]][1]
    if right > end or text[left:start].strip():
        return f"the target {word!r} melts into a longer token in {shorten(text)!r}"
    return found


def _is_space(text: str, encoded: Encoded, index: int) -> bool:
    """Whether a token is nothing but a space."""
    left, right = encoded.spans[index]
    return encoded.words[index] is not None and not text[left:right].strip()
