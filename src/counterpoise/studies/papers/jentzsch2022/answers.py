"""The paper's four questions, answered from rows: each difference is held against the noise between seeds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import pandas as pd

from counterpoise import stats
from counterpoise.studies.papers.jentzsch2022.seeds import Noise, contrast, noise, spread_test
from counterpoise.studies.papers.jentzsch2022.study_rows import TERMS, nine, records, treatment
from counterpoise.studies.replication.findings import Answer, Table, Value

_ONE_SEED = "There is one seed only, so that a difference cannot be told from noise."
_SMALL_TO_LARGE = (
    ("distbase", "bertbase"),
    ("bertbase", "bertlarge"),
    ("robertabase", "robertalarge"),
    ("albertbase", "albertlarge"),
)
_BIASES = ("total", "absolute")
_ALPHA = 0.05
_NOT_ZERO = "over reviews whose bias is not zero"
_ALL = "over all reviews"


def answers(rows: pd.DataFrame) -> list[Answer]:
    """The four questions with the paper's answers and ours."""
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


def contrasts(rows: pd.DataFrame) -> pd.DataFrame:
    """Terms removed, and terms mixed, against the original training texts: total and absolute bias, over seeds.

    p is corrected by Holm's method over all of them; what could be seen is at its strictest level, Bonferroni's.
    """
    pairs = []
    for (base, _), some in nine(rows).groupby(["base", "terms"], sort=False):
        original = some[some.condition == "original"]
        for condition in [one for one in dict.fromkeys(some.condition) if one != "original"]:
            treated = some[some.condition == condition]
            for column in _BIASES if len(original) else ():
                pairs.append((base, condition, column, original[column], treated[column]))
    table = pd.DataFrame(
        {
            "base": base,
            "condition": condition,
            "bias": column,
            "original": float(original.mean()),
            "treated": float(treated.mean()),
            "sd_original": float(original.std()),
            "sd_treated": float(treated.std()),
            **vars(contrast(original, treated, _ALPHA / len(pairs))),
        }
        for base, condition, column, original, treated in pairs
    )
    if len(table):
        table["p_adjusted"] = stats.adjust(table.p_value.to_numpy(float), "holm")
    return table


def contrast_table(rows: pd.DataFrame, name: str, title: str) -> Table:
    """The same to be read."""
    heads = {
        "base": "base",
        "condition": "condition",
        "bias": "bias",
        "original": "original",
        "sd_original": "sd, original",
        "treated": "treated",
        "sd_treated": "sd, treated",
        "difference": "difference",
        "low": "95 % from",
        "high": "to",
        "p_adjusted": "p (Holm)",
        "detectable": "could see",
    }
    lines: list[list[Value]] = [[row[name] for name in heads] for row in contrasts(rows).to_dict("records")]
    note = (
        "Biases over all reviews; means over seeds, sd between seeds. A difference is held against what another seed "
        "changes, in the original and in the treated training each for itself (Welch's t). Intervals are those of each "
        "difference alone, p is corrected for all of them. Could see: the difference that so few seeds would show "
        "after the correction, with a power of 80 %."
    )
    return Table(name, title, list(heads.values()), lines, decimals=4, note=note)


def noise_table(rows: pd.DataFrame, name: str, title: str) -> Table:
    """What a seed changes: the standard deviation of a bias between seeds, beside the spread between conditions."""
    lines: list[list[Value]] = []
    usual = rows[rows.batch_size.astype(str) == "own"]
    for (base, terms), some in usual.groupby(["base", "terms"], sort=False):
        for column in _BIASES:
            found = noise(some, column)
            means = some.groupby("condition")[column].mean()
            f, p = spread_test(some, column, "condition")
            between = float(means.std()) if len(means) > 1 else math.nan
            lines.append([str(base), str(terms), column, found.sd, found.df, between, len(means), f, p])
    columns = [
        "base",
        "terms",
        "bias",
        "sd between seeds",
        "df",
        "sd between conditions",
        "conditions",
        "F",
        "p",
    ]
    note = (
        "F and p: do conditions differ by more than seeds do (Welch's analysis of variance)? "
        "All trainings are rated with the same terms here."
    )
    return Table(name, title, columns, lines, decimals=4, note=note)


def by_training_data(rows: pd.DataFrame) -> str:
    found = contrasts(rows)
    if not len(found):
        return "Not measured: the condition original or the others are missing."
    text = []
    for column, some in found.groupby("bias", sort=False):
        largest = max(records(some), key=lambda row: abs(row.difference))
        text.append(
            f"The largest change of the {column} bias {_ALL} is {largest.difference:+.4f} ({largest.base}, "
            f"{largest.condition} instead of original, {largest.original:.4f})."
        )
    if found.p_value.isna().all():
        return " ".join([*text, _ONE_SEED])
    clear = found[found.p_adjusted < _ALPHA]
    seen = ", ".join(
        f"{row.base} {row.condition} ({row.bias} {row.difference:+.4f})" for row in records(clear)
    )
    below, alone = int((found.difference < 0).sum()), int(((found.low > 0) | (found.high < 0)).sum())
    text.append(
        f"{below} of {len(found)} differences are below zero, and the 95 % intervals of {alone}, each taken alone, "
        f"leave zero out. After Holm's correction {len(clear)} of {len(found)} differences are significant"
        f"{f': {seen}' if seen else ''}; one of {found.detectable.median():.4f} would be (median, power of 80 %)."
    )
    text.append(
        f"From seed to seed a bias varies by {found.sd_original.median():.4f} after training on original texts, and by "
        f"{found.sd_treated.median():.4f} on treated ones (median standard deviations)."
    )
    return " ".join(text)


def by_base(rows: pd.DataFrame) -> str:
    own = nine(rows)
    means = own.groupby("base", sort=False).absolute_nonzero.mean()
    if len(means) < 2:
        alone = f"{means.index[0]}, mean absolute bias {means.iloc[0]:.4f} {_NOT_ZERO}"
        return f"Not answered: there is one base model ({alone})."
    told = ", ".join(f"{base} {value:.4f}" for base, value in means.items())
    pairs = [(small, large) for small, large in _SMALL_TO_LARGE if {small, large} <= set(means.index)]
    text = [f"Mean absolute bias {_NOT_ZERO}: {told}."]
    for small, large in pairs:
        keys = ["condition", "terms"]
        sides = [own[own.base == one].groupby(keys).absolute_nonzero.mean() for one in (small, large)]
        both = (sides[1] - sides[0]).dropna()
        text.append(f"{large} is above {small} in {int((both > 0).sum())} of {len(both)} conditions.")
    if own.groupby(["base", "condition", "terms"]).size().max() < 2:
        text.append(_ONE_SEED)
    return " ".join(text)


def by_terms(rows: pd.DataFrame) -> str:
    usual = rows[rows.batch_size.astype(str) == "own"]
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
    found: list[tuple[float, Noise]] = []
    treated = rows[rows.condition != "original"]
    for (base, terms), some in treated.groupby(["base", "terms"], sort=False):
        size = noise(rows[(rows.base == base) & (rows.terms == terms)], "total")
        treatments = some.condition.map(treatment)
        for kind in ("R", "mix"):
            own = some[some.own & (treatments == kind)]
            other = some[~some.own & (treatments == kind)]
            for _, another in other.groupby("condition"):
                if len(own):
                    found.append((float(another.total.mean() - own.total.mean()), size))
    if not found:
        return []
    largest, size = max(found, key=lambda one: abs(one[0]))
    told = f"the noise between seeds there is {size.sd:.4f}" if size.df else _ONE_SEED[:-1].lower()
    return [
        f"Trained with the terms of another set than rated with, the total bias {_ALL} changes by {largest:+.4f} at "
        "most; "
        f"{told}."
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
    own = nine(rows)
    if len(set(own.base)) > 1:
        fit_accuracy = stats.correlation(own.absolute_nonzero.to_numpy(float), own.accuracy.to_numpy(float))
        text.append(f"Absolute bias and accuracy: r = {fit_accuracy.r:.3f} over {len(own)} rows.")
    return " ".join(text)


def measured_bases(rows: pd.DataFrame) -> Sequence[str]:
    return [str(base) for base in dict.fromkeys(rows.base)]
