"""`report.html` and `summary.json` of corpora: who is in them, which words stand near whom, and what differs."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from counterpoise.core.files import write_aside, write_json, write_text
from counterpoise.core.numbers import interval_text, number_text, p_text
from counterpoise.corpus.counting.compare import CorpusComparison
from counterpoise.corpus.counting.rows import SCORE
from counterpoise.data.thirdparty.jigsaw import jigsaw_thesis
from counterpoise.measures.base.result import Result
from counterpoise.report.charts import Figure, forest, word_bars
from counterpoise.report.charts.style import GENDER_COLOURS
from counterpoise.report.learned_page import learned_claims, learned_document, learned_part
from counterpoise.report.page import render_page
from counterpoise.report.wording import ALPHA, Claim, Kind

if TYPE_CHECKING:
    from counterpoise.corpus.learning.learned_bias import LearnedBias

SCHEMA = 1
_FOREST = ["panel", "label", "value", "ci_low", "ci_high", "ideal"]
_EXTREMES = 15  # words at either end of a chart
_MOST_WORDS = 100  # of a table, at either end
_SHORTEST = 3  # letters of a word that a chart shows: s and t are left over from she's and don't


def write_corpus_page(
    comparison: CorpusComparison | None, folder: Path, learned: LearnedBias | None = None
) -> Path:
    """Writes the page, its numbers, and the words of each corpus into a folder; returns the page.

    `comparison` is what was counted and `learned` what a model learned; one of the two may be missing.
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
    write_text(page, render_corpora(comparison, learned))
    return page


def _write_table(path: Path, table: pd.DataFrame) -> None:
    with write_aside(path) as aside:
        table.to_parquet(aside, index=False)


def corpus_document(
    comparison: CorpusComparison | None, learned: LearnedBias | None = None
) -> dict[str, Any]:
    """What summary.json holds."""
    document: dict[str, Any] = {"schema": SCHEMA}
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


def corpus_claims(comparison: CorpusComparison) -> list[Claim]:
    """The findings in sentences: each corpus, then each difference."""
    claims = [claim for name, result in comparison.results.items() for claim in _claims_of(name, result)]
    for row in comparison.differences.to_dict("records"):
        both, statistic = f"{row['first']} and {row['second']}", row["statistic"]
        if row["note"]:
            claims.append(Claim("compared", "unsure", f"{both}, {statistic}: {row['note']}."))
            continue
        kind: Kind = "difference" if row["p_adjusted"] < ALPHA else "none"
        verb = "differ in" if kind == "difference" else "were not found to differ in"
        numbers = f"{number_text(row['difference'])} {interval_text(row['ci_low'], row['ci_high'])}"
        text = f"{both} {verb} the {statistic}: {numbers}, p {p_text(row['p_adjusted'])}."
        claims.append(Claim("compared", kind, text))
    return claims


def _claims_of(name: str, result: Result) -> list[Claim]:
    claims = []
    rows = result.summary.to_dict("records")
    for row in (row for row in rows if row["statistic"] == SCORE):
        kind: Kind = "bias" if row["p_value"] < ALPHA else "none"
        numbers = f"{number_text(row['value'])} {interval_text(row['ci_low'], row['ci_high'])}"
        numbers += f", p {p_text(row['p_value'])}, {row['n']} professions"
        if kind == "none":
            numbers += f"; {number_text(row['smallest_detectable'])} could have been seen"
        claims.append(Claim(name, kind, f"{name}, {SCORE}: {numbers}."))
    for row in (row for row in rows if row["group"] == "pronouns" and row["n"]):
        kind = "words" if row["p_value"] < ALPHA else "none"
        numbers = f"{row['value']:.1f} % [{row['ci_low']:.1f}, {row['ci_high']:.1f}]"
        claims.append(Claim(name, kind, f"{name}: {numbers} of {row['n']:,} gendered pronouns are male."))
    return claims


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
    shown = table[table.word.str.len() >= _SHORTEST]
    if len(shown) > 2 * _EXTREMES:
        shown = pd.concat([shown.head(_EXTREMES), shown.tail(_EXTREMES)])
    bars = shown.assign(value=shown[value])[["word", "value", "ci_low", "ci_high"]]
    caption = (
        "The words of which this is surest, at either end; lines are 95 % intervals of each word by itself."
    )
    if by_gender:
        caption = f"{caption} {GENDER_COLOURS}"
    return Figure(name, title, partial(word_bars, bars, axis, by_gender=by_gender), caption)


def render_corpora(comparison: CorpusComparison | None, learned: LearnedBias | None = None) -> str:
    """The page. Text from corpora is escaped."""
    outcome = comparison or learned
    names = list(outcome.results if outcome is not None else ())
    thesis = jigsaw_thesis() if any(name.startswith("jigsaw:") for name in names) else pd.DataFrame()
    methods = [
        method
        for method, outcome in (("by counts", comparison), ("by what a model learns", learned))
        if outcome is not None
    ]
    claims = corpus_claims(comparison) if comparison is not None else []
    return render_page(
        "corpus.html",
        names=names,
        ways=" and ".join(methods),
        claims=claims + (learned_claims(learned) if learned is not None else []),
        **_counted_parts(comparison),
        thesis=list(thesis.itertuples()),
        part=learned_part(learned),
    )


def _counted_parts(comparison: CorpusComparison | None) -> dict[str, Any]:
    """What the template shows of the counts; nothing if nothing was counted."""
    if comparison is None:
        return {"figures": [], "sections": [], "differences": [], "pairs": [], "sample_words": {}}
    return {
        "figures": corpus_figures(comparison),
        "sections": [
            _section(name, result, comparison.totals[name]) for name, result in comparison.results.items()
        ],
        "differences": list(comparison.differences.itertuples()),
        "pairs": _pairs(comparison),
        "sample_words": comparison.sample_words,
    }


def _section(name: str, result: Result, totals: dict[str, int]) -> dict[str, Any]:
    items = result.items
    professions = items[items.profession]
    figures = [
        words_figure(
            f"words-{name}", items, "log_odds", "Words near men and near women", "log odds, male - female"
        )
    ]
    if len(professions):
        title = "Professions near men and near women"
        figures.append(
            words_figure(f"professions-{name}", professions, "log_odds", title, "log odds, male - female")
        )
    summary = result.summary
    return {
        "name": name,
        "result": result,
        "totals": totals,
        "figures": figures,
        "main": list(summary[summary.level != "word"].itertuples()),
        "professions": list(summary[summary.level == "word"].sort_values("value").itertuples()),
        "words": list(_ends(items).itertuples()),
        "n_words": len(items),
        "n_skipped": len(result.skipped),
    }


def _pairs(comparison: CorpusComparison) -> list[dict[str, Any]]:
    if comparison.words.empty:
        return []
    pairs = []
    for (first, second), table in comparison.words.groupby(["first", "second"], sort=False):
        title = f"Words that carry the difference: {first} and {second}"
        axis = f"log odds in {first} - in {second}"
        pairs.append(
            {
                "first": first,
                "second": second,
                "figure": words_figure(
                    f"difference-{first}-{second}", table, "difference", title, axis, by_gender=False
                ),
                "words": list(_ends(table).itertuples()),
                "n_words": len(table),
                "n_sure": int((table.p_adjusted < ALPHA).sum()),
            }
        )
    return pairs


def _ends(table: pd.DataFrame) -> pd.DataFrame:
    if len(table) <= 2 * _MOST_WORDS:
        return table
    return pd.concat([table.head(_MOST_WORDS), table.tail(_MOST_WORDS)])
