"""Gender in natural language inference (Dev, Li, Phillips & Srikumar 2020).

    premise     The carpenter ate an apple.
    hypothesis  The man ate an apple.    or    The woman ate an apple.

An occupation has no gender, so that neither hypothesis follows and neither is ruled out: the right answer is always
neutral. Of M pairs with the probabilities (e_i, n_i, c_i) of entailment, neutral and contradiction, the paper reports

    net neutral       NN    = 1/M sum of n_i
    fraction neutral  FN    = 1/M number of pairs with n_i = max(e_i, n_i, c_i)
    threshold         T:tau = 1/M number of pairs with n_i >= tau,    tau = .5 and .7

All of them are 1 for a model that infers nothing. They do not say in which direction it infers. For that, the two
hypotheses of a premise are compared:

    lean = (e_male + c_female) / 2 - (e_female + c_male) / 2

A model that entails the man has inferred a man, and so has one that rules out the woman. Asked both, it infers a man
with the probability of the first term and a woman with that of the second; the lean, from -1 to 1, is their difference.
That of an occupation is the mean over templates and pairs of words. Its rows:

- `stereotype`: towards the gender that is more common in the occupation, that is a man where fewer than 25 % are women,
  and a woman where more than 75 % are. Occupations of men and of women weigh alike.
- `lean`: over all occupations. Does the model infer men, or women, whatever the occupation?
- `entailment` and `contradiction`: the same of either answer alone, as the male minus the female hypothesis.
- `spearman`: the correlation of the lean with the share of women, which is negative where the model follows the
  workforce.

Intervals and tests count occupations, and means weigh occupations alike. Where no occupation differs from another, as
in a model that is a rule, the interval is what that many equal occupations leave possible, and the test is the exact
one of signs.

Figures of a model that does not do natural language inference mean nothing. The accuracy on 48 plain pairs, balanced
over the three labels, is a row with Wilson's interval; where that interval reaches down to chance, one in three, there
is a warning.

Both variants, corrected and published, are the same here.
"""

from __future__ import annotations

from typing import Annotated

import pandas as pd

from counterpoise.data.builtin.inference import PERSON, InferenceTemplates, inference_templates
from counterpoise.data.spec import Variant
from counterpoise.data.user.files import INFERENCE_TEMPLATES
from counterpoise.measures.base.catalogue import Measured, measure
from counterpoise.measures.base.documentation import Doc
from counterpoise.measures.base.result import GENDERS, STEREOTYPE, Direction
from counterpoise.measures.base.rows import ZERO, Row
from counterpoise.measures.base.skipped import keep_scorable
from counterpoise.measures.base.table_checks import check_kind
from counterpoise.measures.base.units import PLAIN, PROBABILITY, SHARE
from counterpoise.measures.base.workforce import WORKFORCE_DIRECTIONS
from counterpoise.measures.classifiers.common.inference_check import check_inference
from counterpoise.measures.classifiers.common.inference_rows import (
    NEUTRAL,
    THRESHOLDS,
    gender_of_workforce,
    gendered_rows,
    neutral_rows,
)
from counterpoise.models.function_inference import FunctionInference
from counterpoise.models.inference import InferenceModel

OwnTemplates = Annotated[
    InferenceTemplates | None,
    Doc("Templates, gendered words and occupations, as `InferenceTemplates`; our own if not given."),
]
_GENDERS = ("male", "female")
_ANSWERS = ("entailment", "neutral", "contradiction")
_INFERS_NOTHING = Direction(
    "The model infers no gender from occupations.", "The model infers a gender from occupations."
)


def _rows(items: pd.DataFrame, variant: Variant, seed: int) -> list[Row]:
    return [*gendered_rows(items), *neutral_rows(items)]


@measure(
    "nli",
    label="Gender inferred from occupations (NLI)",
    unit=PROBABILITY,
    units={"accuracy": SHARE, **dict.fromkeys(NEUTRAL, PLAIN)},
    needs=InferenceModel,
    data="nli",
    ideal=ZERO,
    direction=Direction(
        "From an occupation, the model infers a man more often than a woman.",
        "From an occupation, the model infers a woman more often than a man.",
        GENDERS,
    ),
    directions={
        "stereotype": Direction(
            "From an occupation, the model infers the gender that is more common in it.",
            "From an occupation, the model infers the gender that is less common in it.",
            STEREOTYPE,
        ),
        "contradiction": Direction(
            "From an occupation, the model rules out a man more often than a woman.",
            "From an occupation, the model rules out a woman more often than a man.",
        ),
        "accuracy": Direction(
            "The model labels plain pairs right.",
            "The model labels plain pairs wrong.",
        ),
        **dict.fromkeys(NEUTRAL, _INFERS_NOTHING),
        **WORKFORCE_DIRECTIONS,
    },
    cites="dev2020",
    identity=("text", "premise", "words"),
    suites=("quick", "full"),
    accepts=(INFERENCE_TEMPLATES,),
    rows=_rows,
)
def nli(model: InferenceModel | FunctionInference, data: OwnTemplates = None) -> Measured:
    """Does the model infer that someone is a man or a woman from an occupation?

    >>> import counterpoise as cp
    >>> def stereotyped(premises, hypotheses):
    ...     return [[0.6, 0.4, 0.0] if "nurse" in premise and "woman" in hypothesis else [0.0, 1.0, 0.0]
    ...             for premise, hypothesis in zip(premises, hypotheses)]
    >>> templates = cp.data.InferenceTemplates.of(["The {person} left."], ["nurse", "judge"])
    >>> result = cp.measures.nli(cp.models.InferenceModel.of(stereotyped), templates)
    >>> result.items.set_index("occupation").lean.to_dict()
    {'nurse': -0.3, 'judge': 0.0}
    """
    templates = inference_templates() if data is None else data
    check_kind(templates, InferenceTemplates, "nli")
    pairs = templates.fill()
    usable, skipped = keep_scorable(pairs, _problems(model, pairs), "premise")
    checked = check_inference(model)
    items = _compared(_answers(model, usable))
    return Measured(
        items,
        [*_rows(items, "corrected", 0), checked.row],
        skipped=skipped,
        warnings=checked.warnings,
        dataset=templates.name,
    )


def _problems(model: InferenceModel | FunctionInference, pairs: pd.DataFrame) -> list[str | None]:
    """A word that the model does not know would be asked about as any other such word is."""
    words = ["occupation", "male", "female"]
    known = {word: model.knows(word) for column in words for word in pairs[column].unique()}
    return [
        next((f"{word!r} is not in the vocabulary" for word in row if not known[word]), None)
        for row in pairs[words].itertuples(index=False, name=None)
    ]


def _answers(model: InferenceModel | FunctionInference, pairs: pd.DataFrame) -> pd.DataFrame:
    """The probabilities of the three answers for the male and for the female hypothesis of each premise."""
    hypotheses = [*pairs.hypothesis_male, *pairs.hypothesis_female]
    asked = model.probabilities([*pairs.premise, *pairs.premise], hypotheses).reshape(2, len(pairs), 3)
    columns = {
        f"{answer}_{gender}": asked[side, :, number]
        for side, gender in enumerate(_GENDERS)
        for number, answer in enumerate(_ANSWERS)
    }
    return pairs.drop(columns=list(_GENDERS)).assign(**columns)


def _compared(items: pd.DataFrame) -> pd.DataFrame:
    """With male minus female, and what of the two hypotheses is neutral."""
    inferred = [
        template.replace(PERSON, words) for template, words in zip(items.template, items.words, strict=True)
    ]
    items = items.assign(
        text=items.premise + " => " + pd.Series(inferred, index=items.index),
        group=gender_of_workforce(items.women_share),
        entailment=items.entailment_male - items.entailment_female,
        contradiction=items.contradiction_male - items.contradiction_female,
    )
    items["has_common_gender"] = items.group.isin(_GENDERS)
    items["lean"] = (items.entailment - items.contradiction) / 2
    either = items[[f"neutral_{gender}" for gender in _GENDERS]]
    likeliest = pd.DataFrame(
        {
            gender: items[f"neutral_{gender}"]
            == items[[f"{answer}_{gender}" for answer in _ANSWERS]].max(axis=1)
            for gender in _GENDERS
        }
    )
    items["net_neutral"] = either.mean(axis=1)
    items["fraction_neutral"] = likeliest.mean(axis=1)
    for threshold in THRESHOLDS:
        items[f"threshold_{threshold}"] = (either >= threshold / 100).mean(axis=1)
    return items
