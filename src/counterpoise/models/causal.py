"""Causal language models: log-likelihoods of sentences, log-probabilities of continuations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from counterpoise.core.errors import InputError, ModelError
from counterpoise.core.progress import progress
from counterpoise.models.scoring.batching import halving, pack
from counterpoise.models.scoring.continuations import continuation_log_probs
from counterpoise.models.scoring.targets import targets_per_text
from counterpoise.models.transformer import Encoded, Transformer, shorten

_MOST_LOGITS = 1 << 27  # of the whole vocabulary at all positions of a batch


class CausalLM(Transformer):
    """A causal language model."""

    kind = "causal"

    def log_likelihood(self, sentences: Sequence[str]) -> np.ndarray:
        """The log-likelihood of each sentence, natural log, summed over tokens, as an array (sentences,)."""
        return np.array([tokens.sum() for tokens in self.token_log_probs(sentences)])

    def token_log_probs(
        self, sentences: Sequence[str], positions: Sequence[Sequence[int] | np.ndarray] | None = None
    ) -> list[np.ndarray]:
        """log P(token | the tokens before it) for every token of each sentence, or for those at the given positions.

        Positions count the tokens that `encode` returns. A sentence is read after the model's beginning-of-text token
        (or, if it has none, its end-of-text token). A model without either cannot say how probable a first token is,
        so that token is left out.
        """
        rows = [encoded.ids for encoded in self.encode(sentences)]
        log_probs: list[np.ndarray] = [np.zeros(0)] * len(rows)

        def score(batch: np.ndarray) -> np.ndarray:
            return self._score([rows[i] for i in batch])

        def describe(index: int) -> str:
            return f"one text of {len(rows[index])} tokens with {self.name}: {shorten(sentences[index])!r}"

        with progress(f"asking {self.name}", total=len(rows), unit="sentences") as advance:
            for whole in pack([len(row) for row in rows], self._batch_budget):
                for batch, padded in halving(whole, score, describe):
                    for values, index in zip(padded, batch, strict=True):
                        log_probs[index] = values[: len(rows[index]) - 1]
                        if not np.isfinite(log_probs[index]).all():
                            raise ModelError(
                                f"{self.name} gives log-probabilities that are no numbers for {sentences[index]!r}; "
                                "its weights or its precision are broken"
                            )
                    advance(len(batch))
        if positions is None:
            return log_probs
        return [
            _at(of_sentence, values, sentence)
            for of_sentence, values, sentence in zip(positions, log_probs, sentences, strict=True)
        ]

    @property
    def _batch_budget(self) -> int:
        """Tokens in a batch: fewer than on other models, since there are logits at every position."""
        return min(self.token_budget, _MOST_LOGITS // int(self.model.config.vocab_size))

    def _score(self, rows: Sequence[tuple[int, ...]]) -> np.ndarray:
        inputs = self.pad(rows)
        with self.inference():
            logits = self.model(**inputs).logits[:, :-1].float()
            next_tokens = inputs["input_ids"][:, 1:, None]
            log_probs = logits.gather(-1, next_tokens)[..., 0] - logits.logsumexp(-1)
        return np.asarray(log_probs.double().cpu().numpy())

    def tokenize(self, texts: Sequence[str]) -> list[Encoded]:
        start = self.tokenizer.bos_token_id
        start = self.tokenizer.eos_token_id if start is None else start
        return [
            encoded if start is None or encoded.ids[:1] == (start,) else encoded.after_special(start)
            for encoded in super().tokenize(texts)
        ]

    def encoding_problem(self, encoded: Encoded) -> str | None:
        problem = super().encoding_problem(encoded)
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
            What comes before the word, including the space between the two: "The nurse said that ". An empty text is
            the beginning, for which the model's beginning-of-text token stands.
        words
            The same words for every text, or a list of words for each, all of one length.

        The probability of a word of several tokens is that of its tokens one after another (the chain rule).
        """
        if not len(texts):
            return np.zeros((0, len(words)))
        per_text = targets_per_text(texts, words)
        return continuation_log_probs(self, texts, per_text, self._batch_budget).reshape(len(texts), -1)


def _at(positions: Sequence[int] | np.ndarray, log_probs: np.ndarray, text: str) -> np.ndarray:
    before = np.asarray(positions, dtype=np.int64) - 1  # the first token has no log-probability
    if (before < 0).any():
        raise InputError(f"the first token has none before it that it could follow from: {shorten(text)!r}")
    return log_probs[before]
