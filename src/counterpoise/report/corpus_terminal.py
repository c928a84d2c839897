"""What `counterpoise corpus` shows in the terminal: the fact first, in words; tables of all numbers last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd
from rich.markup import escape

from counterpoise.core.numbers import estimate_parts, number_text, p_text
from counterpoise.core.plurals import count_text
from counterpoise.core.printable import printable
from counterpoise.corpus.counting.compare import CorpusComparison
from counterpoise.corpus.counting.listing import differing_words
from counterpoise.measures.base.result import Result
from counterpoise.report.corpus_wording import (
    CorpusFinding,
    corpus_findings,
    difference_findings,
    words_near,
    words_text,
)
from counterpoise.report.learned_page import learned_findings
from counterpoise.report.terminal_table import print_table

if TYPE_CHECKING:
    from counterpoise.corpus.learning.learned_bias import LearnedBias

_WORDS = 8  # at either end
NOT_LISTED = "Function words and first names are counted, but not listed."


def print_corpora(comparison: CorpusComparison) -> None:
    """What was found in each corpus, the words near men and near women, what differs, and all numbers."""
    for name, result in comparison.results.items():
        _print_corpus(name, result, comparison.totals[name])
    if len(comparison.differences):
        print("\nCompared")
        _print_findings(difference_findings(comparison))
        for (first, second), words in comparison.words.groupby(["first", "second"], sort=False):
            _print_differing_words(str(first), str(second), words)
    for name, result in comparison.results.items():
        rows = result.summary[(result.summary.level != "word") & (result.summary.group != "GenBit")]
        _print_rows(rows, f"{name}, all numbers", last=("ideal", "ideal_text"))
    if len(comparison.differences):
        sizes = ", ".join(f"{count_text(n, 'word')} ({name})" for name, n in comparison.sample_words.items())
        _print_differences(comparison.differences, f"compared in samples of {sizes}")
    print("\nLog odds are male - female. Intervals and tests rest on documents.")


def _print_corpus(name: str, result: Result, totals: dict[str, int]) -> None:
    size = f"{count_text(totals['documents'], 'document')}, {count_text(totals['words'], 'word')}"
    print(f"\n{printable(name)}: {size}\n")
    lead, *others = corpus_findings(name, result, totals)
    print(f"{lead.fact}\n{lead.explanation}".rstrip() + "\n")
    _print_findings(others)
    near = words_near(result.items)
    listed = sum(map(len, near.values()))
    if not listed:
        print("No word stands nearer to one gender than to the other by more than chance explains.")
    else:
        print(f"{count_text(listed, 'word')} of {len(result.items):,} stand nearer to one gender:")
        for gender, words in near.items():
            if len(words):
                print(f"  near {gender}: {words_text(words.head(_WORDS))}")
    print(NOT_LISTED)
    if len(result.skipped):
        verb = "is" if len(result.skipped) == 1 else "are"
        print(f"{count_text(len(result.skipped), 'profession')} {verb} too rare to be asked about.")
    for warning in result.warnings:
        print(f"warning: {printable(warning)}")


def _print_findings(findings: list[CorpusFinding]) -> None:
    for finding in findings:
        print(f"- {finding.label}: {printable(finding.text)}")


def _print_differing_words(first: str, second: str, words: pd.DataFrame) -> None:
    differing = differing_words(words, "difference")
    first, second = printable(first), printable(second)
    if differing.empty:
        print(
            f"No word differs between {first} and {second} in how near to men or women it stands. {NOT_LISTED}"
        )
        return
    ends = {
        first: differing[differing.difference > 0],
        second: differing[differing.difference < 0].iloc[::-1],
    }
    for name, nearer in ends.items():
        if len(nearer):
            print(f"Nearer to men in {name}: {words_text(nearer.head(_WORDS), 'difference')}")
    print(NOT_LISTED)


def print_learned_bias(learned: LearnedBias) -> None:
    """What a model learned from each corpus beyond the control, what differs, and the older methods."""
    sentences = count_text(learned.sentences, "sentence")
    print(f"\nWhat a model learns from {sentences} of each")
    _print_findings(learned_findings(learned))
    for name, result in learned.results.items():
        _print_rows(result.summary, f"{name}: what {result.model} learned from {sentences}")
        for warning in result.warnings:
            print(f"warning: {printable(warning)}")
        for baseline in learned.baselines.get(name, []):
            _print_rows(baseline.summary, f"{name}, for comparison: {baseline.measure}")
            if lost := len(baseline.skipped):
                verb = "is" if lost == 1 else "are"
                print(
                    f"{count_text(lost, 'word')} of {baseline.measure} {verb} not in the text (see the page)"
                )
    if len(learned.differences):
        _print_differences(learned.differences, "what was learned, compared")
    print(f"\nControl: {printable(learned.control)}. Intervals and tests are over seeds and items.")


def _print_rows(rows: pd.DataFrame, title: str, last: tuple[str, str] = ("note", "note")) -> None:
    """Rows of a summary as a table; `last` is the heading of its last column, and the column that it shows."""
    heading, column = last
    print_table(
        [
            "group",
            "statistic",
            "value",
            "95 % interval",
            "p (Holm)",
            "effect",
            "min. detectable",
            "n",
            heading,
        ],
        [
            [
                row["group"],
                row["statistic"],
                *_estimate(row, "value", row["note"] if column != "note" else ""),
                p_text(row["p_adjusted"]),
                number_text(row["effect_size"]),
                number_text(row["smallest_detectable"]),
                f"{row['n']:,}",
                row[column],
            ]
            for row in rows.to_dict("records")
        ],
        title=f"\n{escape(printable(title))}",
    )


def _estimate(row: Mapping[Any, Any], value: str, note: str) -> tuple[str, str]:
    """The number in a column and its interval, or the note where there is none."""
    number, interval = estimate_parts(row[value], row["ci_low"], row["ci_high"])
    return number, interval or note


def _print_differences(differences: pd.DataFrame, title: str) -> None:
    print_table(
        ["first", "second", "statistic", "first", "second", "difference", "95 % interval", "p (Holm)"],
        [
            [
                printable(row["first"]),
                printable(row["second"]),
                row["statistic"],
                number_text(row["value_first"]),
                number_text(row["value_second"]),
                *_estimate(row, "difference", row["note"]),
                p_text(row["p_adjusted"]),
            ]
            for row in differences.to_dict("records")
        ],
        title=f"\n{escape(printable(title))}",
    )
