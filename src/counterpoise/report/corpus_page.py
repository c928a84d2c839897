"""`report.html` and `summary.json` of corpora: who is in them, which words stand near whom, and what differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from counterpoise.core.files import write_aside, write_json, write_text
from counterpoise.core.plurals import count_text
from counterpoise.core.printable import printable
from counterpoise.corpus.counting.compare import CorpusComparison
from counterpoise.corpus.counting.listing import differing_words
from counterpoise.corpus.quotes import Quotes
from counterpoise.data.thirdparty.jigsaw import jigsaw_thesis
from counterpoise.measures.base.result import Result
from counterpoise.report.charts import Figure, forest, word_bars
from counterpoise.report.charts.style import GENDER_COLOURS
from counterpoise.report.corpus_wording import (
    CorpusFinding,
    corpus_findings,
    difference_findings,
    words_near,
    words_text,
)
from counterpoise.report.learned_page import learned_document, learned_findings, learned_part
from counterpoise.report.page import render_page

if TYPE_CHECKING:
    from counterpoise.corpus.learning.learned_bias import LearnedBias

SCHEMA = 1
_FOREST = ["panel", "label", "value", "ci_low", "ci_high", "ideal"]
_EXTREMES = 15  # words at either end of a chart
_MOST_WORDS = 100  # of a table, at either end
_NAMED_WORDS = 5  # in a sentence, of either gender
# How the explorer and pages colour a verdict: the classes of style.css.
_CLASSES = {
    "bias": "bias",
    "uneven": "bias",
    "differs": "difference",
    "negligible": "none",
    "even": "none",
    "alike": "none",
    "unclear": "unsure",
}

QuotesByCorpus = Mapping[str, Sequence[Quotes]]


def write_corpus_page(
    comparison: CorpusComparison | None,
    folder: Path,
    learned: LearnedBias | None = None,
    quotes: QuotesByCorpus | None = None,
) -> Path:
    """Writes the page, its numbers, and the words of each corpus into a folder; returns the page.

    `comparison` is what was counted and `learned` what a model learned; one of the two may be missing. `quotes` are
    lines of the corpora, which only the page shows.
    """
    write_json(folder / "summary.json", corpus_document(comparison, learned))
    if comparison is not None:
        tables = [result.items.assign(corpus=name) for name, result in comparison.results.items()]
        _write_table(folder / "words.parquet", pd.concat(tables, ignore_index=True))
        if len(comparison.words):
            _write_table(folder / "differences.parquet", comparison.words)
    if learned is not None:
        tables = [result.items.assign(corpus=name) for name, result in learned.results.items()]
        _write_table(folder / "learnt.parquet", pd.concat(tables, ignore_index=True))
    page = folder / "report.html"
    write_text(page, render_corpora(comparison, learned, quotes))
    return page


def _write_table(path: Path, table: pd.DataFrame) -> None:
    with write_aside(path) as aside:
        table.to_parquet(aside, index=False)


def corpus_document(
    comparison: CorpusComparison | None, learned: LearnedBias | None = None
) -> dict[str, Any]:
    """What summary.json holds."""
    findings = [
        {
            "corpus": finding.corpus,
            "verdict": finding.verdict,
            "fact": finding.fact,
            "explanation": finding.explanation,
        }
        for finding in all_findings(comparison, learned)
    ]
    document: dict[str, Any] = {"schema": SCHEMA, "findings": findings}
    if comparison is not None:
        document |= {
            "corpora": [
                {"name": name, "totals": comparison.totals[name], "warnings": list(result.warnings)}
                for name, result in comparison.results.items()
            ],
            "results": [
                row for result in comparison.results.values() for row in result.summary.to_dict("records")
            ],
            "sample_words": comparison.sample_words,
            "differences": comparison.differences.to_dict("records"),
        }
    return document if learned is None else document | {"learnt": learned_document(learned)}


def all_findings(
    comparison: CorpusComparison | None, learned: LearnedBias | None = None
) -> list[CorpusFinding]:
    """The findings in sentences: the leading fact of each corpus, the others, and what differs."""
    findings = []
    if comparison is not None:
        of_each = [
            corpus_findings(name, result, comparison.totals[name])
            for name, result in comparison.results.items()
        ]
        findings += [finding for of_corpus in of_each for finding in of_corpus]
        findings += difference_findings(comparison)
    return findings + (learned_findings(learned) if learned is not None else [])


def corpus_figures(comparison: CorpusComparison) -> list[Figure]:
    """The charts that all corpora share."""
    tables = []
    for name, result in comparison.results.items():
        rows = result.summary[(result.summary.level != "word") & (result.summary.group != "GenBit")]
        rows = rows[rows.value.notna()]
        tables.append(rows.assign(panel=rows.statistic, label=name)[_FOREST])
    rows = pd.concat(tables, ignore_index=True)
    return [
        Figure("corpora", "Who is in the text, and how far professions are from even", partial(forest, rows))
    ]


def words_figure(
    name: str, table: pd.DataFrame, value: str, title: str, axis: str, *, by_gender: bool = True
) -> Figure:
    """Bars of the words at either end, by how sure it is that they differ."""
    shown = table
    if len(shown) > 2 * _EXTREMES:
        shown = pd.concat([shown.head(_EXTREMES), shown.tail(_EXTREMES)])
    bars = shown.assign(value=shown[value])[["word", "value", "ci_low", "ci_high"]]
    caption = "Lines are 95 % intervals of each word by itself."
    if by_gender:
        caption = f"{caption} {GENDER_COLOURS}"
    return Figure(name, title, partial(word_bars, bars, axis, by_gender=by_gender), caption)


def render_corpora(
    comparison: CorpusComparison | None,
    learned: LearnedBias | None = None,
    quotes: QuotesByCorpus | None = None,
) -> str:
    """The page. Text from corpora is escaped."""
    outcome = comparison or learned
    names = list(outcome.results if outcome is not None else ())
    thesis = jigsaw_thesis() if any(name.startswith("jigsaw:") for name in names) else pd.DataFrame()
    methods = [
        method
        for method, outcome in (("by counts", comparison), ("by what a model learns", learned))
        if outcome is not None
    ]
    findings = all_findings(comparison, learned)
    leads = list(
        {finding.corpus: finding for finding in reversed(findings) if finding.corpus in names}.values()
    )
    others = [finding for finding in findings if finding not in leads]
    return render_page(
        "corpus.html",
        names=names,
        ways=" and ".join(methods),
        leads=leads[::-1],
        findings=sorted(others, key=lambda finding: finding.corpus in names),  # what differs comes first
        classes=_CLASSES,
        counted=count_text,
        printable=printable,
        **_counted_parts(comparison, quotes or {}),
        thesis=list(thesis.itertuples()),
        part=learned_part(learned),
    )


def _counted_parts(comparison: CorpusComparison | None, quotes: QuotesByCorpus) -> dict[str, Any]:
    """What the template shows of the counts; nothing if nothing was counted."""
    if comparison is None:
        return {"figures": [], "sections": [], "differences": [], "pairs": [], "sample_words": {}}
    return {
        "figures": corpus_figures(comparison),
        "sections": [
            _section(name, result, comparison.totals[name], quotes.get(name, ()))
            for name, result in comparison.results.items()
        ],
        "differences": list(comparison.differences.itertuples()),
        "pairs": _pairs(comparison),
        "sample_words": comparison.sample_words,
    }


def _section(name: str, result: Result, totals: dict[str, int], quotes: Sequence[Quotes]) -> dict[str, Any]:
    items = result.items
    differing, professions = differing_words(items), items[items.profession]
    axis = "log odds, male - female"
    figures: dict[str, Figure | None] = {"words": None, "professions": None}
    if len(differing):
        title = "Words that stand nearer to men or to women"
        figures["words"] = words_figure(f"words-{name}", differing, "log_odds", title, axis)
    if len(professions):
        title = "Professions near men and near women"
        figures["professions"] = words_figure(f"professions-{name}", professions, "log_odds", title, axis)
    summary = result.summary
    return {
        "name": name,
        "result": result,
        "totals": totals,
        "figures": figures,
        "near": {gender: words_text(words) for gender, words in words_near(items, _NAMED_WORDS).items()},
        "quotes": quotes,
        "main": list(summary[summary.level != "word"].itertuples()),
        "professions": list(summary[summary.level == "word"].sort_values("value").itertuples()),
        "words": list(_ends(differing).itertuples()),
        "n_words": len(items),
        "n_differing": len(differing),
        "n_skipped": len(result.skipped),
    }


def _pairs(comparison: CorpusComparison) -> list[dict[str, Any]]:
    if comparison.words.empty:
        return []
    pairs = []
    for (first, second), table in comparison.words.groupby(["first", "second"], sort=False):
        differing = differing_words(table, "difference")
        title = f"Words that carry the difference: {first} and {second}"
        axis = f"log odds in {first} - in {second}"
        figure = (
            words_figure(
                f"difference-{first}-{second}", differing, "difference", title, axis, by_gender=False
            )
            if len(differing)
            else None
        )
        pairs.append(
            {
                "first": first,
                "second": second,
                "figure": figure,
                "words": list(_ends(differing).itertuples()),
                "n_words": len(table),
                "n_differing": len(differing),
            }
        )
    return pairs


def _ends(table: pd.DataFrame) -> pd.DataFrame:
    if len(table) <= 2 * _MOST_WORDS:
        return table
    return pd.concat([table.head(_MOST_WORDS), table.tail(_MOST_WORDS)])
