"""Encoders: vectors of sentences, and of words in their sentences.

Every vector is a pooling of token vectors at certain positions of a text: all of them for a sentence, those of its
pieces for a word. This file turns texts into such requests and answers them in batches; equal ones are answered once.
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
from counterpoise.models.scoring.batching import halving, pack
from counterpoise.models.scoring.pooling import Pooling, SentencePooling, pool
from counterpoise.models.scoring.spans import tokens_within
from counterpoise.models.transformer import Transformer, shorten

if TYPE_CHECKING:
    import torch

    from counterpoise.models.masked import MaskedLM
    from counterpoise.models.transformer import Encoded

Pieces = Literal["mean", "first", "last"]
_POOLING_OF_PIECES: dict[str, Pooling] = {"mean": "mean", "first": "cls", "last": "lasttoken"}

Ids = tuple[int, ...]
Request = tuple[Ids, tuple[int, ...]]  # a text as the model sees it, and which of its tokens are pooled


class Encoder(Transformer):
    """A transformer read for its hidden layers.

    Parameters
    ----------
    pooling
        How a sentence vector is made of token vectors, special tokens included: "mean", "cls" (the first token),
        "max", "mean_sqrt_len", "weightedmean", "lasttoken", or a `SentencePooling` as a model's own files give it.
    layer
        Which layer is read: 0 for the embeddings, 1 for the first layer, -1 for the last; of several layers the
        vectors stand side by side.

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
        layers = model.config.num_hidden_layers
        self.layer = layer
        self._layers = (layer,) if isinstance(layer, int) else layer
        for one in self._layers:
            if not -layers - 1 <= one <= layers:
                raise InputError(f"{name} has {layers} layers, and layer {one} was asked for")
        self._last_layer = (-1, layers)

    @classmethod
    def of(
        cls,
        masked: MaskedLM,
        pooling: Pooling | SentencePooling = "mean",
        layer: int | tuple[int, ...] = -1,
        **options: Any,
    ) -> Encoder:
        """A masked language model read as an encoder; the two share their weights.

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

        `pooling` is one to use this time instead of the encoder's. `special_tokens=False` keeps the tokens that begin
        and end a text from the model, as some papers did.
        """
        how = self.pooling if pooling is None else SentencePooling.of(pooling)
        if how.prompt and not isinstance(texts, str):
            texts = [how.prompt + text for text in texts]
        encoded = self._encode(texts, special_tokens)
        requests = [(one.ids, tuple(range(len(one.ids)))) for one in encoded]
        vectors = self._answer(requests, how.poolings)
        return _at_length_one(vectors) if how.normalize else vectors

    def word_vectors(
        self,
        texts: Sequence[str],
        words: Sequence[str],
        pieces: Pieces = "mean",
        *,
        special_tokens: bool = True,
    ) -> np.ndarray:
        """The vector of each word where it first stands in its text, as an array (texts, width).

        `[MASK]` in a text stands for the model's own mask. A word of several pieces has the mean of their vectors,
        or that of the first or last of them. Upper and lower case count in finding the word.

        >>> import counterpoise as cp
        >>> encoder = cp.load(kind="encoder")
        >>> encoder.word_vectors(["She is a nurse.", "A nurse helps."], ["nurse", "nurse"]).shape
        (2, 384)
        """
        if pieces not in get_args(Pieces):
            raise unknown("way to read pieces", pieces, get_args(Pieces))
        texts, words = _paired(texts, words)
        requests = []
        for text, word, one in zip(texts, words, self._encode(texts, special_tokens), strict=True):
            found, problem = self._pieces_of(text, word, one)
            if problem:
                raise InputError(f"{problem}: {shorten(text)!r}")
            requests.append((one.ids, found))
        return self._answer(requests, (_POOLING_OF_PIECES[pieces],))

    def span_vectors(self, texts: Sequence[str], spans: Sequence[tuple[int, int]]) -> np.ndarray:
        """The mean vector of the tokens that hold the characters from start to end, as an array (texts, width).

        >>> import counterpoise as cp
        >>> encoder = cp.load(kind="encoder")
        >>> found = encoder.span_vectors(["She met a nurse."], [(10, 15)])
        >>> bool(np.allclose(found, encoder.word_vectors(["She met a nurse."], ["nurse"])))
        True
        """
        if len(texts) != len(spans):
            raise InputError(f"there are {len(texts)} texts and {len(spans)} spans")
        requests = []
        for text, (start, end), one in zip(texts, spans, self._encode(texts, True), strict=True):
            pieces = tuple(int(i) for i in tokens_within(one, start, end))
            if not pieces or len(self._prepared(text)) != len(text):
                raise InputError(f"there is no word from {start} to {end}: {shorten(text)!r}")
            requests.append((one.ids, pieces))
        return self._answer(requests, ("mean",))

    def word_problems(self, texts: Sequence[str], words: Sequence[str]) -> list[str | None]:
        """For each word and its text why there is no vector to be had, or None."""
        texts, words = _paired(texts, words)
        return [
            self._problem(one) or self._pieces_of(text, word, one)[1]
            for text, word, one in zip(texts, words, self._tokenize(texts), strict=True)
        ]

    # What the base class asks

    @cached_property
    def max_length(self) -> int | None:
        limits = [limit for limit in (self.pooling.max_length, super().max_length) if limit is not None]
        return min(limits, default=None)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the model and of the way in which it is read."""
        read = f"{super().fingerprint} {self.pooling} {self.layer}"
        return hashlib.blake2b(read.encode(), digest_size=16).hexdigest()

    def _tokenize(self, texts: Sequence[str]) -> list[Encoded]:
        if isinstance(texts, str):
            return super()._tokenize(texts)
        return super()._tokenize([self._prepared(t) if isinstance(t, str) else t for t in texts])

    def _prepared(self, text: str) -> str:
        return self.own_mask(text.lower() if self.pooling.lower_case else text)

    # How requests are answered

    def _encode(self, texts: Sequence[str], special_tokens: bool) -> list[Encoded]:
        encoded = self.encode(texts)
        return encoded if special_tokens else [one.without_special() for one in encoded]

    def _pieces_of(self, text: str, word: str, encoded: Encoded) -> tuple[tuple[int, ...], str | None]:
        """The positions of a word's pieces, and why it has none that can be used."""
        text, plain = self._prepared(text), self._prepared(word)
        found = re.search(rf"(?<!\w){re.escape(plain)}(?!\w)", text) if plain.strip() else None
        if found is None:
            return (), f"the word {word!r} is not in the text"
        start, end = found.span()
        pieces = tuple(i for i, (left, right) in enumerate(encoded.spans) if left < end and right > start)
        if not pieces or self.tokenizer.unk_token_id in [encoded.ids[i] for i in pieces]:
            return (), f"the word {word!r} is not in the vocabulary of {self.name}"
        return pieces, None

    def _answer(self, requests: Sequence[Request], poolings: tuple[Pooling, ...]) -> np.ndarray:
        """The pooled vector of each request, in the order asked."""
        numbers: dict[Request, int] = {}
        inverse = [numbers.setdefault(request, len(numbers)) for request in requests]
        requests_of: dict[Ids, list[int]] = {}  # requests about one text are answered together
        for (ids, _), number in numbers.items():
            requests_of.setdefault(ids, []).append(number)
        rows, different = list(requests_of), list(numbers)

        def read(batch: np.ndarray) -> tuple[list[int], np.ndarray]:
            asked = [(place, number) for place, i in enumerate(batch) for number in requests_of[rows[i]]]
            places, found = zip(*asked, strict=True)
            with self.inference():
                hidden = self._hidden([rows[i] for i in batch])
                pooled = self._pooled(hidden, places, [different[n][1] for n in found], poolings)
                return list(found), pooled.cpu().numpy()

        def describe(index: int) -> str:
            return f"one text of {len(rows[index])} tokens with {self.name}: {self._text(rows[index])!r}"

        width = self.model.config.hidden_size * len(self._layers) * len(poolings)
        answers = np.empty((0, width), dtype=np.float32)
        with progress(f"reading with {self.name}", total=len(rows), unit="texts") as advance:
            for whole in pack([len(row) for row in rows], self.token_budget):
                for batch, (found, vectors) in halving(whole, read, describe):
                    if not len(answers):
                        answers = np.empty((len(different), vectors.shape[1]), dtype=vectors.dtype)
                    answers[found] = vectors
                    advance(len(batch))
        self._check_finite(answers, different)
        return np.asarray(answers[inverse])

    def _hidden(self, rows: Sequence[Ids]) -> torch.Tensor:
        """The layer that is read, of a batch (rows, tokens, width)."""
        import torch

        inputs = self._pad(rows)
        if len({len(row) for row in rows}) == 1:
            del inputs["attention_mask"]  # without padding no mask is needed, and attention is quicker
        inner = any(layer not in self._last_layer for layer in self._layers)
        output = self.model(**inputs, output_hidden_states=inner)
        # Some models end with a norm that only their last hidden state has.
        read = [
            output.last_hidden_state if layer in self._last_layer else output.hidden_states[layer]
            for layer in self._layers
        ]
        hidden = read[0] if len(read) == 1 else torch.cat(read, dim=-1)
        return hidden if hidden.element_size() == 8 else hidden.float()

    def _pooled(
        self,
        hidden: torch.Tensor,
        places: Sequence[int],
        positions: Sequence[tuple[int, ...]],
        poolings: tuple[Pooling, ...],
    ) -> torch.Tensor:
        """The vectors at these positions of these rows, pooled."""
        import torch

        width = max(map(len, positions))
        chosen = torch.tensor([(*some, *[-1] * (width - len(some))) for some in positions])
        chosen, row = chosen.to(hidden.device), torch.tensor(places, device=hidden.device)
        return pool(hidden[row[:, None], chosen], chosen >= 0, poolings)

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
