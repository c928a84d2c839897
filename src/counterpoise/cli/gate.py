"""`counterpoise gate`: does a run keep its rules?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from counterpoise.audit.gate.gating import GateResult

Junit = Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the outcomes as JUnit XML.")]
Markdown = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Also write the table as Markdown, for a job's summary page."),
]


def gate(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a finished run.")],
    rule: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RULE", help="A rule, such as 'ppd.appd <= 0.3' or 'abs(ppd.appd) <= 0.1'. Repeatable."
        ),
    ] = None,
    rules: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A YAML file of rules (docs/gate.md).")
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(
            metavar="RUN", help="A run that no rule's number may be worse than, in the paired test."
        ),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            help="How much worse than the baseline is good enough (non-inferiority); 0 if not given."
        ),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="What cannot be told is a failure.")] = False,
    junit: Junit = None,
    markdown: Markdown = None,
) -> None:
    """Check the numbers of a run against rules, for a build.

    A rule passes if the whole 95 % interval keeps its limit, and fails if the whole interval is beyond it. If the
    limit is inside the interval, or there is no interval, the items at hand cannot tell; the table says how many
    would be needed. Rules name a row by its measure and its key in summary.json.

    Exit codes: 0 all rules pass, 1 one fails, 3 none fails and one cannot be told (1 with --strict), 2 wrong input.
    Where several apply, 2 goes before 1, 1 before 3, and 3 before 0.

    \b
    Examples:
      counterpoise gate runs/mine --rule "lpbs.spearman >= -0.3"
      counterpoise gate runs/mine --rule "abs(ppd.appd) <= 0.1" --rule "abs(sld.share_stereotyped - 50) <= 5"
      counterpoise gate runs/mine --rule "abs(ppd.appd) <= 0.5" --baseline runs/main --margin 0.02
      counterpoise gate runs/mine --rules gate.yaml --junit gate.xml --markdown gate.md
    """
    from counterpoise.audit.gate.gating import gate as check_rules
    from counterpoise.audit.gate.rule_files import collect_rules

    chosen = collect_rules(rule or [], rules)
    result = check_rules(run, chosen, baseline=baseline, margin=margin, strict=strict)
    raise typer.Exit(show_gate(result, junit, markdown))


def show_gate(result: GateResult, junit: Path | None, markdown: Path | None) -> int:
    """Prints a gate, writes the files that were asked for, and returns the exit code."""
    from counterpoise.report.gate_files import write_junit, write_markdown
    from counterpoise.report.gate_terminal import print_gate

    if junit is not None:
        write_junit(result, junit.expanduser())
    if markdown is not None:
        write_markdown(result, markdown.expanduser())
    print_gate(result)
    return result.exit_code
