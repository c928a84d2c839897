"""Markdown that says what was put in, whatever that was."""

from __future__ import annotations

import re

from counterpoise.core.latex import escape_latex
from counterpoise.core.markdown import escape_markdown, markdown_table

ODD = "50 % of |A| & B_1 <b>#1</b> {x} \\cmd ~ ^ $5 [y](z)\nnext line"


def test_undoing_the_escapes_gives_the_text_back():
    assert re.sub(r"\\(.)", r"\1", escape_markdown(ODD)) == ODD.replace("\n", " ")
    assert not re.search(r"(?<!\\)[<>|*_`\[\]]", escape_markdown(ODD))


def test_control_characters_are_written_out():
    assert escape_markdown("a\x1b[31mb") == r"a\\x1b\[31mb"
    assert escape_latex("a\x1b[31mb") == r"a\textbackslash{}x1b[31mb"


def test_every_row_has_as_many_cells_as_columns():
    lines = markdown_table(["a|b", "c"], [[ODD, 1], ["", None]]).splitlines()
    assert len(lines) == 4
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {3}
    assert lines[3] == "|  | None |"
