"""What `counterpoise corpus` shows in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from counterpoise.core.numbers import interval_text, number_text, p_text
from counterpoise.corpus.counting.compare import CorpusComparison
from counterpoise.report.terminal import print_table

if TYPE_CHECKING:
    from counterpoise.corpus.learning.learned_bias import LearnedBias

_WORDS = 8  # at either end


def print_corpora(comparison: CorpusComparison) -> None:
    """The numbers of each corpus, the words nearest to men and to women, and what differs."""
    for name, result in comparison.results.items():
        totals = comparison.totals[name]
        rows = result.summary[(result.summary.level != "word") & (result.summary.group != "GenBit")]
        title = f"\n{name}: {totals['documents']:,} documents, {totals['words']:,} words"
        _print_rows(rows, title, last=("ideal", "ideal_text"))
        shown = result.items[result.items.word.str.len() > 2]
        ends = [
            ("men", shown[shown.z > 0].head(_WORDS)),
            ("women", shown[shown.z < 0].tail(_WORDS).iloc[::-1]),
        ]
        for whom, words in ends:
            listed = ", ".join(
                f"{word} {odds:+.2f}" for word, odds in zip(words.word, words.log_odds, strict=True)
            )
            print(f"nearest to {whom} (log odds): {listed}")
        if len(result.skipped):
            print(f"{len(result.skipped)} professions are too rare to be asked about")
        for warning in result.warnings:
            print(f"warning: {warning}")
    if len(comparison.differences):
        sizes = ", ".join(f"{n:,} words ({name})" for name, n in comparison.sample_words.items())
        _print_differences(comparison.differences, f"\ncompared in samples of {sizes}")
    print("\nlog odds are male - female; intervals and tests rest on documents")


def print_learned_bias(learned: LearnedBias) -> None:
    """What a model learned from each corpus beyond the control, what differs, and the older methods."""
    for name, result in learned.results.items():
        _print_rows(
            result.summary, f"\n{name}: what {result.model} learned from {learned.sentences:,} sentences"
        )
        for warning in result.warnings:
            print(f"warning: {warning}")
        for baseline in learned.baselines.get(name, []):
            _print_rows(baseline.summary, f"\n{name}, for comparison: {baseline.measure}")
            if len(baseline.skipped):
                print(
                    f"{len(baseline.skipped)} words of {baseline.measure} are not in the text (see the page)"
                )
    if len(learned.differences):
        _print_differences(learned.differences, "\nwhat was learned, compared")
    print(f"\ncontrol: {learned.control}; intervals and tests are over seeds and items")


def _print_rows(rows: pd.DataFrame, title: str, last: tuple[str, str] = ("note", "note")) -> None:
    """Rows of a summary as a table; `last` is the heading of its last column, and the column that it shows."""
    heading, column = last
    print_table(
        ["group", "statistic", "value", "95 % interval", "p (Holm)", "effect", "could see", "n", heading],
        [
            [
                row["group"],
                row["statistic"],
                number_text(row["value"]),
                interval_text(row["ci_low"], row["ci_high"]) or (row["note"] if column != "note" else ""),
                p_text(row["p_adjusted"]),
                number_text(row["effect_size"]),
                number_text(row["smallest_detectable"]),
                f"{row['n']:,}",
                row[column],
            ]
            for row in rows.to_dict("records")
        ],
        title=title,
    )


def _print_differences(differences: pd.DataFrame, title: str) -> None:
    print_table(
        ["first", "second", "statistic", "first", "second", "difference", "95 % interval", "p (Holm)"],
        [
            [
                row["first"],
                row["second"],
                row["statistic"],
                number_text(row["value_first"]),
                number_text(row["value_second"]),
                number_text(row["difference"]),
                interval_text(row["ci_low"], row["ci_high"]) or row["note"],
                p_text(row["p_adjusted"]),
            ]
            for row in differences.to_dict("records")
        ],
        title=title,
    )
