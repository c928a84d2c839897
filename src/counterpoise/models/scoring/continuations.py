"""Words right after a text, as a causal model reads them."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoise.core.errors import InputError
from counterpoise.models.scoring.causal_engine import Continuation
from counterpoise.models.transformer import Encoded, Transformer, shorten


def continuations(
    model: Transformer, texts: Sequence[str], words: Sequence[Sequence[str]]
) -> list[Continuation]:
    """The question how probable each word is after its text, text by text and word by word.

    Text and word are tokenised together, since in most vocabularies the space between them belongs to the word's
    first token.
    """
    pairs = [(text, word) for text, of_text in zip(texts, words, strict=True) for word in of_text]
    for _, word in pairs:
        if not isinstance(word, str) or not word.strip():
            raise InputError(f"what continues a text must be a word, not {word!r}")
    joined = model.encode([text + word for text, word in pairs])
    return [_split(model, text, word, encoded) for (text, word), encoded in zip(pairs, joined, strict=True)]


def _split(model: Transformer, text: str, word: str, encoded: Encoded) -> Continuation:
    # The space before the word is the word's own, even where the vocabulary makes a token of the space alone.
    start = len(text.rstrip())
    inside = [
        i
        for i, (number, (left, right)) in enumerate(zip(encoded.words, encoded.spans, strict=True))
        if number is not None and (left >= start or right > start)
    ]
    if not inside or model.tokenizer.unk_token_id in [encoded.ids[i] for i in inside]:
        raise InputError(f"the word {word!r} is not in the vocabulary of {model.name}")
    if text[encoded.spans[inside[0]][0] :].strip():
        raise InputError(f"the word {word!r} melts into a longer token in {shorten(text + word)!r}")
    if inside[0] == 0:
        raise InputError(
            f"{model.name} has no token to begin a text with, so it cannot say how probable {word!r} is there"
        )
    return Continuation(encoded.ids[: inside[-1] + 1], inside[0])
