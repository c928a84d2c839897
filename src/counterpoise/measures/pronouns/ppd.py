"""Pronoun probability difference (Barza 2023, section 4.2.2).

    PPD(s)  = P(male pronoun | s) - P(female pronoun | s)      at the masked slot of sentence s
    APPD(w) = mean of PPD over the templates of word w

The pronouns fit the slot: he and she as subject, his and her as possessive. For words that are bound to one gender
(businesswoman, pregnant) no lean would be wrong, so there the ideal is far from 0, and the lean is counted towards the
word's own gender.

They and their are asked beside them:

    neutral gap(s) = (P(male pronoun | s) + P(female pronoun | s)) / 2 - P(they | s)

over the words that are not bound to a gender, as a whole and by category; tests of it are a family of their own. The
verb agrees with its pronoun, so they is asked in "[MASK] are a chemist." and he and she in "[MASK] is a chemist.";
where only the singular of a verb is known (own templates without `{is|are}`) nothing is said of they. The sentence
around they then differs by that verb, which we and you could follow too, but not he and she; templates whose verb does
not change (possessives, "as a chemist [MASK] should ...") are free of that, and `neutral_gap.same_sentence` is the row
of those alone. The row `p_neutral` takes every sentence with its verb in the singular, as earlier versions did.

The headline is the mean over professions, some of which lean to men and some to women, so it shows whether the model
prefers one gender in general. Stereotypes show in the rows of single words.

A causal model is asked for the probability of each pronoun as the next word after the text before the slot. It sees
nothing of what follows, so only templates whose word stands before the pronoun can be asked ("the nurse lost
{possessive} keys", not "{subject} is a nurse"); the others are skipped and named. The likelihood of the whole sentence
would see the word, but that is another quantity, the one that sld measures. The column `scoring` and the names of the
statistics tell which it was; numbers of the two kinds rest on different templates and are not to be compared.

A model behind an endpoint is asked like a causal model. Where its server gives only the most probable next tokens, a
pronoun that is not among them is at most as probable as the last of them. Then `ppd` is the middle of what is possible,
`ppd_low` and `ppd_high` are its bounds, and the intervals of the rows hold wherever between them it lies.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np
import pandas as pd

from counterpoise.data.builtin.templates import Templates, pronoun_templates
from counterpoise.data.spec import Variant
from counterpoise.data.user.files import TEMPLATES
from counterpoise.measures.base.bounded_rows import bounded_rows
from counterpoise.measures.base.catalogue import Measured, measure
from counterpoise.measures.base.documentation import Doc
from counterpoise.measures.base.result import GENDERS, Direction
from counterpoise.measures.base.row_builders import absolute_row, mean_row, within
from counterpoise.measures.base.rows import ZERO, Ideal, Row, in_group, of_word
from counterpoise.measures.base.scoring_problems import target_problems
from counterpoise.measures.base.skipped import keep_scorable, skipped_table
from counterpoise.measures.base.source import Contrast, observe
from counterpoise.measures.base.table_checks import check_kind
from counterpoise.measures.base.units import PROBABILITY
from counterpoise.measures.base.versions import Versions
from counterpoise.measures.pronouns.common.neutral_rows import BEYOND_TWO, neutral_rows
from counterpoise.measures.pronouns.common.next_words import before_mask, next_word_problems
from counterpoise.measures.pronouns.common.pronoun_warnings import pronoun_warning
from counterpoise.models.causal import CausalLM
from counterpoise.models.endpoints.capabilities import Rung
from counterpoise.models.endpoints.endpoint import Bounds, Endpoint
from counterpoise.models.masked import MaskedLM

OwnTemplates = Annotated[
    Templates | None,
    Doc("Templates with a pronoun slot; the template-based data of the thesis if not given."),
]
_PRONOUNS = ["male", "female", "neutral"]
_UNSEEN = "the word does not stand before the pronoun, and next-token probability sees nothing else"
_APART = Ideal.away_from(0.0)  # no lean would be wrong for words that are bound to a gender
_TOWARDS_OWN_GENDER = Contrast(("gender",), {("male",): 1.0, ("female",): -1.0})


def _rows(items: pd.DataFrame, variant: Variant, seed: int) -> list[Row]:
    """The rows of the items; where some are known within bounds only, those between the two ends."""
    if "ppd_low" not in items:
        return _exact_rows(items)
    lowest, highest = (_exact_rows(_at_end(items, *ends)) for ends in (("low", "high"), ("high", "low")))
    bounded = int((items.ppd_low < items.ppd_high).sum())
    note = f"{bounded} of {len(items)} items have a pronoun outside the server's top tokens"
    free = items[~items.gendered]
    # The absolute value of a word's mean is at most this much smaller than at either end.
    width = float((free.ppd_high - free.ppd_low).groupby(free.word).mean().mean())
    return [
        replace(row, ci_low=max(0.0, row.ci_low - width)) if row.key == "mean_absolute" else row
        for row in bounded_rows(lowest, highest, note)
    ]


def _at_end(items: pd.DataFrame, end: str, other: str) -> pd.DataFrame:
    """The items with every bounded column at one end, as the rows count it."""
    bounded = [str(name).removesuffix("_low") for name in items if str(name).endswith("_low")]
    at_end = items.assign(**{column: items[f"{column}_{end}"] for column in bounded})
    # Rows of words bound to a gender count the women's with the other sign.
    turned = items.gendered & (items.gender == "female")
    return at_end.assign(ppd=at_end.ppd.where(~turned, items[f"ppd_{other}"]))


def _exact_rows(items: pd.DataFrame) -> list[Row]:
    """APPD of all words, of each category and of each word; of words bound to a gender apart."""
    suffix = "" if (items.scoring == "masked").all() else ", next token"
    label, own_label = f"APPD{suffix}", f"APPD towards the word's own gender{suffix}"
    lean = observe(items, "ppd")
    free, bound = lean.only(gendered=False), observe(items, "ppd", _TOWARDS_OWN_GENDER).only(gendered=True)
    return [
        *(_overall(items, suffix) if len(free) else []),
        *(
            mean_row(words, "appd", label, cluster="word", at=in_group(category))
            for category, words in free.by("category")
        ),
        *(
            mean_row(words, "own_gender", own_label, cluster="word", at=in_group(category), ideal=_APART)
            for category, words in bound.by("category")
        ),
        *(
            mean_row(
                sentences,
                "appd",
                label,
                cluster="template",
                at=of_word(word),
                ideal=_APART if is_bound else ZERO,
            )
            for (word, is_bound), sentences in lean.by("word", "gendered")
        ),
        *neutral_rows(items, suffix),
    ]


def _overall(items: pd.DataFrame, suffix: str) -> list[Row]:
    lean, p_neutral = (observe(items, column).only(gendered=False) for column in ("ppd", "p_neutral"))
    pronouns = ", ".join(lean.table.neutral.str.lower().unique())
    label = f"P({pronouns}){suffix}"
    neutral = mean_row(p_neutral, "p_neutral", label, cluster="word", ideal=Ideal.none(), test=None)
    return [
        mean_row(lean, "appd", f"APPD{suffix}", cluster="word"),
        absolute_row(lean, "mean_absolute", f"mean |APPD| of words{suffix}", cluster="word"),
        within(neutral, 0.0, 1.0),
    ]


@measure(
    "ppd",
    label="Pronoun preference by profession (PPD)",
    unit=PROBABILITY,
    needs=MaskedLM | CausalLM,
    data="pronoun_templates",
    ideal=ZERO,
    direction=Direction(
        "The model expects people in these professions to be men.",
        "The model expects people in these professions to be women.",
        GENDERS,
    ),
    directions={
        "own_gender": Direction(
            "The model gives gendered words the pronoun of their own gender.",
            "The model gives gendered words the pronoun of the other gender.",
        ),
        **BEYOND_TWO,
    },
    cites="barza2023",
    incomparable="a causal model sees only what stands before the pronoun, and so answers fewer templates",
    identity=("text", "word", "category"),
    versions=Versions("male", "female", ("p_male", "p_female"), gap="text"),
    rungs=(Rung.LIKELIHOOD, Rung.NEXT_WORD),
    suites=("quick", "full"),
    accepts=(TEMPLATES,),
    rows=_rows,
)
def ppd(
    model: MaskedLM | CausalLM | Endpoint, data: OwnTemplates = None, *, variant: Variant = "corrected"
) -> Measured:
    """Which pronoun does the model choose for someone with this profession?

    >>> import counterpoise as cp
    >>> nurse = cp.measures.ppd(cp.load(), cp.data.Templates.of("{subject} is a nurse."))
    >>> bool(nurse.items.ppd[0] < 0)
    True
    """
    templates = pronoun_templates(variant) if data is None else data
    check_kind(templates, Templates, "ppd")
    sentences = templates.fill()
    items, skipped = keep_scorable(sentences, _problems(model, sentences), "text")
    faults = templates.faults()

    is_masked = isinstance(model, MaskedLM)
    items["scoring"] = "masked" if is_masked else "next token"
    # Who sees nothing of what follows the pronoun sees no verb that would have to agree with it.
    items["with_they"] = items.text_neutral if is_masked else items.text
    items["they_agrees"] = items.with_they.notna()
    items["same_sentence"] = items.with_they == items.text
    if isinstance(model, Endpoint):
        bounds = model.next_log_prob_bounds(
            before_mask(items.text.tolist()), items[_PRONOUNS].to_numpy().tolist()
        )
        logs = bounds.high
        items = _with_bounds(items, bounds)
    else:
        logs = _log_probs(model, items)
        items[["p_male", "p_female", "p_neutral"]] = np.exp(logs)
        items["ppd"] = items.p_male - items.p_female
        items["p_they"] = _p_they(model, items) if isinstance(model, MaskedLM) else items.p_neutral
        items["neutral_gap"] = (items.p_male + items.p_female) / 2 - items.p_they

    faulty = skipped_table([fault.item for fault in faults], [fault.reason for fault in faults])
    return Measured(
        items,
        skipped=pd.concat([faulty, skipped], ignore_index=True),
        warnings=pronoun_warning(logs[:, :2]),
        dataset=templates.name,
        variant=templates.variant,
    )


def _with_bounds(items: pd.DataFrame, bounds: Bounds) -> pd.DataFrame:
    """Items with the probabilities of their pronouns; those that are known within bounds only are nan."""
    low, high = np.exp(bounds.low), np.exp(bounds.high)
    items[["p_male", "p_female", "p_neutral"]] = np.where(bounds.exact, high, np.nan)
    items["ppd_low"], items["ppd_high"] = low[:, 0] - high[:, 1], high[:, 0] - low[:, 1]
    items["ppd"] = (items.ppd_low + items.ppd_high) / 2
    of_both = {"low": low[:, :2].mean(1), "high": high[:, :2].mean(1)}
    items["p_they"] = items.p_neutral
    items["neutral_gap"] = (of_both["low"] - high[:, 2] + of_both["high"] - low[:, 2]) / 2
    if bounds.exact.all():
        return items.drop(columns=["ppd_low", "ppd_high"])
    of_neutral = {"p_neutral_low": low[:, 2], "p_neutral_high": high[:, 2]}
    return items.assign(
        **of_neutral,
        p_they_low=low[:, 2],
        p_they_high=high[:, 2],
        neutral_gap_low=of_both["low"] - high[:, 2],
        neutral_gap_high=of_both["high"] - low[:, 2],
    )


def _p_they(model: MaskedLM, items: pd.DataFrame) -> pd.Series:
    """P(they | the sentence with its verb in the plural); nan where that sentence is not known."""
    p_they = items.p_neutral.where(items.they_agrees)
    other = items[items.they_agrees & ~items.same_sentence]
    if len(other):
        logs = model.target_log_probs(other.with_they.tolist(), [[word] for word in other.neutral])
        p_they[other.index] = np.exp(logs[:, 0])
    return p_they


def _problems(model: MaskedLM | CausalLM | Endpoint, sentences: pd.DataFrame) -> list[str | None]:
    """A word that the model does not know would be asked about as any other such word is."""
    words = sentences.word.where(sentences.word != sentences.template, "")  # else a sentence of its own
    known = {word: not word or model.knows(word) for word in words.unique()}
    return [
        problem if known[word] else f"{word!r} is not in the vocabulary"
        for problem, word in zip(_pronoun_problems(model, sentences), words, strict=True)
    ]


def _pronoun_problems(model: MaskedLM | CausalLM | Endpoint, sentences: pd.DataFrame) -> list[str | None]:
    pronouns = sentences[_PRONOUNS].to_numpy().tolist()
    if isinstance(model, MaskedLM):
        return target_problems(model, sentences.text.tolist(), pronouns)
    problems = next_word_problems(model, sentences.text.tolist(), pronouns)
    return [
        problem if seen else _UNSEEN for seen, problem in zip(sentences.word_before, problems, strict=True)
    ]


def _log_probs(model: MaskedLM | CausalLM, items: pd.DataFrame) -> np.ndarray:
    pronouns = items[_PRONOUNS].to_numpy().tolist()
    if isinstance(model, MaskedLM):
        return model.target_log_probs(items.text.tolist(), pronouns)
    return model.next_log_probs(before_mask(items.text.tolist()), pronouns)
