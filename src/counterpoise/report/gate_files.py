"""A gate as files for a build server: JUnit XML, and Markdown for a job's summary page."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from counterpoise.audit.gate.gating import Check, GateResult
from counterpoise.core.files import check_output, write_aside, write_text
from counterpoise.core.markdown import escape_markdown, markdown_table
from counterpoise.report.gate_text import COLUMNS, check_cells, closing_line, notes, sentence

# What XML 1.0 cannot hold, not even escaped.
_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_junit(result: GateResult, path: Path) -> None:
    """JUnit XML: a test case for each rule. What cannot be told is an error, with `strict` a failure."""
    suite = ElementTree.Element("testsuite", name="counterpoise gate")
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in (("model", result.model), ("run", result.run), ("baseline", result.baseline)):
        if value:
            ElementTree.SubElement(properties, "property", name=name, value=_clean(value))
    kinds = [_add_case(suite, check, result.strict) for check in result.checks]
    counts = {"tests": len(kinds), "failures": kinds.count("failure"), "errors": kinds.count("error")}
    suite.attrib.update({name: str(count) for name, count in counts.items()}, skipped="0", time="0")
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    check_output(path)
    with write_aside(path) as aside:
        ElementTree.ElementTree(root).write(aside, encoding="utf-8", xml_declaration=True)


def _add_case(suite: ElementTree.Element, check: Check, strict: bool) -> str:
    """Adds the case of a rule and says how it ended: failure, error, or nothing if it passes."""
    rule = check.rule
    case = ElementTree.SubElement(
        suite, "testcase", classname=_clean(f"counterpoise.{rule.measure}"), name=_clean(str(rule)), time="0"
    )
    kind = {"passes": "", "fails": "failure", "cannot tell": "failure" if strict else "error"}[check.outcome]
    if kind:
        ElementTree.SubElement(case, kind, type=check.outcome, message=_clean(sentence(check)))
    return kind


def _clean(text: str) -> str:
    return _NOT_IN_XML.sub("", text)


def write_markdown(result: GateResult, path: Path) -> None:
    """A table and the verdict."""
    check_output(path)
    write_text(path, gate_markdown(result))


def gate_markdown(result: GateResult) -> str:
    against = f", baseline {escape_markdown(result.baseline)}" if result.baseline else ""
    lines = [
        f"### {escape_markdown(closing_line(result).capitalize())}",
        "",
        f"Model {escape_markdown(result.model)}{against}",
        "",
        markdown_table(COLUMNS, map(check_cells, result.checks)),
    ]
    if noted := notes(result):
        lines += ["", *(f"- {escape_markdown(note)}" for note in noted)]
    return "\n".join(lines) + "\n"
