"""How fast the sentences of SEAT become vectors, against one sentence per forward pass.

    python benchmarks/seat.py                    CPU: the built-in model and BERT-base's shape

The baseline is what other toolkits do: a loop over sentences, batch of one, in inference mode, with the same threads
and precision. All sentences are different, so nothing is saved by answering equal ones once.
"""

from __future__ import annotations

import argparse

import numpy as np
import timing
import torch
from transformers import BertConfig, BertModel

import counterpoise as cp
from counterpoise.measures.encoders.common.seat_sentences import GENDER_TESTS, sentence_items
from counterpoise.models import Encoder


def one_at_a_time(encoder: Encoder, sentences: list[str]) -> np.ndarray:
    """The mean over the tokens of each sentence."""
    vectors = []
    with torch.inference_mode():
        for sentence in sentences:
            ids = encoder.tokenizer(sentence, return_tensors="pt")["input_ids"]
            vectors.append(encoder.model(input_ids=ids).last_hidden_state[0].mean(0).numpy())
    return np.stack(vectors)


def bert_base() -> Encoder:
    """BERT-base's shape with random weights and the real vocabulary."""
    torch.manual_seed(0)
    return Encoder(BertModel(BertConfig()), cp.load(device="cpu").tokenizer, name="BERT-base shape")


def compare(encoder: Encoder, sentences: list[str], repeats: int) -> None:
    error = np.abs(encoder.sentence_vectors(sentences) - one_at_a_time(encoder, sentences)).max()
    seconds = timing.interleaved(
        {
            "one": lambda: one_at_a_time(encoder, sentences),
            "ours": lambda: encoder.sentence_vectors(sentences),
        },
        repeats,
    )
    rate = len(sentences) / min(seconds["ours"])
    print(
        f"{encoder.name}, {len(sentences)} sentences, {torch.get_num_threads()} threads, {encoder.precision}"
    )
    print(f"  against one sentence per forward:  {timing.ratio(seconds, 'one', 'ours')}")
    print(f"  {rate:.0f} sentences per second, largest difference {error:.1e}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    items = sentence_items(cp.data.weat(GENDER_TESTS), "corrected")
    sentences = items.text.unique().tolist()
    compare(cp.load(kind="encoder", device="cpu"), sentences, options.repeats)
    some = np.random.default_rng(0).permutation(sentences)[:128].tolist()
    compare(bert_base(), some, options.repeats)


if __name__ == "__main__":
    main()
