"""Why a model cannot be asked about a word at a place in a text, or about the sentences of a pair."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoise.models.endpoints.endpoint import Endpoint
from counterpoise.models.masked import MaskedLM
from counterpoise.models.transformer import Transformer


def target_problems(
    model: Transformer | Endpoint, texts: Sequence[str], targets: Sequence[Sequence[str]], *, mask: int = 0
) -> list[str | None]:
    """For each text why the model cannot read it, or which of its target words cannot be asked about; or None.

    >>> import counterpoise as cp
    >>> target_problems(cp.load(), ["[MASK] is here."] * 2, [["he", "she"], ["he", "ꙮ"]])
    [None, "'ꙮ' is not in the vocabulary"]
    """
    known = {word: model.knows(word) for words in targets for word in set(words)}
    strange = [next((word for word in words if not known[word]), None) for words in targets]
    if isinstance(model, MaskedLM) and len(texts):
        problems = model.target_problems(texts, targets, mask=mask)
    else:
        problems = model.problems(texts)
    return [
        problem if word is None else model.problems([text])[0] or f"{word!r} is not in the vocabulary"
        for text, problem, word in zip(texts, problems, strange, strict=True)
    ]


def pair_problems(
    model: Transformer | Endpoint, first: Sequence[str], second: Sequence[str]
) -> list[str | None]:
    """For each two sentences why the model cannot score both, or None.

    Words that the model does not know are all the same to it: sentences that differ in those alone are no pair.

    >>> import counterpoise as cp
    >>> pair_problems(cp.load(), ["She is here.", "ꙮ is here."], ["He is here.", "ꙭ is here."])
    [None, 'the words in which the two sentences differ are not in the vocabulary']
    """
    sides = (first, second)
    problems = [
        next((problem for problem in of_pair if problem is not None), None)
        for of_pair in zip(
            *([_mask_in(model, sentence) for sentence in side] for side in sides),
            *(model.problems(side) for side in sides),
            strict=True,
        )
    ]
    if isinstance(model, Endpoint):  # its vocabulary is not known
        compared = [model.comparison_problem(*pair) for pair in zip(first, second, strict=True)]
        return [problem or of_pair for problem, of_pair in zip(problems, compared, strict=True)]
    readable = [row for row, problem in enumerate(problems) if problem is None]
    encoded = (model.encode([side[row] for row in readable]) for side in sides)
    for row, a, b in zip(readable, *encoded, strict=True):
        if a.ids == b.ids and model.tokenizer.unk_token_id in a.ids:
            problems[row] = "the words in which the two sentences differ are not in the vocabulary"
    return problems


def _mask_in(model: Transformer | Endpoint, sentence: str) -> str | None:
    mask = model.tokenizer.mask_token if isinstance(model, MaskedLM) else None
    return f"a sentence of the pair has the model's mask in it, {mask}" if mask and mask in sentence else None
