"""What the paper prints, and what its authors' notebooks print behind it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources

import pandas as pd

from counterpoise import stats

PAPERS_MODEL = "bert-base-uncased"
_PRINTED = resources.files("counterpoise.studies.papers.kurita2019") / "printed"


@dataclass(frozen=True)
class Category:
    """A row of table 3: what the paper prints in its three columns, and what the authors' notebooks do, sign and all.

    `test` is its name in `counterpoise.data.kurita`, `words` and `published_words` in `counterpoise.data.weat`.
    `second_targets_first`: the notebook subtracts the first set of targets of `counterpoise.data.weat` from the second.
    `which` says which of the test's targets the published test has.
    """

    title: str
    test: str
    words: str
    published_words: str
    glove: float
    bert: float
    scores: float
    notebook_glove: float
    notebook_bert: float
    notebook_scores: float
    which: str
    second_targets_first: bool = False


TABLE_3 = (
    Category(
        "pleasant/unpleasant, flowers and insects", "flowers/insects", "weat1", "kurita_flowers",
        1.543, 0.6688, 0.8744, 1.5433, 0.6928, 0.4458,
        "the 9 flowers in BERT's vocabulary, and the first 9 of the 12 insects in it",
    ),
    Category(
        "pleasant/unpleasant, African and European American", "black/white", "weat4", "kurita_names",
        1.012, 1.003, 0.8864, -1.0030, -1.0120, -0.8864,
        "the 5 African American names in BERT's vocabulary, and the first 5 European American ones in it",
        second_targets_first=True,
    ),
    Category(
        "career/family, male and female", "career/family", "weat6", "weat6",
        1.814, 0.5047, 1.126, 1.8139, 0.5047, 1.1255,
        "all",
    ),
    Category(
        "math/arts, male and female", "math/arts", "weat7", "kurita_math",
        1.061, 0.6755, 0.8495, 1.0608, 0.6755, 0.8495,
        "all; novels and sculptures in the plural",
    ),
    Category(
        "science/arts, male and female", "science/arts", "weat8", "kurita_science",
        1.246, 0.8815, 0.9572, 1.2464, 0.5725, 0.9572,
        "all; experiments in the plural",
    ),
)  # fmt: skip

# Table 4: probability that the pronoun means neither name, in per cent.
NEITHER_PRIOR = {"male": 10.3, "female": 9.8}
NEITHER_PREDICTED = {"male": 11.5, "female": 13.9}

# Table 5: attributes that lean male, in per cent. The authors' repository has skills of its own, under "good at".
TABLE_5 = {"job titles": 88.5, "positive traits": 80.0, "negative traits": 78.9, "O*NET skills": 84.0}

# Section 4: Spearman's correlation of a passage's bias with the probability of neither, female pronouns.
TOPIC_CORRELATION = 0.207
TOPIC_P = 4e-11


def table3_rows() -> pd.DataFrame:
    """The bias of each attribute in each template (weat_result_replication.ipynb)."""
    return pd.read_csv(str(_PRINTED / "table3_rows.csv"))


def table5_scores() -> pd.DataFrame:
    """The bias of each attribute of table 5 (Exposing_Bias_BERT.ipynb)."""
    return pd.read_csv(str(_PRINTED / "table5_scores.csv"), keep_default_na=False)


def effect_sizes_from_rows() -> dict[str, float]:
    """d of each test from the printed rows, every attribute in every template a value, as the authors' code has it.

    >>> {test: round(d, 4) for test, d in effect_sizes_from_rows().items()}["career/family"]
    1.1255
    """
    sizes = {}
    for test, rows in table3_rows().groupby("test", sort=False):
        x, y = (group.bias_minus_prior for _, group in rows.groupby("attribute_group", sort=False))
        sizes[str(test)] = stats.effect_size_weat(x, y)
    return sizes


def shares_from_scores() -> dict[str, stats.Share]:
    """The share of attributes that lean male, from the printed scores.

    >>> titles = shares_from_scores()["job titles"]
    >>> round(100 * titles.value, 1), titles.n
    (88.5, 921)
    """
    by_kind = table5_scores().groupby("attributes", sort=False)
    return {str(kind): stats.share(scores.bias) for kind, scores in by_kind}
