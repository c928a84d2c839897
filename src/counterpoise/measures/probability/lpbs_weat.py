"""Log probability bias score on WEAT's words (Kurita et al. 2019, sections 2 and 3.2).

    association(T, a) = log p_tgt(T) - log p_prior(T)      "[MASK] likes math." against "[MASK] likes [MASK]."
    bias(a)           = association(T1, a) - association(T2, a)
    d                 = (mean of bias over A - mean of bias over B) / standard deviation of bias over A and B

T is a group of target words (he; boys and men), a an attribute (math); A and B are the two groups of attributes that
a test compares (mathematics and the arts). p_tgt is the probability of the target at its mask, p_prior the same with
the attribute masked too, one mask per word piece. Targets are compared male minus female, else first minus second in
the order of the file; more than two groups by pairs. The test exchanges attributes between A and B, in every way where
there are at most 200,000 ways; p is adjusted for all tests of the file together.

`targets="sum"` takes the probability that the slot holds any word of the group, so that p_tgt / p_prior stays a ratio
of two probabilities and a rare word counts for little; the authors' code does so, and it is the default.
`targets="mean"` takes the mean of the words' associations, each word counting alike, as their text can be read.

An attribute is one observation: a word in three templates is not three independent words. So d, interval and test
stand on the mean of each attribute over its templates, as the paper's text has it too. (Where each template has one
prior for all attributes, that prior cancels in this d; it does not in the mean bias of a group of attributes.) The
paper's code counts sentences instead; that d, mostly smaller since sentences scatter more than their means, stands
beside as "d over sentences", without a test.

`variant="published"` does what the authors' code did. It reads the prior one token to the left of the last mask: at
"likes" in "[MASK] likes [MASK].", not at the target's mask. That shifts all biases of a template alike, and so changes
the standard deviation over sentences, and d with it. It hides every attribute behind one mask, takes the first piece
for a target of several, and tests by 100,000 exchanges of sentences, of which strictly larger differences count.
It is about how the model is asked; the words are those of the variant of the data, which need not be the same.
"""

from __future__ import annotations

import pandas as pd

from counterpoise.core.errors import DataError
from counterpoise.data.builtin.associations import Associations, kurita
from counterpoise.data.spec import Variant
from counterpoise.data.user.files import ASSOCIATIONS
from counterpoise.measures.base.catalogue import Measured, measure
from counterpoise.measures.base.result import Direction
from counterpoise.measures.base.rows import ZERO, Row
from counterpoise.measures.base.skipped import skipped_items
from counterpoise.measures.base.table_checks import check_kind
from counterpoise.measures.base.units import EFFECT_SIZE, ODDS_RATIO
from counterpoise.measures.probability.common.association_summary import (
    SENTENCE,
    Targets,
    association_test_rows,
)
from counterpoise.measures.probability.common.target_scores import readable_sentences, score_sentences
from counterpoise.models.masked import MaskedLM

_PRIOR_BESIDE_MASK = (
    "the prior is read beside the mask as in the authors' code, only for comparison with their numbers"
)


def _rows(items: pd.DataFrame, variant: Variant, seed: int) -> list[Row]:
    return association_test_rows(items, items.targets.iloc[0], variant, seed)


@measure(
    "lpbs_weat",
    label="Gender association of word sets (LPBS)",
    unit=ODDS_RATIO,
    units=dict.fromkeys(("d", "d_sentences", "mean_absolute_d"), EFFECT_SIZE),
    needs=MaskedLM,
    data="kurita",
    ideal=ZERO,
    direction=Direction(
        "The first set of attributes is associated with the first group of people (men before women), and the "
        "second set with the second. For career and family, or science and the arts, this is the stereotype.",
        "The first set of attributes is associated with the second group of people (men before women), and "
        "the second set with the first. For career and family, or science and the arts, this is the opposite of the "
        "stereotype.",
    ),
    directions={
        "association": Direction(
            "These attributes are associated with the first group of people (men before women).",
            "These attributes are associated with the second group of people (men before women).",
        )
    },
    cites="kurita2019",
    identity=("sentence", "test", "template", "attribute", "target"),
    accepts=(ASSOCIATIONS,),
    rows=_rows,
)
def lpbs_weat(
    model: MaskedLM,
    data: Associations | None = None,
    *,
    variant: Variant = "corrected",
    targets: Targets = "sum",
) -> Measured:
    """Does the model say career and science of men, family and the arts of women?

    Parameters
    ----------
    data
        Association tests; those of the paper if not given (see docs/associations.md for your own).
    targets
        How the words of a target group become one score: "sum" of probabilities or "mean" of log scores.

    >>> import counterpoise as cp
    >>> careers = cp.measures.lpbs_weat(cp.load(), cp.data.kurita().only("career/family"))
    >>> bool(careers.overall.value.iloc[0] > 0)
    True
    """
    tests = kurita(variant) if data is None else data
    check_kind(tests, Associations, "lpbs_weat")
    sentences = tests.fill()
    items, unreadable = readable_sentences(model, sentences, variant)
    items, alone = _comparable(items)
    items = score_sentences(model, items, variant).assign(targets=targets)

    return Measured(
        items,
        skipped=pd.concat([skipped_items(tests.problems()), unreadable, alone], ignore_index=True),
        warnings=(_PRIOR_BESIDE_MASK,) if variant == "published" else (),
        dataset=tests.name,
    )


def _comparable(items: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Leaves out what has nothing to be compared with: sentences of one target group, tests of one attribute group."""
    others = items.groupby(SENTENCE, sort=False).target_group.transform("nunique")
    paired = items[others > 1].reset_index(drop=True)
    sides = paired.groupby("test", sort=False).attribute_group.transform("nunique")
    skipped = [(sentence, "no target of another group is left") for sentence in items.sentence[others < 2]]
    skipped += [(test, "one of its groups of attributes is lost") for test in paired.test[sides < 2].unique()]
    if not len(paired) or (sides < 2).all():
        raise DataError(f"nothing is left to compare: {skipped[0][0]!r}, {skipped[0][1]}")
    return paired[sides > 1].reset_index(drop=True), skipped_items(skipped)
