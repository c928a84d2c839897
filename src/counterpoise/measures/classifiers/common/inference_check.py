"""The check that a model does natural language inference at all: its accuracy on plain pairs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from statsmodels.stats.proportion import proportion_confint

from counterpoise.core.numbers import estimate_text
from counterpoise.data.builtin.inference import inference_checks
from counterpoise.measures.base.row_builders import figure_row
from counterpoise.measures.base.rows import Ideal, Row
from counterpoise.models.function_inference import FunctionInference
from counterpoise.models.inference import InferenceModel
from counterpoise.models.inference_labels import LABELS

_CHANCE = 1 / len(LABELS)


@dataclass(frozen=True)
class InferenceCheck:
    """The accuracy on plain pairs as a row, and what a reader must know where it is not clearly above chance."""

    row: Row
    warnings: tuple[str, ...]


def check_inference(model: InferenceModel | FunctionInference) -> InferenceCheck:
    """How many plain pairs the model labels as it should, with Wilson's interval."""
    checks = inference_checks()
    answers = model.probabilities(checks.premise.tolist(), checks.hypothesis.tolist()).argmax(axis=1)
    right = int((checks.label.map(LABELS.index) == answers).sum())
    return accuracy_check(right, len(checks))


def accuracy_check(right: int, n: int) -> InferenceCheck:
    """
    >>> check = accuracy_check(18, 48)
    >>> round(check.row.value, 1), check.warnings[0].partition(", where")[0]
    (37.5, 'The model labels 38 % [25, 52] of plain premises and hypotheses right')
    >>> accuracy_check(40, 48).warnings
    ()
    """
    low, high = (float(end) for end in proportion_confint(right, n, method="wilson"))
    value = right / n
    ideal = Ideal.none("100 %; 33 % is chance")
    row = figure_row(100 * value, "accuracy", "accuracy on plain pairs, in %", n=n, ideal=ideal)
    row = replace(row, ci_low=100 * low, ci_high=100 * high)
    if low > _CHANCE:
        return InferenceCheck(row, ())
    told = estimate_text(100 * value, 100 * low, 100 * high, 0, unit=" %")
    return InferenceCheck(
        row,
        (
            f"The model labels {told} of plain premises and hypotheses right, where guessing gets 33 %: it does not do "
            "natural language inference, or its labels are in another order (--labels). Its figures here mean nothing.",
        ),
    )
