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
import subprocess
import sys
import time
import tracemalloc
from functools import partial
from pathlib import Path

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
    error = np.abs(ours - reference_loop(lm, sentences)).max()
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
    print(f"  against (a) one forward per mask:    {timing.ratio(seconds, 'a', 'ours')}")
    print(f"  against (b) one sentence per batch:  {timing.ratio(seconds, 'b', 'ours')}")
    print(f"  largest difference to (a) in a sentence: {error:.1e}", flush=True)


def compare_becpro(lm: MaskedLM, repeats: int, share: int = 30) -> None:
    """The 10,800 questions of BEC-Pro against asking one at a time, which is timed on every `share`-th of them."""
    rows = cp.data.becpro("en")
    texts = [*rows.target_masked, *rows.both_masked]
    targets = [[person.lower()] for person in [*rows.person, *rows.person]]
    some = range(0, len(texts), share)

    def one_at_a_time() -> list[float]:
        scores = []
        with torch.inference_mode():
            for i in some:
                ids = lm.tokenizer(texts[i], return_tensors="pt")["input_ids"]
                position = (ids[0] == lm.tokenizer.mask_token_id).nonzero()[0, 0]
                target = lm.tokenizer.convert_tokens_to_ids(targets[i][0])
                logits = lm.model(input_ids=ids).logits
                scores.append(logits[0, position].log_softmax(-1)[target].item())
        return scores

    error = np.abs(lm.target_log_probs(texts, targets)[some, 0] - one_at_a_time()).max()
    seconds = timing.interleaved(
        {"one": one_at_a_time, "ours": lambda: lm.target_log_probs(texts, targets)}, repeats
    )
    seconds["one"] = [second * len(texts) / len(some) for second in seconds["one"]]
    print(f"BEC-Pro, {len(texts)} questions, {lm.name} (one at a time timed on every {share}th)")
    print(f"  against one question at a time:      {timing.ratio(seconds, 'one', 'ours')}")
    print(f"  largest difference: {error:.1e}", flush=True)


def memory_of_a_long_sentence() -> None:
    """Peak memory of a process that scores a sentence of 510 tokens on the BERT-base shape.

    All 510 would take minutes; the peak is that of a batch, so the first 16 questions show it.
    """
    code = (
        "import sys, resource; sys.path.insert(0, sys.argv[1]); import engine\n"
        "lm = engine.bert_base('cpu'); before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "import numpy as np; from counterpoise.models.scoring import questions\n"
        "ids = np.array(lm.tokenizer('the ' * 510)['input_ids']); assert len(ids) == 512\n"
        "words = np.r_[-1, np.arange(510), -1]\n"
        "asked = questions.each_token(ids, words, 103, hide_rest_of_word=False).take(np.arange(16))\n"
        "assert len(lm.answer(asked)) == 16\n"
        "print(before / 1e6, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6)"
    )
    here = str(Path(__file__).parent)
    done = subprocess.run([sys.executable, "-c", code, here], capture_output=True, text=True, check=True)
    before, peak = map(float, done.stdout.split())
    print(
        f"one sentence of 510 tokens, BERT-base shape: peak memory {peak:.2f} GB ({before:.2f} GB before)",
        flush=True,
    )


def growth(lm: MaskedLM, path: Path | None) -> None:
    """CPU time and memory over four numbers of different questions."""
    rows = []
    for n in (32, 64, 128, 256):
        sentences = make_sentences(lm, n, seed=n)
        questions = sum(len(ids) - 2 for ids in lm.tokenizer(sentences)["input_ids"])
        tracemalloc.start()
        start = time.process_time()
        lm.pseudo_log_likelihood(sentences)
        seconds = time.process_time() - start
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        rows.append({"questions": float(questions), "CPU seconds": seconds, "tables (MB)": peak / 1e6})
        print(f"  {questions:6} questions: {seconds:6.1f} s, {1e3 * seconds / questions:.2f} ms each", end="")
        print(f", tables {peak / 1e6:.1f} MB ({1e3 * peak / 1e6 / questions:.1f} kB each)", flush=True)
    if path is not None:
        draw_growth(rows, path)


def draw_growth(rows: list[dict[str, float]], path: Path) -> None:
    import altair as alt

    data = alt.Data(values=rows)
    charts = [
        alt.Chart(data, width=260, height=180)
        .mark_line(point=True)
        .encode(x="questions:Q", y=alt.Y(column, type="quantitative"))
        for column in ("CPU seconds", "tables (MB)")
    ]
    alt.hconcat(*charts).save(str(path))


def compare_on_gpu(repeats: int, n: int = 3000, n_loop: int = 60) -> None:
    """All sentences at once against the loops, which are timed on other sentences in each repeat."""
    base = bert_base("cuda")
    sentences = make_sentences(base, n)
    lengths = [len(ids) for ids in base.tokenizer(sentences)["input_ids"]]
    encoder = sum(weights.numel() for weights in base.model.bert.encoder.parameters())
    flop = 2 * encoder * sum((length - 2) * length for length in lengths)
    reference_loop(base, sentences[:20])  # warm-up
    for precision, dtype in (("float32", torch.float32), ("tf32", torch.float32), ("bf16", torch.bfloat16)):
        model = bert_base("cuda").model.to(dtype)
        lm = MaskedLM(model, base.tokenizer, name="BERT-base shape", tf32=precision == "tf32")
        lm.pseudo_log_likelihood(sentences[:500])  # warm-up
        ratios: dict[str, list[float]] = {"a": [], "b": []}
        ours = []
        for repeat in range(repeats):
            some = sentences[repeat * n_loop : (repeat + 1) * n_loop]
            seconds = timing.interleaved(
                {
                    "a": partial(reference_loop, base, some),
                    "b": partial(sentence_per_batch, base, some),
                    "ours": partial(lm.pseudo_log_likelihood, sentences),
                },
                repeats=1,
            )
            ours += seconds["ours"]
            for baseline, found in ratios.items():
                found.append((seconds[baseline][0] / n_loop) / (seconds["ours"][0] / n))
        error = np.abs(
            lm.pseudo_log_likelihood(sentences[:n_loop]) - reference_loop(base, sentences[:n_loop])
        ).max()
        rate, peak = flop / statistics.median(ours) / 1e12, peak_rate(dtype, precision == "tf32")
        print(
            f"BERT-base shape, {n} sentences, {torch.cuda.get_device_name()}, {precision}, baselines in float32"
        )
        for baseline, text in (("a", "one forward per mask"), ("b", "one sentence per batch")):
            found = ratios[baseline]
            print(f"  against ({baseline}) {text}: {statistics.median(found):.0f}x", end=" ")
            print(f"(range {min(found):.0f} to {max(found):.0f}; loop timed on {n_loop} sentences a repeat)")
        print(f"  {rate:.0f} TFLOP/s, {100 * rate / peak:.0f} % of the matrix-product peak of {peak:.0f}")
        print(f"  largest difference to (a) in a sentence: {error:.1e}", flush=True)


def peak_rate(dtype: torch.dtype, tf32: bool, n: int = 8192, times: int = 10) -> float:
    """TFLOP/s of a large matrix product."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high" if tf32 else "highest")
    a, b = (torch.randn(n, n, device="cuda", dtype=dtype) for _ in range(2))
    for _ in range(3):
        a @ b
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(times):
        a @ b
    torch.cuda.synchronize()
    torch.set_float32_matmul_precision(before)
    return times * 2 * n**3 / (time.perf_counter() - start) / 1e12


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--chart", type=Path, help="write the chart of growth here (.svg)")
    options = parser.parse_args()
    if options.device == "cuda":
        compare_on_gpu(options.repeats)
        return
    base, builtin = bert_base("cpu"), cp.load(device="cpu")
    compare(base, make_sentences(base, 6), options.repeats)
    compare(builtin, make_sentences(builtin, 24), options.repeats)
    memory_of_a_long_sentence()
    print("growth with the number of different questions, built-in model")
    growth(builtin, options.chart)
    compare_becpro(builtin, options.repeats)


if __name__ == "__main__":
    main()
