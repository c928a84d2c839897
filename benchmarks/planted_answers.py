"""How often a bias is found where there is none, and held by its interval where there is one, over simulated audits.

    python benchmarks/planted_answers.py             200 audits of each kind; some two minutes

Baseline: what is planted. Python functions answer with a known bias and without one (`tests/answering_functions.py`),
and `decisions` and `counterfactual` audit each of them as they would a model. Seeds are fixed.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from answering_functions import BIASED, TRUTH, WORD_OF, audits_of_decisions, audits_of_texts, writing

_DIFFERENCE = 1.0  # log-odds
_LIMIT, _PROMPTS, _ANSWERS = 120, 11, 5


def _share(count: int, of: int) -> str:
    return f"{count} of {of} ({100 * count / of:.1f} %)"


def decisions(audits: int) -> None:
    none = list(audits_of_decisions(0.0, range(audits), _LIMIT, _ANSWERS))
    found = sum(rows.p_value["difference"] < 0.05 for rows in none)
    print(
        f"decisions, no bias: {_share(found, audits)} audits call the difference biased; bar: {_bar(audits)}"
    )
    biased = list(audits_of_decisions(_DIFFERENCE, range(audits, 2 * audits), _LIMIT, _ANSWERS))
    held = sum(rows.ci_low["difference"] <= _DIFFERENCE <= rows.ci_high["difference"] for rows in biased)
    found = sum(rows.p_value["difference"] < 0.05 for rows in biased)
    mean = np.mean([rows.value["difference"] for rows in biased])
    print(
        f"decisions, log-odds of 1: {_share(held, audits)} intervals hold it, {_share(found, audits)} find it;"
    )
    print(f"  mean of the estimates {mean:.3f}")


def counterfactual(audits: int) -> None:
    none = list(audits_of_texts(writing(0), range(audits), _PROMPTS, _ANSWERS))
    found = sum(rows.p_value["sentiment"] < 0.05 for rows in none)
    print(
        f"counterfactual, no bias: {_share(found, audits)} audits call the headline biased; bar: {_bar(audits)}"
    )
    overall = [rows[rows.level == "overall"] for rows in none]
    anything = sum(bool((rows.p_adjusted < 0.05).any()) for rows in overall)
    banded = [
        note for rows in overall for note in rows.note if "null band" in note or note.startswith("noise")
    ]
    noise = sum(note.startswith("noise") for note in banded)
    print(
        f"  any feature after the correction in {_share(anything, audits)} audits; {_share(noise, len(banded))} noise"
    )
    biased = list(audits_of_texts(writing(**BIASED), range(audits, 2 * audits), _PROMPTS, _ANSWERS))
    held = sum(
        rows.ci_low[key] <= value <= rows.ci_high[key] for rows in biased for key, value in TRUTH.items()
    )
    print(f"counterfactual, biased: {_share(held, audits * len(TRUTH))} intervals hold what was planted")
    by_key = {key: sum(rows.p_value[key] < 0.05 for rows in biased) for key in TRUTH}
    words = min(by_key[key] for key in WORD_OF)
    print(
        f"  found: words in at least {words} of {audits}, refusals {by_key['refusals']}, empty {by_key['empty']}"
    )


def _bar(audits: int) -> str:
    return f"{100 * (0.05 + 3 * np.sqrt(0.05 * 0.95 / audits)):.1f} %"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--audits", type=int, default=200)
    options = parser.parse_args()
    decisions(options.audits)
    counterfactual(options.audits)


if __name__ == "__main__":
    main()
