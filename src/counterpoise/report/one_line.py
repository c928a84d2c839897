"""What a run found in one line, in the words of its own page: for lists of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from counterpoise.measures.base.result import Result
from counterpoise.report.answer import answer
from counterpoise.report.page import KINDS
from counterpoise.report.scorecard import scorecard
from counterpoise.report.wording import Kind, measure_title
from counterpoise.studies.replication.findings import Findings

_ORDER: tuple[Kind, ...] = ("difference", "unsure", "same")  # from what matters most


def audit_line(results: Sequence[Result]) -> str:
    """How many measures find a bias, and which is the largest; the items are not needed."""
    return answer(results)[0]


def comparison_line(verdicts: Sequence[Mapping[str, Any]]) -> str:
    """The verdict of comparison.json that matters most, and how many others there are.

    >>> comparison_line([
    ...     {"measure": "ppd", "kind": "same", "text": "b and a do not differ clearly in APPD: 0.01."},
    ...     {"measure": "sld", "kind": "difference", "text": "b leans less towards men than a: 0.4 in SLD."},
    ... ])
    'Stereotyped sentences (SLD): Differs. b leans less towards men than a: 0.4 in SLD. And 1 more verdict.'
    """
    if not verdicts:
        return "Nothing could be compared."
    first = min(verdicts, key=lambda verdict: _ORDER.index(verdict["kind"]))
    others = len(verdicts) - 1
    more = f" And {others} more {'verdict' if others == 1 else 'verdicts'}." if others else ""
    return f"{measure_title(first['measure'])}: {KINDS[first['kind']]}. {first['text']}{more}"


def corpus_line(summary: Mapping[str, Any]) -> str:
    """The leading fact of each corpus in summary.json; a model alone, without corpora, has its own."""
    names = [str(corpus["name"]) for corpus in summary.get("corpora", [])]
    facts: dict[str, str] = {}
    for finding in summary.get("findings", []):  # the first of each corpus leads
        if finding["corpus"] in names or not names:
            facts.setdefault(str(finding["corpus"]), str(finding["fact"]))
    return " ".join(f"{name}: {fact}" if len(facts) > 1 else fact for name, fact in facts.items())


def study_line(findings: Findings) -> str:
    """How many printed numbers are reproduced; where none is compared, the answer to the first question."""
    score = scorecard(findings.tables)
    if score is not None:
        return score[0]
    return findings.answers[0].verdict if findings.answers else ""
