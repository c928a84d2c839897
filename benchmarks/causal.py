"""How fast causal models are scored, against the ways that other toolkits score them.

    python benchmarks/causal.py --model smollm2        CPU: a real model against one sentence at a time
    python benchmarks/causal.py --device cuda          GPU: two Llama shapes with random weights in bfloat16

Baselines, in inference mode, with the same sentences (all different), weights and precision:
(a) one sentence at a time, logits at every position;
(b) batches by a token budget, logits of all positions as float32, so that a batch is capped at 2^27 of them;
(c) lm-evaluation-harness's own loglikelihood (pip install lm-eval), from sentences as ours, with its default batch size
    (1) and with the best of several; it also finds out whether greedy decoding would give the sentence.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
from collections.abc import Callable
from functools import partial

import numpy as np
import timing
import torch
from transformers import LlamaConfig, LlamaForCausalLM

import counterpoise as cp
from counterpoise.models.causal import CausalLM
from counterpoise.models.scoring.batching import pack
from counterpoise.models.scoring.continuations import continuations
from counterpoise.models.scoring.prefix_tree import plan_reading, tree_size

Rows = list[list[int]]


def one_at_a_time(lm: CausalLM, rows: Rows) -> list[float]:
    """(a)"""
    scores = []
    with torch.inference_mode():
        for row in rows:
            ids = torch.tensor([row], device=lm.device)
            logits = lm.model(input_ids=ids).logits[0, :-1].float()
            log_probs = logits.gather(-1, ids[0, 1:, None])[:, 0] - logits.logsumexp(-1)
            scores.append(log_probs.double().sum().item())
    return scores


def all_logits(lm: CausalLM, rows: Rows) -> list[float]:
    """(b)"""
    scores = np.zeros(len(rows))
    budget = min(lm.token_budget, (1 << 27) // lm.model.config.vocab_size)
    with torch.inference_mode():
        for batch in pack([len(row) for row in rows], budget):
            inputs = lm.pad([rows[i] for i in batch])
            logits = lm.model(**inputs).logits[:, :-1].float()
            chosen = logits.gather(-1, inputs["input_ids"][:, 1:, None])[..., 0] - logits.logsumexp(-1)
            chosen = chosen.double() * inputs["attention_mask"][:, 1:]
            scores[batch] = chosen.sum(-1).cpu().numpy()
    return scores.tolist()


def harness(lm: CausalLM, batch_size: int) -> Callable[[list[str]], list[float]]:
    """(c)"""
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    [prefix] = lm.start.ids
    theirs = HFLM(
        pretrained=lm.model,
        tokenizer=lm.tokenizer,
        batch_size=batch_size,
        prefix_token_id=prefix,
        device=str(lm.device),
    )

    def score(sentences: list[str]) -> list[float]:
        requests = [
            Instance("loglikelihood", {}, ("", sentence), number) for number, sentence in enumerate(sentences)
        ]
        return [value for value, _ in theirs.loglikelihood(requests, disable_tqdm=True)]

    return score


def random_sentences(lm: CausalLM, n: int, seed: int = 0) -> list[str]:
    """Sentences of 6 to 24 words, from whole words of the vocabulary; each begins with another word."""
    dice = np.random.default_rng(seed)
    words = sorted(
        word for word in lm.tokenizer.get_vocab() if word.isascii() and word.isalpha() and len(word) > 2
    )
    firsts = dice.permutation(words)[:n]
    return [" ".join([first, *dice.choice(words, size=dice.integers(5, 24))]) for first in firsts]


def rows_of(lm: CausalLM, sentences: list[str]) -> Rows:
    return [list(encoded.ids) for encoded in lm.encode(sentences)]


# How many tokens are computed


def report_sharing(lm: CausalLM) -> None:
    """Computed tokens with shared beginnings, against a row for each distinct text."""
    pairs = cp.data.stereotype_pairs().table
    templates = cp.data.pronoun_templates().fill()
    pronouns = templates[["male", "female", "neutral"]].to_numpy().tolist()
    versions = [
        text.replace("[MASK]", word)
        for text, words in zip(templates.text, pronouns, strict=True)
        for word in words
    ]
    people = cp.data.becpro("en").profession.unique().tolist()
    questions = [
        f"{sentence} Who is this about? Answer: "
        for sentence in [*pairs.stereotyped[:120], *pairs.counterpart[:120]]
    ]
    options = [
        [f"a {people[i % len(people)]}", f"a {people[(i + 7) % len(people)]}", "nobody can tell from this"]
        for i in range(len(questions))
    ]
    asked = [question.ids[:-1] for question in continuations(lm, questions, options)]
    print(
        "computed tokens, against every distinct text in a row of its own (and the most that sharing could give)"
    )
    for name, rows in (
        ("sld's pairs", [row[:-1] for row in rows_of(lm, [*pairs.stereotyped, *pairs.counterpart])]),
        ("ppd's templates with each pronoun", [row[:-1] for row in rows_of(lm, versions)]),
        ("questions with three options", asked),
    ):
        distinct = [np.array(row) for row in dict.fromkeys(map(tuple, rows))]
        tokens, computed = (
            sum(map(len, distinct)),
            plan_reading(distinct, row_tokens=lm.engine.row_tokens).tokens,
        )
        print(
            f"  {name}: {tokens / computed:.2f}x fewer (at most {tokens / tree_size(distinct):.2f}x)",
            flush=True,
        )


def compare_on_cpu(lm: CausalLM, repeats: int, n: int = 200) -> None:
    pairs = cp.data.stereotype_pairs().table
    sentences = [*pairs.stereotyped[: n // 2], *pairs.counterpart[: n // 2]]
    rows = rows_of(lm, sentences)
    error = np.abs(lm.log_likelihood(sentences) - one_at_a_time(lm, rows)).max()
    seconds = timing.interleaved(
        {
            "one": partial(one_at_a_time, lm, rows),
            "all": partial(all_logits, lm, rows),
            "ours": partial(lm.log_likelihood, sentences),
        },
        repeats,
    )
    print(f"{lm.name}, {n} sentences of sld's pairs, {torch.get_num_threads()} threads, {lm.precision}")
    print(f"  against (a) one sentence at a time:            {timing.ratio(seconds, 'one', 'ours')}")
    print(f"  against (b) batches, logits at all positions:  {timing.ratio(seconds, 'all', 'ours')}")
    print(f"  largest difference to (a) in a sentence: {error:.1e}", flush=True)


# On a GPU


def llama(vocabulary: int, layers: int, intermediate: int, kv_heads: int, dtype: torch.dtype) -> CausalLM:
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=2048,
        intermediate_size=intermediate,
        num_hidden_layers=layers,
        num_attention_heads=32,
        num_key_value_heads=kv_heads,
        tie_word_embeddings=False,
    )
    with torch.device("cuda"):
        model = LlamaForCausalLM(config).to(dtype)
    size = sum(weights.numel() for weights in model.parameters()) / 1e9
    tokenizer = cp.load(device="cpu").tokenizer
    tokenizer.backend_tokenizer.post_processor = (
        None  # no tokens of its own: all begin texts with the same token
    )
    return CausalLM(
        model, tokenizer, name=f"Llama shape, {size:.2f} B, {vocabulary:,} words", start=tokenizer.cls_token
    )


SHAPES: dict[str, Callable[[torch.dtype], CausalLM]] = {
    "1.1B": partial(llama, 32_000, 22, 5632, 4),
    "1.5B": partial(llama, 128_256, 16, 8192, 8),
}


def compare_on_gpu(shape: str, repeats: int, n: int = 4000) -> None:
    lm = SHAPES[shape](torch.bfloat16)
    sentences = random_sentences(lm, n)
    rows = rows_of(lm, sentences)
    tokens = sum(len(row) - 1 for row in rows)
    embeddings = lm.model.get_input_embeddings().weight.numel()
    parameters = sum(weights.numel() for weights in lm.model.parameters())
    works = {
        "b": partial(all_logits, lm, rows),
        "ours": partial(lm.log_likelihood, sentences),
        "ids": partial(score_rows, lm, rows),
    }
    best = best_batch_size(lm, sentences[:1024])
    if best is not None:
        works["c"] = partial(harness(lm, best), sentences)
    for work in works.values():
        work()
    seconds = timing.interleaved(works, repeats)
    print(f"{lm.name}, {n} sentences, {tokens} tokens, {torch.cuda.get_device_name()}, {lm.precision}")
    print(f"  against (b) batches, logits at all positions as float32: {timing.ratio(seconds, 'b', 'ours')}")
    if best is None:
        print("  (c) lm-evaluation-harness is not installed: pip install lm-eval")
    else:
        print(f"  against (c) lm-evaluation-harness, batch size {best}: {timing.ratio(seconds, 'c', 'ours')}")
        some = sentences[:256]
        works = {"c": partial(harness(lm, 1), some), "ours": partial(lm.log_likelihood, some)}
        ratio = timing.ratio(timing.interleaved(works, 3), "c", "ours")
        print(f"  the same with its default, batch size 1, on {len(some)} sentences: {ratio}")
    for what, name in (("ours", "from sentences"), ("ids", "from ids")):
        took = statistics.median(seconds[what])
        rate = 2 * tokens / took / 1e12
        print(
            f"  {name}: {took:.3f} s, {rate * parameters:.0f} TFLOP/s by all parameters, "
            f"{rate * (parameters - embeddings):.0f} without the input embeddings"
        )
    error = np.abs(lm.log_likelihood(sentences[:200]) - one_at_a_time(lm, rows[:200])).max()
    print(f"  largest difference to (a) in a sentence, {lm.precision}: {error:.1e}", flush=True)
    del lm
    torch.cuda.empty_cache()
    exact = SHAPES[shape](torch.float32)
    error = np.abs(exact.log_likelihood(sentences[:200]) - one_at_a_time(exact, rows[:200])).max()
    print(f"  largest difference to (a) in a sentence, float32: {error:.1e}", flush=True)


def best_batch_size(lm: CausalLM, sentences: list[str]) -> int | None:
    """The fastest batch size of (c); None where it is not installed."""
    if importlib.util.find_spec("lm_eval") is None:
        return None
    took = {}
    for batch_size in (64, 256, 1024):
        try:
            [took[batch_size]] = timing.interleaved({"": partial(harness(lm, batch_size), sentences)}, 2)[""][
                1:
            ]
        except torch.OutOfMemoryError:
            torch.cuda.empty_cache()
    return min(took, key=took.__getitem__)


def score_rows(lm: CausalLM, rows: Rows) -> None:
    from counterpoise.models.scoring.causal_engine import Continuation

    lm.engine.answer([Continuation(tuple(row), 1) for row in rows])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--model", default="smollm2", help="on a CPU: the model to ask")
    parser.add_argument("--shape", choices=sorted(SHAPES), help="on a GPU: one of the two shapes only")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    if options.device == "cuda":
        for shape in [options.shape] if options.shape else SHAPES:
            compare_on_gpu(shape, options.repeats)
        return
    lm = cp.load(options.model, kind="causal", device="cpu")
    report_sharing(lm)
    compare_on_cpu(lm, options.repeats)


if __name__ == "__main__":
    main()
