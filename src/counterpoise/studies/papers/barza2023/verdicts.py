"""The answers to the thesis's questions in one sentence each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from counterpoise.studies.replication.study_table import ALPHA, side_of_zero

_TOWARDS = {"female": -1, "male": 1}  # the sign of a lean towards a gender


def measuring(balanced: Any) -> str:
    """balanced: SLD over stereotypes about women and about men, which weigh alike."""
    how = "By comparing each stereotype with its opposite"
    side = side_of_zero(balanced)
    if side == 0:
        return (
            f"{how}; whether this model prefers stereotypes cannot be told, since the interval contains zero."
        )
    return f"{how}: this model finds {'stereotypes' if side > 0 else 'the opposite of stereotypes'} likelier."


def models(ordered: Sequence[str], compared: Sequence[Any]) -> str:
    """ordered: names of models, lowest ASLD first. compared: their paired differences in ASLD."""
    if len(ordered) < 2:
        return "Not answered: only one model was asked."
    differing = sum(row.p_adjusted < ALPHA for row in compared)
    if not differing:
        return "Cannot be told: no two models differ significantly on the same sentence pairs."
    return (
        f"{ordered[0]} has the smallest and {ordered[-1]} the largest ASLD, which any preference among words raises; "
        f"the difference is significant in {differing} of {len(compared)} pairs of models."
    )


def corpora(beyond_control: Sequence[Any]) -> str:
    """beyond_control: ASLD after training on each corpus minus that after as much neutral text."""
    if not beyond_control:
        return "Not answered: no corpus was compared with neutral text."
    moved = sum(side_of_zero(row) != 0 for row in beyond_control)
    if not moved:
        return "Not shown: no corpus changes ASLD beyond what neutral text does; all intervals contain zero."
    return (
        f"By what training on it changes beyond neutral text: {moved} of {len(beyond_control)} corpora change ASLD "
        "detectably."
    )


def swapping(professions: Any | None, bound: Any | None) -> str:
    """What the swap did beyond training: to the mean |APPD| of professions, to the lean of gender-related words."""
    if professions is None or bound is None:
        return "Cannot be told: without training on unswapped text the effect of the swap is not known."
    lean = {
        -1: "The swap itself makes professions lean less",
        0: "Whether the swap itself makes professions lean less cannot be told (the interval contains zero)",
        1: "The swap itself makes professions lean more",
    }
    gender = {
        -1: ", and gender-related words lose some of their gender",
        0: "; no loss of gender was found in gender-related words",
        1: "; gender-related words keep their gender",
    }
    return f"{lean[side_of_zero(professions)]}{gender[side_of_zero(bound)]}."


def rate(seen: Any | None, unseen: Any | None) -> str:
    """The change of mean |APPD| of professions in the text, and of those that are not in it."""
    if seen is None or unseen is None:
        return "Cannot be told: all professions are in the text, or none is."
    sides = {side_of_zero(seen), side_of_zero(unseen)}
    if seen.ci_high < unseen.ci_low or unseen.ci_high < seen.ci_low:
        return "No: professions in the text and others change at different rates."
    if sides == {-1}:
        return "As far as can be told, yes: professions lean less, in the text or not, and no difference was found."
    if sides == {1}:
        return "No: professions lean more, in the text or not."
    return "Cannot be told: the interval of a change contains zero."


def reminders(specific: Sequence[Any | None]) -> str:
    """What reminders did to each word beyond the same sentences about a gender-neutral word."""
    measured = [row for row in specific if row is not None]
    if not measured:
        return "Cannot be told: no control sentences were measured."
    back = sum(row.p_adjusted < ALPHA and row.value * _TOWARDS[row.gender] > 0 for row in measured)
    if not back:
        words = "the one word measured" if len(measured) == 1 else f"any of {len(measured)} words"
        return f"Not shown: reminders do not bring back {words} detectably beyond what control sentences do."
    if back == len(measured):
        words = "the one word measured" if back == 1 else f"all {back} words"
        return f"Yes: reminders bring back {words}, beyond what control sentences do."
    return f"Partly: reminders bring back {back} of {len(measured)} words, beyond what control sentences do."


def more_text(last: Any | None) -> str:
    """last: the change of ASLD from the second largest number of sentences to the largest."""
    if last is None:
        return "Cannot be told: only one number of sentences was trained on."
    return {
        -1: "Yes: from the second largest number of sentences to the largest, ASLD still falls.",
        0: "Cannot be told: the interval of the last step contains zero.",
        1: "No: from the second largest number of sentences to the largest, ASLD rises.",
    }[side_of_zero(last)]
