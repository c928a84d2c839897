"""What every transformer has in common: weights on a device, a tokenizer, a length limit, a fingerprint."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from counterpoise.core.errors import InputError, ModelError
from counterpoise.core.mask import MASK
from counterpoise.models.devices import input_device
from counterpoise.models.fingerprints import fingerprint_of
from counterpoise.models.gradients import no_gradients
from counterpoise.models.padding import attention_mask, pad_rows

if TYPE_CHECKING:
    import torch


# Tokens that go through a model at once: on a CPU as many as its caches hold, on a GPU enough to keep it busy.
_TOKEN_BUDGETS = {"cpu": 1024, "cuda": 32768, "mps": 16384}

# Tokenizers without a limit of their own report an astronomically large one.
_NO_LIMIT = 1_000_000


@dataclass(frozen=True)
class Encoded:
    """A text as the model sees it: ids, special tokens included, and where each token comes from."""

    ids: tuple[int, ...]
    words: tuple[int | None, ...]  # the number of the word that a token belongs to; None for special tokens
    spans: tuple[tuple[int, int], ...]  # characters of the text that a token covers

    def after_special(self, tokens: tuple[int, ...], replaces: int = 0) -> Encoded:
        """The same text with special tokens before it, in place of the first few that it has."""
        return Encoded(
            (*tokens, *self.ids[replaces:]),
            (*(None,) * len(tokens), *self.words[replaces:]),
            (*((0, 0),) * len(tokens), *self.spans[replaces:]),
        )

    def without_special(self) -> Encoded:
        """The same text without the tokens that stand for no part of it."""
        content = [i for i, (left, right) in enumerate(self.spans) if left < right]
        ids, words, spans = (
            tuple(values[i] for i in content) for values in (self.ids, self.words, self.spans)
        )
        return Encoded(ids, words, spans)  # type: ignore[arg-type]


def check_tokenizer(tokenizer: Any, name: str) -> None:
    """An error if a tokenizer does not say where its tokens stand in the text."""
    if not getattr(tokenizer, "is_fast", False):
        raise ModelError(f"the tokenizer of {name} is a slow one, without offsets; save it as tokenizer.json")


def check_texts(texts: Sequence[str]) -> None:
    """An error if something is not a list of texts."""
    if isinstance(texts, str):
        raise InputError(f"texts must be a list of texts, not one text: {shorten(texts)!r}")
    for text in texts:
        if not isinstance(text, str):
            raise InputError(f"a text must be a string, not {type(text).__name__}: {text!r}")


class Transformer:
    """A transformers model with its tokenizer; the base of the classes that `load` returns."""

    kind = "transformer"
    _attention_kernels: tuple[str, ...] = ("efficient",)  # on a GPU the fastest for short texts

    def __init__(
        self, model: Any, tokenizer: Any, *, name: str, token_budget: int | None = None, tf32: bool = False
    ) -> None:
        check_tokenizer(tokenizer, name)
        self.model = model.eval()
        self.tokenizer = tokenizer
        self.name = name
        self.tf32 = tf32
        self.details: dict[str, Any] = {}  # how it was loaded, as a run's manifest has it
        self.token_budget = token_budget or _TOKEN_BUDGETS.get(self.device.type, _TOKEN_BUDGETS["cpu"])

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r} on {self.device}, {self.precision}>"

    @property
    def device(self) -> torch.device:
        """Where inputs go: the device of the input embeddings if the model is on several."""
        device: torch.device = input_device(self.model)
        return device

    @property
    def precision(self) -> str:
        return "tf32" if self.tf32 else str(next(self.model.parameters()).dtype).removeprefix("torch.")

    @contextmanager
    def inference(self) -> Iterator[None]:
        """No gradients, and matrix products in exactly the precision the model was loaded with."""
        import torch
        from torch.nn.attention import SDPBackend, sdpa_kernel

        before = torch.get_float32_matmul_precision()
        torch.set_float32_matmul_precision("high" if self.tf32 else "highest")
        # cuDNN's attention, which torch would take for half precision, compiles anew for every length and batch size.
        attention = [getattr(SDPBackend, f"{name.upper()}_ATTENTION") for name in self._attention_kernels]
        try:
            with (
                no_gradients(),
                sdpa_kernel([*attention, SDPBackend.MATH]) if self.device.type == "cuda" else nullcontext(),
            ):
                yield
        finally:
            torch.set_float32_matmul_precision(before)

    @cached_property
    def max_length(self) -> int | None:
        """The most tokens that an input may have, special tokens included; None if there is no limit."""
        return max_input_length(self.model.config, self.tokenizer)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of weights, configuration and tokenizer: the same for one model, wherever it was loaded from."""
        return fingerprint_of(self.model, self.tokenizer)

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Texts as the model sees them; an empty or over-long one is an error that names it."""
        encodings = self.tokenize(texts)
        for text, encoded in zip(texts, encodings, strict=True):
            if problem := self.encoding_problem(encoded):
                raise InputError(f"{problem}: {shorten(text)!r}")
        return encodings

    def problems(self, texts: Sequence[str]) -> list[str | None]:
        """For each text the reason why the model cannot read it, or None."""
        return [self.encoding_problem(encoded) for encoded in self.tokenize(texts)]

    def knows(self, word: str) -> bool:
        """Whether the word can be written with the model's vocabulary."""
        ids = self.tokenizer(word, add_special_tokens=False)["input_ids"]
        return bool(ids) and self.tokenizer.unk_token_id not in ids

    def tokens_of(self, word: str) -> int:
        """How many tokens a word has inside a sentence.

        >>> import counterpoise as cp
        >>> cp.load().tokens_of("nurse"), cp.load().tokens_of("phlebotomist")
        (1, 5)
        """
        with_word, without = (
            self.tokenizer(text, add_special_tokens=False)["input_ids"] for text in (f"a {word}", "a")
        )
        return len(with_word) - len(without)

    def own_mask(self, text: str) -> str:
        """The text with the model's own mask token in place of `[MASK]`."""
        if MASK in text and self.tokenizer.mask_token is None:
            raise InputError(f"{self.name} has no mask, and the text has one: {shorten(text)!r}")
        return text.replace(MASK, self.tokenizer.mask_token) if MASK in text else text

    def tokenize(self, texts: Sequence[str]) -> list[Encoded]:
        """Like `encode`, but without an error for texts that the model cannot read."""
        check_texts(texts)
        if not len(texts):
            return []
        batch = self.tokenizer(list(texts), add_special_tokens=True, verbose=False)
        return [
            Encoded(
                tuple(encoding.ids),
                _split_words(text, encoding.word_ids, encoding.offsets),
                tuple(encoding.offsets),
            )
            for text, encoding in zip(texts, batch.encodings, strict=True)
        ]

    def encoding_problem(self, encoded: Encoded) -> str | None:
        """Why the model cannot read an encoded text, or None."""
        if all(start == end for start, end in encoded.spans):
            return "the text is empty"
        if self.max_length is not None and len(encoded.ids) > self.max_length:
            return f"the text has {len(encoded.ids)} tokens and the model takes {self.max_length}"
        vocabulary = vocabulary_size(self.model.config)
        if max(encoded.ids) >= vocabulary:
            return f"the tokenizer gives id {max(encoded.ids)} and the model's vocabulary ends at {vocabulary - 1}"
        return None

    def pad(self, rows: Sequence[Sequence[int]]) -> dict[str, torch.Tensor]:
        """Rows of ids as a batch on the model's device: padded ids and their attention mask."""
        pad = self.tokenizer.pad_token_id or 0
        return {
            "input_ids": pad_rows(rows, pad).to(self.device),
            "attention_mask": attention_mask(rows).to(self.device),
        }

    def pad_if_needed(self, rows: Sequence[Sequence[int]]) -> dict[str, torch.Tensor]:
        """The same, but without the mask if all rows have one length, since attention is faster without it."""
        batch = self.pad(rows)
        if len({len(row) for row in rows}) == 1:
            del batch["attention_mask"]
        return batch


POSITIONS_AFTER_PADDING = {"roberta", "xlm-roberta", "camembert", "xlm-roberta-xl", "mpnet", "longformer"}


def vocabulary_size(config: Any) -> int:
    """How many tokens a model knows; one that reads images too says it of its language model."""
    own = getattr(config, "vocab_size", None)
    return int(config.get_text_config().vocab_size if own is None else own)


def max_input_length(config: Any, tokenizer: Any) -> int | None:
    """The most tokens that an input of a model may have, special tokens included; None if there is no limit."""
    limits = [tokenizer.model_max_length]
    positions = getattr(config, "max_position_embeddings", None)
    if positions is None:  # of a model that reads images too, its language model says it
        positions = getattr(config.get_text_config(), "max_position_embeddings", None)
    if positions and positions > 0:  # XLNet's -1 stands for no limit
        # RoBERTa and its kin count positions from the padding id on.
        shift = config.pad_token_id + 1 if config.model_type in POSITIONS_AFTER_PADDING else 0
        limits.append(positions - shift)
    return min((limit for limit in limits if limit < _NO_LIMIT), default=None)


def _split_words(
    text: str, numbers: Sequence[int | None], spans: Sequence[tuple[int, int]]
) -> tuple[int | None, ...]:
    """The number of each token's word. Some tokenizers take a sentence for one word, so a space begins another."""
    words: list[int | None] = []
    word, before, end = -1, None, 0
    for number, (left, right) in zip(numbers, spans, strict=True):
        if number is not None and (number != before or left > end or text[left : left + 1].isspace()):
            word += 1
        words.append(None if number is None else word)
        before, end = number, right
    return tuple(words)


def shorten(text: str, limit: int = 60) -> str:
    """A text as error messages quote it."""
    return text if len(text) <= limit else text[: limit - 3] + "..."
