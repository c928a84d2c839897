"""Target words at a mask: which tokens each of them is there, and why it cannot be asked about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from counterpoise.core.errors import InputError
from counterpoise.core.mask import MASK
from counterpoise.models.scoring.spans import tokens_within
from counterpoise.models.transformer import Encoded, Transformer, shorten


def targets_per_text(
    texts: Sequence[str], targets: Sequence[str] | Sequence[Sequence[str]]
) -> list[Sequence[str]]:
    """A list of targets for each text, all of one length, whether they were given once or text by text.

    >>> targets_per_text(["[MASK] left.", "[MASK] came."], ["he", "she"])
    [['he', 'she'], ['he', 'she']]
    """
    listed = list(targets)
    if isinstance(targets, str) or not listed:
        raise InputError(f"targets must be a list of words, or such a list for each text, not {targets!r}")
    if all(isinstance(target, str) for target in listed):
        return [listed] * len(texts)  # type: ignore[list-item]
    per_text = [list(words) for words in listed]
    if len(per_text) != len(texts):
        raise InputError(f"there are {len(texts)} texts and {len(per_text)} lists of targets")
    if len({len(words) for words in per_text}) > 1:
        raise InputError("every text needs the same number of targets")
    return per_text  # type: ignore[return-value]


def target_pieces(
    model: Transformer, texts: Sequence[str], targets: Sequence[Sequence[str]], mask: int
) -> list[list[int] | str]:
    """The word pieces of each target, text by text, as the tokenizer writes it in place of the mask.

    For a target that cannot be written there, the reason stands in place of its pieces.
    """
    pieces: list[list[int] | str] = []
    filled, slots = [], []
    for text, words in zip(texts, targets, strict=True):
        parts = text.split(MASK)
        number = mask % max(1, len(parts) - 1)
        before = model.own_mask(MASK.join(parts[: number + 1]))
        after = model.own_mask(MASK.join(parts[number + 1 :]))
        for word in words:
            if isinstance(word, str) and word.strip():
                filled.append(before + word + after)
                slots.append((len(pieces), word, len(before)))
            pieces.append(f"a target must be a word, not {word!r}")
    takes_space = _mask_takes_space(model.tokenizer)
    for (index, word, start), text, encoded in zip(slots, filled, model.tokenize(filled), strict=True):
        pieces[index] = _pieces(model, text, encoded, word, start, takes_space)
    return pieces


def mask_problems(
    model: Transformer, texts: Sequence[str], targets: Sequence[Sequence[str]], mask: int = 0
) -> list[str | None]:
    """For each text the reason why the model cannot be asked about one of its targets at a mask, or None.

    >>> import counterpoise as cp
    >>> mask_problems(cp.load(), ["[MASK] is here.", "Nobody is here."], [["he"], ["he"]])
    [None, 'the text has no [MASK]']
    """
    pairs = list(zip(texts, map(tuple, targets), strict=True))
    unique_pairs = list(dict.fromkeys(pairs))
    problems = dict(zip(unique_pairs, _problems(model, unique_pairs, mask), strict=True))
    return [problems[pair] for pair in pairs]


def _problems(
    model: Transformer, pairs: Sequence[tuple[str, tuple[str, ...]]], mask: int
) -> list[str | None]:
    texts, targets = [text for text, _ in pairs], [words for _, words in pairs]
    contexts = model.tokenize([model.own_mask(text) for text in texts])
    pieces = iter(target_pieces(model, texts, targets, mask))
    first_problems = []
    for text, context, words in zip(texts, contexts, targets, strict=True):
        of_words = [_word_problem(model, word, next(pieces), len(context.ids)) for word in words]
        problems = [model.encoding_problem(context), _mask_problem(text, mask), *of_words]
        first_problems.append(next((problem for problem in problems if problem is not None), None))
    return first_problems


def _mask_problem(text: str, mask: int) -> str | None:
    masks = text.count(MASK)
    if not masks:
        return f"the text has no {MASK}"
    return None if -masks <= mask < masks else f"the text has {masks} masks and number {mask} is asked for"


def _word_problem(model: Transformer, word: str, pieces: list[int] | str, tokens: int) -> str | None:
    if isinstance(pieces, str):
        return pieces
    tokens += len(pieces) - 1
    if model.max_length is not None and tokens > model.max_length:
        return f"with {word!r} the text has {tokens} tokens and the model takes {model.max_length}"
    return None


def _pieces(
    model: Transformer, text: str, encoded: Encoded, word: str, start: int, takes_space: bool
) -> list[int] | str:
    end = start + len(word)
    inside = tokens_within(encoded, start, end).tolist()
    if inside and takes_space and _is_space(text, encoded, inside[0] - 1):
        inside.insert(0, inside[0] - 1)
    ids = [encoded.ids[i] for i in inside]
    if not ids or model.tokenizer.unk_token_id in ids or max(ids) >= model.model.config.vocab_size:
        return f"the target {word!r} is not in the vocabulary of {model.name}"
    left, right = encoded.spans[inside[0]][0], encoded.spans[inside[-1]][1]
    if right > end or text[left:start].strip():
        return f"the target {word!r} melts into a longer token in {shorten(text)!r}"
    return ids


def _mask_takes_space(tokenizer: Any) -> bool:
    """Whether the mask swallows the space before it and so stands for that space too."""
    mask = tokenizer.added_tokens_decoder.get(tokenizer.mask_token_id)
    return bool(mask is not None and mask.lstrip)


def _is_space(text: str, encoded: Encoded, index: int) -> bool:
    """Whether a token is nothing but a space."""
    left, right = encoded.spans[index]
    return encoded.words[index] is not None and not text[left:right].strip()
