"""The cells of the study: one step for each column or table, and the case study in four.

weat_vectors, weat_model, scores     the three columns of table 3
shares                               table 5
mentions -> resolve -> table4        vectors of GAP's mentions, perceptrons on them, what they found
topics -> section4                   topics and their bias, and how P(neither) goes with it
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from counterpoise.core.errors import InputError, ModelError
from counterpoise.data.builtin.associations import kurita
from counterpoise.data.thirdparty.folders import look_for
from counterpoise.measures.base.result import Result, make_summary
from counterpoise.measures.base.row_builders import mean_row, share_row
from counterpoise.measures.base.rows import Place, Row
from counterpoise.measures.base.source import observe
from counterpoise.measures.encoders.weat_contextual import weat_contextual
from counterpoise.measures.probability.lpbs_weat import lpbs_weat
from counterpoise.measures.vectors.weat import weat
from counterpoise.models import Encoder, MaskedLM, WordVectors
from counterpoise.studies.engine.cells import Cell, FinishedCell, LeftOut
from counterpoise.studies.papers.kurita2019 import keys
from counterpoise.studies.papers.kurita2019.attributes import attribute_biases
from counterpoise.studies.papers.kurita2019.case_study import accuracy_rows, neither_rows, topic_row
from counterpoise.studies.papers.kurita2019.effect_sizes import (
    effect_sizes,
    effect_sizes_over,
    sentences,
    table_3_tests,
    targets,
)
from counterpoise.studies.papers.kurita2019.gap_scores import gap_scores
from counterpoise.studies.papers.kurita2019.passages import TRAINING, mention_vectors, passages
from counterpoise.studies.papers.kurita2019.resolution import LAYERS, ProbeOptions, features
from counterpoise.studies.papers.kurita2019.resolution import resolve as train_and_ask
from counterpoise.studies.papers.kurita2019.seed_estimates import SeedRow
from counterpoise.studies.papers.kurita2019.topics import find_topics, topic_biases
from counterpoise.studies.replication.masked_models import load_masked

_KEPT = ["group", "statistic", "key", "value", "ci_low", "ci_high", "p_value", "p_adjusted", "effect_size"]
_KEPT += ["smallest_detectable", "n", "clusters", "note"]


def weat_vectors(cell: Cell) -> dict[str, Any]:
    """Table 3, first column: WEAT on word vectors."""
    name = cell.factors["vectors"]
    path = look_for("vectors", name)
    if path is None:
        raise LeftOut(
            f"the first column of table 3 needs vectors/{name} in the data folder, and it is not there"
        )
    result = weat(WordVectors.open(path), table_3_tests(published=True))
    return _of_effects(effect_sizes_over(targets, result), result)


def weat_model(cell: Cell) -> dict[str, Any]:
    """Table 3, second column: WEAT on the model's vectors of words in sentences."""
    variant = cell.factors["variant"]
    tests = table_3_tests(published=variant == "published")
    result = weat_contextual(Encoder.of(_model(cell)), tests, variant=variant, allow_lost=True)
    return _of_effects(effect_sizes_over(targets, result), result)


def scores(cell: Cell) -> dict[str, Any]:
    """Table 3, third column: the log probability bias score."""
    variant = cell.factors["variant"]
    result = lpbs_weat(_model(cell), kurita(variant), variant=variant)
    sizes = effect_sizes_over(sentences, result) if variant == "published" else effect_sizes(result)
    return _of_effects(sizes, result)


def shares(cell: Cell) -> dict[str, Any]:
    """Table 5: the share of attributes that lean male."""
    kind, variant = cell.factors["attributes"], cell.factors["variant"]
    biases, skipped = attribute_biases(_model(cell), kind, variant)
    biases.to_csv(cell.folder / "biases.csv", index=False)
    skipped.to_csv(cell.folder / "skipped.csv", index=False)
    observed = observe(biases, "bias")
    rows = [
        share_row(observed, keys.SHARE_MALE, "attributes that lean male, %", at=Place("overall", kind)),
        mean_row(
            observed,
            keys.ASSOCIATION,
            "he - she association",
            cluster="attribute",
            at=Place("group", kind),
        ),
    ]
    return _of_rows(rows, skipped=len(skipped), why_skipped="; ".join(skipped.item + ": " + skipped.reason))


def mentions(cell: Cell) -> dict[str, Any]:
    """The vectors of pronoun and names in all passages of a split of GAP."""
    model, of_split = _model(cell), _passages(cell, cell.factors["passages"])
    problems = model.problems(of_split.text.tolist())
    readable = np.array([problem is None for problem in problems])
    if not readable.any():
        raise ModelError(f"{model.name} can read no passage of GAP: {problems[0]}")
    vectors = mention_vectors(model, of_split[readable], max(LAYERS.values()))
    np.save(cell.folder / "vectors.npy", vectors)
    np.save(cell.folder / "readable.npy", readable)
    too_long = [f"{of_split.id.iloc[i]}: {problems[i]}" for i in np.flatnonzero(~readable)]
    return {"n": int(readable.sum()), "skipped": len(too_long), "note": "; ".join(too_long[:3])}


def resolve(cell: Cell) -> dict[str, Any]:
    """Perceptrons of one seed: trained, and asked about passages that they have not seen."""
    train_splits, test_split = TRAINING[cell.factors["training"]]
    train = [_read(cell, split) for split in train_splits]
    test_passages, test_vectors = _read(cell, test_split)
    probe, seed = cell.factors["probe"], cell.factors["seed"]
    options = ProbeOptions(**{name: cell.settings[name] for name in ("patience", "epochs", "standardise")})
    probabilities = train_and_ask(
        features(np.concatenate([vectors for _, vectors in train]), probe),
        np.concatenate([of_split.answer.to_numpy() for of_split, _ in train]),
        features(test_vectors, probe),
        seed=seed,
        options=options,
    )
    np.save(cell.folder / "probabilities.npy", probabilities)
    answers, predicted = test_passages.answer.to_numpy(), probabilities.argmax(1)
    scored = gap_scores(answers, predicted)
    return {
        "statistic": "accuracy, %",
        "value": 100 * float((predicted == answers).mean()),
        "n": len(answers),
        "note": f"F1 {scored.f1:.1f} %",
    }


def table4(cell: Cell) -> dict[str, Any]:
    """What the perceptrons of all seeds found together."""
    asked, probabilities = _asked(cell)
    return _of_seed_rows([*accuracy_rows(asked, probabilities), *neither_rows(asked, probabilities)])


def topics(cell: Cell) -> dict[str, Any]:
    """Topics of gap-development, their bias in the model, and that of each passage."""
    splits = ("development", "test")
    texts = [_passages(cell, split).text.tolist() for split in splits]
    factors = find_topics(*texts)
    biases, words, skipped = topic_biases(_model(cell), factors)
    for split, share in zip(splits, factors.shares, strict=True):
        np.save(cell.folder / f"{split}.npy", share @ biases)
    words.to_csv(cell.folder / "words.csv", index=False)
    skipped.to_csv(cell.folder / "skipped.csv", index=False)
    mean_share = factors.shares[0].mean(0)
    rows = []
    for topic in np.argsort(-mean_share, kind="stable"):
        heaviest = [word for word, _ in factors.top_words(topic)]
        rows.append(
            {
                "group": ", ".join(heaviest),
                "statistic": "bias of topic",
                "words": heaviest,
                "value": float(biases[topic]),
                "share": float(mean_share[topic]),
                "skipped": len(skipped),
            }
        )
    return {"rows": rows}


def section4(cell: Cell) -> dict[str, Any]:
    """Does P(neither) rise with the male bias of a passage's topics?"""
    asked, probabilities = _asked(cell)
    _, split = TRAINING[cell.factors["training"]]
    bias = np.load(cell.needed("topics").folder / f"{split}.npy")[_readable(cell, split)]
    return _of_seed_rows([topic_row(asked, probabilities, bias, gender) for gender in keys.GENDERS])


def _model(cell: Cell) -> MaskedLM:
    return load_masked(cell.factors["model"], "kurita2019", cell.settings["device"])


def _passages(cell: Cell, split: str) -> pd.DataFrame:
    """The passages of a split, as many of them as the settings want."""
    return passages(split).head(cell.settings["at_most"]).reset_index(drop=True)


def _mentions(cell: Cell, split: str) -> FinishedCell:
    for finished in cell.needs["mentions"]:
        if finished.factors["passages"] == split:
            return finished
    raise InputError(f"{cell.step} needs the passages {split!r}, which are not among those of the study")


def _readable(cell: Cell, split: str) -> np.ndarray:
    readable: np.ndarray = np.load(_mentions(cell, split).folder / "readable.npy")
    return readable


def _readable_passages(cell: Cell, split: str) -> pd.DataFrame:
    return _passages(cell, split)[_readable(cell, split)].reset_index(drop=True)


def _read(cell: Cell, split: str) -> tuple[pd.DataFrame, np.ndarray]:
    """The passages that the model could read, and their vectors."""
    return _readable_passages(cell, split), np.load(_mentions(cell, split).folder / "vectors.npy")


def _asked(cell: Cell) -> tuple[pd.DataFrame, np.ndarray]:
    """The passages that the perceptrons were asked about, and their answers (seeds, passages, 3)."""
    _, split = TRAINING[cell.factors["training"]]
    by_seed = sorted(cell.needs["resolve"], key=lambda resolved: int(resolved.factors["seed"]))
    answers = np.stack([np.load(resolved.folder / "probabilities.npy") for resolved in by_seed])
    return _readable_passages(cell, split), answers


def _of_effects(sizes: pd.DataFrame, result: Result) -> dict[str, Any]:
    return {"rows": sizes[[*_KEPT, "test"]].assign(skipped=len(result.skipped)).to_dict("records")}


def _of_seed_rows(rows: Sequence[SeedRow]) -> dict[str, Any]:
    """Rows of the case study, with the values of single seeds as lists."""
    by_seed, p_by_seed = [list(row.by_seed) for row in rows], [list(row.p_by_seed) for row in rows]
    return _of_rows([row.row for row in rows], by_seed=by_seed, p_by_seed=p_by_seed)


def _of_rows(rows: Sequence[Row], **columns: Any) -> dict[str, Any]:
    table = make_summary(rows, "kurita2019", "gap", "corrected")[_KEPT]
    return {"rows": table.assign(**columns).to_dict("records")}
