"""The view of each kind of result (see `counterpoise.core.shown`).

Results are told apart by the names of their classes, so that showing an audit does not import what trains models.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from counterpoise.audit.record import AuditRecord
from counterpoise.report.charts.draw import Figure
from counterpoise.report.page import KINDS
from counterpoise.report.view import Verdict, View
from counterpoise.report.wording import Claim, claims, headline, measure_question, measure_title

if TYPE_CHECKING:
    from counterpoise.audit.auditing import Audit
    from counterpoise.audit.compare import Comparison
    from counterpoise.audit.run import Run
    from counterpoise.corpus.counting.compare import CorpusComparison
    from counterpoise.corpus.counting.gender_counts import CorpusResult
    from counterpoise.corpus.learning.learned_bias import LearnedBias
    from counterpoise.measures.base.result import Result
    from counterpoise.mitigate.evaluation.proof import Proof
    from counterpoise.mitigate.finetune.debiasing import Debiased
    from counterpoise.studies.audits.results import BiasCurve, ModelAudits


def view_of(shown: Any) -> View:
    """The view of a result of any kind."""
    for name in (base.__name__ for base in type(shown).__mro__):
        if name in _VIEWS:
            return _VIEWS[name](shown)
    raise TypeError(f"{type(shown).__name__} has no view")


def _audit(audit: Audit) -> View:
    home = audit.run.folder / "report.html" if audit.run else None
    return _of_results(audit.record, list(audit.results.values()), home)


def _run(run: Run) -> View:
    from counterpoise.audit.reading import finished_results

    return _of_results(run, finished_results(run), run.folder / "report.html")


def _of_results(record: AuditRecord, results: list[Result], home: Path | None) -> View:
    from counterpoise.report.answer import answer
    from counterpoise.report.charts.choose import charts_of
    from counterpoise.report.charts.overview import overview
    from counterpoise.report.html import figures, render_results
    from counterpoise.report.latex import render_latex

    return View(
        title=f"Is {record.manifest['options']['model']} fair to women and men?",
        lead=" ".join(answer(results)),
        verdicts=lambda: _verdicts(headline(results)),
        table=lambda: _headlines(results),
        main_figures=lambda: overview(results) or charts_of(results[0]),
        figures=lambda: figures(results),
        page=lambda: render_results(record, results),
        latex=lambda: render_latex(record, results),
        home=home,
    )


def _result(result: Result) -> View:
    from counterpoise.report.charts.choose import charts_of
    from counterpoise.report.html import render_results
    from counterpoise.report.latex import render_latex
    from counterpoise.report.markdown import COLUMNS, row_texts

    rows = result.summary[result.summary.level != "word"]
    return View(
        title=f"{measure_title(result.measure)}: {result.model} on {result.dataset}",
        lead=measure_question(result.measure),
        verdicts=lambda: [claim._replace(subject="") for claim in _verdicts(claims(result))],
        table=lambda: pd.DataFrame(row_texts(rows), columns=COLUMNS),
        main_figures=lambda: charts_of(result),
        figures=lambda: charts_of(result),
        page=lambda: render_results(AuditRecord.of_result(result), [result]),
        latex=lambda: render_latex(AuditRecord.of_result(result), [result]),
    )


def _comparison(comparison: Comparison) -> View:
    from counterpoise.report.compare_page import comparison_figures, render_comparison
    from counterpoise.report.comparison_formats import comparison_latex, markdown_cell
    from counterpoise.report.comparison_table import LEGEND, letters, table_rows
    from counterpoise.report.verdicts import verdicts

    def table() -> pd.DataFrame:
        heads = [f"{name} ({letter})" for name, letter in letters(comparison).items()]
        return pd.DataFrame(
            [
                [row.title, row.statistic, row.ideal]
                + [markdown_cell(row.cells.get(name)) for name in comparison.names]
                for row in table_rows(comparison)
            ],
            columns=["measure", "statistic", "ideal", *heads],
        )

    return View(
        title=f"{', '.join(comparison.names)}: gender bias compared",
        lead=LEGEND,
        verdicts=lambda: _verdicts(verdicts(comparison)),
        table=table,
        main_figures=lambda: comparison_figures(comparison),
        figures=lambda: comparison_figures(comparison),
        page=lambda: render_comparison(comparison),
        latex=lambda: comparison_latex(comparison, table_rows(comparison)),
    )


def _audits(audits: ModelAudits) -> View:
    return _many(audits, f"{audits.about}: gender bias", [])


def _curve(curve: BiasCurve) -> View:
    from counterpoise.report.curve_wording import curve_claims

    return _many(curve, f"Gender bias over training: {curve.about}", curve_claims(curve))


def _many(audits: ModelAudits, title: str, found: Sequence[Claim]) -> View:
    from counterpoise.report.curve_page import audits_figures, audits_table, render_audits
    from counterpoise.report.latex import table_latex

    missing = ", ".join(audits.failed)
    return View(
        title=title,
        lead=f"Missing: {missing}." if missing else "",
        verdicts=lambda: _verdicts(found),
        table=lambda: audits_table(audits),
        main_figures=lambda: audits_figures(audits)[:1],
        figures=lambda: audits_figures(audits),
        page=lambda: render_audits(audits),
        latex=lambda: table_latex(audits_table(audits), title, audits.page_name),
        home=audits.folder / f"{audits.page_name}.html",
    )


def _debiased(debiased: Debiased) -> View:
    return _proof(debiased.proof, debiased.folder / "debias.html")


def _proof(proof: Proof, home: Path | None = None) -> View:
    from counterpoise.report.debias_page import main_rows, proof_figures, render_proof
    from counterpoise.report.latex import table_latex

    title = f"{proof.after}: what debiasing gained and what it broke"
    return View(
        title=title,
        lead=f"Compared with {proof.before}.",
        verdicts=lambda: [Verdict("", "", sentence) for sentence in proof.verdict],
        table=lambda: main_rows(proof),
        main_figures=lambda: proof_figures(proof)[-1:],
        figures=lambda: proof_figures(proof),
        page=lambda: render_proof(proof),
        latex=lambda: table_latex(main_rows(proof), title, "debias"),
        home=home,
    )


def _corpora(comparison: CorpusComparison) -> View:
    from counterpoise.report.corpus_page import all_findings, corpus_figures, render_corpora

    return _of_texts(
        comparison.results,
        lambda: [Verdict(found.corpus, found.label, found.text) for found in all_findings(comparison)],
        lambda: corpus_figures(comparison),
        lambda: render_corpora(comparison),
    )


def _corpus(result: CorpusResult) -> View:
    from counterpoise.corpus.counting.compare import CorpusComparison

    nothing = pd.DataFrame()
    return _corpora(CorpusComparison({result.dataset: result}, nothing, nothing, {}))


def _learned(learned: LearnedBias) -> View:
    from counterpoise.report.corpus_page import render_corpora
    from counterpoise.report.learned_page import learned_figure, learned_findings

    return _of_texts(
        learned.results,
        lambda: [Verdict("", found.label, found.text) for found in learned_findings(learned)],
        lambda: [learned_figure(learned)],
        lambda: render_corpora(None, learned),
    )


def _of_texts(
    results: Mapping[str, Result],
    verdicts: Callable[[], Sequence[Verdict]],
    figures: Callable[[], Sequence[Figure]],
    page: Callable[[], str],
) -> View:
    from counterpoise.report.latex import table_latex

    title = f"{', '.join(results)}: gender in the text"
    return View(
        title=title,
        lead="",
        verdicts=verdicts,
        table=lambda: _by_corpus(results),
        main_figures=figures,
        figures=figures,
        page=page,
        latex=lambda: table_latex(_by_corpus(results), title, "corpora"),
    )


_VIEWS: dict[str, Callable[[Any], View]] = {
    "Audit": _audit,
    "Run": _run,
    "Result": _result,
    "Comparison": _comparison,
    "Debiased": _debiased,
    "Proof": _proof,
    "CorpusComparison": _corpora,
    "CorpusResult": _corpus,
    "LearnedBias": _learned,
    "BiasCurve": _curve,
    "ModelAudits": _audits,
}


def _verdicts(found: Any) -> list[Verdict]:
    return [Verdict(_subject(claim), KINDS[claim.kind], claim.text) for claim in found]


def _subject(claim: Claim) -> str:
    return "" if claim.kind == "words" else measure_title(claim.measure)


def _headlines(results: Sequence[Result]) -> pd.DataFrame:
    """The headline numbers of each measure as text."""
    from counterpoise.report.markdown import COLUMNS, row_texts

    rows = [
        [measure_title(result.measure), *texts] for result in results for texts in row_texts(result.headlines)
    ]
    return pd.DataFrame(rows, columns=["measure", *COLUMNS])


def _by_corpus(results: Mapping[str, Result]) -> pd.DataFrame:
    """The numbers of each corpus as a whole, as text."""
    from counterpoise.report.markdown import COLUMNS, row_texts

    rows = [
        [name, *texts]
        for name, result in results.items()
        for texts in row_texts(result.summary[result.summary.level != "word"])
    ]
    return pd.DataFrame(rows, columns=["corpus", *COLUMNS])
