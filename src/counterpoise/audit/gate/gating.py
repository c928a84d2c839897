"""`gate`: does a run keep its rules?

Exit codes: 0 all rules pass; 1 one fails, since its interval lies beyond the limit; 3 none fails and one cannot be
told, since its interval contains the limit or there is no interval. `strict` makes the latter a failure. Where several
apply, 2 (wrong input) goes before 1, 1 before 3, and 3 before 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterpoise.audit.auditing import Audit
from counterpoise.audit.gate.baseline import Baseline, all_alike, refuse_other_setup
from counterpoise.audit.gate.estimates import IntervalEstimate, Outcome, items_to_tell, outcome
from counterpoise.audit.gate.rule_files import RuleFile, read_rules
from counterpoise.audit.gate.rules import Rule
from counterpoise.audit.reading import finished_results
from counterpoise.audit.run import Run
from counterpoise.core.errors import InputError, RunError, did_you_mean
from counterpoise.measures.base.result import Result

PASSES, FAILS, WRONG_INPUT, CANNOT_TELL = 0, 1, 2, 3
_ORDER = (WRONG_INPUT, FAILS, CANNOT_TELL, PASSES)


@dataclass(frozen=True)
class Check:
    """A rule with what became of it: the estimate that it limits, and how many items would be needed to tell."""

    rule: Rule
    estimate: IntervalEstimate
    outcome: Outcome
    needed: int | None

    @property
    def why(self) -> str:
        """Why nothing can be told, where there is no interval."""
        return "" if self.estimate.has_interval else self.estimate.note or "the row has no interval"


@dataclass(frozen=True)
class GateResult:
    """The checks of a gate; `strict` counts what cannot be told as a failure."""

    checks: tuple[Check, ...]
    model: str
    run: str = ""
    baseline: str = ""
    strict: bool = False

    def count(self, kind: Outcome) -> int:
        return sum(check.outcome == kind for check in self.checks)

    @property
    def exit_code(self) -> int:
        """0 passes, 1 fails, 3 cannot tell."""
        undecided = FAILS if self.strict else CANNOT_TELL
        codes = {"passes": PASSES, "fails": FAILS, "cannot tell": undecided}
        return worst(codes[check.outcome] for check in self.checks)


def worst(codes: Any) -> int:
    """The exit code of several: 2 goes before 1, 1 before 3, 3 before 0.

    >>> worst([0, 3, 1]), worst([0, 3]), worst([])
    (1, 3, 0)
    """
    return min(codes, key=_ORDER.index, default=PASSES)


def gate(
    run: str | Path | Run | Audit,
    rules: str | Path | Sequence[str | Rule] | RuleFile,
    *,
    baseline: str | Path | Run | None = None,
    margin: float | None = None,
    strict: bool = False,
) -> GateResult:
    """Checks the numbers of a run against rules.

    Parameters
    ----------
    run
        The folder of a run, an open one, or what `counterpoise.audit` returned.
    rules
        Rules such as "ppd.appd <= 0.3" or "abs(ppd.appd) <= 0.1"; or the path of a YAML file of rules.
    baseline
        Another run: what a rule limits may not be worse than there, by more than the margin, in the paired test.
    margin
        How much worse than the baseline is still good enough (non-inferiority); 0 if not given.
    strict
        What cannot be told is a failure.

    >>> import counterpoise as cp
    >>> audit = cp.audit(measures=["ppd"])
    >>> result = cp.gate(audit, ["abs(ppd.appd) <= 0.3", "ppd.appd.medical <= 0.5"])
    >>> [check.outcome for check in result.checks], result.exit_code
    (['fails', 'cannot tell'], 1)
    """
    chosen = _rules(rules)
    opened, results, left_out = _open(run)
    other = _open_baseline(baseline if baseline is not None else chosen.baseline)
    margin = margin if margin is not None else chosen.margin
    if other is None and (margin is not None or any(rule.change for rule in chosen.rules)):
        raise InputError("a margin and rules with change(...) need a baseline to compare with (--baseline)")
    wanted = list(chosen.rules) if other is None else _with_baseline_rules(chosen.rules, margin or 0.0)
    for rule in wanted:
        _check_row(rule, results, left_out)
    if other is not None:
        if opened is None:
            raise InputError("only an audit in a run folder can be compared with a baseline: give it `out`")
        refuse_other_setup(opened, other[0], [rule.measure for rule in wanted])
    compared = Baseline(other[1] if other is not None else {})
    return GateResult(
        checks=tuple(_check(rule, results, left_out, compared) for rule in wanted),
        model=next(iter(results.values())).model,
        run=str(opened.folder) if opened else "",
        baseline=str(other[0].folder) if other else "",
        strict=strict or chosen.strict,
    )


def _rules(rules: str | Path | Sequence[str | Rule] | RuleFile) -> RuleFile:
    if isinstance(rules, Path) or (isinstance(rules, str) and rules.endswith((".yaml", ".yml"))):
        return read_rules(rules)
    if not isinstance(rules, RuleFile):
        listed = [rules] if isinstance(rules, str | Rule) else rules
        rules = RuleFile(tuple(rule if isinstance(rule, Rule) else Rule.parse(rule) for rule in listed))
    if not rules.rules:
        raise InputError("a gate needs a rule, such as 'ppd.appd <= 0.3'")
    return rules


def _open(run: str | Path | Run | Audit) -> tuple[Run | None, dict[str, Result], dict[str, str]]:
    """The run, its results by measure, and why measures were left out."""
    if isinstance(run, Audit):
        return run.run, run.results, run.left_out
    opened = run if isinstance(run, Run) else Run.read(Path(run).expanduser())
    results = finished_results(opened)
    opened.refuse_altered("no rule can be checked; run the same audit in another folder")
    if not opened.is_complete:
        raise RunError(f"{opened.folder} is not finished; start the same audit again to finish it")
    return opened, _by_measure(results), opened.left_out


def _open_baseline(baseline: str | Path | Run | None) -> tuple[Run, dict[str, Result]] | None:
    if baseline is None:
        return None
    opened, results, _ = _open(baseline)
    assert opened is not None  # only audits have no folder
    return opened, results


def _by_measure(results: Sequence[Result]) -> dict[str, Result]:
    return {result.measure: result for result in results}


def _with_baseline_rules(rules: Sequence[Rule], margin: float) -> list[Rule]:
    """The rules, each followed by the one about its change, unless there is a rule about that already."""
    if not 0 <= margin < math.inf:
        raise InputError(f"a margin is 0 or more, not {margin:g}")
    given = {rule.subject for rule in rules}
    wanted: list[Rule] = []
    for rule in rules:
        wanted.append(rule)
        added = rule.against_baseline(margin)
        if not rule.change and added.subject not in given:
            wanted.append(added)
    return list(dict.fromkeys(wanted))


def _check_row(rule: Rule, results: Mapping[str, Result], left_out: Mapping[str, str]) -> None:
    """Raises an error that lists the rows there are unless the rule names one, or a measure that was left out."""
    if rule.measure in left_out and rule.measure not in results:
        return
    measured = results.get(rule.measure)
    if measured is not None and (measured.summary.key == rule.key).any():
        return
    shown = [measured] if measured is not None else list(results.values())
    keys = [f"{result.measure}.{key}" for result in shown for key in result.summary.key]
    listed = [name for result in shown for name in _rows_to_list(result)]
    raise InputError(
        f"no row is called {rule.row!r}{did_you_mean(rule.row, keys)}{'' if did_you_mean(rule.row, keys) else ';'} "
        f"there are: {', '.join(listed)}"
    )


def _rows_to_list(result: Result) -> list[str]:
    """The rows of a result by name; those of single words are counted."""
    rows = result.summary[result.summary.level != "word"]
    words = result.summary[result.summary.level == "word"]
    names = [f"{result.measure}.{key}" for key in rows.key]
    if len(words):
        names.append(f"{len(words)} rows of single words such as {result.measure}.{words.key.iloc[0]}")
    return names


def _check(
    rule: Rule, results: Mapping[str, Result], left_out: Mapping[str, str], baseline: Baseline
) -> Check:
    if rule.measure not in results:
        return _undecided(rule, f"{rule.measure} was not measured: {left_out[rule.measure]}")
    measured = results[rule.measure]
    if rule.change:
        changed = baseline.change(rule, measured)
        return Check(rule, changed, outcome(changed, rule), items_to_tell(changed, rule.limit))
    [row] = measured.summary[measured.summary.key == rule.key].to_dict("records")
    estimate = _estimate(row, all_alike(measured))
    shown = estimate.distance(rule.center) if rule.absolute else estimate
    return Check(rule, shown, outcome(shown, rule), items_to_tell(estimate, _limit(rule, estimate)))


def _undecided(rule: Rule, note: str) -> Check:
    return Check(rule, IntervalEstimate(math.nan, math.nan, math.nan, 0, note), "cannot tell", None)


def _estimate(row: Mapping[Any, Any], alike: str) -> IntervalEstimate:
    """The numbers of a row; without an interval if the model gives one answer to everything."""
    if alike:
        return IntervalEstimate(row["value"], math.nan, math.nan, int(row["clusters"]), alike)
    return IntervalEstimate(
        row["value"], row["ci_low"], row["ci_high"], int(row["clusters"]), str(row["note"])
    )


def _limit(rule: Rule, estimate: IntervalEstimate) -> float:
    """The limit on the side of the value where a rule about a distance has two."""
    if not rule.absolute:
        return rule.limit
    return rule.center + (rule.limit if estimate.value >= rule.center else -rule.limit)
