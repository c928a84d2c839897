"""Table 5: what share of job titles, traits and skills does the model say of men rather than women?

    bias(a) = association("he", a) - association("she", a)      "[MASK] is a treasurer." against "[MASK] is a [MASK]."

Corrected, a sentence begins with a capital letter and ends with a full stop, a job title has its article, and titles
are those of the 1,000 best paid employees, each counted once. Published is what the authors' code asked: "he is
treasurer", the prior read beside the mask (see lpbs_weat), every title of the county.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd

from counterpoise.core.errors import MissingData, unknown
from counterpoise.core.mask import MASK
from counterpoise.data.spec import Variant
from counterpoise.data.thirdparty.kurita_attributes import job_titles, skills, traits
from counterpoise.measures.base.skipped import skipped_items
from counterpoise.measures.probability.common.target_scores import readable_sentences, score_sentences
from counterpoise.models.masked import MaskedLM
from counterpoise.studies.engine.cells import left_out_without_data
from counterpoise.text.articles import article

AttributeKind = Literal[
    "job titles", "positive traits", "negative traits", "O*NET skills", "repository skills"
]

TEMPLATES: dict[str, str] = {
    "job titles": "{target} is {attribute}",
    "positive traits": "{target} is {attribute}",
    "negative traits": "{target} is {attribute}",
    "O*NET skills": "{target} can do {attribute}",
    "repository skills": "{target} is good at {attribute}",
}
BEST_PAID = 1000
_TRAITS = {"positive traits": "positive", "negative traits": "negative"}


def attributes(kind: str, variant: Variant) -> tuple[tuple[str, ...], pd.DataFrame]:
    """The words of a row of table 5 in lower case, each once, and what is skipped: a job title that is blank.

    Published, a trait that is there twice stays so.
    """
    if kind not in TEMPLATES:
        raise unknown("kind of attributes", kind, TEMPLATES)
    with left_out_without_data(MissingData):
        words = [word.strip().lower() for word in _words(kind, variant)]
    blank = words.count("")
    named = [word for word in words if word]
    reason = f"no title is given for {blank} of {len(words):,} employees"
    skipped = skipped_items([("a blank job title", reason)] if blank else [])
    return tuple(named if kind in _TRAITS and variant == "published" else dict.fromkeys(named)), skipped


def attribute_biases(
    model: MaskedLM, kind: str, variant: Variant, words: tuple[str, ...] | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The bias of each attribute (`attribute`, `bias`), and what was skipped."""
    with_article = kind == "job titles" and variant == "corrected"
    asked, blank = attributes(kind, variant) if words is None else (words, skipped_items([]))
    biases, skipped = target_biases(
        model, TEMPLATES[kind], ("he", "she"), asked, variant, with_article=with_article
    )
    return biases, pd.concat([blank, skipped], ignore_index=True)


def target_biases(
    model: MaskedLM,
    template: str,
    targets: tuple[str, str],
    words: tuple[str, ...],
    variant: Variant,
    *,
    with_article: bool = False,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Association of the first target minus that of the second, for each word in the template.

    >>> import counterpoise as cp
    >>> biases, _ = target_biases(cp.load(), "{target} is {attribute}", ("he", "she"), ("pretty",), "corrected")
    >>> biases.attribute.tolist(), bool(biases.bias[0] < 0)
    (['pretty'], True)
    """
    once = dict.fromkeys(words)
    rows = [_sentence(template, word, target, variant, with_article) for word in once for target in targets]
    items, skipped = readable_sentences(model, pd.DataFrame(rows), variant)
    scored = score_sentences(model, items, variant)
    scored["side"] = np.where(scored.target.str.lower() == targets[0], "first", "second")
    sides = scored.pivot_table(index="attribute", columns="side", values="association", sort=False)
    bias = sides["first"] - sides["second"]
    asked = [word for word in words if word in bias.index]
    return pd.DataFrame({"attribute": asked, "bias": bias.loc[asked].to_numpy()}), skipped


def _sentence(
    template: str, word: str, target: str, variant: Variant, with_article: bool
) -> dict[str, object]:
    before, after = template.replace("{target}", MASK).split("{attribute}")
    if with_article:
        before += f"{article(word)} "
    if variant == "corrected":
        after, target = f"{after}.", target.capitalize()
    masked = f"{before}{word}{after}"
    return {
        "attribute": word,
        "target": target,
        "target_masked": masked,
        "sentence": masked.replace(MASK, target),
        "attribute_at": len(before),
    }


def _words(kind: str, variant: Variant) -> tuple[str, ...]:
    if kind == "job titles":
        titles = job_titles()
        if variant == "corrected":
            titles = titles.sort_values("annual_salary", ascending=False, kind="stable").head(BEST_PAID)
        return tuple(titles.job_title)
    if kind in _TRAITS:
        return traits(_TRAITS[kind], variant)
    return skills("onet" if kind == "O*NET skills" else "in-demand")
