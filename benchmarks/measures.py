"""How fast the probability measures are, against loops that ask the model one by one.

    python benchmarks/measures.py                  built-in model, CPU

Each measure is timed as a user calls it: sentences made, questions asked, statistics and intervals. The loops do
without statistics and ask the same of the same model, in inference mode, with the same threads and precision, logits
everywhere, no batch; they are timed on every so-manieth item, and the time is scaled up:
- lpbs, ppd: one question (a word at a mask) per forward pass; for ppd also one sentence per forward pass, which answers
  its three pronouns at once;
- sld, crows: one masked token per forward pass.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import pandas as pd
import timing
import torch

import counterpoise as cp
from counterpoise.core.errors import DataError
from counterpoise.models import MaskedLM

Loop = Callable[[list[int]], object]


def one_word(lm: MaskedLM, text: str, words: list[str]) -> list[float]:
    """log P of words at the first mask of a text, by one forward pass."""
    with torch.inference_mode():
        ids = lm.tokenizer(text.replace("[MASK]", lm.tokenizer.mask_token), return_tensors="pt")["input_ids"]
        position = (ids[0] == lm.tokenizer.mask_token_id).nonzero()[0, 0]
        logits = lm.model(input_ids=ids.to(lm.device)).logits[0, position].log_softmax(-1)
        return [logits[lm.tokenizer.convert_tokens_to_ids(word.lower())].item() for word in words]


def one_sentence(lm: MaskedLM, sentence: str, positions: list[int] | None = None) -> float:
    """The pseudo-log-likelihood of a sentence, or of some of its tokens, by one forward pass per token."""
    with torch.inference_mode():
        ids = lm.tokenizer(sentence, return_tensors="pt")["input_ids"].to(lm.device)
        total = 0.0
        for position in positions if positions is not None else range(1, ids.shape[1] - 1):
            masked = ids.clone()
            masked[0, position] = lm.tokenizer.mask_token_id
            logits = lm.model(input_ids=masked).logits
            total += logits[0, position].log_softmax(-1)[ids[0, position]].item()
        return total


def compare(
    name: str, ours: Callable[[], object], n: int, share: int, loops: dict[str, Loop], repeats: int
) -> None:
    some = list(range(0, n, share))
    works: dict[str, timing.Work] = {"ours": ours}
    works |= {text: lambda loop=loop: loop(some) for text, loop in loops.items()}  # type: ignore[misc]
    seconds = timing.interleaved(works, repeats)
    print(f"{name} (loops timed on {len(some)} of {n})")
    for text in loops:
        seconds[text] = [second * n / len(some) for second in seconds[text]]
        print(f"  against {text}: {timing.ratio(seconds, text, 'ours')}", flush=True)


def compare_all(lm: MaskedLM, repeats: int) -> None:
    def words_of(rows: pd.DataFrame, texts: str) -> Loop:
        return lambda some: [one_word(lm, rows[texts][i], [rows.person[i]]) for i in some]

    becpro = cp.data.becpro("en")
    both = pd.concat([becpro, becpro.assign(target_masked=becpro.both_masked)], ignore_index=True)
    compare(
        "lpbs on BEC-Pro",
        lambda: cp.measures.lpbs(lm),
        len(both),
        60,
        {"one question per forward pass": words_of(both, "target_masked")},
        repeats,
    )
    templates = cp.data.pronoun_templates().fill()
    pronouns = templates[["male", "female", "neutral"]].to_numpy().tolist()
    compare(
        "ppd on the thesis's templates",
        lambda: cp.measures.ppd(lm),
        len(templates),
        40,
        {
            "one question per forward pass": lambda some: [
                one_word(lm, templates.text[i], [word]) for i in some for word in pronouns[i]
            ],
            "one sentence per forward pass": lambda some: [
                one_word(lm, templates.text[i], pronouns[i]) for i in some
            ],
        },
        repeats,
    )
    pairs = cp.data.stereotype_pairs().table
    compare(
        "sld on our sentence pairs",
        lambda: cp.measures.sld(lm),
        len(pairs),
        20,
        {
            "one masked token per forward pass": lambda some: [
                one_sentence(lm, side) for i in some for side in (pairs.stereotyped[i], pairs.counterpart[i])
            ]
        },
        repeats,
    )
    compare_crows(lm, repeats)


def compare_crows(lm: MaskedLM, repeats: int) -> None:
    from counterpoise.measures.pairs.crows import shared_tokens

    try:
        items = cp.measures.crows(lm).items  # type: ignore[attr-defined]
    except DataError as error:
        print(f"crows: not measured: {error}")
        return
    pairs = list(zip(items.stereotyped, items.counterpart, strict=True))
    shared = [shared_tokens(*lm.encode(pair)) for pair in pairs]
    compare(
        "crows on the gender pairs of CrowS-Pairs",
        lambda: cp.measures.crows(lm),  # type: ignore[attr-defined]
        len(pairs),
        16,
        {
            "one masked token per forward pass": lambda some: [
                one_sentence(lm, side, places)
                for i in some
                for side, places in zip(pairs[i], shared[i], strict=True)
            ]
        },
        repeats,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    compare_all(cp.load(device="cpu"), options.repeats)


if __name__ == "__main__":
    main()
