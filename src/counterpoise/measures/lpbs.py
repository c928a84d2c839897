"""Log probability bias score (Kurita et al. 2019) on BEC-Pro (Bartl et al. 2020).

    association(target, attribute) = log P(target | sentence with the attribute) - log P(target | attribute masked)

at the masked target ("[MASK] is a nurse." against "[MASK] is a [MASK]."; Kurita's p_tgt and p_prior, Bartl's
formula 1), and the bias of a profession is the association of male person words minus that of female ones. The
second term is the prior: what the model expects of the sentence before it knows the profession.

The attribute is masked with one mask per word piece, since the number of masks tells the model how long the hidden
word is. `variant="published"` uses one mask per word and the article "a" throughout, as the authors' code does, and
tests with Wilcoxon's signed-rank test over sentence pairs. It does not repeat the 23 sentences that their text
replacement damaged, nor their padding with attended masks to a fixed length.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from counterpoise.core.errors import DataError
from counterpoise.data.becpro import MASK, becpro
from counterpoise.data.spec import Variant, check_variant, citation
from counterpoise.measures.catalogue import measure
from counterpoise.measures.result import Ideal, Result, Row, keep_scorable, make_summary, skipped_table
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
_PAIR = ["group", "profession", "template", "pair"]  # what a male and a female version share
_OTHER = {"male": "female", "female": "male"}
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
    items["log_p_prior"] = _log_priors(model, items, targets)
    items["association"] = items.log_p_target - items.log_p_prior
    items, alone = _with_partner(items)

    return Result(
        measure="lpbs",
        dataset="becpro",
        model=model.name,
        variant=variant,
        seed=seed,
        items=items,
        summary=make_summary(_rows(_differences(items), variant), "lpbs", "becpro", variant),
        skipped=pd.concat([skipped, alone], ignore_index=True),
        sign=_SIGN,
        citation=" ".join(citation(key) for key in ("kurita2019", "bartl2020")),
    )


def _problems(model: MaskedLM, sentences: pd.DataFrame) -> list[str | None]:
    known = {person: model.knows(person) for person in sentences.person.unique()}
    problems = model.problems(sentences.target_masked.tolist())
    columns = (sentences[name] for name in ("target_masked", "person", "profession", "attribute_at"))
    return [
        problem or _problem(text, person, profession, start, known[person])
        for problem, text, person, profession, start in zip(problems, *columns, strict=True)
    ]


def _problem(text: str, person: str, profession: str, start: int, known: bool) -> str | None:
    if not known:
        return f"{person!r} is not in the vocabulary"
    if text.count(MASK) != 1:
        return f"the sentence has {text.count(MASK)} masks instead of one for the person"
    if text[start : start + len(profession)] != profession:
        return f"{profession!r} does not begin at character {start}"
    return None


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


def _log_priors(model: MaskedLM, items: pd.DataFrame, targets: list[list[str]]) -> np.ndarray:
    """The target's log-probability at its own mask, which comes first or last among those of the prior text."""
    target_first = items.target_masked.str.find(MASK) < items.attribute_at
    priors = np.empty(len(items))
    for mask, chosen in ((0, target_first), (-1, ~target_first)):
        if chosen.any():
            some = [target for target, wanted in zip(targets, chosen, strict=True) if wanted]
            priors[chosen] = model.target_log_probs(items.prior_text[chosen].tolist(), some, mask=mask)[:, 0]
    return priors


def _with_partner(items: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A sentence whose male or female version is missing cannot be compared, and that is said."""
    genders = items.groupby(_PAIR, sort=False).gender.transform("nunique")
    alone = [f"its {other} version is missing" for other in items.gender[genders < 2].map(_OTHER)]
    skipped = skipped_table(items.target_masked[genders < 2].tolist(), alone)
    if (genders < 2).all():
        raise DataError("there is no sentence with both a male and a female version to compare")
    return items[genders == 2].reset_index(drop=True), skipped


def _differences(items: pd.DataFrame) -> pd.DataFrame:
    """Male minus female association for each pair of person words in the same sentence about the same profession."""
    association = items.pivot_table(index=_PAIR, columns="gender", values="association", sort=False)
    difference = association["male"] - association["female"]
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
