"""How fast likelihoods are scored, against the two ways that other toolkits score them.

    python benchmarks/engine.py                    CPU: BERT-base shape and the built-in model
    python benchmarks/engine.py --device cuda      GPU: BERT-base shape in three precisions

Baselines, in inference mode, with the same threads, precision and sentences (all different):
(a) the reference loop of CrowS-Pairs: one forward pass per masked token, batch of one, logits at every position;
(b) one sentence per batch: all its masked copies at once, logits at every position.
"""

from __future__ import annotations

import argparse
import statistics

import numpy as np
import timing
import torch
from transformers import BertConfig, BertForMaskedLM

import counterpoise as cp
from counterpoise.models import MaskedLM


def reference_loop(lm: MaskedLM, sentences: list[str]) -> list[float]:
    """(a) One forward pass per masked token."""
    scores = []
    with torch.inference_mode():
        for sentence in sentences:
            ids = lm.tokenizer(sentence, return_tensors="pt")["input_ids"].to(lm.device)
            total = 0.0
            for position in range(1, ids.shape[1] - 1):
                masked = ids.clone()
                masked[0, position] = lm.tokenizer.mask_token_id
                logits = lm.model(input_ids=masked).logits
                total += logits[0, position].float().log_softmax(-1)[ids[0, position]].item()
            scores.append(total)
    return scores


def sentence_per_batch(lm: MaskedLM, sentences: list[str]) -> list[float]:
    """(b) All masked copies of a sentence at once."""
    scores = []
    with torch.inference_mode():
        for sentence in sentences:
            ids = lm.tokenizer(sentence, return_tensors="pt")["input_ids"][0].to(lm.device)
            positions = torch.arange(1, len(ids) - 1, device=lm.device)
            copies = ids.repeat(len(positions), 1)
            copies[torch.arange(len(positions)), positions] = lm.tokenizer.mask_token_id
            logits = lm.model(input_ids=copies).logits
            chosen = logits[torch.arange(len(positions)), positions].float().log_softmax(-1)
            scores.append(chosen[torch.arange(len(positions)), ids[positions]].sum().item())
    return scores


def make_sentences(lm: MaskedLM, n: int, seed: int = 0) -> list[str]:
    """Different sentences of 5 to 40 tokens, from whole words of the vocabulary."""
    dice = np.random.default_rng(seed)
    words = sorted(
        word for word in lm.tokenizer.get_vocab() if word.isascii() and word.isalpha() and len(word) > 2
    )
    return [" ".join(dice.choice(words, size=dice.integers(4, 40))) + "." for _ in range(n)]


def bert_base(device: str) -> MaskedLM:
    """BERT-base's shape with random weights and the real vocabulary."""
    torch.manual_seed(0)
    model = BertForMaskedLM(BertConfig()).to(device)
    return MaskedLM(model, cp.load(device="cpu").tokenizer, name="BERT-base shape")


def compare(lm: MaskedLM, sentences: list[str], repeats: int) -> None:
    ours = lm.pseudo_log_likelihood(sentences)
    error = max(
        np.abs(ours - reference_loop(lm, sentences)).max(),
        np.abs(ours - sentence_per_batch(lm, sentences)).max(),
    )
    seconds = timing.interleaved(
        {
            "a": lambda: reference_loop(lm, sentences),
            "b": lambda: sentence_per_batch(lm, sentences),
            "ours": lambda: lm.pseudo_log_likelihood(sentences),
        },
        repeats,
    )
    print(
        f"{lm.name}, {len(sentences)} sentences, {lm.device}, {torch.get_num_threads()} threads, {lm.precision}"
    )
    print(f"  against (a) one forward per mask:      {timing.ratio(seconds, 'a', 'ours')}")
    print(f"  against (b) one sentence per batch:    {timing.ratio(seconds, 'b', 'ours')}")
    print(f"  sentences per second: {len(sentences) / statistics.median(seconds['ours']):.1f}")
    print(f"  largest difference to either baseline: {error:.1e}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--sentences", type=int, default=16)
    options = parser.parse_args()
    base, builtin = bert_base(options.device), cp.load(device=options.device)
    compare(base, make_sentences(base, options.sentences), options.repeats)
    compare(builtin, make_sentences(builtin, 4 * options.sentences), options.repeats)


if __name__ == "__main__":
    main()
