"""Masked language models: one kind of question, asked in lists.

Every measure on a masked model is a list of questions "log P(this token at this position | these tokens)". This module
turns texts into such lists and `scoring.engine` answers them; measures never see a tensor, a batch or a device.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np

from counterpoise.core.cache import ScoreCache
from counterpoise.core.errors import InputError, ModelError, unknown
from counterpoise.core.mask import MASK
from counterpoise.models.fills import Fill
from counterpoise.models.scoring.batching import pack
from counterpoise.models.scoring.engine import ScoringEngine
from counterpoise.models.scoring.questions import Questions, chain, each_token, each_token_of_all
from counterpoise.models.scoring.spans import own_tokens
from counterpoise.models.scoring.targets import mask_problems, target_pieces, targets_per_text
from counterpoise.models.transformer import Encoded, Transformer, shorten

Scoring = Literal["token", "word_l2r"]
Hidden = Literal["token", "rest", "nothing"]


class MaskedLM(Transformer):
    """A masked language model.

    >>> import counterpoise as cp
    >>> lm = cp.load()
    >>> she, he = lm.target_log_probs(["[MASK] is a nurse."], ["she", "he"])[0]
    >>> bool(she > he)
    True
    """

    kind = "masked"

    def __init__(self, model: Any, tokenizer: Any, *, name: str, **options: Any) -> None:
        super().__init__(model, tokenizer, name=name, **options)
        if tokenizer.mask_token_id is None:
            raise ModelError(
                f"the tokenizer of {name} has no mask token, so nothing can be asked of the model"
            )
        self.cache: ScoreCache | None = None
        self.engine = ScoringEngine(
            self.model, tokenizer, name=name, token_budget=self.token_budget, inference=self.inference
        )

    # What measures ask

    def target_log_probs(
        self, texts: Sequence[str], targets: Sequence[str] | Sequence[Sequence[str]], *, mask: int = 0
    ) -> np.ndarray:
        """The log-probability of each target at a mask of each text, natural log, as an array (texts, targets).

        Parameters
        ----------
        texts
            Texts that contain `[MASK]`, which stands for the model's own mask token.
        targets
            The same words for every text, or a list of words for each, all of one length.
        mask
            Which of a text's masks to ask about: 0 for the first, -1 for the last. The others stay masked.

        A target of several word pieces takes as many masks, and its pieces are filled in from left to right
        (the chain rule): log P(w1, w2) = log P(w1 | - -) + log P(w2 | w1 -).
        """
        per_text = targets_per_text(texts, targets)
        if not len(texts):
            return np.zeros((0, len(targets)))
        shape = (len(texts), len(per_text[0]))
        return self._ask(self._about_targets(texts, per_text, mask)).reshape(shape)

    def target_problems(
        self, texts: Sequence[str], targets: Sequence[str] | Sequence[Sequence[str]], *, mask: int = 0
    ) -> list[str | None]:
        """For each text the reason why `target_log_probs` cannot answer for it, or None."""
        return mask_problems(self, texts, targets_per_text(texts, targets), mask)

    def pseudo_log_likelihood(self, sentences: Sequence[str], scoring: Scoring = "token") -> np.ndarray:
        """The pseudo-log-likelihood of each sentence, natural log, summed over its tokens, as an array (sentences,).

        Parameters
        ----------
        scoring
            "token": each token is masked in turn (Salazar et al. 2020, equation 2).
            "word_l2r": the later pieces of the same word are masked with it (Kauf & Ivanova 2023); otherwise a model
            guesses a piece from the rest of its word, and long rare words look too likely.
        """
        if scoring not in get_args(Scoring):
            raise unknown("scoring", scoring, get_args(Scoring))
        encodings = self.encode(sentences)
        for sentence in sentences:
            if MASK in sentence or self.tokenizer.mask_token in sentence:
                raise InputError(f"a sentence to score must have no mask in it: {shorten(sentence)!r}")
        questions, sentence_of = each_token_of_all(
            [encoded.ids for encoded in encodings],
            [[-1 if word is None else word for word in encoded.words] for encoded in encodings],
            self.tokenizer.mask_token_id,
            hide_rest_of_word=scoring == "word_l2r",
        )
        return np.bincount(sentence_of, weights=self.answer(questions), minlength=len(sentences))

    def token_log_probs(
        self,
        sentences: Sequence[str],
        positions: Sequence[Sequence[int] | np.ndarray] | None = None,
        *,
        hidden: Hidden = "token",
    ) -> list[np.ndarray]:
        """The log-probabilities of tokens of each sentence, given the sentence, natural log.

        Parameters
        ----------
        positions
            Which tokens of each sentence, as positions in what `encode` returns, in ascending order; all but the
            special tokens if not given.
        hidden
            What the model does not see. "token": the token it is asked about. "rest": also the tokens asked about
            after it, so that the answers add up to the log-probability of all of them (the chain rule).
            "nothing": the sentence is shown as it is (Kaneko & Bollegala 2022).
        """
        if hidden not in get_args(Hidden):
            raise unknown("way to hide tokens", hidden, get_args(Hidden))
        encodings = self.encode(sentences)
        if positions is None:
            positions = [own_tokens(encoded) for encoded in encodings]
        parts = [
            self._about_tokens(_ids(encoded), np.asarray(of_sentence, dtype=np.int64), hidden)
            for encoded, of_sentence in zip(encodings, positions, strict=True)
        ]
        answers = self.answer(Questions.join(parts))
        return np.split(answers, np.cumsum([len(part) for part in parts])[:-1]) if parts else []

    def fill(self, text: str, k: int = 5) -> list[list[Fill]]:
        """The k most probable tokens at each mask of a text."""
        return self.fills([text], k)[0]

    def fills(self, texts: Sequence[str], k: int = 5) -> list[list[list[Fill]]]:
        """The k most probable tokens at each mask of each text."""
        if not 1 <= k <= self.model.config.vocab_size:
            raise InputError(f"k must lie between 1 and {self.model.config.vocab_size}, not {k}")
        rows = [_ids(context) for context in self.encode([self.own_mask(text) for text in texts])]
        masks = [np.flatnonzero(row == self.tokenizer.mask_token_id) for row in rows]
        for text, positions in zip(texts, masks, strict=True):
            if not len(positions):
                raise InputError(f"the text has no {MASK}: {text!r}")
        fills: list[list[list[Fill]]] = [[] for _ in texts]
        for batch in pack([len(row) for row in rows], self.token_budget):
            row_of = np.repeat(np.arange(len(batch)), [len(masks[i]) for i in batch])
            with self.inference():
                logits = self.engine.logits(
                    [rows[i].tobytes() for i in batch], row_of, np.concatenate([masks[i] for i in batch])
                )
                best = logits.topk(k)
                p = (best.values - logits.logsumexp(-1, keepdim=True)).exp()  # softmax adds up less exactly
            for row, tokens, ps in zip(row_of.tolist(), best.indices.tolist(), p.tolist(), strict=True):
                fills[batch[row]].append(
                    [Fill(self.tokenizer.decode([t]).strip(), p) for t, p in zip(tokens, ps, strict=True)]
                )
        return fills

    def masked(self, word: str) -> str:
        """As many masks as the word has pieces, to take its place in a text.

        >>> import counterpoise as cp
        >>> cp.load().masked("phlebotomist")
        '[MASK] [MASK] [MASK] [MASK] [MASK]'
        """
        # The space makes it a word inside a sentence for tokenizers that tell the difference.
        return " ".join([MASK] * len(self.tokenizer.tokenize(" " + word)))

    def answer(self, questions: Questions) -> np.ndarray:
        """The log-probabilities that the questions ask for, in their order."""
        cache_space = f"{self.fingerprint}:{self.precision}" if self.cache else ""
        return self.engine.answer(questions, self.cache, cache_space)

    def _ask(self, parts: Sequence[Questions]) -> np.ndarray:
        """Answers all questions at once and returns the sum of the answers to each part."""
        answers = self.answer(Questions.join(parts))
        part_of = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        return np.bincount(part_of, weights=answers, minlength=len(parts))

    def _about_targets(
        self, texts: Sequence[str], targets: Sequence[Sequence[str]], mask: int
    ) -> list[Questions]:
        """Text by text and target by target, the questions whose answers add up to the target's log-probability."""
        contexts = self.encode([self.own_mask(text) for text in texts])
        pieces = iter(self._pieces(texts, targets, mask))
        parts = []
        for text, context, words in zip(texts, contexts, targets, strict=True):
            position = self._mask_position(text, context, mask)
            for word in words:
                part = chain(_ids(context), position, next(pieces), self.tokenizer.mask_token_id)
                if self.max_length is not None and len(part.rows[0]) // 4 > self.max_length:
                    raise InputError(
                        f"with {word!r} the text has {len(part.rows[0]) // 4} tokens and the model takes "
                        f"{self.max_length}: {shorten(text)!r}"
                    )
                parts.append(part)
        return parts

    def _about_tokens(self, ids: np.ndarray, positions: np.ndarray, hidden: Hidden) -> Questions:
        if hidden == "nothing":
            return Questions.of(np.tile(ids, (len(positions), 1)), positions, ids[positions])
        words = np.full(len(ids), -1)
        words[positions] = 0  # as if they were one word, of which the later pieces may be hidden
        return each_token(ids, words, self.tokenizer.mask_token_id, hide_rest_of_word=hidden == "rest")

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

    def _pieces(self, texts: Sequence[str], targets: Sequence[Sequence[str]], mask: int) -> list[list[int]]:
        """The word pieces of each target, text by text; a target that cannot stand at its mask is an error."""
        pieces = []
        for pieces_or_problem in target_pieces(self, texts, targets, mask):
            if isinstance(pieces_or_problem, str):
                raise InputError(pieces_or_problem)
            pieces.append(pieces_or_problem)
        return pieces


def _ids(encoded: Encoded) -> np.ndarray:
    return np.array(encoded.ids, dtype=np.int32)
