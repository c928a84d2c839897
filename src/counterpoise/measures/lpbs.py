"""Log probability bias score (Kurita et al. 2019) on BEC-Pro (Bartl et al. 2020).

    association(target, attribute) = log P(target | sentence with the attribute) - log P(target | attribute masked)

at the masked target ("[MASK] is a nurse." against "[MASK] is a [MASK]."; Kurita's p_tgt and p_prior, Bartl's
formula 1), and the bias of a profession is the association of male person words minus that of female ones. The
second term is the prior: what the model expects of the sentence before it knows the profession.

The attribute is masked with one mask per word piece, since the number of masks tells the model how long the hidden
word is. `variant="published"` uses one mask per word and the article "a" throughout, as the authors' code does, and
tests with Wilcoxon's signed-rank test over sentence pairs.
"""

from __future__ import annotations

from functools import partial

import pandas as pd

from counterpoise.core.errors import DataError
from counterpoise.data.becpro import becpro
from counterpoise.data.spec import Variant, check_variant, citation
from counterpoise.measures.catalogue import measure
from counterpoise.measures.result import Ideal, Result, Row, keep_scorable, make_summary
from counterpoise.measures.summary import absolute_row, mean_row
from counterpoise.models.masked import MaskedLM

STATISTIC = "male - female association"
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
_SIGN = "positive: the profession raises male person words more than female ones"


@measure(
    "lpbs",
    needs=MaskedLM,
    data="becpro",
    ideal=Ideal.at(0.0),
    sign=_SIGN,
    cites=("kurita2019", "bartl2020"),
    suites=("quick", "full"),
)
def lpbs(
    model: MaskedLM, data: pd.DataFrame | None = None, *, variant: Variant = "corrected", seed: int = 0
) -> Result:
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
    check_variant(variant)
    sentences = becpro("en", variant) if data is None else data.reset_index(drop=True)
    if missing := [column for column in _NEEDED if column not in sentences]:
        raise DataError(f"the data lack the column {missing[0]!r}; lpbs needs {', '.join(_NEEDED)}")
    if sentences.empty:
        raise DataError("there are no sentences to measure on")
    items, skipped = keep_scorable(sentences, _problems(model, sentences), "target_masked")

    targets = [[person] for person in items.person]
    items["prior_text"] = _priors(model, items, variant)
    items["log_p_target"] = model.target_log_probs(items.target_masked.tolist(), targets)[:, 0]
    items["log_p_prior"] = model.target_log_probs(items.prior_text.tolist(), targets)[:, 0]
    items["association"] = items.log_p_target - items.log_p_prior

    return Result(
        measure="lpbs",
        dataset="becpro",
        model=model.name,
        variant=variant,
        seed=seed,
        items=items,
        summary=make_summary(_rows(_differences(items), variant), "lpbs", "becpro", variant),
        skipped=skipped,
        sign=_SIGN,
        citation=" ".join(citation(key) for key in ("kurita2019", "bartl2020")),
    )


def _problems(model: MaskedLM, sentences: pd.DataFrame) -> list[str | None]:
    known = {person: model.knows(person) for person in sentences.person.unique()}
    return [
        problem or (None if known[person] else f"{person!r} is not in the vocabulary")
        for problem, person in zip(
            model.problems(sentences.target_masked.tolist()), sentences.person, strict=True
        )
    ]


def _priors(model: MaskedLM, items: pd.DataFrame, variant: Variant) -> list[str]:
    """The texts of the prior: the target is masked already, and now the attribute too."""
    if variant == "published":
        return items.both_masked.tolist()
    return [
        f"{text[:start]}{model.masked(attribute)}{text[start + len(attribute) :]}"
        for text, attribute, start in zip(
            items.target_masked, items.profession, items.attribute_at, strict=True
        )
    ]


def _differences(items: pd.DataFrame) -> pd.DataFrame:
    """Male minus female association for each pair of person words in the same sentence about the same profession."""
    keys = ["group", "profession", "template", "pair"]
    association = items.pivot_table(index=keys, columns="gender", values="association", sort=False)
    if not {"male", "female"} <= set(association.columns):
        raise DataError("there is no sentence with both a male and a female version to compare")
    difference = (association["male"] - association["female"]).dropna()
    return difference.rename("difference").reset_index()


def _rows(pairs: pd.DataFrame, variant: Variant) -> list[Row]:
    row = partial(
        mean_row,
        statistic=STATISTIC,
        ideal=Ideal.at(0.0),
        test="wilcoxon" if variant == "published" else "cluster_t",
    )
    return [
        row(pairs.difference, pairs.profession, level="overall", group="all"),
        absolute_row(
            pairs.difference,
            pairs.profession,
            level="overall",
            group="all",
            statistic="mean |male - female association| of professions",
        ),
        *(
            row(some.difference, some.profession, level="group", group=f"{group} professions")
            for group, some in pairs.groupby("group", sort=False)
        ),
        *(
            row(some.difference, some.pair, level="word", group=str(profession))
            for profession, some in pairs.groupby("profession", sort=False)
        ),
    ]
