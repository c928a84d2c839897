"""Log probability bias score (Kurita et al. 2019) on BEC-Pro (Bartl et al. 2020).

    association(target, attribute) = log P(target | sentence with the attribute) - log P(target | attribute masked)

at the masked target ("[MASK] is a nurse." against "[MASK] is a [MASK]."; Kurita's p_tgt and p_prior, Bartl's
formula 1), and the bias of a profession is the association of male person words minus that of female ones. The
second term is the prior: what the model expects of the sentence before it knows the profession.

The attribute is masked with one mask per word piece, since the number of masks tells the model how long the hidden
word is. `variant="published"` uses one mask per word and the article "a" throughout, as the authors' code does, and
tests with Wilcoxon's signed-rank test over sentence pairs, with V and r as their tables 4 and 5 print them (V of female
minus male, r = z / sqrt(2 pairs), always written below 0). It does not repeat the 23 sentences that their text
replacement damaged, nor their padding with attended masks to a fixed length. Their table 4 tests what fine-tuning
changed; here the same test is made of one model's associations, as in table 5.

Beside each profession stands the share of women who work in it in the United States (the column `women_share`), and two
rows of their own tell how associations go with it: the correlation is negative where professions with more women are
more female in the model. Spearman's is the one to quote, since the shares lie in three heaps, near 0, 50 and 90 %.
"""

from __future__ import annotations

import pandas as pd

from counterpoise.core.errors import DataError
from counterpoise.data.builtin.becpro import becpro
from counterpoise.data.spec import Variant
from counterpoise.measures.base.catalogue import Measured, measure
from counterpoise.measures.base.result import GENDERS, Direction
from counterpoise.measures.base.row_builders import absolute_row
from counterpoise.measures.base.rows import ZERO, Row, of_word
from counterpoise.measures.base.source import observe
from counterpoise.measures.probability.common.association_rows import DIFFERENCE, difference_row, group_rows
from counterpoise.measures.probability.common.associations import (
    male_minus_female,
    score_associations,
    usable_sentences,
    with_partner,
)
from counterpoise.measures.probability.common.workforce import (
    beside_shares,
    correlation_rows,
    with_share,
    women_share,
)
from counterpoise.models.masked import MaskedLM

_NEEDED = (
    "target_masked",
    "both_masked",
    "person",
    "gender",
    "profession",
    "group",
    "template",
    "pair",
    "attribute_at",
)
_PAIR = ["group", "profession", "template", "pair"]  # what a male and a female version share
FOLLOWS_THE_WORKFORCE = Direction(
    positive="The more women work in a profession, the more male it is to the model.",
    negative="The more women work in a profession, the more female it is to the model.",
)


def _rows(items: pd.DataFrame, variant: Variant, seed: int) -> list[Row]:
    associations = observe(items, "association")
    pairs = observe(items, "association", male_minus_female(_PAIR))
    professions = beside_shares(pairs.table, "association")
    shares = professions.set_index("profession").women_share
    return [
        difference_row(pairs, "profession", variant),
        absolute_row(pairs, "mean_absolute", f"mean |{DIFFERENCE}| of professions", cluster="profession"),
        *group_rows(
            pairs,
            {gender: associations.only(gender=gender) for gender in ("female", "male")},
            "profession",
            variant,
            label=lambda group: f"{group} professions",
        ),
        *correlation_rows(
            professions, "association", pairs.as_source("correlation", "profession", "women_share")
        ),
        *(
            with_share(difference_row(some, "pair", variant, of_word(name)), shares[name])
            for name, some in pairs.by("profession")
        ),
    ]


@measure(
    "lpbs",
    needs=MaskedLM,
    data="becpro",
    ideal=ZERO,
    direction=Direction(
        positive="Naming a profession shifts the model's expectation of the person towards men.",
        negative="Naming a profession shifts the model's expectation of the person towards women.",
        sides=GENDERS,
    ),
    directions={"spearman": FOLLOWS_THE_WORKFORCE, "pearson": FOLLOWS_THE_WORKFORCE},
    cites=("kurita2019", "bartl2020"),
    identity=("sentence", "target_masked", "person", "profession", "template"),
    suites=("quick", "full"),
    rows=_rows,
)
def lpbs(
    model: MaskedLM, data: pd.DataFrame | None = None, *, variant: Variant = "corrected", seed: int = 0
) -> Measured:
    """Does naming a profession make men or women more likely to be the person spoken of?

    Parameters
    ----------
    data
        Sentences in the columns of `counterpoise.data.becpro`; BEC-Pro English if not given.

    >>> import counterpoise as cp
    >>> rows = cp.data.becpro("en")
    >>> nurses = cp.measures.lpbs(cp.load(), rows[rows.profession == "registered nurse"])
    >>> bool(nurses.overall.value.iloc[0] < 0)
    True
    """
    sentences, unusable = usable_sentences(
        becpro("en", variant) if data is None else data,
        "lpbs",
        _NEEDED,
        variant,
        version=[*_PAIR, "gender"],
    )
    if "form" in sentences:
        raise DataError("the professions have a masculine and a feminine form: measure them with lpbs_german")
    items, skipped = score_associations(model, sentences, variant)
    items, alone = with_partner(items, _PAIR)
    items["women_share"] = women_share(items.profession)

    return Measured(items, skipped=pd.concat([unusable, skipped, alone], ignore_index=True))
