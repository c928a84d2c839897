"""Sequence classifiers of transformers: the logits of texts, or of pairs of texts.

Texts that become the same tokens are computed once, so texts that the model cannot tell apart get exactly the same
logits. They are sorted by length and packed, and some are tokenized while others are computed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from counterpoise.core.errors import InputError, ModelError
from counterpoise.core.progress import progress
from counterpoise.models.padding import attention_mask, pad_rows, padding_side
from counterpoise.models.scoring.batching import halving, one_ahead, pack
from counterpoise.models.scoring.classifier_logits import Logits, fastest_logits, plain_logits
from counterpoise.models.transformer import Transformer, shorten

if TYPE_CHECKING:
    import torch

_CPU_BUDGET = 2048  # tokens at once: more than for the short sentences that language models are asked about
_MANY_TOKENS = 5_000  # from this many on, it pays to look for the fastest way to the logits
_CHUNK = 512  # texts: while these are rated, the next ones are tokenised

Text = str | tuple[str, str]  # a text, or a pair such as premise and hypothesis


@dataclass(frozen=True)
class TokenRow(Sequence[int]):
    """The tokens of a text or a pair; `types` is empty where all of them are 0, or where the model takes none."""

    ids: tuple[int, ...]
    types: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, index: Any) -> Any:
        return self.ids[index]


class SequenceClassifier(Transformer):
    """A model with a logit for each label of a text or of a pair of texts; the base of what reads those labels.

    Parameters
    ----------
    max_length
        The most tokens to read of a text, special tokens included; if not given, as many as the model can.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        name: str,
        max_length: int | None = None,
        token_budget: int | None = None,
        tf32: bool = False,
    ) -> None:
        if token_budget is None and next(model.parameters()).device.type == "cpu":
            token_budget = _CPU_BUDGET
        super().__init__(model, tokenizer, name=name, token_budget=token_budget, tf32=tf32)
        if max_length is not None and max_length < 3:  # two special tokens and one of the text
            raise InputError(f"max_length must be 3 or more, not {max_length}")
        self._max_length = max_length
        self.labels = labels_of(model.config)

    @cached_property
    def max_length(self) -> int | None:
        """The most tokens read of a text, special tokens included; None if there is no limit."""
        limits = [limit for limit in (self._max_length, super().max_length) if limit is not None]
        return min(limits, default=None)

    def pad(self, rows: Sequence[Sequence[int]]) -> dict[str, torch.Tensor]:
        """Rows of ids as a batch on the model's device, padded such that no row's logits change."""
        side = padding_side(self.model.config)
        ids = [tuple(row) for row in rows]
        batch = {
            "input_ids": pad_rows(ids, self._pad_token_id or 0, side),
            "attention_mask": attention_mask(ids, side),
        }
        types = [(isinstance(row, TokenRow) and row.types) or (0,) * len(row) for row in rows]
        if any(map(any, types)):
            batch["token_type_ids"] = pad_rows(types, self.tokenizer.pad_token_type_id, side)
        return {name: values.to(self.device) for name, values in batch.items()}

    @cached_property
    def _takes_types(self) -> bool:
        """Whether the model is given token types, which tell the second text of a pair from the first.

        DistilBERT has no place for them, and RoBERTa no second one.
        """
        return (
            "token_type_ids" in self.tokenizer.model_input_names
            and "token_type_ids" in inspect.signature(self.model.forward).parameters
            and getattr(self.model.config, "type_vocab_size", 2) > 1  # XLNet does not say
        )

    @property
    def _pad_token_id(self) -> int | None:
        """The id that the model takes for padding; a pad token that the tokenizer alone has is text to the model."""
        number = self.model.config.pad_token_id
        return number if number is not None and number >= 0 else None  # some configurations say -1 for none

    def _logits(self, texts: Sequence[Text]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The logits of the distinct inputs, the number of each text's input, and which texts are truncated."""
        numbers: dict[Text, int] = {}
        inverse = np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.int64)
        distinct = list(numbers)
        inputs = np.zeros(len(distinct), dtype=np.int64)
        truncated = np.zeros(len(distinct), dtype=bool)
        number_of: dict[TokenRow, int] = {}  # of each distinct input
        parts = [np.zeros((0, len(self.labels)))]
        by_length = np.argsort([-_characters(text) for text in distinct], kind="stable")
        chunks = [by_length[start : start + _CHUNK] for start in range(0, len(distinct), _CHUNK)]
        compute: Logits | None = None
        with progress(f"rating with {self.name}", total=len(distinct), unit="texts") as advance:
            tokenised = one_ahead(lambda chunk: self._token_ids([distinct[i] for i in chunk]), chunks)
            for chunk, (rows, is_cut) in zip(chunks, tokenised, strict=True):
                first_new = len(number_of)
                inputs[chunk] = [number_of.setdefault(row, len(number_of)) for row in rows]
                truncated[chunk] = is_cut
                new = {int(inputs[i]): int(i) for i in reversed(chunk) if inputs[i] >= first_new}
                compute = compute or self._choose_logits(rows)
                advance(len(chunk) - len(new))
                new_texts = [distinct[new[number]] for number in sorted(new)]
                parts.append(self._input_logits(compute, list(number_of)[first_new:], new_texts, advance))
        return np.concatenate(parts), inputs[inverse], truncated[inverse]

    def _input_logits(
        self,
        compute: Logits,
        rows: Sequence[TokenRow],
        texts: Sequence[Text],
        advance: Callable[[int], None],
    ) -> np.ndarray:
        """The logits of inputs, fetched from the device all together so that it never waits."""

        def describe(index: int) -> str:
            return f"one text of {len(rows[index])} tokens with {self.name}: {quoted(texts[index])}"

        def score(batch: np.ndarray) -> torch.Tensor:
            with self.inference():
                return compute(self.pad_if_needed([rows[i] for i in batch])).double()

        logits = np.zeros((len(rows), len(self.labels)))
        on_device: list[tuple[np.ndarray, torch.Tensor]] = []
        for whole in self._batches([len(row) for row in rows]):
            on_device.extend(halving(whole, score, describe))
            advance(len(whole))
        for batch, values in on_device:
            logits[batch] = values.cpu().numpy()
        for bad in np.flatnonzero(~np.isfinite(logits).all(axis=1))[:1]:
            raise ModelError(
                f"{self.name} gives ratings that are no numbers for {quoted(texts[bad])}; "
                "its weights or its precision are broken"
            )
        return logits

    def _token_ids(self, texts: Sequence[Text]) -> tuple[list[TokenRow], list[bool]]:
        """The tokens of each text, truncated to what the model reads, and which texts were truncated."""
        limit = self.max_length
        backend = self.tokenizer.backend_tokenizer  # without what transformers adds: only the ids are needed
        backend.no_padding()
        if limit is None:
            backend.no_truncation()
        else:
            backend.enable_truncation(limit)
        encodings = backend.encode_batch_fast(list(texts))
        rows = [
            TokenRow(tuple(encoding.ids), tuple(types) if self._takes_types and any(types) else ())
            for encoding in encodings
            for types in [encoding.type_ids]
        ]
        is_cut = [
            len(row) == limit and len(encoding.overflowing) > 0
            for row, encoding in zip(rows, encodings, strict=True)
        ]
        return rows, is_cut

    def _batches(self, lengths: Sequence[int]) -> Iterator[np.ndarray]:
        # Some decoders find a text's end by looking for padding, which they cannot without a padding token.
        if self._pad_token_id is None:
            return iter(np.arange(len(lengths))[:, None])
        return pack(lengths, self.token_budget)

    def _choose_logits(self, rows: Sequence[TokenRow]) -> Logits:
        """The fastest way to the logits; looking for it is not worth it for little work."""
        if sum(len(row) for row in rows) < _MANY_TOKENS:
            return plain_logits(self.model)
        with self.inference():
            return fastest_logits(self.model, self.pad([min(rows, key=len)]))


def labels_of(config: Any) -> tuple[str, ...]:
    """The names of a classifier's labels, in the order of its logits."""
    return tuple(str(config.id2label[number]) for number in range(config.num_labels))


def _characters(text: Text) -> int:
    return len(text) if isinstance(text, str) else sum(map(len, text))


def quoted(text: Text) -> str:
    """A text as errors quote it.

    >>> quoted("He left."), quoted(("He left.", "She left."))
    ("'He left.'", "'He left.' / 'She left.'")
    """
    return repr(shorten(text)) if isinstance(text, str) else " / ".join(repr(shorten(part)) for part in text)
