"""Masked language models: one kind of question, asked in lists.

Every measure on a masked model is a list of questions "log P(this token at this position | these tokens)". This
file answers lists of them; measures never see a tensor, a batch or a device.
"""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from counterpoise.core.cache import ScoreCache
from counterpoise.core.errors import InputError, ModelError, unknown
from counterpoise.core.progress import progress
from counterpoise.models.batching import pack
from counterpoise.models.heads import split
from counterpoise.models.transformer import Transformer

if TYPE_CHECKING:
    import torch

    from counterpoise.models.transformer import Encoded

MASK = "[MASK]"  # what a text says for the model's own mask

Scoring = Literal["token", "word_l2r"]


class Question(NamedTuple):
    """log P(target at position | ids)."""

    ids: tuple[int, ...]
    position: int
    target: int

    def digest(self) -> bytes:
        return hashlib.blake2b(repr(tuple(self)).encode(), digest_size=16).digest()


@dataclass(frozen=True)
class Fill:
    """A word that the model would put at a mask, and how probable it is."""

    word: str
    probability: float


class MaskedLM(Transformer):
    """A masked language model.

    >>> import counterpoise as cp
    >>> lm = cp.load()
    >>> she, he = lm.target_log_probs(["[MASK] is a nurse."], ["she", "he"])[0]
    >>> bool(she > he)
    True
    """

    kind = "masked"

    def __init__(self, model: Any, tokenizer: Any, *, name: str, token_budget: int = 4096) -> None:
        super().__init__(model, tokenizer, name=name, token_budget=token_budget)
        if tokenizer.mask_token_id is None:
            raise ModelError(
                f"the tokenizer of {name} has no mask token, so nothing can be asked of the model"
            )
        self.cache: ScoreCache | None = None
        self._halves = split(model)

    # What measures ask

    def target_log_probs(
        self, texts: Sequence[str], targets: Sequence[str] | Sequence[Sequence[str]], *, mask: int = 0
    ) -> np.ndarray:
        """The log-probability of each target at a mask of each text, natural log, as an array (texts, targets).

        Parameters
        ----------
        texts
            Texts with `[MASK]` in them, which stands for the model's own mask.
        targets
            The same words for every text, or a list of words (equally many) for each.
        mask
            Which of a text's masks is asked about: 0 for the first, -1 for the last. The others stay masked.

        A target of several word pieces takes as many masks, and its pieces are filled from left to right
        (the chain rule): log P(w1, w2) = log P(w1 | - -) + log P(w2 | w1 -).
        """
        per_text = _targets_per_text(texts, targets)
        contexts = self.encode([self._own_mask(text) for text in texts])
        questions: list[Question] = []
        shape = (len(texts), len(per_text[0]) if per_text else 0)
        counts = np.zeros(shape, dtype=int)
        for row, (text, context, words) in enumerate(zip(texts, contexts, per_text, strict=True)):
            position = self._mask_position(text, context, mask)
            for column, pieces in enumerate(self._pieces_in(text, words, mask)):
                chain = self._chain(context.ids, position, pieces)
                questions += chain
                counts[row, column] = len(chain)
        return _sum_runs(self.answer(questions), counts.ravel()).reshape(shape)

    def pseudo_log_likelihood(self, sentences: Sequence[str], scoring: Scoring = "token") -> np.ndarray:
        """The pseudo-log-likelihood of each sentence, natural log, summed over its tokens, as an array (sentences,).

        Parameters
        ----------
        scoring
            "token": each token is masked in turn (Salazar et al. 2020, equation 2).
            "word_l2r": together with it the later pieces of the same word (Kauf & Ivanova 2023), since a model
            otherwise guesses a piece from the rest of its word and long rare words look too likely.
        """
        if scoring not in get_args(Scoring):
            raise unknown("scoring", scoring, get_args(Scoring))
        questions: list[Question] = []
        counts = []
        for encoded in self.encode(sentences):
            asked = list(self._each_token(encoded, scoring))
            questions += asked
            counts.append(len(asked))
        return _sum_runs(self.answer(questions), np.array(counts, dtype=int))

    def fill(self, text: str, k: int = 5) -> list[list[Fill]]:
        """The k most probable tokens at each mask of a text."""
        import torch

        [context] = self.encode([self._own_mask(text)])
        positions = [i for i, token in enumerate(context.ids) if token == self.tokenizer.mask_token_id]
        if not positions:
            raise InputError(f"the text has no {MASK}: {text!r}")
        with torch.inference_mode():
            logits = self._logits([context.ids], [0] * len(positions), positions)
            best = logits.softmax(-1).topk(k)
        return [
            [Fill(self.tokenizer.decode([token]).strip(), p) for token, p in zip(tokens, ps, strict=True)]
            for tokens, ps in zip(best.indices.tolist(), best.values.tolist(), strict=True)
        ]

    def masked(self, word: str) -> str:
        """As many masks as the word has pieces, to stand in its place in a text.

        >>> import counterpoise as cp
        >>> cp.load().masked("phlebotomist")
        '[MASK] [MASK] [MASK] [MASK] [MASK]'
        """
        # The space makes it a word inside a sentence for tokenizers that tell the difference.
        return " ".join([MASK] * len(self.tokenizer.tokenize(" " + word)))

    def knows(self, word: str) -> bool:
        """Whether the word can be written in the model's vocabulary."""
        ids = self.tokenizer(word, add_special_tokens=False)["input_ids"]
        return bool(ids) and self.tokenizer.unk_token_id not in ids

    # How questions are made

    def _own_mask(self, text: str) -> str:
        return text.replace(MASK, self.tokenizer.mask_token)

    def _mask_position(self, text: str, context: Encoded, mask: int) -> int:
        positions = [i for i, token in enumerate(context.ids) if token == self.tokenizer.mask_token_id]
        if not positions:
            raise InputError(f"the text has no {MASK}: {text!r}")
        try:
            return positions[mask]
        except IndexError:
            raise InputError(
                f"the text has {len(positions)} masks and number {mask} was asked for: {text!r}"
            ) from None

    def _pieces_in(self, text: str, words: Sequence[str], mask: int) -> list[list[int]]:
        """The pieces of each word as the tokenizer writes it at its place in the text."""
        parts = text.split(MASK)
        at = mask % (len(parts) - 1)
        before = self._own_mask(MASK.join(parts[: at + 1]))
        after = self._own_mask(MASK.join(parts[at + 1 :]))
        for word in words:
            if not isinstance(word, str) or not word.strip():
                raise InputError(f"a target must be a word, not {word!r}")
        pieces = []
        for word, encoded in zip(words, self._tokenize([before + w + after for w in words]), strict=True):
            start, end = len(before), len(before) + len(word)
            found = [
                token
                for token, (left, right) in zip(encoded.ids, encoded.spans, strict=True)
                if left < end and right > start
            ]
            if not found or self.tokenizer.unk_token_id in found:
                raise InputError(f"the target {word!r} is not in the vocabulary of {self.name}")
            pieces.append(found)
        return pieces

    def _chain(self, ids: tuple[int, ...], position: int, pieces: Sequence[int]) -> list[Question]:
        mask = self.tokenizer.mask_token_id
        before, after = ids[:position], ids[position + 1 :]
        return [
            Question((*before, *pieces[:k], *[mask] * (len(pieces) - k), *after), position + k, piece)
            for k, piece in enumerate(pieces)
        ]

    def _each_token(self, encoded: Encoded, scoring: Scoring) -> Iterator[Question]:
        mask = self.tokenizer.mask_token_id
        for position, word in enumerate(encoded.words):
            if word is None:
                continue
            ids = list(encoded.ids)
            ids[position] = mask
            if scoring == "word_l2r":
                later = position + 1
                while later < len(ids) and encoded.words[later] == word:
                    ids[later] = mask
                    later += 1
            yield Question(tuple(ids), position, encoded.ids[position])

    # How questions are answered

    def answer(self, questions: Sequence[Question]) -> np.ndarray:
        """The log-probabilities, in the order asked; equal questions are asked of the model once."""
        known: dict[Question, float] = dict.fromkeys(questions, math.nan)
        new = list(known)
        space = f"{self.fingerprint}:{self.precision}" if self.cache else ""
        if self.cache:
            digests = [question.digest() for question in new]
            cached = self.cache.get(space, digests)
            known.update((q, cached[d]) for q, d in zip(new, digests, strict=True) if d in cached)
            new = [q for q, d in zip(new, digests, strict=True) if d not in cached]
        with progress(f"asking {self.name}", total=len(new), unit="questions") as advance:
            for batch in self._batches(new):
                scores = self._score(batch)
                known.update(scores)
                if self.cache:
                    self.cache.put(space, {question.digest(): score for question, score in scores.items()})
                advance(len(batch))
        return np.array([known[question] for question in questions], dtype=float)

    def _batches(self, questions: Sequence[Question]) -> Iterator[list[Question]]:
        """Questions about the same input stay together, so that it goes through the encoder once."""
        by_input: dict[tuple[int, ...], list[Question]] = defaultdict(list)
        for question in sorted(questions):
            by_input[question.ids].append(question)
        inputs = list(by_input)
        for batch in pack([len(ids) for ids in inputs], self.token_budget):
            yield [question for index in batch for question in by_input[inputs[index]]]

    def _score(self, questions: Sequence[Question]) -> dict[Question, float]:
        import torch

        rows = {ids: number for number, ids in enumerate(dict.fromkeys(q.ids for q in questions))}
        places = {
            place: n for n, place in enumerate(dict.fromkeys((rows[q.ids], q.position) for q in questions))
        }
        with torch.inference_mode():
            logits = self._logits(
                list(rows), [row for row, _ in places], [position for _, position in places]
            )
            at = torch.tensor([places[rows[q.ids], q.position] for q in questions], device=logits.device)
            targets = torch.tensor([q.target for q in questions], device=logits.device)
            scores = logits[at, targets] - logits.logsumexp(-1)[at]
        values = scores.double().cpu().numpy()
        if not np.isfinite(values).all():
            bad = questions[int(np.flatnonzero(~np.isfinite(values))[0])]
            raise ModelError(
                f"{self.name} gives {values[~np.isfinite(values)][0]} as the log-probability of "
                f"{self.tokenizer.decode([bad.target])!r} in {self.tokenizer.decode(bad.ids)!r}; "
                "its weights or its precision are broken"
            )
        return dict(zip(questions, values.tolist(), strict=True))

    def _logits(
        self, inputs: Sequence[Sequence[int]], rows: Sequence[int], positions: Sequence[int]
    ) -> torch.Tensor:
        """The scores of all words, in float32, at the given positions of the given rows of the inputs."""
        batch = self._pad(inputs)
        if self._halves is None:
            whole: torch.Tensor = self.model(**batch).logits[list(rows), list(positions)].float()
            return whole
        encoder, head = self._halves
        return head(encoder(**batch).last_hidden_state[list(rows), list(positions)]).float()


def _targets_per_text(
    texts: Sequence[str], targets: Sequence[str] | Sequence[Sequence[str]]
) -> list[Sequence[str]]:
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


def _sum_runs(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Sums of consecutive runs of the given lengths."""
    if not len(counts):
        return np.zeros(0)
    run = np.repeat(np.arange(len(counts)), counts)
    return np.bincount(run, weights=values, minlength=len(counts))
