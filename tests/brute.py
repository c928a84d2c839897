"""The second, independent computation: plain transformers, one question per forward pass, no batching, no engine."""

from __future__ import annotations

import torch

import counterpoise as cp


def log_probability(lm: cp.models.MaskedLM, text: str, target: int, mask: int = 0) -> float:
    """log P(target id at a mask | text): tokenise, forward, softmax over the vocabulary, read off."""
    encoded = lm.tokenizer(text.replace("[MASK]", lm.tokenizer.mask_token), return_tensors="pt")
    ids = encoded["input_ids"]
    return _log_probability(lm, ids, int((ids[0] == lm.tokenizer.mask_token_id).nonzero()[mask]), target)


def word_log_probability(lm: cp.models.MaskedLM, text: str, word: str, mask: int = 0) -> float:
    """The same for a word of one piece or more, filled from left to right.

    The word is spelt as after a space, or as at the start of the text if the mask is there.
    """
    at_start = text.split("[MASK]")[0] == "" and mask == 0
    pieces = lm.tokenizer(word if at_start else f" {word}", add_special_tokens=False)["input_ids"]
    ids = lm.tokenizer(text.replace("[MASK]", lm.tokenizer.mask_token))["input_ids"]
    position = [i for i, token in enumerate(ids) if token == lm.tokenizer.mask_token_id][mask]
    # Where the space is a token of its own, it may stand before the mask already.
    if len(pieces) > 1 and pieces[0] == ids[position - 1]:
        pieces = pieces[1:]
    total = 0.0
    for k in range(len(pieces)):
        filled = (
            ids[:position]
            + pieces[:k]
            + [lm.tokenizer.mask_token_id] * (len(pieces) - k)
            + ids[position + 1 :]
        )
        total += _log_probability(lm, torch.tensor([filled]), position + k, pieces[k])
    return total


def pseudo_log_likelihood(lm: cp.models.MaskedLM, sentence: str, word_l2r: bool = False) -> float:
    encoded = lm.tokenizer(sentence)
    ids, words = encoded["input_ids"], encoded.word_ids()
    special = set(lm.tokenizer.all_special_ids)
    total = 0.0
    for i, token in enumerate(ids):
        if token in special and words[i] is None:
            continue
        masked = [
            lm.tokenizer.mask_token_id if j == i or (word_l2r and j > i and words[j] == words[i]) else other
            for j, other in enumerate(ids)
        ]
        total += _log_probability(lm, torch.tensor([masked]), i, token)
    return total


def chain_log_probabilities(lm: cp.models.MaskedLM, sentence: str, places: list[int]) -> list[float]:
    """log P of the tokens at these places, each with itself and the later ones of them masked."""
    ids = lm.tokenizer(sentence)["input_ids"]
    logs = []
    for i in places:
        masked = [
            lm.tokenizer.mask_token_id if j in places and j >= i else token for j, token in enumerate(ids)
        ]
        logs.append(_log_probability(lm, torch.tensor([masked]), i, ids[i]))
    return logs


def unmasked_log_probabilities(lm: cp.models.MaskedLM, sentence: str) -> list[float]:
    """log P of each token of a sentence that is shown as it is, special tokens left out."""
    encoded = lm.tokenizer(sentence)
    ids, words = encoded["input_ids"], encoded.word_ids()
    return [
        _log_probability(lm, torch.tensor([ids]), i, token)
        for i, token in enumerate(ids)
        if words[i] is not None
    ]


def causal_log_probabilities(lm: cp.models.CausalLM, text: str) -> list[float]:
    """log P of each token of a text after its first, given those before it."""
    ids = torch.tensor([lm.tokenizer(text)["input_ids"]])
    with torch.no_grad():
        logs = lm.model(ids).logits[0].double().log_softmax(-1)
    return [float(logs[i - 1, ids[0, i]]) for i in range(1, ids.shape[1])]


def next_word_log_probability(lm: cp.models.CausalLM, before: str, word: str) -> float:
    """log P(word | the text before it, whose last character is the space between the two)."""
    of_both = [*lm.start.ids, *lm.tokenizer(before + word, add_special_tokens=False)["input_ids"]]
    known = len(lm.start.ids) + len(lm.tokenizer(before.rstrip(), add_special_tokens=False)["input_ids"])
    return sum(_continuation_log_probabilities(lm, of_both)[known - 1 :])


def sentence_log_likelihood(lm: cp.models.CausalLM, sentence: str, ended: bool = True) -> float:
    """log P of a sentence after what begins a text, with the token that the tokenizer ends texts with, if it does."""
    own = lm.tokenizer(sentence, add_special_tokens=ended)["input_ids"]
    ids = [*lm.start.ids, *own[lm.start.replaces if ended else 0 :]]
    return sum(_continuation_log_probabilities(lm, ids)[max(0, len(lm.start.ids) - 1) :])


def _continuation_log_probabilities(lm: cp.models.CausalLM, ids: list[int]) -> list[float]:
    with torch.no_grad():
        logs = lm.model(torch.tensor([ids])).logits[0].double().log_softmax(-1)
    return [float(logs[i - 1, ids[i]]) for i in range(1, len(ids))]


def _log_probability(lm: cp.models.MaskedLM, ids: torch.Tensor, position: int, target: int) -> float:
    with torch.no_grad():
        logits = lm.model(input_ids=ids).logits
    return float(torch.log_softmax(logits[0, position].double(), dim=-1)[target])
