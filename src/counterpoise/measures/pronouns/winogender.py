"""Pronoun preference by occupation on Winogender (Rudinger et al. 2018).

    preference(s) = log P(male pronoun | s) - log P(female pronoun | s)      at the masked pronoun of sentence s

"The technician told the customer that [MASK] could pay with cash." Of each sentence he and she, his and her or him and
her are asked, as its own versions have it. The preference of an occupation is the mean over its sentences, and it is
laid beside the share of women in the occupation: a negative correlation means that the model's pronouns follow the
share of women, in the workforce (BLS) or in text (Bergsma & Lin). Stereotypes show there; the headline, the mean
preference, shows whether the model prefers one pronoun in general. The paper correlates the same shares with what
coreference systems do; here it is a language model's choice of the pronoun, so the paper's numbers are not comparable.

The pronoun means the occupation in half of the sentences and the other participant in the rest. Rows for both, and
the difference between them, tell whether the model knows: an occupation can only have a say about a pronoun that means
it, so a correlation as strong in the sentences on participants comes from the occupation standing nearby.

A causal model is asked in two ways. The headline and the rows beside it rest on the likelihoods of the two whole
versions: log P(sentence with he) - log P(sentence with she) are the log-odds of the pronouns given the rest of the
sentence (Bayes' rule), which is what a masked model is asked for, so these numbers are comparable. Rows that end in
`_before` have the log-odds of the pronoun given what stands before it alone: what the model would write next, without
what follows. P(they) is of that kind too.

Both variants, corrected and published, are the same here.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from counterpoise.core.mask import MASK
from counterpoise.data.spec import Variant
from counterpoise.data.thirdparty.winogender import winogender as read_winogender
from counterpoise.measures.base.catalogue import Measured, measure
from counterpoise.measures.base.result import GENDERS, Direction
from counterpoise.measures.base.row_builders import absolute_row, mean_row, within
from counterpoise.measures.base.rows import OVERALL, ZERO, Ideal, Place, Row, in_group, of_word
from counterpoise.measures.base.scoring_problems import target_problems
from counterpoise.measures.base.skipped import keep_scorable
from counterpoise.measures.base.source import Contrast, Observed, observe
from counterpoise.measures.base.table_checks import check_columns, row_problems
from counterpoise.measures.base.units import LIKELIHOOD_RATIO, PROBABILITY
from counterpoise.measures.base.versions import Versions
from counterpoise.measures.pronouns.common.occupation_rows import FOLLOWS_WOMEN, women_row
from counterpoise.measures.pronouns.common.pronoun_warnings import pronoun_warning
from counterpoise.measures.pronouns.common.whole_versions import (
    score_both_ways,
    version_problems,
)
from counterpoise.models.causal import CausalLM
from counterpoise.models.endpoints.capabilities import Rung
from counterpoise.models.endpoints.endpoint import Endpoint
from counterpoise.models.masked import MaskedLM
from counterpoise.stats.correlations import Kind

_PRONOUNS = ["male", "female", "neutral"]
_SOURCES = {"women_bls": "BLS", "women_bergsma": "Bergsma & Lin"}
_KEYS = {"women_bls": "bls", "women_bergsma": "bergsma"}  # as row keys name the sources
_STATISTIC = "log P(male) - log P(female)"
_BEFORE = "given what stands before"
_NEEDED = ["text", *_PRONOUNS, "neutral_fits", "occupation", "referent", "template", *_SOURCES]
_BY_REFERENT = Contrast(("referent",), {("occupation",): 1.0, ("participant",): -1.0}, within=("occupation",))


def _rows(items: pd.DataFrame, variant: Variant, seed: int) -> list[Row]:
    preferences = observe(items, "preference")
    rows = _overall(items, preferences)
    for referent, of_referent in preferences.by("referent"):
        at = in_group(referent, f"pronoun means the {referent}")
        rows.append(mean_row(of_referent, "preference", _STATISTIC, cluster="occupation", at=at))
        rows += _correlations(of_referent, ("spearman",), at)
    for occupation, sentences in preferences.by("occupation"):
        rows.append(mean_row(sentences, "preference", _STATISTIC, cluster="template", at=of_word(occupation)))
    return rows


def _overall(items: pd.DataFrame, preferences: Observed) -> list[Row]:
    rows = [
        mean_row(preferences, "preference", _STATISTIC, cluster="occupation"),
        absolute_row(
            preferences, "mean_absolute", f"mean |{_STATISTIC}| of occupations", cluster="occupation"
        ),
        *_correlations(preferences, ("spearman", "pearson")),
    ]
    if "preference_before" in items:
        before = observe(items, "preference_before")
        label = f"{_STATISTIC}, {_BEFORE}"
        rows.append(mean_row(before, "preference_before", label, cluster="occupation"))
        rows += _correlations(before, ("spearman",), suffix="_before")
    if set(items.referent) == {"occupation", "participant"}:
        differences = observe(items, "preference", _BY_REFERENT)
        known = Observed(differences.table.dropna(), differences.source)
        label = "preference where the pronoun means the occupation - the participant"
        if len(known):
            rows.append(mean_row(known, "referent", label, cluster="occupation", ideal=Ideal.none()))
    if items.neutral_fits.any():
        p_neutral = observe(items.assign(p_neutral=np.exp(items.log_p_neutral)), "p_neutral")
        p_neutral = p_neutral.only(neutral_fits=True)
        pronouns = ", ".join(p_neutral.table.neutral.unique())
        key, label = "p_neutral", f"P({pronouns})"
        if "preference_before" in items:
            key, label = "p_neutral_before", f"{label}, {_BEFORE}"
        row = mean_row(p_neutral, key, label, cluster="occupation", ideal=Ideal.none(), test=None)
        rows.append(within(row, 0.0, 1.0))
    return rows


def _correlations(
    preferences: Observed, kinds: tuple[Kind, ...], at: Place = OVERALL, suffix: str = ""
) -> list[Row]:
    """The preference of occupations beside the share of women in them; of another scoring with a suffix."""
    how = f", {_BEFORE}" if suffix else ""
    return [
        women_row(
            preferences, share, f"{kind}_{_KEYS[share]}{suffix}", kind=kind, source=f"{source}{how}", at=at
        )
        for share, source in _SOURCES.items()
        for kind in kinds
    ]


@measure(
    "winogender",
    label="Pronoun preference by occupation (Winogender)",
    unit=LIKELIHOOD_RATIO,
    units={"p_neutral": PROBABILITY, "p_neutral_before": PROBABILITY},
    needs=MaskedLM | CausalLM,
    rungs=(Rung.LIKELIHOOD,),
    data="winogender",
    ideal=ZERO,
    direction=Direction(
        "The model prefers the male pronoun for people at work.",
        "The model prefers the female pronoun for people at work.",
        GENDERS,
    ),
    directions={
        **{f"{kind}_{key}": FOLLOWS_WOMEN for kind in ("spearman", "pearson") for key in _KEYS.values()},
        **{f"spearman_{key}_before": FOLLOWS_WOMEN for key in _KEYS.values()},
        "referent": Direction(
            "The male pronoun is preferred more where it means the occupation than where it means someone "
            "else.",
            "The male pronoun is preferred less where it means the occupation than where it means someone "
            "else.",
        ),
    },
    cites="rudinger2018",
    kind_suites={"causal": ("quick", "full")},
    identity=("text", "occupation", "template", "male"),
    versions=Versions("male", "female", ("log_p_male", "log_p_female"), gap="text"),
    rows=_rows,
)
def winogender(model: MaskedLM | CausalLM | Endpoint, data: pd.DataFrame | None = None) -> Measured:
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
    table = check_columns(read_winogender() if data is None else data, _NEEDED, "winogender")
    sentences, unusable = keep_scorable(table, _problems(table), "text")
    items, skipped = keep_scorable(sentences, _model_problems(model, sentences), "text")
    items["neutral_fits"] = items.neutral_fits.astype(bool)

    pronouns = items[_PRONOUNS].to_numpy().tolist()
    if not isinstance(model, MaskedLM):
        items["scoring"] = "log-likelihood"
        whole, logs = score_both_ways(model, items.text.tolist(), pronouns, _versions(items))
        items[["log_p_male", "log_p_female"]] = whole
        items[["log_p_male_before", "log_p_female_before"]] = logs[:, :2]
        items["preference_before"] = items.log_p_male_before - items.log_p_female_before
    else:
        logs = model.target_log_probs(items.text.tolist(), pronouns)
        items[["log_p_male", "log_p_female"]] = logs[:, :2]
    items["log_p_neutral"] = pd.Series(logs[:, 2], index=items.index).where(items.neutral_fits)
    items["p_neutral"] = np.exp(items.log_p_neutral)
    items["preference"] = items.log_p_male - items.log_p_female

    return Measured(
        items,
        skipped=pd.concat([unusable, skipped], ignore_index=True),
        warnings=pronoun_warning(logs[:, :2]),
    )


def _model_problems(model: MaskedLM | CausalLM | Endpoint, sentences: pd.DataFrame) -> list[str | None]:
    texts, pronouns = sentences.text.tolist(), sentences[_PRONOUNS].to_numpy().tolist()
    if not isinstance(model, MaskedLM):
        return version_problems(model, texts, pronouns, _versions(sentences))
    return target_problems(model, texts, pronouns)


def _versions(sentences: pd.DataFrame) -> tuple[list[str], list[str]]:
    """The sentences with the male pronoun, and with the female one."""
    male, female = (
        [text.replace(MASK, word) for text, word in zip(sentences.text, sentences[gender], strict=True)]
        for gender in ("male", "female")
    )
    return male, female


def _problems(table: pd.DataFrame) -> list[str | None]:
    referents = {"referent": ("occupation", "participant")}
    needed = ["neutral_fits", "occupation", "template"]
    once = ["text", "male", "female"]
    cells = row_problems(table, texts=["text", *_PRONOUNS], needed=needed, once=once, allowed=referents)
    return [cell or _masks_problem(text) for cell, text in zip(cells, table.text, strict=True)]


def _masks_problem(text: str) -> str | None:
    masks = text.count(MASK)
    return None if masks == 1 else f"the text has {masks} masks instead of one for the pronoun"
