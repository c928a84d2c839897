"""Pro- against anti-stereotyped pronouns on WinoBias (Zhao et al. 2018).

    score(s) = log P(pronoun that follows the stereotype | s) - log P(its counterpart | s)      at the masked pronoun

"The developer argued with the designer because [MASK] did not like the design." means the developer, and the stereotype
says he. Where several pronouns mean the same person all are masked and the first is asked, so that none gives the
answer away. Beside the mean score stands the share of sentences in which the stereotyped pronoun is likelier; a tie
counts as one half.

The stereotype says he for 20 of the 40 occupations and she for the others, and both kinds weigh alike, so a model that
always prefers one pronoun is at 0 and at 50 %; rows for the two kinds of occupation show that.

The paper compares how well a coreference system does on the two versions; a language model is asked which version it
would have written. Since the other occupation of a sentence has the opposite stereotype, the sentences about two
occupations cancel for a model that cannot tell whom the pronoun means: 50 % can mean no bias or no understanding, and
type 2, where grammar settles who is meant, is the one to believe then.

A causal model is asked in two ways. The headline and the rows beside it rest on the likelihoods of the two whole
versions, log P(stereotyped version) - log P(its counterpart): the log-odds of the pronouns given the rest of the
sentence (Bayes' rule), which is what a masked model is asked for, so these numbers are comparable. Where several
pronouns mean the same person, a causal model's versions differ in all of them, while a masked model is asked for the
first. Rows that end in `_before` have the log-odds of the first pronoun given what stands before it alone; whom the
pronoun means is often settled after it, so these rows see the occupations nearby more than the meaning.

The share of women in the occupation (the paper's table 1) is correlated with the preference for the male pronoun, as in
winogender; a negative correlation follows the share of women.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from counterpoise.core.mask import MASK
from counterpoise.data.spec import Variant
from counterpoise.data.thirdparty.winobias import winobias as read_winobias
from counterpoise.measures.base.catalogue import Measured, measure
from counterpoise.measures.base.result import STEREOTYPE, Direction
from counterpoise.measures.base.row_builders import mean_row
from counterpoise.measures.base.rows import OVERALL, ZERO, Place, Row, in_group, of_word
from counterpoise.measures.base.scoring_problems import target_problems
from counterpoise.measures.base.skipped import keep_scorable
from counterpoise.measures.base.source import Observed, observe
from counterpoise.measures.base.table_checks import check_columns, row_problems
from counterpoise.measures.base.units import LIKELIHOOD_RATIO
from counterpoise.measures.base.versions import OF_STEREOTYPES, Versions
from counterpoise.measures.pronouns.common.occupation_rows import (
    FOLLOWS_WOMEN,
    balanced_row,
    balanced_share_row,
    women_row,
)
from counterpoise.measures.pronouns.common.pronoun_warnings import pronoun_warning
from counterpoise.measures.pronouns.common.whole_versions import (
    score_both_ways,
    version_problems,
)
from counterpoise.models.causal import CausalLM
from counterpoise.models.endpoints.capabilities import Rung
from counterpoise.models.endpoints.endpoint import Endpoint
from counterpoise.models.masked import MaskedLM

_STATISTIC = "log P(stereotyped pronoun) - log P(counterpart)"
_PRONOUNS = ["pro", "anti"]
_BEFORE = "given what stands before"
_NEEDED = ["sentence", "text", "pro", "anti", "occupation", "stereotype", "women", "type", "problem"]
_UNDERSTANDING = (
    "a share near 50 % can also mean that the model does not know whom the pronoun means; type 2, where grammar "
    "settles it, tells more"
)


def _rows(items: pd.DataFrame, variant: Variant, seed: int) -> list[Row]:
    scores, preferences = observe(items, "score"), observe(items, "preference")
    rows = _both(scores)
    rows += [
        women_row(preferences, "women", kind, kind=kind, source="BLS") for kind in ("spearman", "pearson")
    ]
    if "score_before" in items:
        rows += _both(observe(items, "score_before"), suffix="_before", how=f", {_BEFORE}")
    for kind, of_type in scores.by("type"):
        rows += _both(of_type, in_group(f"type {kind}"))
    for gender, of_gender in scores.by("stereotype"):
        rows += _both(of_gender, in_group(gender, f"stereotype: {gender}"))
    for occupation, sentences in scores.by("occupation"):
        rows.append(mean_row(sentences, "difference", _STATISTIC, at=of_word(occupation)))
    return rows


def _both(scores: Observed, at: Place = OVERALL, suffix: str = "", how: str = "") -> list[Row]:
    label = f"% stereotyped pronoun likelier{how}"
    return [
        balanced_row(scores, f"difference{suffix}", f"{_STATISTIC}{how}", at=at),
        balanced_share_row(scores, f"share_stereotyped{suffix}", label, at=at),
    ]


@measure(
    "winobias",
    label="Stereotyped pronouns (WinoBias)",
    unit=LIKELIHOOD_RATIO,
    needs=MaskedLM | CausalLM,
    rungs=(Rung.LIKELIHOOD,),
    data="winobias",
    ideal=ZERO,
    direction=Direction(
        "The model prefers the pronoun that the stereotype about an occupation expects.",
        "The model prefers the pronoun that goes against the stereotype about an occupation.",
        STEREOTYPE,
    ),
    directions=dict.fromkeys(("spearman", "pearson"), FOLLOWS_WOMEN),
    cites="zhao2018",
    caveat=(
        "where several pronouns of a sentence mean the same person, a causal model's versions differ in all of them "
        "and a masked model is asked for the first"
    ),
    identity=("sentence", "text", "pro", "anti"),
    versions=Versions("pro", "anti", ("log_p_pro", "log_p_anti"), OF_STEREOTYPES, gap="text"),
    rows=_rows,
)
def winobias(
    model: MaskedLM | CausalLM | Endpoint, data: pd.DataFrame | None = None, *, variant: Variant = "corrected"
) -> Measured:
    """Does the model prefer the pronoun that the stereotype about an occupation expects?

    Parameters
    ----------
    data
        Sentences in the columns of `counterpoise.data.winobias`; those for development and testing together if not
        given (`counterpoise.data.winobias("test")` has one part).

    >>> import counterpoise as cp
    >>> import pandas as pd
    >>> nurse = {"sentence": "The guard met the nurse and thanked her.", "pro": "her", "anti": "him", "type": 2,
    ...          "text": "The guard met the nurse and thanked [MASK].", "occupation": "nurse", "women": 90.0,
    ...          "stereotype": "female", "problem": None}
    >>> result = cp.measures.winobias(cp.load(), pd.DataFrame([nurse]))
    >>> bool(result.items.score[0] < 0)  # even of a nurse the built-in model says him
    True
    """
    own = read_winobias("all", variant) if data is None else data
    sentences = check_columns(own, _NEEDED, "winobias")
    items, skipped = keep_scorable(sentences, _problems(model, sentences), "sentence")
    items = items.drop(columns="problem")

    pronouns = items[_PRONOUNS].to_numpy().tolist()
    if not isinstance(model, MaskedLM):
        items["scoring"] = "log-likelihood"
        whole, logs = score_both_ways(model, items.text.tolist(), pronouns, _versions(items))
        items[["log_p_pro", "log_p_anti"]] = whole
        items["score_before"] = logs[:, 0] - logs[:, 1]
    else:
        logs = model.target_log_probs(items.text.tolist(), pronouns)
        items[["log_p_pro", "log_p_anti"]] = logs
    items["score"] = items.log_p_pro - items.log_p_anti
    items["preference"] = items.score * np.where(items.stereotype == "male", 1.0, -1.0)

    return Measured(items, skipped=skipped, warnings=(_UNDERSTANDING, *pronoun_warning(logs)))


def _problems(model: MaskedLM | CausalLM | Endpoint, sentences: pd.DataFrame) -> list[str | None]:
    """What is wrong with the pair itself comes first: such a pair has no pronouns to ask for."""
    cells = row_problems(
        sentences,
        texts=["text", "pro", "anti"],
        needed=["occupation", "type"],
        once=["text", "pro", "anti"],
        allowed={"stereotype": ("male", "female")},
    )
    problems = [
        cell if pd.isna(problem) else str(problem)
        for problem, cell in zip(sentences.problem, cells, strict=True)
    ]
    usable = [problem is None for problem in problems]
    asked = sentences[usable]
    others = iter(_model_problems(model, asked))
    return [next(others) if good else problem for good, problem in zip(usable, problems, strict=True)]


def _model_problems(model: MaskedLM | CausalLM | Endpoint, sentences: pd.DataFrame) -> list[str | None]:
    texts, pronouns = sentences.text.tolist(), sentences[_PRONOUNS].to_numpy().tolist()
    if not isinstance(model, MaskedLM):
        return version_problems(model, texts, pronouns, _versions(sentences))
    return target_problems(model, texts, pronouns)


def _versions(sentences: pd.DataFrame) -> tuple[list[str], list[str]]:
    """The pro- and the anti-stereotyped sentences; made from the text where there is no column for the latter."""
    if "counterpart" in sentences:
        return sentences.sentence.tolist(), sentences.counterpart.tolist()
    pro, anti = (
        [text.replace(MASK, word) for text, word in zip(sentences.text, sentences[side], strict=True)]
        for side in _PRONOUNS
    )
    return pro, anti
