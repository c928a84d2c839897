"""Trains the built-in model: a small BERT that learns to fill in masked words, inside a box of time.

Each corpus is a text file (plain or .xz) with one document per line. Its last documents are held out; the
others become rows of three lengths: single sentences (32 tokens, padded) and running text (128 and 512).
Every step draws one length, then rows from the corpora by weight, and predicts 15 % of the tokens.

Example, the recipe of the weights that ship with the package (16 minutes on one H200):

    python tools/pretrain_builtin.py --corpus wiki:0.42:wiki.txt.xz --corpus imdb:0.35:imdb.txt.xz \\
        --corpus books:0.23:books.txt.xz --init all-MiniLM-L6-v2/model.safetensors --out my-model

It differs from the run that made those weights in four small ways, all for cleaner data and probes: a closing
quotation mark stays with its sentence; no special token is ever predicted ([UNK] was); copies of held-out
documents are left out of training; the probes say "an engineer", not "a engineer".
"""

from __future__ import annotations

import argparse
import copy
import logging
import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from transformers import BertForMaskedLM

from counterpoise.core.errors import CounterpoiseError, InputError
from counterpoise.core.files import write_json
from pretraining.corpus import LENGTHS, Corpus, Vocabulary, build_rows
from pretraining.evaluation import evaluate_all, probe
from pretraining.masking import Masker
from pretraining.training import Settings, new_model, start_from, train

BUILTIN = Path(__file__).parents[1] / "src" / "counterpoise" / "models" / "builtin"
TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "vocab.txt")
LOG = logging.getLogger("pretrain")


def main(arguments: Sequence[str] | None = None) -> int:
    logging.basicConfig(format="%(asctime)s %(message)s", level=logging.INFO)
    options = parser().parse_args(arguments)
    try:
        pretrain(options)
    except CounterpoiseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def parser() -> argparse.ArgumentParser:
    defaults = Settings()
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    add = p.add_argument
    add(
        "--corpus",
        action="append",
        required=True,
        metavar="NAME:WEIGHT:FILE",
        help="a text file, one document per line, and its share of the rows; once for each corpus",
    )
    add("--out", type=Path, required=True, help="the folder to write; must be new or empty")
    add("--init", type=Path, help="safetensors of a sentence encoder of this shape (default: random weights)")
    add("--tokenizer", type=Path, default=BUILTIN, help="a BERT tokenizer's folder (default: the built-in)")
    add("--seconds", type=float, default=defaults.seconds, help="time to train (default %(default)s)")
    add("--steps", type=int, help="stop after this many steps if that is sooner (the schedule follows)")
    add("--tokens-per-step", type=int, default=defaults.tokens_per_step, help="(default %(default)s)")
    add("--learning-rate", type=float, default=defaults.learning_rate, help="its peak (default %(default)s)")
    add("--seed", type=int, default=defaults.seed, help="(default %(default)s)")
    add("--limit", type=int, help="read only this many documents of each corpus")
    add("--layers", type=int, default=6, help="(default %(default)s)")
    add("--width", type=int, default=384, help="(default %(default)s)")
    add("--heads", type=int, default=12, help="(default %(default)s)")
    add("--device", choices=("cuda", "cpu"), help="default: cuda where there is one")
    add("--compile", action=argparse.BooleanOptionalAction, default=True, help="torch.compile on a GPU")
    return p


def pretrain(options: argparse.Namespace) -> None:
    """Everything in order: check, read, train, evaluate, save."""
    settings = Settings(
        seconds=options.seconds,
        steps=options.steps,
        tokens_per_step=options.tokens_per_step,
        learning_rate=options.learning_rate,
        seed=options.seed,
        compile=options.compile,
    )
    corpora = [Corpus.parse(text) for text in options.corpus]
    check(options, corpora)
    device = torch.device(options.device or ("cuda" if torch.cuda.is_available() else "cpu"))
    vocabulary = Vocabulary.open(options.tokenizer)
    torch.manual_seed(settings.seed)
    model = new_model(vocabulary, options.layers, options.width, options.heads)
    if options.init:
        start_from(model, options.init)
    model.to(device)

    rows = {corpus.name: build_rows(corpus, vocabulary, options.limit) for corpus in corpora}
    before = evaluate_all(model, rows, vocabulary)
    LOG.info("before training: %s", before)
    pools = {
        length: [torch.from_numpy(each.training[length].astype("int32")).to(device) for each in rows.values()]
        for length in LENGTHS
    }
    masker = Masker(vocabulary, device, settings.seed)
    trained = train(model, pools, [corpus.weight for corpus in corpora], masker, settings)
    after = evaluate_all(model, rows, vocabulary)
    LOG.info("after %d steps, %d tokens: %s", trained.steps, trained.tokens, after)

    training = {
        "eval": after,
        "eval_before_training": before,
        "probe": probe(model, vocabulary),
        **trained._asdict(),
        "args": {
            **asdict(settings),
            "init": str(options.init) if options.init else None,
            "corpora": {corpus.name: corpus.path.name for corpus in corpora},
            "weights": {corpus.name: corpus.weight for corpus in corpora},
            "limit": options.limit,
            "device": torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu",
        },
    }
    save(model, options.tokenizer, options.out, training)
    LOG.info("saved %s", options.out)


def check(options: argparse.Namespace, corpora: Sequence[Corpus]) -> None:
    """What can be known to be wrong before the first minute is spent."""
    names = [corpus.name for corpus in corpora]
    if len(set(names)) < len(names):
        raise InputError(f"--corpus: each needs a name of its own (found {', '.join(names)})")
    if options.out.exists() and (not options.out.is_dir() or any(options.out.iterdir())):
        raise InputError(f"--out {options.out} exists and is not an empty folder")
    if options.device == "cuda" and not torch.cuda.is_available():
        raise InputError("--device cuda: there is no CUDA device here")
    if options.width % options.heads:
        raise InputError(f"--width {options.width} cannot be divided among {options.heads} heads")
    for name in ("seconds", "steps", "tokens_per_step", "learning_rate", "limit", "layers"):
        value = getattr(options, name)
        if value is not None and not value > 0:
            raise InputError(f"--{name.replace('_', '-')} must be above 0 (found {value})")
    try:
        options.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write --out {options.out}: {error.strerror}") from error


def save(model: BertForMaskedLM, tokenizer: Path, out: Path, training: dict[str, Any]) -> None:
    """The model in float16 with its tokenizer and `training.json`, written aside and renamed."""
    aside = out.with_name(f".{out.name}.part")
    half = copy.deepcopy(model).half()
    # Training went without dropout; whoever fine-tunes the model expects BERT's usual share.
    half.config.hidden_dropout_prob = half.config.attention_probs_dropout_prob = 0.1
    half.save_pretrained(aside)
    for name in TOKENIZER_FILES:
        if (tokenizer / name).is_file():
            shutil.copyfile(tokenizer / name, aside / name)
    write_json(aside / "training.json", training)
    out.rmdir()
    aside.replace(out)


if __name__ == "__main__":
    sys.exit(main())
