"""Causal language models: the log-likelihood of sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from counterpoise.core.errors import InputError, ModelError
from counterpoise.core.progress import progress
from counterpoise.models.masked import targets_per_text
from counterpoise.models.scoring.batching import halving, pack
from counterpoise.models.scoring.continuations import continuation_log_probs
from counterpoise.models.transformer import Encoded, Transformer, shorten

_MOST_SCORES = 1 << 27  # numbers in the table of scores of all words at all positions of a batch


class CausalLM(Transformer):
    """A causal language model."""

    kind = "causal"

    def log_likelihood(self, sentences: Sequence[str]) -> np.ndarray:
        """The log-likelihood of each sentence, natural log, summed over tokens, as an array (sentences,)."""
        return np.array([tokens.sum() for tokens in self.token_log_probs(sentences)])

    def token_log_probs(
        self, sentences: Sequence[str], positions: Sequence[Sequence[int] | np.ndarray] | None = None
    ) -> list[np.ndarray]:
        """log P(token | the tokens before it) for every token of each sentence, or for those at some positions.

        Positions are places in what `encode` gives. A sentence is read after the model's beginning-of-text token (or,
        where it has none, its end-of-text token). A model without either cannot say how probable a first token is, so
        that one is left out.
        """
        rows = [encoded.ids for encoded in self.encode(sentences)]
        scores: list[np.ndarray] = [np.zeros(0)] * len(rows)
        budget = min(self.token_budget, _MOST_SCORES // self.model.config.vocab_size)

        def score(batch: np.ndarray) -> np.ndarray:
            return self._score([rows[i] for i in batch])

        def describe(index: int) -> str:
            return f"one text of {len(rows[index])} tokens with {self.name}: {shorten(sentences[index])!r}"

        with progress(f"asking {self.name}", total=len(rows), unit="sentences") as advance:
            for whole in pack([len(row) for row in rows], budget):
                for batch, found in halving(whole, score, describe):
                    for values, index in zip(found, batch, strict=True):
                        scores[index] = values[: len(rows[index]) - 1]
                        if not np.isfinite(scores[index]).all():
                            raise ModelError(
                                f"{self.name} gives log-probabilities that are no numbers for {sentences[index]!r}; "
                                "its weights or its precision are broken"
                            )
                    advance(len(batch))
        if positions is None:
            return scores
        return [
            _at(places, logs, text) for places, logs, text in zip(positions, scores, sentences, strict=True)
        ]

    def _score(self, rows: Sequence[tuple[int, ...]]) -> np.ndarray:
        inputs = self._pad(rows)
        with self.inference():
            logits = self.model(**inputs).logits[:, :-1].float()
            targets = inputs["input_ids"][:, 1:, None]
            found = logits.gather(-1, targets)[..., 0] - logits.logsumexp(-1)
        return np.asarray(found.double().cpu().numpy())

    def _tokenize(self, texts: Sequence[str]) -> list[Encoded]:
        start = self.tokenizer.bos_token_id
        start = self.tokenizer.eos_token_id if start is None else start
        return [
            one if start is None or one.ids[:1] == (start,) else one.after_special(start)
            for one in super()._tokenize(texts)
        ]

    def _problem(self, encoded: Encoded) -> str | None:
        problem = super()._problem(encoded)
        if problem is None and len(encoded.ids) < 2:
            return "the text has one token, and the model has no token to begin a text with"
        return problem

    def next_log_probs(
        self, texts: Sequence[str], words: Sequence[str] | Sequence[Sequence[str]]
    ) -> np.ndarray:
        """The log-probability of each word right after each text, natural log, as an array (texts, words).

        Parameters
        ----------
        texts
            What stands before the word, with the space that parts the two: "The nurse said that ". An empty text is
            the beginning, which the model's beginning-of-text token stands for.
        words
            The same words for every text, or a list of words (equally many) for each.

        A word of several tokens is as probable as its tokens one after another (the chain rule).
        """
        if not len(texts):
            return np.zeros((0, len(words)))
        per_text = targets_per_text(texts, words)
        budget = min(self.token_budget, _MOST_SCORES // self.model.config.vocab_size)
        return continuation_log_probs(self, texts, per_text, budget).reshape(len(texts), -1)


def _at(places: Sequence[int] | np.ndarray, logs: np.ndarray, text: str) -> np.ndarray:
    before = np.asarray(places, dtype=np.int64) - 1  # the first token has no log-probability
    if (before < 0).any():
        raise InputError(f"the first token has none before it that it could follow from: {shorten(text)!r}")
    return logs[before]
