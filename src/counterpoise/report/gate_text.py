"""A gate in words, for the terminal, Markdown and JUnit alike."""

from __future__ import annotations

from counterpoise.audit.gate.gating import CANNOT_TELL, FAILS, Check, GateResult
from counterpoise.core.numbers import estimate_text

COLUMNS = ("rule", "value [95 % interval]", "outcome", "items needed")


def check_cells(check: Check) -> list[str]:
    """A line of the table, in the order of `COLUMNS`."""
    return [str(check.rule), value_text(check), check.outcome, needed_text(check)]


def value_text(check: Check) -> str:
    estimate = check.estimate
    return estimate_text(estimate.value, estimate.low, estimate.high, 3) or "not measured"


def needed_text(check: Check) -> str:
    """How many items would tell in four of five cases, and how many there are."""
    if check.needed is None:
        return "cannot be told from this measure"
    return f"{check.needed:,} (has {check.estimate.items:,})"


def sentence(check: Check) -> str:
    """A rule's outcome with all that is behind it, in one line."""
    text = f"{check.rule}: {check.outcome}; {value_text(check)}"
    if check.why:
        return f"{text}: {check.why}"
    return f"{text}; items needed to tell: {needed_text(check)}"


def notes(result: GateResult) -> list[str]:
    """Why some rules cannot be told, each reason once."""
    reasons = dict.fromkeys(check.why for check in result.checks if check.why)
    return [
        f"{', '.join(str(check.rule) for check in result.checks if check.why == reason)}: {reason}"
        for reason in reasons
    ]


def closing_line(result: GateResult) -> str:
    """
    >>> closing_line(GateResult((), "builtin"))
    'gate passes: 0 of 0 rules pass'
    """
    parts = [f"{result.count('passes')} of {len(result.checks)} rules pass"]
    parts += [f"{result.count('fails')} fail"] if result.count("fails") else []
    parts += [f"{result.count('cannot tell')} cannot be told"] if result.count("cannot tell") else []
    verdict = {FAILS: "fails", CANNOT_TELL: "cannot tell"}.get(result.exit_code, "passes")
    strict = " (--strict)" if result.exit_code == FAILS and not result.count("fails") else ""
    return f"gate {verdict}{strict}: {', '.join(parts)}"
