"""Pronoun preference by hobby (Example 2026).

    preference(s) = log P(male pronoun | s) - log P(female pronoun | s)      at the gap of sentence s

"After work _ likes to knit." The preference for a hobby is the mean over its sentences, and the headline is the mean
over hobbies.

Both variants, corrected and published, are the same here.
"""

from __future__ import annotations

import pandas as pd

from counterpoise.core.mask import MASK
from counterpoise.data.spec import Variant
from counterpoise.data.thirdparty.table_specs import third_party_table
from counterpoise.measures.base.catalogue import Measured, measure
from counterpoise.measures.base.result import GENDERS, Direction
from counterpoise.measures.base.row_builders import absolute_row, mean_row
from counterpoise.measures.base.rows import ZERO, Row, of_word
from counterpoise.measures.base.scoring_problems import target_problems
from counterpoise.measures.base.skipped import keep_scorable
from counterpoise.measures.base.source import observe
from counterpoise.measures.base.table_checks import check_columns, row_problems
from counterpoise.measures.base.units import LIKELIHOOD_RATIO
from counterpoise.models.masked import MaskedLM

_PRONOUNS = ["male", "female"]
_STATISTIC = "log P(male) - log P(female)"


def _rows(items: pd.DataFrame, variant: Variant, seed: int) -> list[Row]:
    preferences = observe(items, "preference")
    return [
        mean_row(preferences, "preference", _STATISTIC, cluster="hobby"),
        absolute_row(preferences, "mean_absolute", f"mean |{_STATISTIC}| of hobbies", cluster="hobby"),
        *(
            mean_row(of_hobby, "preference", _STATISTIC, cluster="text", at=of_word(hobby))
            for hobby, of_hobby in preferences.by("hobby")
        ),
    ]


@measure(
    "hobbies",
    label="Pronoun preference by hobby",
    unit=LIKELIHOOD_RATIO,
    needs=MaskedLM,
    data="hobbies",
    ideal=ZERO,
    direction=Direction(
        positive="The model expects people with these hobbies to be men.",
        negative="The model expects people with these hobbies to be women.",
        sides=GENDERS,
    ),
    cites="example2026",
    identity=("text", "hobby", "male"),
    rows=_rows,
)
def hobbies(model: MaskedLM, data: pd.DataFrame | None = None) -> Measured:
    """Which pronoun does the model choose for someone with this hobby?

    Parameters
    ----------
    data
        Sentences in the columns `sentence`, `hobby`, `male` and `female`; those of the dataset if not given.

    >>> import counterpoise as cp
    >>> import pandas as pd
    >>> knit = {"sentence": "After work _ likes to knit.", "hobby": "knitting", "male": "he", "female": "she"}
    >>> result = cp.measures.hobbies(cp.load(), pd.DataFrame([knit]))
    >>> result.items.text[0]
    'After work [MASK] likes to knit.'
    """
    table = third_party_table("hobbies") if data is None else data
    table = check_columns(table, ["sentence", "hobby", *_PRONOUNS], "hobbies")
    cells = row_problems(table, texts=["sentence", *_PRONOUNS], needed=["hobby"], once=["sentence", "male"])
    sentences, unusable = keep_scorable(table, cells, "sentence")
    sentences["text"] = sentences.sentence.str.replace("_", MASK)

    problems = target_problems(model, sentences.text.tolist(), sentences[_PRONOUNS].to_numpy().tolist())
    items, unscorable = keep_scorable(sentences, problems, "sentence")
    log_p = model.target_log_probs(items.text.tolist(), items[_PRONOUNS].to_numpy().tolist())
    items["preference"] = log_p[:, 0] - log_p[:, 1]
    return Measured(items, skipped=pd.concat([unusable, unscorable], ignore_index=True))
