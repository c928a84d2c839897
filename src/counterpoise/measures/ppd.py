"""Pronoun probability difference (Barza 2023, section 4.2.2).

    PPD(s)  = P(male pronoun | s) - P(female pronoun | s)      at the masked slot of sentence s
    APPD(w) = mean of PPD over the templates of word w

The pronouns fit the slot: he and she as subject, his and her as possessive; they and their stand beside them as a
neutral row. For words that are bound to one gender (businesswoman, pregnant) no lean would be wrong, so there the
ideal is far from 0, and the lean is counted towards the word's own gender.

A causal model is asked for the probability of each pronoun as the next word after the text before the slot. It sees
nothing of what follows, so only templates whose word stands before the pronoun can be asked ("the nurse lost
{possessive} keys", not "{subject} is a nurse"); the others are skipped and named. The likelihood of the whole sentence
would see the word, but that is another quantity, the one that sld measures. The column `scoring` and the names of the
statistics tell which it was; numbers of the two kinds rest on different templates and are not to be compared.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from counterpoise.core.mask import MASK
from counterpoise.data.spec import Variant, check_variant, citation
from counterpoise.data.templates import Templates, tbd
from counterpoise.measures.catalogue import measure
from counterpoise.measures.inputs import check_kind
from counterpoise.measures.result import Ideal, Result, Row, keep_scorable, make_summary, skipped_table
from counterpoise.measures.summary import absolute_row, mean_row
from counterpoise.measures.targets import target_problems
from counterpoise.models.causal import CausalLM
from counterpoise.models.masked import MaskedLM

_SIGN = "positive: the model reads the person as male"
_PRONOUNS = ["male", "female", "neutral"]
_UNSEEN = "the word does not stand before the pronoun, and next-token probability sees nothing else"


@measure(
    "ppd",
    needs=(MaskedLM, CausalLM),
    data="tbd",
    ideal=Ideal.at(0.0),
    sign=_SIGN,
    cites="barza2023",
    suites=("quick", "full"),
)
def ppd(
    model: MaskedLM | CausalLM,
    data: Templates | None = None,
    *,
    variant: Variant = "corrected",
    seed: int = 0,
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
    check_kind(templates, Templates, "ppd")
    sentences = templates.fill()
    items, skipped = keep_scorable(sentences, _problems(model, sentences), "text")
    faults = templates.faults()

    items["scoring"] = how = "next token" if isinstance(model, CausalLM) else "masked"
    items[["p_male", "p_female", "p_neutral"]] = np.exp(_log_probs(model, items))
    items["ppd"] = items.p_male - items.p_female

    return Result(
        measure="ppd",
        dataset=templates.name,
        model=model.name,
        variant=templates.variant,
        seed=seed,
        items=items,
        summary=make_summary(_rows(items, how), "ppd", templates.name, templates.variant),
        skipped=pd.concat(
            [skipped_table([one.item for one in faults], [one.reason for one in faults]), skipped],
            ignore_index=True,
        ),
        sign=_SIGN,
        citation=citation("barza2023"),
    )


def _problems(model: MaskedLM | CausalLM, sentences: pd.DataFrame) -> list[str | None]:
    """A word that the model does not know would be asked about as any other such word is."""
    words = sentences.word.where(sentences.word != sentences.template, "")  # else a sentence of its own
    known = {word: not word or model.knows(word) for word in words.unique()}
    return [
        problem if known[word] else f"{word!r} is not in the vocabulary"
        for problem, word in zip(_pronoun_problems(model, sentences), words, strict=True)
    ]


def _pronoun_problems(model: MaskedLM | CausalLM, sentences: pd.DataFrame) -> list[str | None]:
    pronouns = sentences[_PRONOUNS].to_numpy().tolist()
    if isinstance(model, MaskedLM):
        return target_problems(model, sentences.text.tolist(), pronouns)
    # What the model reads is the text before the slot with each of the pronouns after it.
    before = pd.Series(_before(sentences), index=sentences.index)
    per_pronoun = [target_problems(model, (before + sentences[one]).tolist(), pronouns) for one in _PRONOUNS]
    return [
        next((problem for problem in problems if problem), None) if seen else _UNSEEN
        for seen, *problems in zip(sentences.word_before, *per_pronoun, strict=True)
    ]


def _log_probs(model: MaskedLM | CausalLM, items: pd.DataFrame) -> np.ndarray:
    pronouns = items[_PRONOUNS].to_numpy().tolist()
    if isinstance(model, MaskedLM):
        return model.target_log_probs(items.text.tolist(), pronouns)
    return model.next_log_probs(_before(items), pronouns)


def _before(sentences: pd.DataFrame) -> list[str]:
    return [text.partition(MASK)[0] for text in sentences.text]


def _rows(items: pd.DataFrame, how: str) -> list[Row]:
    free, bound = items[~items.gendered], items[items.gendered]
    suffix = "" if how == "masked" else f", {how}"
    appd = partial(mean_row, statistic=f"APPD{suffix}")
    zero, away = Ideal.at(0.0), Ideal.away_from(0.0)
    return [
        *(_overall(free, suffix) if len(free) else []),
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
                statistic=f"APPD towards the word's own gender{suffix}",
                ideal=away,
            )
            for category, some in bound.groupby("category", sort=False)
        ),
        *(
            appd(some.ppd, some.template, level="word", group=str(word), ideal=away if is_bound else zero)
            for (word, is_bound), some in items.groupby(["word", "gendered"], sort=False)
        ),
    ]


def _overall(items: pd.DataFrame, suffix: str) -> list[Row]:
    mean = partial(mean_row, clusters=items.word, level="overall", group="all")
    neutral = ", ".join(items.neutral.str.lower().unique())
    return [
        mean(items.ppd, statistic=f"APPD{suffix}", ideal=Ideal.at(0.0)),
        absolute_row(
            items.ppd, items.word, level="overall", group="all", statistic=f"mean |APPD| of words{suffix}"
        ),
        mean(items.p_neutral, statistic=f"P({neutral}){suffix}", ideal=Ideal(None, "none"), test=None),
    ]
