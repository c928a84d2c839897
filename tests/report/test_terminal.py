from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

import counterpoise as cp
from counterpoise.audit.auditing import Audit
from counterpoise.data import StereoSet
from counterpoise.report.html import render
from counterpoise.report.terminal import print_audit


def test_words_are_counted_and_not_their_rows(builtin, capsys):
    """StereoSet has three rows for each term."""
    terms = [
        StereoSet.of((f"The {term} said that BLANK was tired.", "she", "he", "window"), target=term).table
        for term in ("nurse", "cook")
    ]
    data = StereoSet("own", pd.concat(terms))
    result = cp.measures.stereoset(builtin, data)
    print_audit(Audit({"stereoset": result}, {}, None), Path("run"), Path("run/report.html"))
    assert "2 single words in the report" in capsys.readouterr().out


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
