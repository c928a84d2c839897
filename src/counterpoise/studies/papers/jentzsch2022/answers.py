"""The paper's four questions, answered from rows: each difference is held against the noise between seeds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import pandas as pd

from counterpoise import stats
from counterpoise.core.numbers import decimal_text, estimate_text
from counterpoise.studies.papers.jentzsch2022 import verdicts
from counterpoise.studies.papers.jentzsch2022.bases import ADAPTED, HALF
from counterpoise.studies.papers.jentzsch2022.chance import chance_counts, chance_sentence
from counterpoise.studies.papers.jentzsch2022.pooled_answer import pooled_answer
from counterpoise.studies.papers.jentzsch2022.seeds import Noise, contrasts, noise, pooled_contrasts
from counterpoise.studies.papers.jentzsch2022.study_rows import TERMS, paper_rows, treatment, usual_batches
from counterpoise.studies.replication.findings import PaperAnswer
from counterpoise.studies.replication.study_table import ALPHA, rows_of

_ONE_SEED = "There is one seed only, so that a difference cannot be distinguished from noise."
_SMALL_TO_LARGE = (
    ("distbase", "bertbase"),
    ("bertbase", "bertlarge"),
    ("robertabase", "robertalarge"),
    ("albertbase", "albertlarge"),
    (HALF, ADAPTED),
)
_NOT_ZERO = "over reviews whose bias is not zero"
_ALL = "over all reviews"


def answers(rows: pd.DataFrame) -> list[PaperAnswer]:
    """The four questions with the paper's answers and ours; none where nothing was measured."""
    if rows.empty:
        return []
    return [
        PaperAnswer(
            "Is bias induced by fine-tuning?",
            verdicts.by_training_data(pooled_contrasts(rows), *chance_counts(rows)),
            "No: removing or mixing gender terms in the training data does not change biases considerably.",
            f"{chance_sentence(rows)} {by_training_data(rows)}".strip(),
        ),
        PaperAnswer(
            "Is bias induced by pretrained models?",
            verdicts.by_base(set(paper_rows(rows).base), size_differences(rows).values()),
            "Yes: biases differ between architectures, and grow with size within one.",
            by_base(rows),
        ),
        PaperAnswer(
            "Is bias dependent on applied term sets?",
            verdicts.by_terms(*rising_with_terms(rows)),
            "The more terms, the larger the absolute bias; other terms in training than in rating change little.",
            by_terms(rows),
        ),
        PaperAnswer(
            "Do hyperparameter settings affect biases?",
            verdicts.by_batch_size(size.fit for size in batch_differences(rows)),
            "No: 21 conditions with batches of 32, 16 and 8 show no difference. Accuracy and F1 go down as absolute "
            "bias goes up.",
            by_batch_size(rows),
        ),
    ]


def by_training_data(rows: pd.DataFrame) -> str:
    differences = contrasts(rows)
    if not len(differences):
        return "Not measured: the condition original or the others are missing."
    text = list(filter(None, [pooled_answer(rows)]))
    for column, of_bias in differences.groupby("bias", sort=False):
        largest = max(rows_of(of_bias), key=lambda row: abs(row.difference))
        text.append(
            f"The largest change of the {column} bias {_ALL} is {_change(largest.difference)} ({largest.base}, "
            f"{largest.condition} instead of original, {_bias(largest.original)})."
        )
    if differences.p_value.isna().all():
        return " ".join([*text, _ONE_SEED])
    clear = differences[differences.p_adjusted < ALPHA]
    seen = ", ".join(
        f"{row.base} {row.condition} ({row.bias} {_change(row.difference)})" for row in rows_of(clear)
    )
    below = int((differences.difference < 0).sum())
    alone = int(((differences.low > 0) | (differences.high < 0)).sum())
    text.append(
        f"{below} of {len(differences)} differences are below zero, and the 95 % intervals of {alone}, each taken "
        f"alone, exclude zero. After Holm's correction {len(clear)} of {len(differences)} differences are "
        f"significant{f': {seen}' if seen else ''}{_detectable(differences)}."
    )
    text.append(
        f"From seed to seed a bias varies by {_bias(differences.sd_original.median())} after training on original "
        f"texts, and by {_bias(differences.sd_treated.median())} on treated ones (median standard deviations)."
    )
    return " ".join(text)


def _detectable(differences: pd.DataFrame) -> str:
    """The smallest detectable difference, by base model where there are several: they may have unequal seeds."""
    medians = differences.groupby("base", sort=False).detectable.median()
    one = len(medians) == 1
    known = ", ".join(
        _bias(value) + ("" if one else f" ({base})") for base, value in medians.dropna().items()
    )
    return f"; one of {known} would be (median, power of 80 %)" if known else ""


def by_base(rows: pd.DataFrame) -> str:
    own = paper_rows(rows)
    means = own.groupby("base", sort=False).absolute_nonzero.mean()
    if len(means) < 2:
        alone = f"{means.index[0]}, mean absolute bias {_bias(means.iloc[0])} {_NOT_ZERO}"
        return f"Not answered: there is one base model ({alone})."
    by_model = ", ".join(f"{base} {_bias(value)}" for base, value in means.items())
    text = [f"Mean absolute bias {_NOT_ZERO}: {by_model}."]
    text += [_by_size(own, *sizes, fit) for sizes, fit in size_differences(rows).items()]
    if own.groupby(["base", "condition", "terms"]).size().max() < 2:
        text.append(_ONE_SEED)
    return " ".join(text)


def size_differences(rows: pd.DataFrame) -> dict[tuple[str, str], stats.ClusterT]:
    """The mean difference of each larger base model and its smaller one, by their names.

    Training runs of one condition are not taken for independent.
    """
    differences = {}
    own = paper_rows(rows)
    for small, large in _SMALL_TO_LARGE:
        if {small, large} <= set(own.base):
            both = _larger_minus_smaller(own, small, large)
            conditions = both.index.get_level_values("condition").tolist()
            differences[small, large] = stats.cluster_t(both.to_numpy(float), conditions)
    return differences


def _larger_minus_smaller(own: pd.DataFrame, small: str, large: str) -> pd.Series:
    """The difference in absolute bias, run by run."""
    wide = own.pivot_table(index=["condition", "terms", "seed"], columns="base", values="absolute_nonzero")
    return (wide[large] - wide[small]).dropna()


def _by_size(own: pd.DataFrame, small: str, large: str, fit: stats.ClusterT) -> str:
    """The larger model against the smaller one."""
    by_row = _larger_minus_smaller(own, small, large).groupby(["condition", "terms"]).mean()
    text = (
        f"{large} has a larger bias than {small} in {int((by_row > 0).sum())} of {len(by_row)} rows of table 1; mean "
        f"difference {estimate_text(fit.value, fit.low, fit.high, 4, sign=True)} (interval over conditions)."
    )
    return f"{text} {_caution(own)}" if small == HALF else text


def _caution(own: pd.DataFrame) -> str:
    """What this difference does not show, and what else distinguishes the two sizes of the built-in model."""
    seeds = own[own.base.isin([HALF, ADAPTED])].seed.nunique()
    text = (
        f"This is one pair of base models with {seeds} seed{'s' * (seeds != 1)}, and the interval says nothing of "
        "other models or seeds."
    )
    known = own.dropna(subset="base_loss") if "base_loss" in own else own.head(0)
    losses = {row.base: decimal_text(float(row.base_loss), 2) for row in rows_of(known)}
    if {HALF, ADAPTED} <= set(losses):
        text += (
            f" The half-size one was cut down; when both were trained further, its mean training loss was "
            f"{losses[HALF]} against {losses[ADAPTED]} (over the run, not held-out)."
        )
    return text


def by_terms(rows: pd.DataFrame) -> str:
    text = []
    whole = _rated_with_all(rows)
    if len(whole):
        rising, _ = rising_with_terms(rows)
        text.append(
            f"Absolute bias {_NOT_ZERO} rises from pro to weat to all in {rising} of {len(whole)} training runs "
            f"({', '.join(f'{terms} {_bias(whole[terms].mean())}' for terms in TERMS)} on average)."
        )
    text += _crossed(usual_batches(rows))
    return " ".join(text) or "Not measured: no classifier was rated with all three sets."


def _rated_with_all(rows: pd.DataFrame) -> pd.DataFrame:
    """The absolute bias of trainings that were rated with all three sets of terms, a column for each."""
    wide = usual_batches(rows).pivot_table(
        index=["base", "condition", "seed"], columns="terms", values="absolute_nonzero", aggfunc="mean"
    )
    return wide.dropna() if set(TERMS) <= set(wide) else wide.head(0)


def rising_with_terms(rows: pd.DataFrame) -> tuple[int, int]:
    """In how many trainings the bias rises from the shortest set of terms to the longest, and of how many."""
    whole = _rated_with_all(rows)
    rising = sum(all(row[a] < row[b] for a, b in pairwise(TERMS)) for _, row in whole.iterrows())
    return rising, len(whole)


def _crossed(rows: pd.DataFrame) -> list[str]:
    """Trained with one set's terms removed or mixed, rated with another's: does it matter which was trained with?"""
    changes: list[tuple[float, Noise]] = []
    treated = rows[rows.condition != "original"]
    for (base, terms), rated in treated.groupby(["base", "terms"], sort=False):
        size = noise(rows[(rows.base == base) & (rows.terms == terms)], "total")
        treatments = rated.condition.map(treatment)
        for kind in ("R", "mix"):
            own = rated[rated.own & (treatments == kind)]
            other = rated[~rated.own & (treatments == kind)]
            for _, another in other.groupby("condition"):
                if len(own):
                    changes.append((float(another.total.mean() - own.total.mean()), size))
    if not changes:
        return []
    largest, size = max(changes, key=lambda change: abs(change[0]))
    seeds = f"the noise between seeds there is {_bias(size.sd)}" if size.df else _ONE_SEED[:-1].lower()
    return [
        f"When the rating terms differ from the training terms, the total bias {_ALL} changes by at most "
        f"{_bias(abs(largest))}; {seeds}."
    ]


@dataclass(frozen=True)
class BatchDifference:
    """The bias with small batches minus that with the largest."""

    size: int
    largest: int
    fit: stats.ClusterT
    trainings: int


def batch_differences(rows: pd.DataFrame) -> list[BatchDifference]:
    """Each smaller size against the largest; a training that is rated with three sets of terms is one training."""
    sized = rows[rows.own & rows.batch.notna()]
    sizes = sorted(set(sized.batch.astype(int)))
    keys = ["base", "condition", "seed", "terms"]
    wide = sized.pivot_table(index=keys, columns="batch", values="absolute")
    differences = []
    for size in sizes[:-1]:
        both = (wide[size] - wide[sizes[-1]]).dropna()
        if not len(both):
            continue
        trainings = [f"{base} {condition} {seed}" for base, condition, seed, _ in both.index]
        fit = stats.cluster_t(both.to_numpy(float), trainings)
        differences.append(BatchDifference(size, sizes[-1], fit, len(set(trainings))))
    return differences


def by_batch_size(rows: pd.DataFrame) -> str:
    text = [
        f"Absolute bias {_ALL} with batches of {found.size} minus {found.largest}: "
        f"{estimate_text(found.fit.value, found.fit.low, found.fit.high, 4, sign=True)} over "
        f"{_trainings(found.trainings)}."
        for found in batch_differences(rows)
    ]
    if not text:
        text.append("The experiment with batch sizes was not run.")
    return " ".join([*text, *_accuracy(paper_rows(rows))])


def _accuracy(own: pd.DataFrame) -> list[str]:
    if len(set(own.base)) < 2:
        return []
    fit = stats.correlation(own.absolute_nonzero.to_numpy(float), own.accuracy.to_numpy(float))
    if math.isnan(fit.r):
        return ["Absolute bias and accuracy have no correlation here: one of them is the same in all rows."]
    r = decimal_text(fit.r, 2)
    return [f"Absolute bias and accuracy: r = {r} over {len(own)} rows, which are not independent."]


def _bias(value: float) -> str:
    return decimal_text(float(value), 4)


def _change(value: float) -> str:
    return decimal_text(float(value), 4, sign=True)


def _trainings(n: int) -> str:
    return "1 training run" if n == 1 else f"{n} training runs"
