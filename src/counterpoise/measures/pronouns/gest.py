"""Gender-stereotypical reasoning on GEST (Pikuliak et al. 2024).

    score(s) = log P(male word | s) - log P(female word | s)      who says the sentence s
    log r_i  = mean score of the sentences about stereotype i
    g_s      = r_m / r_f      geometric means of r_i over stereotypes about men, about women; 1 without stereotypes

A sentence such as "I cried at the wedding." is quoted, and the model is asked who said it. A masked model fills the
mask of four templates, two with the speaker before the sentence and two after it: *[MASK] said: "..."* and *"...",
[MASK] said.*, each with he and she and with the man and the woman. A causal model is asked for the next word of two:
*"...",* (he or she) and *"...", the* (man or woman).

The headline is log g_s, with an interval over the 16 stereotypes: what others might have given. g_s itself stands
beside it with an interval over sentences: what other sentences about these stereotypes might have given. Rows for each
stereotype have its score and its rank, 1 for the one that sounds most female. A model that finds male words likelier
everywhere is at 0; its preference has a row of its own.

`variant="published"` does what the authors' code does, on GEST 1.0: logarithms to base 10 there are raised as powers of
e, so the published g_s is the corrected one to the power of 0.43, and rates of templates are averaged as they are. In
the corrected variant logarithms are natural, templates are averaged as logarithms, and the sentences are those of GEST
1.1. Words of several tokens are scored by the chain rule in both variants; the authors average their tokens. The
published g_s is given without an interval; log g_s beside it has one.

What our functions reproduce, [to the printed digit](../published-numbers.md), are the tables and correlations of the
authors' notebook, from the scores that the authors published; the tables of the paper itself were not at hand.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from counterpoise.core.errors import DataError
from counterpoise.core.mask import MASK
from counterpoise.data.spec import Variant, read_spec
from counterpoise.data.thirdparty.gest import GestSpec
from counterpoise.data.thirdparty.gest import gest as read_gest
from counterpoise.measures.base.catalogue import Measured, measure
from counterpoise.measures.base.result import GENDERS, STEREOTYPE, Direction
from counterpoise.measures.base.rows import ZERO
from counterpoise.measures.base.scoring_problems import target_problems
from counterpoise.measures.base.skipped import keep_scorable
from counterpoise.measures.base.table_checks import check_columns, row_problems
from counterpoise.measures.base.units import LIKELIHOOD_RATIO
from counterpoise.measures.base.versions import Versions
from counterpoise.measures.pronouns.common.next_words import before_mask, next_word_problems
from counterpoise.measures.pronouns.common.pronoun_warnings import pronoun_warning
from counterpoise.measures.pronouns.common.stereotype_rates import gest_rows
from counterpoise.models.causal import CausalLM
from counterpoise.models.endpoints.capabilities import Rung
from counterpoise.models.endpoints.endpoint import Endpoint
from counterpoise.models.masked import MaskedLM

_NEEDED = ["sentence", "name", "about"]
_WORDS = ["male", "female"]


@measure(
    "gest",
    label="Who says a stereotypical sentence (GEST)",
    unit=LIKELIHOOD_RATIO,
    units={"difference": LIKELIHOOD_RATIO},
    needs=MaskedLM | CausalLM,
    rungs=(Rung.LIKELIHOOD,),
    data="gest",
    ideal=ZERO,
    direction=Direction(
        "The model attributes sentences to the gender that the stereotype names.",
        "The model attributes sentences to the gender that the stereotype does not name.",
        STEREOTYPE,
    ),
    directions={
        "preference": Direction(
            "The model takes the speaker for a man.", "The model takes the speaker for a woman.", GENDERS
        ),
        "stereotype_rate": Direction(
            "A value above 1 means that sentences are attributed to the gender that the stereotype names.",
            "A value below 1 means that sentences are attributed to the other gender.",
        ),
    },
    cites="pikuliak2024",
    kind_suites={"causal": ("quick", "full")},
    incomparable="the templates differ, and a causal model does not see what follows the speaker",
    identity=("text", "name"),
    versions=Versions("male", "female", ("log_p_male", "log_p_female"), gap="text"),
    rows=gest_rows,
)
def gest(
    model: MaskedLM | CausalLM | Endpoint, data: pd.DataFrame | None = None, *, variant: Variant = "corrected"
) -> Measured:
    """Does the model attribute a sentence to a man or a woman by gender stereotypes?

    Parameters
    ----------
    data
        Sentences in the columns of `counterpoise.data.gest`; all of them if not given.

    >>> import counterpoise as cp
    >>> import pandas as pd
    >>> sentences = pd.DataFrame({
    ...     "sentence": ["I like my new dress.", "I fixed the engine."],
    ...     "name": ["women are beautiful", "men are strong"], "about": ["women", "men"],
    ... })
    >>> result = cp.measures.gest(cp.load(), sentences)
    >>> len(result.items), bool(result.headline.value > 0)
    (8, True)
    """
    own = read_gest(variant) if data is None else data
    table = check_columns(own, _NEEDED, "gest")
    _check_names(table)
    table["number"] = range(1, len(table) + 1)
    sentences, unusable = keep_scorable(table, _sentence_problems(model, table, variant), "sentence")
    filled = _fill(sentences, "masked" if isinstance(model, MaskedLM) else "causal")
    items, skipped = keep_scorable(filled, _problems(model, filled), "text")

    logs = _log_probs(model, items)
    items["scoring"] = "masked" if isinstance(model, MaskedLM) else "next token"
    items[["log_p_male", "log_p_female"]] = logs
    items["score"] = logs[:, 0] - logs[:, 1]
    if variant == "published":
        items["score"] /= math.log(10)
    return Measured(
        items,
        skipped=pd.concat([unusable, skipped], ignore_index=True),
        warnings=pronoun_warning(logs),
    )


def _check_names(table: pd.DataFrame) -> None:
    """Rows and intervals tell stereotypes by their names alone."""
    women = set(table.name[table.about == "women"])
    both = [name for name in table.name[table.about == "men"] if name in women]
    if both:
        raise DataError(
            f"the stereotype {both[0]!r} is about men and about women; give the two different names"
        )


def _sentence_problems(
    model: MaskedLM | CausalLM | Endpoint, table: pd.DataFrame, variant: Variant
) -> list[str | None]:
    once = ["sentence", "name"] if variant == "corrected" else ["number"]
    about = {"about": ("men", "women")}
    problems = row_problems(table, texts=["sentence", "name"], needed=["about"], once=once, allowed=about)
    masks = [MASK, model.tokenizer.mask_token] if isinstance(model, MaskedLM) else [MASK]
    found = [[mask for mask in masks if mask in str(sentence)] for sentence in table.sentence]
    return [
        problem or (f"the sentence has a mask in it, {inside[0]}" if inside else None)
        for problem, inside in zip(problems, found, strict=True)
    ]


def _fill(sentences: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Every sentence in every template for the kind of model."""
    parts = [
        sentences.assign(
            template=template.name,
            text=[template.text.format(sentence=sentence) for sentence in sentences.sentence],
            male=template.male,
            female=template.female,
        )
        for template in getattr(read_spec("gest", GestSpec), kind)
    ]
    return pd.concat(parts, ignore_index=True)


def _problems(model: MaskedLM | CausalLM | Endpoint, items: pd.DataFrame) -> list[str | None]:
    texts, words = items.text.tolist(), items[_WORDS].to_numpy().tolist()
    if not isinstance(model, MaskedLM):
        return next_word_problems(model, texts, words)
    return target_problems(model, texts, words)


def _log_probs(model: MaskedLM | CausalLM | Endpoint, items: pd.DataFrame) -> np.ndarray:
    texts, words = items.text.tolist(), items[_WORDS].to_numpy().tolist()
    if not isinstance(model, MaskedLM):
        return model.next_log_probs(before_mask(texts), words)
    return model.target_log_probs(texts, words)
