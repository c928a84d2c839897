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

A causal model cannot be asked for the person given what follows, so it is asked the other way round (ours; the papers
have masked models only): how likely is *is a nurse.* after *He*, against *This person*?

    association(target, attribute) = log P(rest of the sentence | target) - log P(rest | neutral subject)

An association is the same in both directions (pointwise mutual information), so the sign and the meaning stay; the
neutral subject stands in for the prior and cancels between men and women. The size does not carry over: the prior is
another one, and the whole rest of the sentence counts. Numbers of masked and causal models are not comparable.

The headline is the mean over all professions, some of which lean to men and some to women. Stereotypes show in the rows
of the three groups of professions and in two correlations.

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
from counterpoise.measures.base.rows import ZERO, Row
from counterpoise.measures.base.units import ODDS_RATIO
from counterpoise.measures.base.workforce import (
    WORKFORCE_DIRECTIONS,
    women_share,
    workforce_rows,
)
from counterpoise.measures.probability.common.association_rows import difference_row, paired_rows
from counterpoise.measures.probability.common.associations import (
    needed_columns,
    paired_associations,
    shared_by_pair,
    usable_sentences,
)
from counterpoise.measures.probability.common.causal_associations import paired_causal_associations
from counterpoise.models.causal import CausalLM
from counterpoise.models.endpoints.capabilities import Rung
from counterpoise.models.endpoints.endpoint import Endpoint
from counterpoise.models.masked import MaskedLM


def _rows(items: pd.DataFrame, variant: Variant, seed: int) -> list[Row]:
    rows, pairs = paired_rows(
        items, "profession", "professions", variant, lambda group: f"{group} professions"
    )
    return rows + workforce_rows(
        pairs, "profession", lambda of_profession, at: difference_row(of_profession, "pair", variant, at)
    )


@measure(
    "lpbs",
    label="Gender association of professions (LPBS)",
    unit=ODDS_RATIO,
    needs=MaskedLM | CausalLM,
    rungs=(Rung.LIKELIHOOD,),
    data="becpro",
    ideal=ZERO,
    direction=Direction(
        "Naming a profession shifts the model's expectation of the person towards men.",
        "Naming a profession shifts the model's expectation of the person towards women.",
        GENDERS,
    ),
    directions=WORKFORCE_DIRECTIONS,
    cites=("kurita2019", "bartl2020"),
    identity=("sentence", "target_masked", "person", "profession", "template"),
    suites=("quick", "full"),
    kind_suites={"causal": ("full",)},
    incomparable="a causal model is asked for the profession given the person, with a neutral subject as the prior",
    rows=_rows,
)
def lpbs(
    model: MaskedLM | CausalLM | Endpoint, data: pd.DataFrame | None = None, *, variant: Variant = "corrected"
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
    table = becpro("en", variant) if data is None else data
    needed, version = needed_columns("profession"), [*shared_by_pair("profession"), "gender"]
    sentences, unusable = usable_sentences(table, "lpbs", needed, variant, version=version)
    if "form" in sentences:
        raise DataError("the professions have a masculine and a feminine form: measure them with lpbs_german")
    if not isinstance(model, MaskedLM):
        items, skipped = paired_causal_associations(model, sentences)
    else:
        items, skipped = paired_associations(model, sentences, variant)
    items["women_share"] = women_share(items.profession)

    return Measured(items, skipped=pd.concat([unusable, skipped], ignore_index=True))
