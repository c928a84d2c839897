"""Tables of what a seed changes, and of what training texts change beyond that."""

from __future__ import annotations

import math

import pandas as pd

from counterpoise import stats
from counterpoise.studies.papers.jentzsch2022.chance import ANY_SEED, MARK, near_chance, with_chance
from counterpoise.studies.papers.jentzsch2022.seeds import (
    BIASES,
    contrasts,
    noise,
    pooled_contrasts,
    spread_test,
)
from counterpoise.studies.papers.jentzsch2022.study_rows import paper_rows, treatment, usual_batches
from counterpoise.studies.replication.findings import Table, Value
from counterpoise.studies.replication.study_table import rows_of

_DIFFERENCE = {
    "bias": "bias",
    "original": "original",
    "sd_original": "sd, original",
    "treated": "treated",
    "sd_treated": "sd, treated",
    "difference": "difference",
    "low": "95 % from",
    "high": "to",
}
_CORRECTED = {"p_adjusted": "p (Holm)", "detectable": "minimum detectable"}
_POOLED = {"base": "base", "treatment": "treatment", **_DIFFERENCE, "p_value": "p", **_CORRECTED}
_CONTRAST = {"base": "base", "condition": "condition", **_DIFFERENCE, **_CORRECTED}
_WELCH = (
    "Biases over all reviews; means over seeds, sd between seeds. A difference is held against what another seed "
    "changes, in the original and in the treated training runs each for itself (Welch's t)."
)


def pooled_table(rows: pd.DataFrame) -> Table | None:
    """Removed and mixed terms against original texts, all sets of terms together; None where nothing is compared."""
    contrasted = pooled_contrasts(rows)
    if contrasted.empty:
        return None
    near = {(base, treatment(condition)) for base, condition in _near_chance(rows)}
    lines: list[list[Value]] = []
    for row in contrasted.to_dict("records"):
        mark = MARK if {(row["base"], "original"), (row["base"], row["treatment"])} & near else ""
        lines.append([row["base"], f"{row['treatment']}{mark}", *(row[name] for name in list(_POOLED)[2:])])
    note = (
        f"{_WELCH} A seed's bias is its mean over the three sets of terms, so that there is one difference for each "
        "base model and treatment. The total bias is the primary family of tests, the absolute bias a second one; p is "
        "corrected within each. That these lead, and not the single conditions below, was decided after the data had "
        "been seen. Minimum detectable: with a power of 80 % at .05, uncorrected; blank where the test has fewer than "
        "two degrees of freedom."
    )
    title = "Removed and mixed terms against original texts, sets of terms together"
    note = with_chance(note, paper_rows(rows), ANY_SEED)
    return Table("pooled", title, list(_POOLED.values()), lines, decimals=4, note=note)


def contrast_table(rows: pd.DataFrame) -> Table:
    """Removed and mixed terms against original texts."""
    near = _near_chance(rows)
    lines: list[list[Value]] = []
    for row in contrasts(rows).to_dict("records"):
        compared = {(row["base"], "original"), (row["base"], row["condition"])}
        mark = MARK if compared & near else ""
        lines.append([f"{row[name]}{mark}" if name == "condition" else row[name] for name in _CONTRAST])
    note = (
        f"{_WELCH} Intervals are those of each difference alone, p is corrected for all of them. Minimum detectable: "
        "the difference that this number of seeds finds significant after the correction, with a power of 80 %; blank "
        "where the test has fewer than two degrees of freedom."
    )
    title = "Removed and mixed terms against original texts, condition by condition"
    note = with_chance(note, paper_rows(rows), ANY_SEED)
    return Table("contrasts", title, list(_CONTRAST.values()), lines, decimals=4, note=note)


def noise_table(rows: pd.DataFrame) -> Table:
    """What a seed changes: the standard deviation of a bias between seeds, beside the spread between conditions."""
    lines: list[list[Value]] = []
    for (base, terms), trainings in usual_batches(rows).groupby(["base", "terms"], sort=False):
        for column in BIASES:
            between_seeds = noise(trainings, column)
            means = trainings.groupby("condition")[column].mean()
            f, p = spread_test(trainings, column, "condition")
            between = float(means.std()) if len(means) > 1 else math.nan
            sd, df = between_seeds.sd, between_seeds.df
            lines.append([str(base), str(terms), column, sd, df, between, len(means), f, p])
    adjusted = stats.adjust([float(line[-1]) for line in lines], "holm")  # type: ignore[arg-type]
    lines = [[*line, float(p)] for line, p in zip(lines, adjusted, strict=True)]
    columns = [
        "base", "terms", "bias", "sd between seeds", "df", "sd between conditions", "conditions", "F", "p",
        "p (Holm)",
    ]  # fmt: skip
    note = (
        "F and p: do the means of the conditions differ at all by more than seeds do (analysis of variance, the noise "
        "of all conditions pooled; Holm's correction over the tests of this table)? All classifiers are rated with the "
        "same terms here, also those that were trained with others. A small p says that some conditions differ, not "
        "which ones or in which direction: that is what the contrasts with original texts below test. The F test "
        "assumes equal noise in all conditions; where one condition varies 2.5 times as much, it calls 9 % of "
        "differences by chance significant at .05 (simulated). The contrasts do not assume it."
    )
    return Table("noise", "What a seed changes", columns, lines, decimals=4, note=note)


def _near_chance(rows: pd.DataFrame) -> set[tuple[str, str]]:
    """Base model and condition of classifiers of which at least one seed gave one near chance."""
    own = paper_rows(rows)
    return {(row.base, row.condition) for row in rows_of(own[near_chance(own)])}
