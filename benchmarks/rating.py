"""How fast review pairs are rated, against one text per call padded to 512 tokens.

    python benchmarks/rating.py                    CPU: the built-in model's shape, a part of the pairs
    python benchmarks/rating.py --device cuda      GPU: BERT-base shape in three precisions, 2,000 pairs

A pair is a review of IMDB turned male and female (by its pronouns, or --terms); the reviews are all different. The
baseline reads each version in a call of its own: tokenised and padded to 512, in inference mode, with the same threads.
It is timed on some of the pairs, other ones in each repeat, and compared by the pair. Ratings are compared too.
"""

from __future__ import annotations

import argparse
import lzma
import statistics
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import timing
import torch
from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

from counterpoise.models.classifier import Classifier
from counterpoise.models.loading import BUILTIN_FOLDER
from counterpoise.text import Swapper

_PRECISIONS = {"float32": torch.float32, "tf32": torch.float32, "bf16": torch.bfloat16}


def review_pairs(path: Path, n: int, terms: str = "pro") -> list[tuple[str, str]]:
    """The male and female versions of n different test reviews, drawn at random."""
    with (
        lzma.open(path, "rt", encoding="utf-8")
        if path.suffix == ".xz"
        else path.open(encoding="utf-8") as file
    ):
        reviews = pd.read_csv(file).query("split == 'test'").review.drop_duplicates()
    swapper = Swapper(terms)
    chosen = reviews.sample(n, random_state=0)
    return [(swapper.swap(text, "male"), swapper.swap(text, "female")) for text in chosen]


def classifier(shape: str, device: str, precision: str) -> Classifier:
    """A classifier of a shape, with random weights and the real vocabulary."""
    torch.manual_seed(0)
    config = BertConfig() if shape == "BERT-base" else BertConfig.from_pretrained(BUILTIN_FOLDER)
    config.id2label = {0: "negative", 1: "positive"}
    model = BertForSequenceClassification(config).to(device=device, dtype=_PRECISIONS[precision])
    tokenizer = AutoTokenizer.from_pretrained(BUILTIN_FOLDER)
    return Classifier(model, tokenizer, name=f"{shape} shape", tf32=precision == "tf32")


def one_per_call(rater: Classifier, pairs: list[tuple[str, str]]) -> list[float]:
    """The baseline: one text per call, padded to 512."""
    ratings = []
    with torch.inference_mode():
        for text in (version for pair in pairs for version in pair):
            inputs = rater.tokenizer(
                text, padding="max_length", truncation=True, max_length=512, return_tensors="pt"
            ).to(rater.device)
            ratings.append(rater.model(**inputs).logits.double().softmax(-1)[0, rater.positive].item())
    return ratings


def ours(rater: Classifier, pairs: list[tuple[str, str]]) -> np.ndarray:
    return rater.rate([version for pair in pairs for version in pair])


def compare(
    fast: Classifier, plain: Classifier, pairs: list[tuple[str, str]], each: int, repeats: int
) -> None:
    """`each` pairs of the baseline in every repeat, beside all pairs of ours."""
    one_per_call(plain, pairs[:2]), ours(fast, pairs[:32])  # warm-up
    ratios, seconds = [], []
    for repeat in range(repeats):
        some = pairs[repeat * each : (repeat + 1) * each]
        took = timing.interleaved(
            {"one": partial(one_per_call, plain, some), "ours": partial(ours, fast, pairs)}, repeats=1
        )
        seconds.append(took["ours"][0])
        ratios.append((took["one"][0] / len(some)) / (took["ours"][0] / len(pairs)))
    some = pairs[:each]
    error = np.abs(ours(fast, some) - one_per_call(plain, some)).max()
    same = sum(male == female for male, female in pairs)
    print(
        f"{fast.name}, {len(pairs)} pairs ({same} without a term, rated once), {fast.device}, {fast.precision}"
    )
    print(
        f"  against one text per call padded to 512 (float32): {statistics.median(ratios):.1f}x "
        f"(range {min(ratios):.1f} to {max(ratios):.1f}; baseline timed on {each} pairs a repeat)"
    )
    print(f"  {statistics.median(seconds):.1f} s; largest difference of a rating: {error:.1e}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--imdb", type=Path, required=True, help="imdb_50k_labelled.csv, or .csv.xz")
    parser.add_argument("--pairs", type=int, help="2,000 on a GPU, 200 on a CPU")
    parser.add_argument("--terms", default="pro")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    on_gpu = options.device == "cuda"
    pairs = review_pairs(options.imdb, options.pairs or (2000 if on_gpu else 200), options.terms)
    shapes = ("built-in", "BERT-base") if on_gpu else ("built-in",)
    for shape in shapes:
        plain = classifier(shape, options.device, "float32")
        for precision in _PRECISIONS if on_gpu else ("float32",):
            fast = classifier(shape, options.device, precision)
            compare(fast, plain, pairs, each=40 if on_gpu else 8, repeats=options.repeats)


if __name__ == "__main__":
    main()
