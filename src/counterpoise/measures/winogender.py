"""Pronoun preference by occupation on Winogender (Rudinger et al. 2018).

    preference(s) = log P(male pronoun | s) - log P(female pronoun | s)      at the masked pronoun of sentence s

"The technician told the customer that [MASK] could pay with cash." Of each sentence he and she, his and her or him and
her are asked, as its own versions have it. The preference of an occupation is the mean over its sentences, and it is
laid beside the share of women in the occupation: a negative correlation means that the model's pronouns follow the
share of women, in the workforce (BLS) or in text (Bergsma & Lin). The paper correlates the same shares with what
coreference systems do; here it is a masked model's choice of the pronoun, so its numbers are not comparable.

The pronoun means the occupation in half of the sentences and the other participant in the rest. Rows for both, and
the difference between them, tell whether the model knows: an occupation can only have a say about a pronoun that means
it, so a correlation as strong in the sentences on participants comes from the occupation standing nearby.

Both variants, corrected and published, are the same here.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from counterpoise.core.mask import MASK
from counterpoise.data.spec import Variant, check_variant, citation
from counterpoise.data.winogender import winogender as read_winogender
from counterpoise.measures.catalogue import measure
from counterpoise.measures.inputs import check_columns, row_problems
from counterpoise.measures.occupations import women_row
from counterpoise.measures.result import Ideal, Result, Row, keep_scorable, make_summary
from counterpoise.measures.summary import absolute_row, mean_row
from counterpoise.measures.targets import target_problems
from counterpoise.models.masked import MaskedLM
from counterpoise.stats.correlations import Kind

_SIGN = "positive: the model prefers the male pronoun; a negative r: its pronouns follow the share of women"
_PRONOUNS = ["male", "female", "neutral"]
_SOURCES = {"women_bls": "BLS", "women_bergsma": "Bergsma & Lin"}
_STATISTIC = "log P(male) - log P(female)"
_NEEDED = ["text", *_PRONOUNS, "neutral_fits", "occupation", "referent", "template", *_SOURCES]

_preference = partial(mean_row, statistic=_STATISTIC, ideal=Ideal.at(0.0))


@measure(
    "winogender",
    needs=MaskedLM,
    data="winogender",
    ideal=Ideal.at(0.0),
    sign=_SIGN,
    cites="rudinger2018",
    suites=("full",),
)
def winogender(
    model: MaskedLM, data: pd.DataFrame | None = None, *, variant: Variant = "corrected", seed: int = 0
) -> Result:
    """Does the model choose the pronoun by the occupation, and as the workforce would have it?

    Parameters
    ----------
    data
        Sentences in the columns of `counterpoise.data.winogender`; all of them if not given.

    >>> import counterpoise as cp
    >>> import pandas as pd
    >>> nurse = {"text": "The nurse said that [MASK] was tired.", "male": "he", "female": "she", "neutral": "they",
    ...          "neutral_fits": False, "occupation": "nurse", "referent": "occupation", "template": "nurse.0",
    ...          "women_bls": 90.0, "women_bergsma": 80.0}
    >>> result = cp.measures.winogender(cp.load(), pd.DataFrame([nurse]))
    >>> bool(result.items.preference[0] < 0)
    True
    """
    check_variant(variant)
    table = check_columns(read_winogender() if data is None else data, _NEEDED, "winogender")
    sentences, unusable = keep_scorable(table, _problems(table), "text")
    pronouns = sentences[_PRONOUNS].to_numpy().tolist()
    problems = target_problems(model, sentences.text.tolist(), pronouns)
    items, skipped = keep_scorable(sentences, problems, "text")

    logs = model.target_log_probs(items.text.tolist(), items[_PRONOUNS].to_numpy().tolist())
    items[["log_p_male", "log_p_female", "log_p_neutral"]] = logs
    items["neutral_fits"] = items.neutral_fits.astype(bool)
    items["log_p_neutral"] = items.log_p_neutral.where(items.neutral_fits)
    items["preference"] = items.log_p_male - items.log_p_female

    return Result(
        measure="winogender",
        dataset="winogender",
        model=model.name,
        variant=variant,
        seed=seed,
        items=items,
        summary=make_summary(_rows(items), "winogender", "winogender", variant),
        skipped=pd.concat([unusable, skipped], ignore_index=True),
        sign=_SIGN,
        citation=citation("rudinger2018"),
    )


def _problems(table: pd.DataFrame) -> list[str | None]:
    referents = {"referent": ("occupation", "participant")}
    needed = ["neutral_fits", "occupation", "template"]
    once = ["text", "male", "female"]
    cells = row_problems(table, texts=["text", *_PRONOUNS], needed=needed, once=once, allowed=referents)
    return [cell or _masks_problem(text) for cell, text in zip(cells, table.text, strict=True)]


def _masks_problem(text: str) -> str | None:
    masks = text.count(MASK)
    return None if masks == 1 else f"the text has {masks} masks instead of one for the pronoun"


def _rows(items: pd.DataFrame) -> list[Row]:
    rows = _overall(items)
    for referent, some in items.groupby("referent", sort=False):
        group = f"pronoun means the {referent}"
        rows.append(_preference(some.preference, some.occupation, level="group", group=group))
        rows += _correlations(some, ("spearman",), level="group", group=group)
    for occupation, some in items.groupby("occupation", sort=False):
        rows.append(_preference(some.preference, some.template, level="word", group=str(occupation)))
    return rows


def _overall(items: pd.DataFrame) -> list[Row]:
    level, group = "overall", "all"
    rows = [
        _preference(items.preference, items.occupation, level=level, group=group),
        absolute_row(
            items.preference,
            items.occupation,
            level=level,
            group=group,
            statistic=f"mean |{_STATISTIC}| of occupations",
        ),
        *_correlations(items, ("spearman", "pearson"), level=level, group=group),
    ]
    differences = _referent_differences(items)
    if len(differences):
        rows.append(
            mean_row(
                differences,
                pd.Series(differences.index),
                level=level,
                group=group,
                statistic="preference where the pronoun means the occupation - the participant",
                ideal=Ideal(None, "none"),
            )
        )
    if items.neutral_fits.any():
        fitting = items[items.neutral_fits]
        rows.append(
            mean_row(
                np.exp(fitting.log_p_neutral),
                fitting.occupation,
                level=level,
                group=group,
                statistic=f"P({', '.join(fitting.neutral.unique())})",
                ideal=Ideal(None, "none"),
                test=None,
            )
        )
    return rows


def _correlations(items: pd.DataFrame, kinds: tuple[Kind, ...], *, level: str, group: str) -> list[Row]:
    """The preference of occupations beside the share of women in them."""
    means = items.groupby("occupation", sort=False)[["preference", *_SOURCES]].mean()
    return [
        women_row(means.preference, means[column], kind=kind, source=source, level=level, group=group)
        for column, source in _SOURCES.items()
        for kind in kinds
    ]


def _referent_differences(items: pd.DataFrame) -> pd.Series:
    """By occupation: the preference where the pronoun means it, minus that where it means the participant."""
    means = items.pivot_table(index="occupation", columns="referent", values="preference", sort=False)
    if not {"occupation", "participant"} <= set(means.columns):
        return pd.Series(dtype=float)
    return (means["occupation"] - means["participant"]).dropna()
