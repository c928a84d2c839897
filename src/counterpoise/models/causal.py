"""Causal language models: log-likelihoods of sentences, log-probabilities of continuations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from counterpoise.core.cache import ScoreCache
from counterpoise.core.errors import InputError
from counterpoise.models.answering import Answer, Sampling, answer_seeds
from counterpoise.models.fills import Fill, WordPieces, next_words
from counterpoise.models.generating import AnswerDraw, write_answers
from counterpoise.models.scoring.causal_engine import CausalEngine, Continuation
from counterpoise.models.scoring.continuations import continuations
from counterpoise.models.scoring.targets import targets_per_text
from counterpoise.models.text_start import Chat, TextStart, chat_start, document_start
from counterpoise.models.transformer import Encoded, Transformer, check_texts, shorten, vocabulary_size


class CausalLM(Transformer):
    """A causal language model.

    Parameters
    ----------
    start
        The token that begins every text; if not given, the tokenizer's own, or else the one after which plain text is
        likeliest. "none" begins texts without one; then nothing is known of a text's first token.
    chat
        Ask in a chat: a text is the assistant's answer, in the model's own chat template.
    """

    kind = "causal"
    # Keys shared by several heads (grouped-query attention) are supported by the first alone.
    _attention_kernels = ("flash", "efficient")

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        name: str,
        start: str | None = None,
        chat: Chat | None = None,
        **options: Any,
    ) -> None:
        super().__init__(model, tokenizer, name=name, **options)
        if start is not None and chat is not None:
            raise InputError("a chat template has a beginning of its own: give --start or --chat, not both")
        self.chat = chat
        self.cache: ScoreCache | None = None
        self._wanted_start = start
        self.engine = CausalEngine(
            self.model, tokenizer, name=name, token_budget=self.token_budget, inference=self.inference
        )

    def log_likelihood(self, sentences: Sequence[str]) -> np.ndarray:
        """The log-likelihood of each sentence, natural log, summed over tokens, as an array (sentences,)."""
        log_probs = self.token_log_probs(sentences)
        if not log_probs:
            return np.zeros(0)
        firsts = np.cumsum([0, *(len(tokens) for tokens in log_probs[:-1])])
        return np.asarray(np.add.reduceat(np.concatenate(log_probs), firsts))

    def token_log_probs(
        self, sentences: Sequence[str], positions: Sequence[Sequence[int] | np.ndarray] | None = None
    ) -> list[np.ndarray]:
        """log P(token | the tokens before it) for every token of each sentence, or for those at the given positions.

        Positions count the tokens that `encode` returns. The tokens before a sentence (`start`) are read but not
        asked about. A model without any cannot say how probable a first token is, so that token is left out.
        """
        first = max(1, len(self.start.ids))
        rows = self._token_ids(sentences)
        log_probs = self._ask([Continuation(row, first) for row in rows])
        if positions is None:
            return log_probs
        return [
            _at(of_sentence, first, values, sentence)
            for of_sentence, values, sentence in zip(positions, log_probs, sentences, strict=True)
        ]

    def next_log_probs(
        self, texts: Sequence[str], words: Sequence[str] | Sequence[Sequence[str]]
    ) -> np.ndarray:
        """The log-probability of each word right after each text, natural log, as an array (texts, words).

        Parameters
        ----------
        texts
            What comes before the word, including the space between the two: "The nurse said that ". An empty text is
            the beginning, for which the tokens before every text stand.
        words
            The same words for every text, or a list of words for each, all of one length.

        The probability of a word of several tokens is that of its tokens one after another (the chain rule).
        """
        if not len(texts):
            return np.zeros((0, len(words)))
        answers = self._ask(continuations(self, texts, targets_per_text(texts, words)))
        return np.array([values.sum() for values in answers]).reshape(len(texts), -1)

    def next_log_odds(self, texts: Sequence[str], pairs: Sequence[Sequence[str]]) -> np.ndarray:
        """log P(first word) - log P(second word) right after each text, as an array (texts,).

        pairs: one pair of words for every text, or a pair for each. Where both are single tokens, only their two rows
        of the output layer are computed, not the whole vocabulary.
        """
        if not len(texts):
            return np.zeros(0)
        words = targets_per_text(texts, pairs)
        if any(len(pair) != 2 for pair in words):
            raise InputError("log-odds are of two words")
        questions = continuations(self, texts, words)
        contexts = [question.context for question in questions]
        if contexts[::2] == contexts[1::2]:
            answers = self.engine.answer(questions, relative=True)
        else:  # the tokenizer splits a text in two ways, depending on the word after it
            answers = self._ask(questions)
        first, second = np.array([values.sum() for values in answers]).reshape(-1, 2).T
        return np.asarray(first - second)

    def next_words(self, texts: Sequence[str], k: int = 5) -> list[list[Fill]]:
        """The k likeliest next words of each text.

        They are the likeliest tokens that begin a word, each finished greedily; the probability is that of the first
        token. Two of them can be the same word, cut in two ways.
        """
        return next_words(self, texts, k, self.word_pieces, self.cache)

    @cached_property
    def word_pieces(self) -> WordPieces:
        """Which tokens begin a word and which go on with one."""
        return WordPieces.of(self)

    def answers(
        self, prompts: Sequence[str], *, n: int = 1, sampling: Sampling | None = None, seed: int = 0
    ) -> list[list[Answer]]:
        """n answers to each prompt; equal prompts get equal answers.

        A prompt is the user's turn in the model's chat template, after the system prompt of `chat` if there is one. A
        model without a chat template goes on with the prompt as it is.
        """
        sampling = sampling or Sampling()
        seeds = answer_seeds(prompts, n, sampling, seed)
        ids = self._prompt_ids(prompts)
        for prompt, row in zip(prompts, ids, strict=True):
            if problem := self._prompt_problem(row, sampling):
                raise InputError(f"{problem}: {shorten(prompt)!r}")
        draws = [[AnswerDraw(row, one) for one in of_row] for row, of_row in zip(ids, seeds, strict=True)]
        answers = write_answers(self, [draw for of_row in draws for draw in of_row], sampling, self.cache)
        return [[answers[draw] for draw in of_row] for of_row in draws]

    def prompt_problems(self, prompts: Sequence[str], sampling: Sampling | None = None) -> list[str | None]:
        """For each prompt the reason why it cannot be answered, or None."""
        rows = self._prompt_ids(prompts)
        return [self._prompt_problem(row, sampling or Sampling()) for row in rows]

    @property
    def has_chat(self) -> bool:
        """Whether prompts are put in a chat template."""
        return bool(getattr(self.tokenizer, "chat_template", None))

    @cached_property
    def start(self) -> TextStart:
        """The tokens that stand before every text."""
        if self.chat is not None:
            return chat_start(self.tokenizer, self.chat, self.name, self.max_length)
        return document_start(self.tokenizer, self._wanted_start, self._plain_likelihood, self.name)

    @property
    def reading(self) -> tuple[str, ...]:
        """How texts are put to the model, for reports."""
        plain = self.chat is None and getattr(self.tokenizer, "chat_template", None)
        return (self.start.description, *(["outside its chat template"] if plain else []))

    def tokenize(self, texts: Sequence[str]) -> list[Encoded]:
        start = self.start
        return [encoded.after_special(start.ids, start.replaces) for encoded in self.tokenize_plainly(texts)]

    def tokenize_plainly(self, texts: Sequence[str]) -> list[Encoded]:
        """Like `tokenize`, with the special tokens of the tokenizer alone."""
        return super().tokenize(texts)

    def encoding_problem(self, encoded: Encoded) -> str | None:
        problem = super().encoding_problem(encoded)
        if problem is None and len(encoded.ids) < 2:
            return "the text has one token, and the model has no token to begin a text with"
        return problem

    def _prompt_ids(self, prompts: Sequence[str]) -> list[tuple[int, ...]]:
        """The ids of prompts up to where the answer begins; none of an empty prompt."""
        check_texts(prompts)
        return [self._one_prompt(prompt) if prompt.strip() else () for prompt in prompts]

    def _one_prompt(self, prompt: str) -> tuple[int, ...]:
        if self.has_chat:
            chat = Chat(prompt, self.chat.system if self.chat else None)
            text = chat.prompt(self.tokenizer, self.name)
            return tuple(self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])
        [encoded] = self.tokenize([prompt])
        # Without a token that would end the text.
        end = max((i for i, (left, right) in enumerate(encoded.spans, 1) if left < right), default=0)
        return encoded.ids[:end]

    def _prompt_problem(self, ids: tuple[int, ...], sampling: Sampling) -> str | None:
        if not ids:
            return "the prompt is empty"
        if self.max_length is not None and len(ids) + sampling.max_tokens > self.max_length:
            return (
                f"the prompt has {len(ids)} tokens, its answer may have {sampling.max_tokens}, and the model takes "
                f"{self.max_length}"
            )
        return None

    def _token_ids(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        """The ids of texts as `encode` returns them, by the tokenizer's batch call alone."""
        check_texts(texts)
        start, backend = self.start, self.tokenizer.backend_tokenizer
        backend.no_padding()
        backend.no_truncation()
        plain = [encoding.ids for encoding in backend.encode_batch(list(texts))] if len(texts) else []
        rows = [(*start.ids, *ids[start.replaces :]) for ids in plain]
        vocabulary, longest = vocabulary_size(self.model.config), self.max_length or np.inf
        may_be_unknown = len(self.tokenizer) > vocabulary
        shortest = len(start.ids) + len(backend.encode("").ids) - start.replaces
        for text, row in zip(texts, rows, strict=True):
            if (
                len(row) < 2
                or not shortest < len(row) <= longest
                or (may_be_unknown and max(row) >= vocabulary)
            ):
                self.encode([text])  # says what is wrong
        return rows

    def _ask(self, questions: Sequence[Continuation]) -> list[np.ndarray]:
        cache_space = f"{self.fingerprint}:{self.precision}" if self.cache else ""
        return self.engine.answer(questions, self.cache, cache_space)

    def _plain_likelihood(self, token: int, sentences: Sequence[str]) -> float:
        """How likely sentences are after a token."""
        rows = [(token, *encoded.ids) for encoded in self.tokenize_plainly(sentences)]
        return float(
            sum(values.sum() for values in self.engine.answer([Continuation(row, 1) for row in rows]))
        )


def _at(positions: Sequence[int] | np.ndarray, first: int, log_probs: np.ndarray, text: str) -> np.ndarray:
    asked = np.asarray(positions, dtype=np.int64) - first
    if (asked < 0).any():
        raise InputError(f"the first token has none before it that it could follow from: {shorten(text)!r}")
    return log_probs[asked]
