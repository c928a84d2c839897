"""Encoders: vectors of sentences, and of words in their sentences.

Every vector pools the token vectors at certain positions of a text: all of them for a sentence, those of its pieces
for a word. This module turns texts into such requests and answers them in batches; equal requests are answered once.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from counterpoise.core.errors import InputError, ModelError, unknown
from counterpoise.core.progress import progress
from counterpoise.models.masked import MaskedLM
from counterpoise.models.scoring.batching import halving, pack
from counterpoise.models.scoring.pooling import Pooling, SentencePooling, pool
from counterpoise.models.scoring.spans import tokens_within
from counterpoise.models.transformer import Encoded, Transformer, shorten

if TYPE_CHECKING:
    import torch

Pieces = Literal["mean", "first", "last"]
_POOLING_OF_PIECES: dict[str, Pooling] = {"mean": "mean", "first": "cls", "last": "lasttoken"}

Ids = tuple[int, ...]
Request = tuple[Ids, tuple[int, ...]]  # a text as the model sees it, and which of its tokens are pooled


class Encoder(Transformer):
    """A transformer read for its hidden layers.

    Parameters
    ----------
    pooling
        How a sentence vector is made from token vectors, special tokens included: "mean", "cls" (the first token),
        "max", "mean_sqrt_len", "weightedmean", "lasttoken", or a `SentencePooling` read from a model's own files.
    layer
        Which layer to read: 0 for the embeddings, 1 for the first layer, -1 for the last; the vectors of several
        layers are concatenated.

    >>> import counterpoise as cp
    >>> encoder = cp.load(kind="encoder")
    >>> encoder.sentence_vectors(["She is a nurse.", "He is a nurse."]).shape
    (2, 384)
    """

    kind = "encoder"

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        name: str,
        pooling: Pooling | SentencePooling = "mean",
        layer: int | tuple[int, ...] = -1,
        **options: Any,
    ) -> None:
        super().__init__(model, tokenizer, name=name, **options)
        self.pooling = SentencePooling.of(pooling)
        n_layers = model.config.num_hidden_layers
        self.layer = layer
        self._layers = (layer,) if isinstance(layer, int) else layer
        for number in self._layers:
            if not -n_layers - 1 <= number <= n_layers:
                raise InputError(f"{name} has {n_layers} layers, and layer {number} was asked for")
        self._last_layer = (-1, n_layers)  # the two numbers under which it can be asked for

    @classmethod
    def of(
        cls,
        masked: MaskedLM,
        pooling: Pooling | SentencePooling = "mean",
        layer: int | tuple[int, ...] = -1,
        **options: Any,
    ) -> Encoder:
        """A masked language model as an encoder; the two share their weights.

        >>> import counterpoise as cp
        >>> cp.models.Encoder.of(cp.load(), layer=2)
        <Encoder 'builtin' on cpu, float32>
        """
        options = {"token_budget": masked.token_budget, "tf32": masked.tf32} | options
        body = masked.model.base_model
        return cls(body, masked.tokenizer, name=masked.name, pooling=pooling, layer=layer, **options)

    # What measures ask

    def sentence_vectors(
        self, texts: Sequence[str], *, pooling: Pooling | None = None, special_tokens: bool = True
    ) -> np.ndarray:
        """A vector for each text, as an array (texts, width), in the order asked.

        `pooling` replaces the encoder's own for this call. With `special_tokens=False` the model does not see the
        tokens that begin and end a text, as in some papers.
        """
        chosen = self.pooling if pooling is None else SentencePooling.of(pooling)
        if chosen.prompt and not isinstance(texts, str):
            texts = [chosen.prompt + text for text in texts]
        encodings = self._encode(texts, special_tokens)
        requests = [(encoded.ids, tuple(range(len(encoded.ids)))) for encoded in encodings]
        vectors = self._answer(requests, chosen.poolings)
        return _at_length_one(vectors) if chosen.normalize else vectors

    def word_vectors(
        self,
        texts: Sequence[str],
        words: Sequence[str],
        pieces: Pieces = "mean",
        *,
        special_tokens: bool = True,
    ) -> np.ndarray:
        """The vector of each word where it first occurs in its text, as an array (texts, width).

        `[MASK]` in a text stands for the model's own mask token. A word of several pieces gets the mean of their
        vectors, or the vector of the first or last of them. The word is looked for as it is written, case included.

        >>> import counterpoise as cp
        >>> encoder = cp.load(kind="encoder")
        >>> encoder.word_vectors(["She is a nurse.", "A nurse helps."], ["nurse", "nurse"]).shape
        (2, 384)
        """
        if pieces not in get_args(Pieces):
            raise unknown("way to read pieces", pieces, get_args(Pieces))
        texts, words = _paired(texts, words)
        requests = []
        for text, word, encoded in zip(texts, words, self._encode(texts, special_tokens), strict=True):
            positions, problem = self._pieces_of(text, word, encoded)
            if problem:
                raise InputError(f"{problem}: {shorten(text)!r}")
            requests.append((encoded.ids, positions))
        return self._answer(requests, (_POOLING_OF_PIECES[pieces],))

    def span_vectors(self, texts: Sequence[str], spans: Sequence[tuple[int, int]]) -> np.ndarray:
        """The mean vector of the tokens that hold the characters from start to end, as an array (texts, width).

        >>> import counterpoise as cp
        >>> encoder = cp.load(kind="encoder")
        >>> vectors = encoder.span_vectors(["She met a nurse."], [(10, 15)])
        >>> bool(np.allclose(vectors, encoder.word_vectors(["She met a nurse."], ["nurse"])))
        True
        """
        if len(texts) != len(spans):
            raise InputError(f"there are {len(texts)} texts and {len(spans)} spans")
        requests = []
        for text, (start, end), encoded in zip(texts, spans, self._encode(texts, True), strict=True):
            pieces = tuple(tokens_within(encoded, start, end).tolist())
            if not pieces or len(self._prepared(text)) != len(text):
                raise InputError(f"there is no word from {start} to {end}: {shorten(text)!r}")
            requests.append((encoded.ids, pieces))
        return self._answer(requests, ("mean",))

    def word_problems(self, texts: Sequence[str], words: Sequence[str]) -> list[str | None]:
        """For each word and its text the reason why `word_vectors` cannot answer, or None."""
        texts, words = _paired(texts, words)
        return [
            self.encoding_problem(encoded) or self._pieces_of(text, word, encoded)[1]
            for text, word, encoded in zip(texts, words, self.tokenize(texts), strict=True)
        ]

    @property
    def reading(self) -> tuple[str, ...]:
        """How its vectors are made, in words: the pooling, and the layers if it is not the last that is read."""
        inner = any(layer not in self._last_layer for layer in self._layers)
        layers = [f"layer {layer}" for layer in self._layers] if inner else []
        return f"{' and '.join(self.pooling.poolings)} pooling", *layers

    # What the base class asks

    @cached_property
    def max_length(self) -> int | None:
        limits = [limit for limit in (self.pooling.max_length, super().max_length) if limit is not None]
        return min(limits, default=None)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the model, its pooling and the layer that is read."""
        identity = f"{super().fingerprint} {self.pooling} {self.layer}"
        return hashlib.blake2b(identity.encode(), digest_size=16).hexdigest()

    def tokenize(self, texts: Sequence[str]) -> list[Encoded]:
        if isinstance(texts, str):
            return super().tokenize(texts)
        return super().tokenize([self._prepared(t) if isinstance(t, str) else t for t in texts])

    def _prepared(self, text: str) -> str:
        return self.own_mask(text.lower() if self.pooling.lower_case else text)

    # How requests are answered

    def _encode(self, texts: Sequence[str], special_tokens: bool) -> list[Encoded]:
        encodings = self.encode(texts)
        return encodings if special_tokens else [encoded.without_special() for encoded in encodings]

    def _pieces_of(self, text: str, word: str, encoded: Encoded) -> tuple[tuple[int, ...], str | None]:
        """The positions of a word's pieces, and the problem if there are none that can be used."""
        text, prepared = self._prepared(text), self._prepared(word)
        match = re.search(rf"(?<!\w){re.escape(prepared)}(?!\w)", text) if prepared.strip() else None
        if match is None:
            return (), f"the word {word!r} is not in the text"
        pieces = tuple(tokens_within(encoded, *match.span()).tolist())
        if not pieces or self.tokenizer.unk_token_id in [encoded.ids[i] for i in pieces]:
            return (), f"the word {word!r} is not in the vocabulary of {self.name}"
        return pieces, None

    def _answer(self, requests: Sequence[Request], poolings: tuple[Pooling, ...]) -> np.ndarray:
        """The pooled vector of each request, in the order asked."""
        numbers: dict[Request, int] = {}
        inverse = [numbers.setdefault(request, len(numbers)) for request in requests]
        numbers_of: dict[Ids, list[int]] = {}  # requests about one text are answered together
        for (ids, _), number in numbers.items():
            numbers_of.setdefault(ids, []).append(number)
        rows, distinct = list(numbers_of), list(numbers)

        def read(batch: np.ndarray) -> tuple[list[int], np.ndarray]:
            pairs = [(row, number) for row, i in enumerate(batch) for number in numbers_of[rows[i]]]
            row_of, answered = zip(*pairs, strict=True)
            with self.inference():
                hidden = self._hidden_states([rows[i] for i in batch])
                pooled = self._pooled(hidden, row_of, [distinct[n][1] for n in answered], poolings)
                return list(answered), pooled.cpu().numpy()

        def describe(index: int) -> str:
            return f"one text of {len(rows[index])} tokens with {self.name}: {self._text(rows[index])!r}"

        width = self.model.config.hidden_size * len(self._layers) * len(poolings)
        answers = np.empty((0, width), dtype=np.float32)
        with progress(f"reading with {self.name}", total=len(rows), unit="texts") as advance:
            for whole in pack([len(row) for row in rows], self.token_budget):
                for batch, (answered, vectors) in halving(whole, read, describe):
                    if not len(answers):
                        answers = np.empty((len(distinct), vectors.shape[1]), dtype=vectors.dtype)
                    answers[answered] = vectors
                    advance(len(batch))
        self._check_finite(answers, distinct)
        return np.asarray(answers[inverse])

    def _hidden_states(self, rows: Sequence[Ids]) -> torch.Tensor:
        """The hidden states of the layer to read, for a batch (rows, tokens, width)."""
        import torch

        needs_inner = any(layer not in self._last_layer for layer in self._layers)
        output = self.model(**self.pad_if_needed(rows), output_hidden_states=needs_inner)
        # Some models end with a norm that only their last hidden state has.
        states = [
            output.last_hidden_state if layer in self._last_layer else output.hidden_states[layer]
            for layer in self._layers
        ]
        hidden = states[0] if len(states) == 1 else torch.cat(states, dim=-1)
        return hidden if hidden.element_size() == 8 else hidden.float()

    def _pooled(
        self,
        hidden: torch.Tensor,
        row_of: Sequence[int],
        positions: Sequence[tuple[int, ...]],
        poolings: tuple[Pooling, ...],
    ) -> torch.Tensor:
        """The token vectors at the given positions of each row, pooled."""
        import torch

        most = max(map(len, positions))
        padded = torch.tensor([(*of_request, *[-1] * (most - len(of_request))) for of_request in positions])
        padded, rows = padded.to(hidden.device), torch.tensor(row_of, device=hidden.device)
        return pool(hidden[rows[:, None], padded], padded >= 0, poolings)

    def _check_finite(self, vectors: np.ndarray, requests: Sequence[Request]) -> None:
        bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
        if len(bad):
            raise ModelError(
                f"{self.name} gives vectors that are no numbers for {self._text(requests[bad[0]][0])!r}; "
                "its weights or its precision are broken"
            )

    def _text(self, ids: Ids) -> str:
        return shorten(str(self.tokenizer.decode(list(ids), skip_special_tokens=True)))


def _paired(texts: Sequence[str], words: Sequence[str]) -> tuple[list[str], list[str]]:
    if isinstance(texts, str) or isinstance(words, str):
        raise InputError("texts and words must be lists, a word for each text")
    if len(texts) != len(words):
        raise InputError(f"there are {len(texts)} texts and {len(words)} words")
    return list(texts), list(words)


def _at_length_one(vectors: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, np.finfo(vectors.dtype).tiny))
