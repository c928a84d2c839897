"""Fine-tuning of masked and causal language models on plain text.

Texts are split into sentences and tokenised once. Each sentence is a row of its own, so that none attends to another,
and rows of about the same length are batched, so that there is little padding (8 % of the tokens of GAP in batches of
32).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from counterpoise.core.errors import InputError, ModelError
from counterpoise.core.hashing import hash_texts
from counterpoise.models.loading import BUILTIN, load
from counterpoise.models.padding import pad_token_id
from counterpoise.models.text_start import TextStart
from counterpoise.text.sentences import sentences
from counterpoise.text.swap import Swapper
from counterpoise.tuning.card import write_card
from counterpoise.tuning.devices import training_device
from counterpoise.tuning.losses import LanguageModelLoss
from counterpoise.tuning.masking import Mask, TrainingRows, collate
from counterpoise.tuning.settings import Settings
from counterpoise.tuning.training import Start, Trained, train

LANGUAGE_MODEL = Settings(
    epochs=3, patience=None, validation=0.0, warmup=0.1, max_length=256, batch_size=32, seed=42
)


@dataclass(frozen=True)
class Masking:
    """Which tokens a masked model must predict.

    share: the probability of each token.
    gendered: the probability of words that the swap of `terms` would change; None for the same as all others.
    learn_gendered: only these words are learnt; at all others the base model's predictions are kept, as in neutral
    text.
    attended_padding: as in the code of Bartl et al. (2020), rows are padded with masks to a fixed length, the smallest
    power of 2 that has room for the longest sentence's words; the model sees these masks and must predict them.
    """

    share: float = 0.15
    gendered: float | None = None
    learn_gendered: bool = False
    terms: str = "all"
    attended_padding: bool = False

    def __post_init__(self) -> None:
        for name in ("share", "gendered"):
            value = getattr(self, name)
            if value is not None and not 0 < value <= 1:
                raise InputError(f"{name} is a probability above 0, not {value}")


def train_language_model(
    texts: Sequence[str],
    out: str | Path,
    *,
    base: str | Path = BUILTIN,
    settings: Settings = LANGUAGE_MODEL,
    masking: Masking | None = None,
    keep: Sequence[str] = (),
    keep_weight: float = 1.0,
    title: str = "training",
    device: str = "auto",
    callbacks: Sequence[Any] = (),
    publish: bool = True,
) -> Trained:
    """Trains a language model further on texts, and writes it to a folder that `counterpoise.load` reads.

    Parameters
    ----------
    base
        "builtin", a hub name, or a folder: a masked or causal language model.
    masking
        Which tokens a masked model must guess; of a causal one each next token is guessed.
    keep
        Neutral texts, mixed in, on which the predictions of the base model are to be kept (see
        `counterpoise.tuning.losses`); nothing is learnt from them otherwise.
    keep_weight
        What a guess in a neutral text counts, compared with one in `texts`.
    title
        What a progress bar calls it.
    device
        "auto" (a GPU if there is one), "cpu", "cuda" or "mps".
    callbacks
        Callbacks of transformers' Trainer.
    publish
        If false, the finished model stays in the folder of its training, without a card, until the caller publishes it
        (`Trained.publishing`).

    A training that was stopped goes on when the same call is made again (see `counterpoise.tuning.training`).
    """
    training_device(device, settings.precision)
    if settings.validation:
        raise InputError("a language model is trained without validation; set validation to 0")
    if keep_weight <= 0:
        raise InputError(f"keep_weight must be above 0, not {keep_weight}")
    corpus, neutral = _sentences(texts), _sentences(keep)
    if not corpus:
        raise InputError("there is no text to train on")
    masking = masking or Masking()
    weight = keep_weight if neutral or masking.learn_gendered else 0.0
    language_model = load_to_train(base)
    pad = _pad_token_id(language_model, base)
    options = {
        "base": language_model.fingerprint,
        "data": hash_texts(corpus),
        "keep": hash_texts(neutral) if neutral else None,
        "keep_weight": weight or None,
        "masking": vars(masking),
    }

    def start() -> Start:
        rows = make_rows(language_model, corpus, neutral, masking, settings)
        collator = partial(collate, pad=pad)
        return Start(language_model.model, language_model.tokenizer, rows, (), collator)

    trained = train(
        start,
        out,
        settings,
        options,
        loss=LanguageModelLoss(language_model.model, weight),
        title=title,
        device=device,
        callbacks=callbacks,
    )
    if publish and not trained.is_published:
        counts = {"sentences": len(corpus), "neutral sentences": len(neutral)}
        with trained.publishing() as folder:
            write_card(folder, trained, settings, {**options, "base": str(base), **counts})
    return trained


def load_to_train(base: str | Path) -> Any:
    """A masked or causal language model; an error for models that cannot predict words."""
    model = load(base, device="cpu", dtype="float32")
    if part := next(
        (name for name in ("adapter", "quantization") if name in getattr(model, "details", {})), None
    ):
        what = "an adapter" if part == "adapter" else "a quantised model"
        raise ModelError(f"{base} is {what}, and only whole models in floating-point numbers are trained")
    if model.kind not in ("masked", "causal"):
        # Only needed for this message, and importing the measures needs more than training does.
        from counterpoise.measures.base.kinds import KINDS

        kinds = {**KINDS, "encoder": "an encoder"}
        raise ModelError(
            f"{base} is {kinds[model.kind]}, which cannot guess words; give a masked or causal language model"
        )
    return model


def _pad_token_id(model: Any, base: str | Path) -> int:
    """The id to pad with; that of the end of a text where there is no pad token."""
    number = pad_token_id(model.model.config, model.tokenizer)
    if number is None:
        number = model.tokenizer.eos_token_id
    if number is None:
        raise ModelError(
            f"{base} has neither a pad token nor an end-of-text token that could be one; "
            "add a pad token to its tokenizer and embeddings"
        )
    return int(number)


def make_rows(
    model: Any, corpus: Sequence[str], neutral: Sequence[str], masking: Masking, settings: Settings
) -> TrainingRows:
    """The sentences as rows to train on; those of the corpus come first."""
    tokenizer = model.tokenizer
    longest = min(settings.max_length, model.max_length or settings.max_length)
    texts = [*corpus, *neutral]
    encoded = tokenizer(texts, truncation=True, max_length=longest, return_offsets_mapping=True)
    ids, spans = encoded["input_ids"], encoded["offset_mapping"]
    gendered = _gendered(texts, spans, masking)
    keep = [
        ~is_gendered
        if masking.learn_gendered and number < len(corpus)
        else np.full(len(is_gendered), number >= len(corpus))
        for number, is_gendered in enumerate(gendered)
    ]
    if model.kind == "causal":
        return _next_tokens(ids, keep, model.start, longest, settings.seed)
    mask = Mask(tokenizer.mask_token_id, min(len(tokenizer), model.model.config.vocab_size))
    share = masking.share if masking.gendered is None else masking.gendered
    probabilities = [
        np.where([left == right for left, right in row], 0.0, np.where(is_gendered, share, masking.share))
        for row, is_gendered in zip(spans, gendered, strict=True)
    ]
    if masking.attended_padding:
        ids, probabilities = _pad_with_masks(ids, probabilities, texts, mask.token, masking.share, longest)
        keep = [np.zeros(len(row), dtype=bool) for row in ids]
    return TrainingRows(ids, keep, settings.seed, probabilities, mask)


def _gendered(texts: Sequence[str], spans: Sequence[Any], masking: Masking) -> list[np.ndarray]:
    """For each text, which of its tokens cover part of a gendered word; none if the masking treats all alike."""
    if masking.gendered is None and not masking.learn_gendered:
        return [np.zeros(len(row), dtype=bool) for row in spans]
    swapper = Swapper(masking.terms)
    return [
        _overlapping(row, [(edit.start, edit.end) for edit in swapper.edits(text, "flip")])
        for text, row in zip(texts, spans, strict=True)
    ]


def _next_tokens(
    ids: Sequence[list[int]], keep: Sequence[np.ndarray], start: TextStart, longest: int, seed: int
) -> TrainingRows:
    """Rows of a causal model, where each token is predicted at the position before it."""
    rows = [_after_start(row, start, longest) for row in ids]
    long_enough = [i for i, row in enumerate(rows) if len(row) > 1]  # others have no next token
    keep_next = []
    for i in long_enough:
        first = int(rows[i][0] == ids[i][0])  # a row that begins with its own first token never predicts it
        keep_next.append(np.append(keep[i], keep[i][-1:])[first : first + len(rows[i])])
    return TrainingRows([rows[i] for i in long_enough], keep_next, seed)


def _sentences(texts: Sequence[str]) -> list[str]:
    if isinstance(texts, str):
        raise InputError(f"texts must be a list of texts, not one text: {texts!r:.60}")
    return [sentence for text in texts for sentence in sentences(text)]


def _after_start(ids: Sequence[int], start: TextStart, longest: int) -> list[int]:
    """A row as `CausalLM` reads it."""
    return [*start.ids, *ids[start.replaces :]][:longest]


def _overlapping(spans: Sequence[tuple[int, int]], words: Sequence[tuple[int, int]]) -> np.ndarray:
    """Which tokens cover part of one of the words."""
    overlaps = [any(left < end and start < right for start, end in words) for left, right in spans]
    return np.array(overlaps, dtype=bool)


def _pad_with_masks(
    ids: Sequence[Sequence[int]],
    probabilities: Sequence[np.ndarray],
    texts: Sequence[str],
    mask: int,
    share: float,
    longest: int,
) -> tuple[list[list[int]], list[np.ndarray]]:
    """Rows of one length: masks after the short ones, the ends of the long ones cut off."""
    length = min(longest, 1 << (max(len(text.split()) for text in texts) - 1).bit_length())
    padded = [[*row, *[mask] * (length - len(row))][:length] for row in ids]
    return padded, [np.append(row, [share] * max(0, length - len(row)))[:length] for row in probabilities]
