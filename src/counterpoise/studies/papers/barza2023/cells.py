"""The cells of the study.

examples                  the worked examples of sections 4.1.2 and 4.2.2, asked of a model
sentences -> samples      table 3, and figure 6 from the same pairs
before, train -> after    figures 8 to 12 and 14 to 19: pronouns before and after training on MT Gender or swapped GAP
train -> corpora          table 4: the model trained on swapped GAP, and that trained further on comments
remind                    table 5
untrained, learn          figure 13, and the first column of table 4 on the same pairs
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.core.errors import DataError
from counterpoise.data.builtin.pairs import Pairs, tgb
from counterpoise.data.builtin.templates import Templates, tbd
from counterpoise.data.spec import Variant
from counterpoise.measures.base.result import Result
from counterpoise.measures.pairs.sld import sld
from counterpoise.measures.pronouns.ppd import ppd
from counterpoise.mitigate.evaluation.generalisation import Generalisation, generalise
from counterpoise.mitigate.finetune.recipes import Recipe
from counterpoise.mitigate.finetune.reminders import reminders
from counterpoise.models import MaskedLM
from counterpoise.studies.engine.cells import Cell, LeftOut
from counterpoise.studies.papers.barza2023.published import ACTUARY, PLL_EXAMPLES, PPD_EXAMPLES
from counterpoise.studies.papers.barza2023.statistics import (
    APPD,
    ASLD_OF_SAMPLES,
    CHANGE,
    INTERCEPT,
    LEAN_KEPT,
    OF_PAIRS,
    PLL,
    PPD,
    SLOPE,
    R,
)
from counterpoise.studies.papers.barza2023.training import (
    comments_to_train_on,
    recipe_of,
    sample,
    sentences_to_train_on,
    train_on,
    trained_aside,
)
from counterpoise.studies.replication.masked_models import load_masked

_KEPT = ["group", "statistic", "value", "ci_low", "ci_high", "p_value", "p_adjusted", "effect_size"]
_KEPT += ["smallest_detectable", "n", "clusters", "note"]
_PAIRS_SEED = 0  # of the pairs that are asked about: the same for all models, so that they can be compared


def examples(cell: Cell) -> dict[str, Any]:
    """The sentences whose numbers the thesis prints."""
    model = _model(cell, cell.factors["model"])
    pairs = Pairs.of(*((first, second) for first, _, second, _ in PLL_EXAMPLES), ACTUARY)
    likelihoods = sld(model, pairs).items
    templates = [text for of_word in PPD_EXAMPLES.values() for text, _ in of_word]
    differences = ppd(model, Templates.of(*templates)).items
    rows = [
        {"group": sentence, "statistic": PLL, "value": value}
        for side in ("stereotyped", "counterpart")
        for sentence, value in zip(likelihoods[side], likelihoods[f"score_{side}"], strict=True)
    ]
    rows += [
        {"group": template, "statistic": PPD, "value": value}
        for template, value in zip(differences.template, differences.ppd, strict=True)
    ]
    return {"rows": [{**row, "value": float(row["value"]), "n": 1} for row in rows]}


def sentences(cell: Cell) -> dict[str, Any]:
    """Table 3: how much gendered words matter in our sentence pairs, by category."""
    result = sld(_model(cell, cell.factors["models"]))
    result.items[["category", "about", "stereotyped", "counterpart", "sld"]].to_csv(
        cell.folder / "pairs.csv", index=False
    )
    return _of_pairs(result)


def samples(cell: Cell) -> dict[str, Any]:
    """Figure 6: ASLD of random samples of each size."""
    pairs = pd.read_csv(cell.needed("sentences").folder / "pairs.csv")
    rows = []
    for category, of_category in pairs.groupby("category", sort=False):
        curve = stats.subsample_curve(
            of_category.sld.abs().to_numpy(), sizes=cell.settings["sizes"], repeats=cell.settings["repeats"]
        )
        rows += [
            {
                "group": category,
                "statistic": ASLD_OF_SAMPLES,
                "sentences": int(points["size"].iloc[0]),
                "value": float(points.value.mean()),
                "lowest": float(points.value.min()),
                "highest": float(points.value.max()),
                "n": len(points),
            }
            for _, points in curve.points.groupby("size")
        ]
    return {"rows": rows}


def before(cell: Cell) -> dict[str, Any]:
    """APPD of each word, as the model is."""
    words = _words(ppd(_model(cell, cell.factors["model"]), tbd(cell.factors["variant"])))
    words.to_csv(cell.folder / "words.csv", index=False)
    return {"rows": words.to_dict("records")}


def train(cell: Cell) -> dict[str, Any]:
    """Trains the model further on MT Gender or swapped GAP; the weights stay."""
    recipe = recipe_of(cell)
    texts = _sample(cell, sentences_to_train_on(cell.factors["text"], recipe), recipe)
    trained = train_on(texts, cell.folder / "model", cell.factors["model"], recipe, cell.settings["device"])
    (cell.folder / "sentences.txt").write_text("\n".join(texts), encoding="utf-8")
    return {"statistic": "steps", "value": trained.steps, "n": len(texts)}


def after(cell: Cell) -> dict[str, Any]:
    """APPD of each word after training, the line through the professions, and what is left of right leans."""
    trained = cell.needed("train").folder
    old = pd.read_csv(cell.needed("before").folder / "words.csv", keep_default_na=False, na_values=[""])
    old = old.assign(gender=old.gender.fillna(""))
    new = _words(ppd(_model(cell, trained / "model"), tbd(cell.factors["variant"])))
    both = new.merge(
        old[["group", "gender", "value"]].rename(columns={"value": "before"}), on=["group", "gender"]
    )
    bound = both[both.gender != ""]
    towards = np.where(bound.gender == "male", 1.0, -1.0)
    lean_kept = stats.bootstrap_ratio(bound.value * towards, bound.before * towards)
    free = both[both.gender == ""].set_index("group")
    corpus = (trained / "sentences.txt").read_text(encoding="utf-8").split("\n")
    generalisation = generalise(free.before, free.value, corpus, kept=lean_kept.value)
    seen = generalisation.points.set_index("word").seen
    words = both.assign(seen=both.group.map(seen).fillna(False).astype(bool))
    lean = {
        "group": "gender-related words",
        "statistic": LEAN_KEPT,
        "value": lean_kept.value,
        "ci_low": lean_kept.low,
        "ci_high": lean_kept.high,
        "n": len(bound),
    }
    return {"rows": [*words.to_dict("records"), *_lines(generalisation), lean]}


def corpora(cell: Cell) -> dict[str, Any]:
    """Table 4: sentence pairs after swapped GAP, and after toxic comments on top of it."""
    [gap] = [trained for trained in cell.needs["train"] if trained.factors["text"] == "gap"]
    base, corpus = gap.folder / "model", cell.factors["corpus"]
    if corpus == "none":
        return _of_pairs(sld(_model(cell, base), _some_pairs(cell)))
    recipe = recipe_of(cell)
    comments = _sample(cell, comments_to_train_on(corpus.removeprefix("jigsaw:")), recipe)
    with trained_aside(cell, comments, base, recipe) as folder:
        return _of_pairs(sld(_model(cell, folder), _some_pairs(cell)))


def remind(cell: Cell) -> dict[str, Any]:
    """Table 5: APPD of a word after swapped GAP with reminders of it, each so many times."""
    recipe, word = recipe_of(cell), cell.factors["word"]
    texts = _sample(cell, sentences_to_train_on("gap", recipe), recipe)
    added = reminders(cell.settings["reminders"], recipe.settings.seed, [word]) * cell.factors["copies"]
    with trained_aside(cell, [*texts, *added], cell.factors["model"], recipe) as folder:
        model = _model(cell, folder)
        results: dict[Variant, Result] = {
            variant: ppd(model, _templates_of(word, variant)) for variant in ("corrected", "published")
        }
    rows = [_words(result).assign(variant=variant) for variant, result in results.items()]
    return {"rows": pd.concat(rows).to_dict("records")}


def learn(cell: Cell) -> dict[str, Any]:
    """Figure 13: sentence pairs after so many sentences of swapped GAP; without a size, as the model is."""
    size, base = cell.factors.get("size"), cell.factors["model"]
    if size is None:
        return _of_pairs(sld(_model(cell, base), _some_pairs(cell)))
    recipe = recipe_of(cell)
    texts = sentences_to_train_on("gap", recipe)
    if size > len(texts):
        raise LeftOut(f"GAP has {len(texts)} sentences, not {size}")
    with trained_aside(cell, sample(texts, size, recipe.settings.seed), base, recipe) as folder:
        return _of_pairs(sld(_model(cell, folder), _some_pairs(cell)))


def _model(cell: Cell, name: str | Path) -> MaskedLM:
    return load_masked(name, "barza2023", cell.settings["device"])


def _sample(cell: Cell, sentences: Sequence[str], recipe: Recipe) -> list[str]:
    """As many of the sentences as the settings want."""
    return sample(sentences, cell.settings["sentences"], recipe.settings.seed)


def _some_pairs(cell: Cell) -> Pairs:
    """Our sentence pairs, at most so many of each category."""
    at_most, table = cell.settings["pairs"], tgb().table
    if at_most is None:
        return Pairs("tgb", table)
    drawn = table.sample(frac=1, random_state=_PAIRS_SEED).groupby("category").head(at_most)
    return Pairs("tgb", drawn.sort_index())


def _templates_of(word: str, variant: Variant) -> Templates:
    """The templates of a single word."""
    spec = tbd(variant).spec
    sets = tuple(of_words for of_words in spec.sets if [entry.text for entry in of_words.words] == [word])
    if not sets:
        raise DataError(f"{spec.name} has no templates of its own for {word!r}")
    return Templates(spec.model_copy(update={"sets": sets}), variant)


def _of_pairs(result: Result) -> dict[str, Any]:
    """SLD, ASLD and the share of pairs, of all pairs and of each category."""
    summary = result.summary[result.summary.key.isin(OF_PAIRS)]
    rows = summary[_KEPT].assign(statistic=summary.key.map(OF_PAIRS), skipped=len(result.skipped))
    return {"rows": rows.to_dict("records")}


def _words(result: Result) -> pd.DataFrame:
    """A row per word: APPD with its interval over templates, the word's category, and its own gender if it has one."""
    by_word = result.items.drop_duplicates("word").set_index("word")
    words = result.summary[result.summary.level == "word"][_KEPT]
    gender = by_word.gender.where(by_word.gendered, "").astype(object)
    return words.assign(
        statistic=APPD, category=words.group.map(by_word.category), gender=words.group.map(gender)
    )


def _lines(generalisation: Generalisation) -> list[dict[str, Any]]:
    """The fits of figure 10: slope, intercept, correlation and change, each with its interval."""
    columns = {"slope": SLOPE, "intercept": INTERCEPT, "r": R, "change": CHANGE}
    return [
        {
            "group": fit["part"],
            "statistic": statistic,
            "value": fit[column],
            "ci_low": fit[f"{column}_low"],
            "ci_high": fit[f"{column}_high"],
            "n": int(fit["n"]),
            "note": generalisation.answer if (statistic, fit["part"]) == (SLOPE, "all") else "",
        }
        for fit in generalisation.fits.to_dict("records")
        for column, statistic in columns.items()
    ]
