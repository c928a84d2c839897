"""How fast a masked model is fine-tuned, against batches of one sentence with fixed padding.

    python benchmarks/debias.py --gap FOLDER                    CPU: the built-in model
    python benchmarks/debias.py --gap FOLDER --device cuda      GPU: BERT-base shape, random weights

The baseline does what the code of Bartl et al. (2020) did: one sentence of GAP per step, filled up to 256 tokens with
masks that are attended, the loss over the whole vocabulary at every place, AdamW, gradients clipped at 1, a linear
schedule; in float32. Ours is `train_language_model` as it comes. Both are timed from the end of the first step to the
end of the last; counted are real tokens, without padding. Needs torch, transformers, accelerate, numpy and pandas.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from transformers import (
    AutoTokenizer,
    BertConfig,
    BertForMaskedLM,
    TrainerCallback,
    get_linear_schedule_with_warmup,
)

from counterpoise.models.loading import BUILTIN_FOLDER
from counterpoise.text.sentences import sentences
from counterpoise.tuning.language_model import (
    LANGUAGE_MODEL,
    Masking,
    load_to_train,
    make_rows,
    train_language_model,
)
from counterpoise.tuning.sampling import WithEpoch

_LENGTH = 256  # the smallest power of 2 that has room for the words of GAP's longest sentence


def gap_sentences(folder: Path) -> list[str]:
    tables = [pd.read_csv(path, sep="\t", quoting=3) for path in sorted(folder.glob("gap-*.tsv"))]
    return [sentence for table in tables for text in table["Text"] for sentence in sentences(text)]


def model_folder(device: str, into: Path) -> Path:
    """The built-in model, or on a GPU one of BERT-base shape with random weights."""
    if device == "cpu":
        return BUILTIN_FOLDER
    BertForMaskedLM(BertConfig()).save_pretrained(into)
    AutoTokenizer.from_pretrained(BUILTIN_FOLDER).save_pretrained(into)
    return into


class _Clock(TrainerCallback):  # type: ignore[misc]
    """When the first step and the last one ended."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if state.global_step in (1, state.max_steps):
            if torch.cuda.is_available():
                torch.cuda.synchronize()
            self.times.append(time.perf_counter())


def ours(base: Path, some: list[str], batch_size: int, device: str) -> float:
    """Real tokens per second."""
    settings = replace(LANGUAGE_MODEL, epochs=1, batch_size=batch_size)
    lengths = make_rows(load_to_train(base), some, [], Masking(), settings).lengths
    order = [number for number, _ in WithEpoch(lengths, batch_size, settings.seed)]
    clock = _Clock()
    with tempfile.TemporaryDirectory() as folder:
        train_language_model(
            some, Path(folder) / "model", base=base, settings=settings, device=device, callbacks=[clock]
        )
    return float(lengths[order[batch_size:]].sum() / (clock.times[1] - clock.times[0]))


def one_at_a_time(base: Path, some: list[str], device: str) -> float:
    """Real tokens per second of the baseline."""
    language_model = load_to_train(base)
    model = language_model.model.to(device).train()
    rows = make_rows(language_model, some, [], Masking(), LANGUAGE_MODEL)
    mask, dice = language_model.tokenizer.mask_token_id, np.random.default_rng(42)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5, eps=1e-8, weight_decay=0.0)
    schedule = get_linear_schedule_with_warmup(optimizer, 0, len(some))
    start = 0.0
    for step in range(len(some)):
        row = rows[step, 0]
        ids = np.full(_LENGTH, mask)
        labels = np.where(dice.random(_LENGTH) < 0.15, mask, -100)  # masks behind the text are drawn too
        ids[: len(row.ids)], labels[: len(row.ids)] = row.ids, row.labels
        batch = {
            "input_ids": torch.tensor(ids)[None].to(device),
            "attention_mask": torch.ones((1, _LENGTH), dtype=torch.long, device=device),
            "labels": torch.tensor(labels)[None].to(device),
        }
        loss = model(**batch).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        if step == 0:
            loss.item()
            start = time.perf_counter()
    loss.item()  # waits for a GPU
    return float(rows.lengths[1:].sum() / (time.perf_counter() - start))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--gap", type=Path, required=True, help="the folder with gap-development.tsv and the others"
    )
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--batch-size", type=int, default=LANGUAGE_MODEL.batch_size)
    parser.add_argument("--batches", type=int, help="of ours in a repeat; 100 on a GPU, 8 on a CPU")
    parser.add_argument(
        "--single", type=int, help="steps of the baseline in a repeat; 200 on a GPU, 12 on a CPU"
    )
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    on_gpu = options.device == "cuda"
    batches, single = options.batches or (100 if on_gpu else 8), options.single or (200 if on_gpu else 12)
    corpus = gap_sentences(options.gap)
    dice = np.random.default_rng(0)

    def draw(n: int) -> list[str]:
        return [corpus[i] for i in dice.choice(len(corpus), size=n, replace=False)]

    found: dict[str, list[float]] = {"ours": [], "one": []}
    with tempfile.TemporaryDirectory() as folder:
        base = model_folder(options.device, Path(folder))
        works: dict[str, Callable[[], float]] = {
            "ours": lambda: ours(
                base, draw(batches * options.batch_size), options.batch_size, options.device
            ),
            "one": lambda: one_at_a_time(base, draw(single), options.device),
        }
        for _ in range(options.repeats):
            for name, work in works.items():
                found[name].append(work())
    ratios = [fast / slow for fast, slow in zip(found["ours"], found["one"], strict=True)]
    speeds = {name: statistics.median(values) for name, values in found.items()}
    print(
        f"{'BERT-base shape' if on_gpu else 'built-in model'}, {options.device}, batches of {options.batch_size}"
    )
    print(
        f"  {speeds['ours']:,.0f} tokens/s; one sentence a step, filled up to {_LENGTH}: {speeds['one']:,.0f}"
    )
    print(f"  {statistics.median(ratios):.1f}x (range {min(ratios):.1f} to {max(ratios):.1f})")


if __name__ == "__main__":
    main()
