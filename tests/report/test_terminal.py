from __future__ import annotations

from pathlib import Path

import numpy as np

import counterpoise as cp
import runs
from counterpoise.audit.auditing import Audit
from counterpoise.audit.record import AuditRecord
from counterpoise.core.numbers import estimate_parts
from counterpoise.report import terminal_table
from counterpoise.report.html import render
from counterpoise.report.terminal import print_audit


def audited(*results):
    record = AuditRecord.of_result(results[0])
    by_measure = {result.measure: result for result in results}
    return Audit(by_measure, {"seat": "needs an encoder"}, None, record)


def test_verdicts_come_first_then_the_numbers_of_the_whole(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    result = runs.word_result(lean=0.5)
    print_audit(audited(result), Path("run"), Path("run/report.html"))
    out = capsys.readouterr().out
    places = [
        out.index(text) for text in ("What was found", "Large bias.", "Numbers", "Not run: seat", "report  ")
    ]
    assert places == sorted(places)
    row = result.overall.iloc[0]
    value, interval = estimate_parts(row.value, row.ci_low, row.ci_high)
    assert f"{value} {interval}" in out
    assert "14 more rows, of groups and single words" in out  # 2 groups, 12 words
    assert "word3" not in out


def test_the_table_fits_80_columns_and_breaks_no_word(capsys, monkeypatch):
    monkeypatch.setattr(terminal_table, "_WIDTH_OF_FILES", 80)
    print_audit(
        audited(runs.word_result(), runs.word_result(measure="another")), Path("run"), Path("run/r.html")
    )
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    assert "statistic" in out
    assert "p (Holm)" in out


def test_where_there_is_no_value_the_reason_stands(tmp_path, capsys):
    """Half of the words are lost: no number, but the count; in the terminal and on the page."""
    vectors = cp.models.WordVectors(
        ["math", "art", "he", "she"], np.array([[3.0, 1], [1, 2], [1, 0], [0, 1]])
    )
    (tmp_path / "own.yaml").write_text(
        "sets: {x: [math, physics], y: [art], a: [he], b: [she]}\n"
        "tests: [{name: mine, targets: [x, y], attributes: [a, b], gender: true}]\n"
    )
    audit = cp.audit(vectors, ["weat"], out=tmp_path / "run", words=tmp_path / "own.yaml")
    print_audit(audit, tmp_path / "run", tmp_path / "run" / "report.html")
    assert "1 of the 2 words" in " ".join(capsys.readouterr().out.split())
    assert "1 of the 2 words of &#39;x&#39; are lost, more than a fifth" in render(audit.run)
