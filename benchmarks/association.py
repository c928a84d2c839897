"""How fast is WEAT with its exact p, and how soon is a file of vectors open?

    python benchmarks/association.py [--repeats 5] [--gigabytes 1.0]

1. WEAT of 8 + 8 targets and 8 + 8 attributes of 300 numbers, all 12,870 splits, against a loop that works the cosines
   out again for every split, word by word as a peer does (WEFE 1.0) or all at once. The loops run a part of the splits,
   and their time is scaled up.
2. A text file of vectors of that size, made here and removed: the first opening, the second, and WEAT after it.
"""

from __future__ import annotations

import argparse
import itertools
import math
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from timing import interleaved, ratio

from counterpoise import stats
from stats import cosines_at_once, cosines_word_by_word

SPLITS = math.comb(16, 8)
ARRAYS = tuple(np.random.default_rng(0).normal(size=(4, 8, 300)))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--gigabytes", type=float, default=1.0)
    options = parser.parse_args()
    exact_p(options.repeats)
    opening(options.gigabytes)


def exact_p(repeats: int) -> None:
    word_by_word, at_once = SPLITS // 200, SPLITS // 10
    assert math.isclose(ours(), loop(SPLITS, cosines_at_once), rel_tol=1e-9)  # the same p, before any timing
    loop(word_by_word, cosines_word_by_word)
    seconds = interleaved(
        {
            "ours": ours,
            "word by word": lambda: loop(word_by_word, cosines_word_by_word),
            "at once": lambda: loop(at_once, cosines_at_once),
            "everything": everything,
        },
        repeats,
    )
    seconds["word by word"] = [one * SPLITS / word_by_word for one in seconds["word by word"]]
    seconds["at once"] = [one * SPLITS / at_once for one in seconds["at once"]]
    print(f"WEAT with exact p over {SPLITS:,} splits: {1000 * min(seconds['ours']):.1f} ms")
    print(f"  against cosines word by word for every split: {ratio(seconds, 'word by word', 'ours')}")
    print(f"  against cosines at once for every split:      {ratio(seconds, 'at once', 'ours')}")
    print(f"  with the interval of 10,000 draws as well: {1000 * min(seconds['everything']):.0f} ms")


def ours() -> float:
    x, y, a, b = ARRAYS
    s = stats.target_associations(np.concatenate([x, y]), a, b)
    return stats.permutation_test(s[:8], s[8:]).p_value


def everything() -> float:
    return stats.association_test(*ARRAYS).p_value


def loop(part: int, differ: Callable[..., float]) -> float:
    x, y, a, b = ARRAYS
    words, extreme = np.concatenate([x, y]), 0
    observed = abs(differ(x, y, a, b))
    for chosen in itertools.islice(itertools.combinations(range(16), 8), part):
        in_x = np.zeros(16, dtype=bool)
        in_x[list(chosen)] = True
        extreme += abs(differ(words[in_x], words[~in_x], a, b)) >= observed - 1e-12
    return extreme / part


def opening(gigabytes: float) -> None:
    from counterpoise.data import weat as tests
    from counterpoise.measures import weat
    from counterpoise.models.vectors import WordVectors

    with tempfile.TemporaryDirectory() as folder:
        os.environ["COUNTERPOISE_CACHE"] = str(Path(folder) / "cache")
        path = Path(folder) / "vectors.txt"
        stimuli = {word.lower() for test in tests().tests for one in test.sets for word in one.words}
        words = write_vectors(path, sorted(stimuli), gigabytes)
        start = time.perf_counter()
        WordVectors.open(path)
        first = time.perf_counter() - start
        start = time.perf_counter()
        vectors = WordVectors.open(path)
        second = time.perf_counter() - start
        weat(vectors)
        total = time.perf_counter() - start
        size = path.stat().st_size / 1e9
    print(f"a text file of {size:.2f} GB, {words:,} words of 300 numbers")
    print(f"  first opening, which keeps it as an array: {first:.1f} s ({1000 * size / first:.0f} MB/s)")
    print(f"  second opening: {second:.2f} s; opening and the ten tests of WEAT: {total:.2f} s")


def write_vectors(path: Path, stimuli: list[str], gigabytes: float) -> int:
    """Random numbers with five decimals, as GloVe has them; a block of lines is written again under other words."""
    rng = np.random.default_rng(0)
    lines = [" ".join(f"{v:.5f}" for v in row) for row in rng.normal(0, 0.4, (2000, 300))]
    count = 0
    with path.open("w") as file:
        while count < len(stimuli) or file.tell() < gigabytes * 1e9:
            for line in lines:
                file.write(f"{stimuli[count] if count < len(stimuli) else f'word{count}'} {line}\n")
                count += 1
    return count


if __name__ == "__main__":
    main()
