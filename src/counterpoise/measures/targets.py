"""Why a model cannot be asked about a word at a place in a text."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoise.models.transformer import Transformer


def target_problems(
    model: Transformer, texts: Sequence[str], targets: Sequence[Sequence[str]]
) -> list[str | None]:
    """For each text why the model cannot read it, or which of its target words is not in the vocabulary; or None.

    >>> import counterpoise as cp
    >>> target_problems(cp.load(), ["[MASK] is here."] * 2, [["he", "she"], ["he", "ꙮ"]])
    [None, "'ꙮ' is not in the vocabulary"]
    """
    known = {word: model.knows(word) for words in targets for word in set(words)}
    return [
        problem or next((f"{word!r} is not in the vocabulary" for word in words if not known[word]), None)
        for problem, words in zip(model.problems(texts), targets, strict=True)
    ]
