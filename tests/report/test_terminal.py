from __future__ import annotations

from pathlib import Path

import pandas as pd

import counterpoise as cp
from counterpoise.audit import Audit
from counterpoise.data import StereoSet
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
