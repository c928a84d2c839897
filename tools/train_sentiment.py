"""Fine-tunes a sentiment classifier on IMDB and writes how good and how biased it is: accuracy and pronoun bias.

    python tools/train_sentiment.py --imdb imdb_50k_labelled.csv.xz --out sentiment --figures figures.json

The defaults fine-tune the built-in model on the condition `original` for four epochs, rate the 25,000 test reviews at
512 tokens (and, as the authors of the paper evaluated, at 64), and rate the male and female version of each. About two
minutes on a GPU. It needs neither the data room nor the measures: bias and test are worked out here with numpy and
scipy, a second time beside `counterpoise.measures.sentiment`.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from counterpoise.models import Classifier, load
from counterpoise.text import Swapper
from counterpoise.tuning import PRESETS, Settings, evaluate, train_classifier
from counterpoise.tuning.presets import PUBLISHED_EVALUATION_LENGTH


def bias_figures(male: np.ndarray, female: np.ndarray) -> dict[str, float]:
    """Total and absolute bias over all and over non-zero texts, with counts and Wilcoxon's test."""
    bias = male - female
    some = bias[bias != 0]
    return {
        "total": float(bias.mean()),
        "absolute": float(np.abs(bias).mean()),
        "total_nonzero": float(some.mean()),
        "absolute_nonzero": float(np.abs(some).mean()),
        "sd": float(bias.std(ddof=1)),
        "below": int((bias < 0).sum()),
        "zero": int((bias == 0).sum()),
        "above": int((bias > 0).sum()),
        "p": float(stats.wilcoxon(male, female).pvalue),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--imdb", type=Path, required=True, help="imdb_50k_labelled.csv, or .csv.xz")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the trained model")
    parser.add_argument("--figures", type=Path, help="a JSON file for the figures")
    parser.add_argument(
        "--base", default="builtin", help=f"builtin, {', '.join(PRESETS)}, a hub name or a folder"
    )
    parser.add_argument("--condition", default="original")
    parser.add_argument("--terms", default="pro", help="the terms of the bias")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--learning-rate", type=float, default=7e-5)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--texts", type=int, help="train and test on so many reviews only, to try it out")
    parser.add_argument("--device", default="auto")
    options = parser.parse_args()

    started = time.monotonic()
    reviews = pd.read_csv(options.imdb)
    train, test = (reviews[reviews.split == split] for split in ("train", "test"))
    if options.texts:
        train, test = (half.sample(options.texts, random_state=0) for half in (train, test))
    settings = Settings(
        learning_rate=options.learning_rate,
        batch_size=options.batch_size,
        epochs=options.epochs,
        patience=None,
        best="accuracy",
    )
    trained = train_classifier(
        train.review.tolist(),
        train.sentiment.tolist(),
        options.out,
        base=options.base,
        condition=options.condition,
        settings=settings,
        device=options.device,
    )
    print(f"trained {trained.steps} steps in {trained.seconds:.0f} s; validation {trained.best}", flush=True)

    rater = load(trained.folder, device=options.device)
    assert isinstance(rater, Classifier)
    short = Classifier(rater.model, rater.tokenizer, name="short", max_length=PUBLISHED_EVALUATION_LENGTH)
    texts, labels = test.review.tolist(), test.sentiment.tolist()
    accuracy, accuracy_short = (evaluate(one, texts, labels).accuracy for one in (rater, short))
    print(
        f"accuracy on {len(texts)} test reviews: {accuracy:.4f}; at 64 tokens {accuracy_short:.4f}",
        flush=True,
    )

    swapper = Swapper(options.terms)
    versions = [swapper.swap(text, side) for side in ("male", "female") for text in texts]
    bias = bias_figures(*rater.rate(versions).reshape(2, -1))
    figures = {
        "base": options.base,
        "condition": options.condition,
        "validation": dict(trained.best),
        "training_seconds": trained.seconds,
        "test_reviews": len(texts),
        "accuracy": accuracy,
        "accuracy_64_tokens": accuracy_short,
        f"bias_{options.terms}": bias,
        "seconds": time.monotonic() - started,
    }
    print(json.dumps(figures, indent=2))
    if options.figures:
        options.figures.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
