"""What `counterpoise corpus` shows in the terminal."""

from __future__ import annotations

from pathlib import Path

from counterpoise.measures.corpus_compare import CorpusComparison
from counterpoise.report.numbers import interval_text, number_text, p_text
from counterpoise.report.terminal import print_table

_WORDS = 8  # at either end


def print_corpora(found: CorpusComparison, page: Path) -> None:
    """The numbers of each corpus, the words nearest to men and to women, what differs, and where the page lies."""
    for name, result in found.results.items():
        totals = found.totals[name]
        rows = result.summary[(result.summary.level != "word") & (result.summary.group != "GenBit")]
        print_table(
            ["group", "statistic", "value", "95 % interval", "p (Holm)", "effect", "could see", "n", "ideal"],
            [
                [
                    row["group"],
                    row["statistic"],
                    number_text(row["value"]),
                    interval_text(row["ci_low"], row["ci_high"]) or row["note"],
                    p_text(row["p_adjusted"]),
                    number_text(row["effect_size"]),
                    number_text(row["smallest_detectable"]),
                    f"{row['n']:,}",
                    row["ideal_text"],
                ]
                for row in rows.to_dict("records")
            ],
            title=f"\n{name}: {totals['documents']:,} documents, {totals['words']:,} words",
        )
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
    if len(found.differences):
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
                for row in found.differences.to_dict("records")
            ],
            title="\ncompared in samples of "
            + ", ".join(f"{n:,} words ({name})" for name, n in found.sample_words.items()),
        )
    print("\nlog odds are male - female; intervals and tests rest on documents\n")
    print(f"page    {page}\nnumbers {page.with_name('summary.json')}")
