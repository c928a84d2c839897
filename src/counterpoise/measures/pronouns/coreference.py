"""Coreference resolution on WinoBias (Zhao et al. 2018).

    accuracy = share of sentences whose pronoun is linked to the right occupation and not to the other one
    gap      = accuracy(pro-stereotypical) - accuracy(anti-stereotypical)
    F1       = 2 right links / (links of the system + sentences),  a link being one from a pronoun to an occupation

"The developer argued with the designer because he did not like the design." Each sentence has two versions, which
differ in the gender of the pronoun; the right answer is the same in both, so a system that understands the sentence,
or one that never looks at gender, has a gap of 0. In type 1 only the meaning tells whom the pronoun means, in type 2
the grammar does.

The pronoun is linked to an occupation if its cluster has a mention that begins at the occupation or its article and
covers it, but neither the other occupation nor the pronoun nor something that the occupation owns. Where a sentence
repeats the pronoun for the same person, the first is asked. A pronoun linked to neither occupation or to both counts
as wrong, and rows say how often that happens.

Accuracy and gap are means over the 40 occupations, so interval and test count occupations and not sentences; the 20
occupations of either stereotype weigh alike, so a system that always prefers one pronoun is at 0. F1 counts sentences.
It is the F1 of the one link that a sentence asks about: scorers that compare whole clusters (MUC, B-cubed, CEAF) give
numbers on another scale.

The corrected variant leaves out 25 of the 1,584 pairs, as `winobias` does: their versions differ in more than the
pronoun, or they are there twice. `variant="published"` uses every sentence as it was published; pairs whose versions
are about different occupations count in accuracies and F1, and have no gap.
"""

from __future__ import annotations

import pandas as pd

from counterpoise.data.spec import Variant
from counterpoise.data.thirdparty.winobias_mentions import winobias_mentions
from counterpoise.measures.base.catalogue import Measured, measure
from counterpoise.measures.base.result import STEREOTYPE, Direction
from counterpoise.measures.base.rows import ZERO, Row, in_group
from counterpoise.measures.base.skipped import keep_scorable
from counterpoise.measures.base.source import observe
from counterpoise.measures.base.units import PROBABILITY
from counterpoise.measures.pronouns.common.accuracy_rows import (
    ACCURACY,
    GAP,
    PRO_MINUS_ANTI,
    f1_gap_row,
    f1_row,
    gap_row,
    gap_rows,
    occupation_gaps,
    paired,
    rate_row,
    version_places,
)
from counterpoise.measures.pronouns.common.resolution import (
    answer_columns,
    ask,
    questions,
    resolution_warnings,
)
from counterpoise.measures.pronouns.common.winobias_sentences import IDENTITY, usable_sentences
from counterpoise.models.coreference import CoreferenceSystem

_OPEN = {"neither": "pronoun linked to neither occupation", "both": "pronoun linked to both occupations"}


def _rows(items: pd.DataFrame, variant: Variant, seed: int) -> list[Row]:
    right = observe(items, "right")
    rows = [
        gap_row(paired(items, "right", PRO_MINUS_ANTI), "gap", GAP, answered=bool(items.right.any())),
        f1_gap_row(right),
        rate_row(right, "accuracy", "accuracy"),
        *(rate_row(observe(items, column), column, label) for column, label in _OPEN.items()),
        *gap_rows(items),
        *(f1_gap_row(of_type, in_group(f"type {kind}")) for kind, of_type in right.by("type")),
    ]
    for at, where in version_places(items):
        part = right.only(**where)
        rows += [rate_row(part, "accuracy", "accuracy", at=at), f1_row(part, at)]
        if "type" not in where:
            rows += [
                rate_row(observe(items, column).only(**where), column, label, at=at)
                for column, label in _OPEN.items()
            ]
    return rows + occupation_gaps(items)


@measure(
    "coreference",
    label="Stereotypes in coreference resolution (WinoBias)",
    unit=PROBABILITY,
    units=dict.fromkeys(("gap", "accuracy", "neither", "both", "f1", "f1_gap"), PROBABILITY),
    needs=CoreferenceSystem,
    data="winobias",
    ideal=ZERO,
    direction=Direction(
        "The system understands a pronoun better where it follows the stereotype about an occupation.",
        "The system understands a pronoun better where it goes against the stereotype about an occupation.",
        STEREOTYPE,
    ),
    directions={
        **dict.fromkeys(("accuracy", "f1"), ACCURACY),
        **dict.fromkeys(
            ("neither", "both"),
            Direction(
                "A higher value means that the system leaves more pronouns open.",
                "A lower value means that the system leaves fewer pronouns open.",
            ),
        ),
    },
    cites="zhao2018",
    identity=IDENTITY,
    suites=("quick", "full"),
    example="--kind coreference",
    rows=_rows,
)
def coreference(
    model: CoreferenceSystem, data: pd.DataFrame | None = None, *, variant: Variant = "corrected"
) -> Measured:
    """Does the system understand pronouns better where they follow the stereotype about an occupation?

    Parameters
    ----------
    data
        Sentences in the columns of `counterpoise.data.winobias_mentions`; those for development and testing together
        if not given.

    >>> import counterpoise as cp
    >>> import pandas as pd
    >>> shared = {"occupation": "guard", "other": "nurse", "occupation_at": 4, "other_at": 22, "pronoun_at": 36,
    ...           "pair": "1", "stereotype": "male", "type": 1, "split": "own", "number": 1, "problem": None}
    >>> sentences = pd.DataFrame([
    ...     {"text": "The guard thanked the nurse because he was ill.", "pronoun": "he", "version": "pro", **shared},
    ...     {"text": "The guard thanked the nurse because she was ill.", "pronoun": "she", "version": "anti", **shared},
    ... ])
    >>> def she_is_a_nurse(texts):
    ...     return [[[(18, 27), (36, 39)] if " she " in text else [(0, 9), (36, 38)]] for text in texts]
    >>> result = cp.measures.coreference(cp.load(she_is_a_nurse, kind="coreference"), sentences)
    >>> result.items.answer.tolist(), float(result.headline.value)
    (['gold', 'other'], 1.0)
    """
    sentences = winobias_mentions("all", variant) if data is None else data
    items, skipped = keep_scorable(*usable_sentences(sentences, "coreference"), "text")
    answers = ask(model, questions(items, ("occupation", "other")))
    items = items.drop(columns="problem").join(
        answer_columns(answers, ("gold", "other"), ["gold"] * len(items))
    )
    return Measured(items, skipped=skipped, warnings=resolution_warnings(items))
