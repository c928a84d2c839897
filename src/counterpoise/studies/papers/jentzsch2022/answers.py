"""The paper's four questions, answered from rows: each difference is held against the noise between seeds."""

from __future__ import annotations

from itertools import pairwise

import pandas as pd

from counterpoise import stats
from counterpoise.studies.papers.jentzsch2022.seeds import ALPHA, Noise, contrasts, noise
from counterpoise.studies.papers.jentzsch2022.study_rows import TERMS, paper_rows, treatment, usual_batches
from counterpoise.studies.replication.findings import Answer
from counterpoise.studies.replication.study_table import rows_of

_ONE_SEED = "There is one seed only, so that a difference cannot be told from noise."
_SMALL_TO_LARGE = (
    ("distbase", "bertbase"),
    ("bertbase", "bertlarge"),
    ("robertabase", "robertalarge"),
    ("albertbase", "albertlarge"),
)
_NOT_ZERO = "over reviews whose bias is not zero"
_ALL = "over all reviews"


def answers(rows: pd.DataFrame) -> list[Answer]:
    """The four questions with the paper's answers and ours; none where nothing was measured."""
    if rows.empty:
        return []
    return [
        Answer(
            "Is bias induced by fine-tuning?",
            "No: removing or mixing gender terms in the training data does not change biases considerably.",
            by_training_data(rows),
        ),
        Answer(
            "Is bias induced by pretrained models?",
            "Yes: biases differ between architectures, and grow with size within one.",
            by_base(rows),
        ),
        Answer(
            "Is bias dependent on applied term sets?",
            "The more terms, the larger the absolute bias; other terms in training than in rating change little.",
            by_terms(rows),
        ),
        Answer(
            "Do hyperparameter settings affect biases?",
            "No: 21 conditions with batches of 32, 16 and 8 show no difference. Accuracy and F1 go down as absolute "
            "bias goes up.",
            by_batch_size(rows),
        ),
    ]


def by_training_data(rows: pd.DataFrame) -> str:
    differences = contrasts(rows)
    if not len(differences):
        return "Not measured: the condition original or the others are missing."
    text = []
    for column, of_bias in differences.groupby("bias", sort=False):
        largest = max(rows_of(of_bias), key=lambda row: abs(row.difference))
        text.append(
            f"The largest change of the {column} bias {_ALL} is {largest.difference:+.4f} ({largest.base}, "
            f"{largest.condition} instead of original, {largest.original:.4f})."
        )
    if differences.p_value.isna().all():
        return " ".join([*text, _ONE_SEED])
    clear = differences[differences.p_adjusted < ALPHA]
    seen = ", ".join(
        f"{row.base} {row.condition} ({row.bias} {row.difference:+.4f})" for row in rows_of(clear)
    )
    below = int((differences.difference < 0).sum())
    alone = int(((differences.low > 0) | (differences.high < 0)).sum())
    text.append(
        f"{below} of {len(differences)} differences are below zero, and the 95 % intervals of {alone}, each taken "
        f"alone, leave zero out. After Holm's correction {len(clear)} of {len(differences)} differences are "
        f"significant{f': {seen}' if seen else ''}; one of {differences.detectable.median():.4f} would be (median, "
        "power of 80 %)."
    )
    text.append(
        f"From seed to seed a bias varies by {differences.sd_original.median():.4f} after training on original texts, "
        f"and by {differences.sd_treated.median():.4f} on treated ones (median standard deviations)."
    )
    return " ".join(text)


def by_base(rows: pd.DataFrame) -> str:
    own = paper_rows(rows)
    means = own.groupby("base", sort=False).absolute_nonzero.mean()
    if len(means) < 2:
        alone = f"{means.index[0]}, mean absolute bias {means.iloc[0]:.4f} {_NOT_ZERO}"
        return f"Not answered: there is one base model ({alone})."
    by_model = ", ".join(f"{base} {value:.4f}" for base, value in means.items())
    pairs = [(small, large) for small, large in _SMALL_TO_LARGE if {small, large} <= set(means.index)]
    text = [f"Mean absolute bias {_NOT_ZERO}: {by_model}."]
    for small, large in pairs:
        keys = ["condition", "terms"]
        sides = [own[own.base == base].groupby(keys).absolute_nonzero.mean() for base in (small, large)]
        both = (sides[1] - sides[0]).dropna()
        text.append(f"{large} is above {small} in {int((both > 0).sum())} of {len(both)} conditions.")
    if own.groupby(["base", "condition", "terms"]).size().max() < 2:
        text.append(_ONE_SEED)
    return " ".join(text)


def by_terms(rows: pd.DataFrame) -> str:
    usual = usual_batches(rows)
    wide = usual.pivot_table(
        index=["base", "condition", "seed"], columns="terms", values="absolute_nonzero", aggfunc="mean"
    )
    text = []
    whole = wide.dropna() if set(TERMS) <= set(wide) else wide.head(0)
    if len(whole):
        rising = sum(all(row[a] < row[b] for a, b in pairwise(TERMS)) for _, row in whole.iterrows())
        text.append(
            f"Absolute bias {_NOT_ZERO} rises from pro to weat to all in {rising} of {len(whole)} trainings "
            f"({', '.join(f'{terms} {whole[terms].mean():.4f}' for terms in TERMS)} on average)."
        )
    text += _crossed(usual)
    return " ".join(text) or "Not measured: no training was rated with all three sets."


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
    seeds = f"the noise between seeds there is {size.sd:.4f}" if size.df else _ONE_SEED[:-1].lower()
    return [
        f"Trained with the terms of another set than rated with, the total bias {_ALL} changes by {largest:+.4f} at "
        f"most; {seeds}."
    ]


def by_batch_size(rows: pd.DataFrame) -> str:
    """Each smaller size against the largest; a training that is rated with three sets of terms is one training."""
    text = []
    sized = rows[rows.own & rows.batch.notna()]
    sizes = sorted(set(sized.batch.astype(int)))
    keys = ["base", "condition", "seed", "terms"]
    wide = sized.pivot_table(index=keys, columns="batch", values="absolute")
    for size in sizes[:-1]:
        both = (wide[size] - wide[sizes[-1]]).dropna()
        if not len(both):
            continue
        trainings = [f"{base} {condition} {seed}" for base, condition, seed, _ in both.index]
        fit = stats.cluster_t(both.to_numpy(float), trainings)
        text.append(
            f"Absolute bias {_ALL} with batches of {size} minus {sizes[-1]}: {fit.value:+.4f} "
            f"[{fit.low:.4f}, {fit.high:.4f}] over {len(set(trainings))} trainings."
        )
    if not text:
        text.append("The experiment with batch sizes was not run.")
    own = paper_rows(rows)
    if len(set(own.base)) > 1:
        fit_accuracy = stats.correlation(own.absolute_nonzero.to_numpy(float), own.accuracy.to_numpy(float))
        text.append(f"Absolute bias and accuracy: r = {fit_accuracy.r:.3f} over {len(own)} rows.")
    return " ".join(text)
