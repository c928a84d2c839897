"""Fine-tuning of classifiers: any base model, any labelled texts, under any condition of Jentzsch & Turan (2022)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, get_args

import numpy as np

from counterpoise.core.errors import InputError, ModelError, did_you_mean, unknown
from counterpoise.models.loading import BUILTIN, BUILTIN_FOLDER
from counterpoise.models.padding import (
    PaddingSide,
    attention_mask,
    pad_rows,
    pad_token_id,
    padding_side,
    special_token_types,
)
from counterpoise.models.pretrained import quiet_transformers, read_config, read_tokenizer, read_weights
from counterpoise.models.sources import check_folder, check_hub_name, one_line_errors
from counterpoise.models.transformer import POSITIONS_AFTER_PADDING, check_tokenizer, max_input_length
from counterpoise.text.conditions import CONDITIONS, apply_condition
from counterpoise.text.swap import Variant
from counterpoise.tuning.card import write_card
from counterpoise.tuning.devices import training_device
from counterpoise.tuning.presets import PRESETS
from counterpoise.tuning.settings import Settings
from counterpoise.tuning.training import Start, Trained, train


def train_classifier(
    texts: Sequence[str],
    labels: Sequence[Any],
    out: str | Path,
    *,
    base: str | Path = BUILTIN,
    condition: str = "original",
    variant: Variant = "corrected",
    lists: str | Path | None = None,
    settings: Settings | None = None,
    device: str = "auto",
    callbacks: Sequence[Any] = (),
    allow_pickle: bool = False,
    trust_remote_code: bool = False,
) -> Trained:
    """Fine-tunes a model to tell the labels of texts, and writes it to a folder that `counterpoise.load` reads.

    Parameters
    ----------
    base
        "builtin", one of the seven models of the paper (`counterpoise.tuning.PRESETS`), a hub name, or a folder: also
        that of a debiased model.
    condition
        What is done to the texts' gender terms first (`counterpoise.text.conditions`).
    variant
        "published" does as the authors' code did: their cleaning, swapping, settings and changed models.
    lists
        The authors' file of terms, for the published variant.
    settings
        How to train; our own, or the authors' with "published", if not given.
    device
        "auto" (a GPU if there is one), "cpu", "cuda" or "mps".
    callbacks
        Callbacks of transformers' Trainer.
    allow_pickle, trust_remote_code
        Read pickled weights of the base, or run code that comes with it; see `counterpoise.load`.

    A training that was stopped goes on when the same call is made again (see `counterpoise.tuning.training`).
    """
    own_settings = default_settings(base, condition, variant)
    settings = settings or own_settings
    if settings.validation == 0:
        raise InputError(
            "a classifier needs validation: the share of texts that is held back must be above 0"
        )
    training_device(device, settings.precision)
    names = _label_names(labels)
    condition_texts = apply_condition(texts, [str(label) for label in labels], condition, variant, lists)
    if empty := sum(not text.strip() for text in condition_texts.texts):
        raise InputError(
            f"{empty} of the {len(condition_texts.texts)} texts to train on are empty (condition {condition})"
        )
    preset = PRESETS.get(str(base))
    location = BUILTIN_FOLDER if str(base) == BUILTIN else preset.hub if preset else base
    folder = Path(location).expanduser()
    if folder.is_dir():
        check_folder(folder, allow_pickle)
        location = folder
    else:
        check_hub_name(str(location), offline=False, hint=did_you_mean(str(base), [BUILTIN, *PRESETS]))
    changes = dict(preset.config) if preset and variant == "published" else {}
    is_held_out = _held_out(condition_texts.labels, condition_texts.sources, settings)

    def start() -> Start:
        model, tokenizer = _model(str(location), names, changes, allow_pickle, trust_remote_code)
        pad = _pad_token(model, tokenizer, str(location))
        limit = min(settings.max_length, max_input_length(model.config, tokenizer) or settings.max_length)
        rows = _rows(tokenizer, condition_texts.texts, condition_texts.labels, names, limit)
        return Start(
            model,
            tokenizer,
            [row for row, held_out in zip(rows, is_held_out, strict=True) if not held_out],
            [row for row, held_out in zip(rows, is_held_out, strict=True) if held_out],
            partial(collate, pad=pad, pad_type=tokenizer.pad_token_type_id, side=padding_side(model.config)),
        )

    options = {"base": str(base), "condition": condition, "variant": variant}
    options["data"] = _digest(condition_texts.texts, condition_texts.labels)

    trained = train(
        start,
        out,
        settings,
        options,
        metrics=_accuracy,
        device=device,
        callbacks=callbacks,
    )
    if trained.is_published:
        return trained
    with trained.publishing() as folder:
        write_card(
            folder,
            trained,
            settings,
            {
                **options,
                "terms": "builtin" if lists is None else Path(lists).name,
                "texts": len(condition_texts.texts),
                "labels": ", ".join(names),
            },
        )
    return trained


def default_settings(
    base: str | Path = BUILTIN, condition: str = "original", variant: Variant = "corrected"
) -> Settings:
    """The authors' settings if one of their models is trained as published, else our own.

    An unknown condition or variant is an error.
    """
    if condition not in CONDITIONS:
        raise unknown("condition", condition, CONDITIONS)
    if variant not in get_args(Variant):
        raise unknown("variant", variant, get_args(Variant))
    preset = PRESETS.get(str(base))
    return preset.published(condition) if preset and variant == "published" else Settings()


def _label_names(labels: Sequence[Any]) -> list[str]:
    missing = sum(label is None or label != label or str(label).strip() == "" for label in labels)
    if missing:
        raise InputError(f"{missing} of {len(labels)} texts have no label")
    names = sorted({str(label) for label in labels})
    if len(names) < 2:
        raise InputError(
            f"there is nothing to learn: all labels are {names[0]!r}" if names else "there are no texts"
        )
    return names


def _held_out(labels: Sequence[str], sources: Sequence[int], settings: Settings) -> np.ndarray:
    """Which texts are held out: the same share of each label; copies of one text stay together."""
    rng = np.random.default_rng(settings.seed)
    held_out: set[int] = set()
    for label in sorted(set(labels)):
        members = np.unique(
            [source for source, own_label in zip(sources, labels, strict=True) if own_label == label]
        )
        if len(members) < 2:
            raise InputError(
                f"the label {label!r} has one text only; one to train on and one to validate are needed"
            )
        n = min(max(1, round(settings.validation * len(members))), len(members) - 1)
        held_out.update(rng.choice(members, size=n, replace=False).tolist())
    return np.array([source in held_out for source in sources])


def _model(
    location: str, names: Sequence[str], changes: dict[str, Any], allow_pickle: bool, trust_remote_code: bool
) -> tuple[Any, Any]:
    """The base model with a new output layer for these labels, and its tokenizer."""
    labels = {
        "num_labels": len(names),
        "id2label": dict(enumerate(names)),
        "label2id": {name: number for number, name in enumerate(names)},
    }
    trust = {"trust_remote_code": trust_remote_code}
    with quiet_transformers(), one_line_errors(location, offline=False):
        config = read_config(location, trust, **labels, **changes)
        tokenizer = read_tokenizer(location, config, trust, location)
        model = read_weights(location, config, "classifier", trust, {}, allow_pickle, location, new_head=True)
    check_tokenizer(tokenizer, location)
    return model.float(), tokenizer


def _pad_token(model: Any, tokenizer: Any, location: str) -> int:
    """The id to pad with, which the model then knows too; a base without a pad token gets the end-of-text token."""
    number = pad_token_id(model.config, tokenizer)
    if number is None:
        if tokenizer.eos_token is None:
            raise ModelError(
                f"{location} has neither a pad token nor an end-of-text token that could be one, and a classifier must "
                "tell padding from text; add a pad token to its tokenizer and embeddings"
            )
        tokenizer.pad_token = tokenizer.eos_token
        number = int(tokenizer.eos_token_id)
    if model.config.model_type not in POSITIONS_AFTER_PADDING:  # where another id would shift all positions
        model.config.pad_token_id = number
    return number


def _rows(
    tokenizer: Any, texts: Sequence[str], labels: Sequence[str], names: Sequence[str], max_length: int
) -> list[dict[str, Any]]:
    """The texts as the model reads them; with token types only where there are others than 0."""
    encoded = tokenizer(list(texts), truncation=True, max_length=max_length)
    inputs = ["input_ids", *(["token_type_ids"] if special_token_types(tokenizer) else [])]
    numbers = {name: number for number, name in enumerate(names)}
    return [
        {**{name: encoded[name][i] for name in inputs}, "labels": numbers[label]}
        for i, label in enumerate(labels)
    ]


def collate(rows: Sequence[dict[str, Any]], pad: int, pad_type: int, side: PaddingSide) -> dict[str, Any]:
    """A batch, padded with a token and a token type."""
    import torch

    ids = [row["input_ids"] for row in rows]
    batch = {
        "input_ids": pad_rows(ids, pad, side),
        "attention_mask": attention_mask(ids, side),
        "labels": torch.tensor([row["labels"] for row in rows]),
    }
    if "token_type_ids" in rows[0]:
        types = [row["token_type_ids"] for row in rows]
        batch["token_type_ids"] = pad_rows(types, pad_type, side)
    return batch


def _accuracy(evaluation: Any) -> dict[str, float]:
    predictions = evaluation.predictions
    logits = predictions[0] if isinstance(predictions, tuple) else predictions  # some models return more
    return {"accuracy": float((logits.argmax(-1) == evaluation.label_ids).mean())}


def _digest(texts: Sequence[str], labels: Sequence[str]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for text, label in zip(texts, labels, strict=True):
        digest.update(f"{len(text)}:{text}{label}\n".encode())
    return digest.hexdigest()
