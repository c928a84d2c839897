"""Megabytes per second of counting a corpus, against a plain Python loop over sentences; memory over a large file.

    COUNTERPOISE_DATA=... python benchmarks/corpus.py [--stream-mb 1024]

One core, the same reviews as plain text, repeats interleaved; processor time, the median and the range. The baseline
does the same work the plain way: it cuts each document into sentences and words, looks up which words are gendered,
and counts every other word near men and near women with a Counter, without blocks, phrases, names or a bound on
memory. `--stream-mb` also counts a file of that size and a tenth of it, and prints the rate and the peak of memory.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from counterpoise.corpus.counting.counter import CorpusCounter
from counterpoise.corpus.counting.words import CorpusWords
from counterpoise.data.corpus import Corpus

WORD = re.compile(r"[^\W_]+")
END = re.compile(r"[.!?](?!\w)")
WORDS = CorpusWords.of("all")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--megabytes", type=int, default=16)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--stream-mb", type=int, default=0)
    options = parser.parse_args()
    table = pd.read_csv(Path(os.environ["COUNTERPOISE_DATA"]) / "imdb/imdb_50k_labelled.csv.xz")
    lines = [review.replace("\n", " ") + "\n" for review in table.review]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "reviews.txt"
        size = write(path, lines, options.megabytes)
        ways: dict[str, Callable[[Path], object]] = {"counterpoise": counterpoise, "plain loop": plain_loop}
        rates: dict[str, list[float]] = {name: [] for name in ways}
        for repeat in range(options.repeats + 1):
            for name, work in ways.items():
                began = time.process_time()
                work(path)
                if repeat:  # the first warms up
                    rates[name].append(size / 1e6 / (time.process_time() - began))
        for name, measured in rates.items():
            print(
                f"{name}: {statistics.median(measured):.1f} MB/s "
                f"({min(measured):.1f} to {max(measured):.1f}, n={len(measured)})"
            )
        ratio = statistics.median(rates["counterpoise"]) / statistics.median(rates["plain loop"])
        print(f"counterpoise : plain loop = {ratio:.2f}")
        for megabytes in (options.stream_mb // 10, options.stream_mb) if options.stream_mb else ():
            stream(path, lines, megabytes)


def write(path: Path, lines: list[str], megabytes: int) -> int:
    """Reviews over and over, until there are so many megabytes; every round is told apart by words of its own."""
    with path.open("wb") as file:
        number = 0
        while file.tell() < megabytes * 1_000_000:
            file.write(lines[number % len(lines)].encode())
            file.write(f"x{number} ".encode() if number >= len(lines) else b"")
            number += 1
        return file.tell()


def counterpoise(path: Path) -> object:
    counting = CorpusCounter(WORDS)
    for block in Corpus.of(path).blocks():
        counting.add(block)
    return counting.finish(path.name)


def plain_loop(path: Path) -> object:
    near: dict[str, Counter[str]] = {"male": Counter(), "female": Counter()}
    with path.open(encoding="utf-8") as file:
        for line in file:
            for sentence in END.split(line.lower()):
                words = WORD.findall(sentence)
                male = any(word in WORDS.male for word in words)
                female = any(word in WORDS.female for word in words)
                if male != female:
                    near["male" if male else "female"].update(words)
    return near


# The peak is VmHWM: ru_maxrss would count what the benchmark itself held when it started the command.
COMMAND = """
import re, sys, time
from counterpoise.data.corpus import Corpus
from counterpoise.corpus.counting.count_files import CountSettings, count_corpora
began = time.process_time()
[counts] = count_corpora([Corpus.of(sys.argv[1])], CountSettings())
peak = int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024
print(time.process_time() - began, peak, counts.block_totals["words"])
"""


def stream(path: Path, lines: list[str], megabytes: int) -> None:
    """The rate and the peak of memory over a large file, hashing of the file and all (Linux)."""
    size = write(path, lines, megabytes)
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, str(path)], check=True, capture_output=True, text=True
    )
    seconds, peak, words = (float(number) for number in done.stdout.split())
    rate = size / 1e6 / seconds
    print(
        f"stream of {size / 1e6:,.0f} MB: {rate:.1f} MB/s, {words:,.0f} words, peak {peak:.0f} MB of memory"
    )


if __name__ == "__main__":
    main()
