"""Pronoun probability difference (Barza 2023, section 4.2.2).

    PPD(s)  = P(male pronoun | s) - P(female pronoun | s)      at the masked slot of sentence s
    APPD(w) = mean of PPD over the templates of word w

The pronouns fit the slot: he and she as subject, his and her as possessive; they and their stand beside them as a
neutral row. For words that are bound to one gender (businesswoman, pregnant) no lean would be wrong, so there the
ideal is far from 0, and the lean is counted towards the word's own gender.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from counterpoise.data.spec import Variant, check_variant, citation
from counterpoise.data.templates import Templates, tbd
from counterpoise.measures.catalogue import measure
from counterpoise.measures.result import Ideal, Result, Row, keep_scorable, make_summary
from counterpoise.measures.summary import absolute_row, mean_row
from counterpoise.models.masked import MaskedLM

_SIGN = "positive: the model reads the person as male"
_PRONOUNS = ["male", "female", "neutral"]


@measure(
    "ppd",
    needs=MaskedLM,
    data="tbd",
    ideal=Ideal.at(0.0),
    sign=_SIGN,
    cites="barza2023",
    suites=("quick", "full"),
)
def ppd(
    model: MaskedLM, data: Templates | None = None, *, variant: Variant = "corrected", seed: int = 0
) -> Result:
    """Which pronoun does the model choose for someone with this profession?

    Parameters
    ----------
    data
        Templates with a pronoun slot; the template-based data of the thesis if not given.

    >>> import counterpoise as cp
    >>> nurse = cp.measures.ppd(cp.load(), cp.data.Templates.of("{subject} is a nurse."))
    >>> bool(nurse.items.ppd[0] < 0)
    True
    """
    check_variant(variant)
    templates = tbd(variant) if data is None else data
    sentences = templates.fill()
    items, skipped = keep_scorable(sentences, model.problems(sentences.text.tolist()), "text")

    p = np.exp(model.target_log_probs(items.text.tolist(), items[_PRONOUNS].to_numpy().tolist()))
    items[["p_male", "p_female", "p_neutral"]] = p
    items["ppd"] = items.p_male - items.p_female

    return Result(
        measure="ppd",
        dataset=templates.name,
        model=model.name,
        variant=templates.variant,
        seed=seed,
        items=items,
        summary=make_summary(_rows(items), "ppd", templates.name, templates.variant),
        skipped=skipped,
        sign=_SIGN,
        citation=citation("barza2023"),
    )


def _rows(items: pd.DataFrame) -> list[Row]:
    free, bound = items[~items.gendered], items[items.gendered]
    appd = partial(mean_row, statistic="APPD")
    zero, away = Ideal.at(0.0), Ideal.away_from(0.0)
    return [
        *(_overall(free) if len(free) else []),
        *(
            appd(some.ppd, some.word, level="group", group=str(category), ideal=zero)
            for category, some in free.groupby("category", sort=False)
        ),
        *(
            mean_row(
                some.ppd * np.where(some.gender == "male", 1.0, -1.0),
                some.word,
                level="group",
                group=str(category),
                statistic="APPD towards the word's own gender",
                ideal=away,
            )
            for category, some in bound.groupby("category", sort=False)
        ),
        *(
            appd(some.ppd, some.template, level="word", group=str(word), ideal=away if is_bound else zero)
            for (word, is_bound), some in items.groupby(["word", "gendered"], sort=False)
        ),
    ]


def _overall(items: pd.DataFrame) -> list[Row]:
    mean = partial(mean_row, clusters=items.word, level="overall", group="all")
    return [
        mean(items.ppd, statistic="APPD", ideal=Ideal.at(0.0)),
        absolute_row(items.ppd, items.word, level="overall", group="all", statistic="mean |APPD| of words"),
        mean(items.p_neutral, statistic="P(they, their)", ideal=Ideal(None, "none"), test=None),
    ]
