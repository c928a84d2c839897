"""Fine-tuning of classifiers: any base model, any labelled texts, under any condition of Jentzsch & Turan (2022)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from counterpoise.core.errors import InputError, ModelError
from counterpoise.models.loading import BUILTIN, BUILTIN_FOLDER
from counterpoise.models.pretrained import quiet_transformers
from counterpoise.models.sources import first_line
from counterpoise.text.conditions import apply_condition
from counterpoise.text.swap import Variant
from counterpoise.tuning.card import write_card
from counterpoise.tuning.presets import PRESETS
from counterpoise.tuning.settings import Settings
from counterpoise.tuning.training import Trained, train


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
    callbacks
        Callbacks of transformers' Trainer.

    A training that was stopped goes on when the same call is made again (see `counterpoise.tuning.training`).
    """
    names = _label_names(labels)
    condition_texts = apply_condition(texts, [str(label) for label in labels], condition, variant, lists)
    if empty := sum(not text.strip() for text in condition_texts.texts):
        raise InputError(
            f"{empty} of the {len(condition_texts.texts)} texts to train on are empty (condition {condition})"
        )
    preset = PRESETS.get(str(base))
    if settings is None:
        settings = preset.published(condition) if preset and variant == "published" else Settings()
    location = BUILTIN_FOLDER if str(base) == BUILTIN else preset.hub if preset else base
    changes = dict(preset.config) if preset and variant == "published" else {}
    if settings.validation == 0:
        raise InputError(
            "a classifier needs validation: the share of texts that is held back must be above 0"
        )
    is_held_out = _held_out(condition_texts.labels, condition_texts.sources, settings)

    def make() -> tuple[Any, Any]:
        return _model(str(location), names, changes)

    def rows(tokenizer: Any) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        ids = tokenizer(condition_texts.texts, truncation=True, max_length=settings.max_length)["input_ids"]
        numbers = {name: number for number, name in enumerate(names)}
        all_rows = [
            {"input_ids": row, "labels": numbers[label]}
            for row, label in zip(ids, condition_texts.labels, strict=True)
        ]
        return (
            [row for row, held_out in zip(all_rows, is_held_out, strict=True) if not held_out],
            [row for row, held_out in zip(all_rows, is_held_out, strict=True) if held_out],
        )

    options = {"base": str(base), "condition": condition, "variant": variant}
    options["data"] = _digest(condition_texts.texts, condition_texts.labels)

    trained = train(
        make,
        rows,
        out,
        settings,
        options,
        collator=_pad,
        metrics=_accuracy,
        device=device,
        callbacks=callbacks,
    )
    with trained.publishing() as folder:
        write_card(
            folder,
            trained,
            settings,
            {**options, "texts": len(condition_texts.texts), "labels": ", ".join(names)},
        )
    return trained


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


def _model(location: str, names: Sequence[str], changes: dict[str, Any]) -> tuple[Any, Any]:
    import transformers

    try:
        with quiet_transformers():
            tokenizer = transformers.AutoTokenizer.from_pretrained(location)
            model = transformers.AutoModelForSequenceClassification.from_pretrained(
                location,
                num_labels=len(names),
                id2label=dict(enumerate(names)),
                label2id={name: number for number, name in enumerate(names)},
                **changes,
            ).float()
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot load {location} to train it: {first_line(error)}") from error
    return model, tokenizer


def _pad(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    import torch

    longest = max(len(row["input_ids"]) for row in rows)
    ids = torch.zeros((len(rows), longest), dtype=torch.long)
    mask = torch.zeros((len(rows), longest), dtype=torch.long)
    for number, row in enumerate(rows):
        ids[number, : len(row["input_ids"])] = torch.tensor(row["input_ids"])
        mask[number, : len(row["input_ids"])] = 1
    return {"input_ids": ids, "attention_mask": mask, "labels": torch.tensor([row["labels"] for row in rows])}


def _accuracy(evaluation: Any) -> dict[str, float]:
    return {"accuracy": float((evaluation.predictions.argmax(-1) == evaluation.label_ids).mean())}


def _digest(texts: Sequence[str], labels: Sequence[str]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for text, label in zip(texts, labels, strict=True):
        digest.update(f"{len(text)}:{text}{label}\n".encode())
    return digest.hexdigest()
