"""The cells of the study.

examples                           the worked examples of sections 4.1.2 and 4.2.2, asked of a model
sentences -> samples, compared     table 3, figure 6 from the same pairs, and the models compared pair by pair
before, after -> professions       figures 8 to 10 and 14 to 19: pronouns before and after training on MT Gender
before, after_gap -> swapping      figures 11 and 12, RQ4: the same for swapped GAP, beside unswapped GAP
untrained, after_gap -> debiased   table 4: sentence pairs after swapped GAP
corpora                            table 4: the model trained on swapped GAP, trained further on comments
after_gap, remind -> reminded      table 5: reminders of a word, and the same sentences without it
untrained, learn -> curve          figure 13

Cells on the left measure models and keep what each sentence scored; those on the right compare across models and seeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from counterpoise import stats
from counterpoise.core.errors import DataError
from counterpoise.data.builtin.pairs import Pairs
from counterpoise.data.builtin.templates import Templates, pronoun_templates
from counterpoise.data.spec import Variant
from counterpoise.measures.base.result import Result
from counterpoise.measures.pairs.sld import sld
from counterpoise.measures.pronouns.ppd import ppd
from counterpoise.mitigate.evaluation.generalisation import words_in
from counterpoise.mitigate.finetune.recipes import Recipe
from counterpoise.models import MaskedLM
from counterpoise.studies.engine.cells import Cell, FinishedCell, LeftOut
from counterpoise.studies.papers.barza2023.estimates import records
from counterpoise.studies.papers.barza2023.learned import corpus_rows, open_corpora
from counterpoise.studies.papers.barza2023.pair_scores import (
    curve_rows,
    gap_rows,
    model_differences,
    pair_rows,
    read_pairs,
    some_pairs,
    write_pairs,
)
from counterpoise.studies.papers.barza2023.pronoun_scores import (
    CORRECTED,
    line_rows,
    net_rows,
    read_pronouns,
    runs_of,
    word_rows,
    write_pronouns,
)
from counterpoise.studies.papers.barza2023.published import ACTUARY, PLL_EXAMPLES, PPD_EXAMPLES
from counterpoise.studies.papers.barza2023.reminder_effects import ReminderRuns, effect_rows, level_rows
from counterpoise.studies.papers.barza2023.statistics import APPD, ASLD_OF_SAMPLES, PLL, PPD
from counterpoise.studies.papers.barza2023.training import (
    BOUND_WORDING,
    GAP,
    MT_GENDER,
    NEUTRAL_WORDING,
    UNSWAPPED_GAP,
    recipe_of,
    reminders_to_add,
    sample,
    sentences_to_train_on,
    trained_aside,
)
from counterpoise.studies.replication.masked_models import load_masked

VARIANTS: tuple[Variant, ...] = ("corrected", "published")
_SENTENCES = "sentences.txt"


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
    """Table 3: our sentence pairs, by category."""
    return _measured_pairs(cell, _model(cell, cell.factors["models"]), some_pairs(None))


def samples(cell: Cell) -> dict[str, Any]:
    """Figure 6: ASLD of random samples of each size."""
    rows = []
    scores = read_pairs(cell.needed("sentences").folder)
    for category, of_category in scores.groupby(level="category", sort=False):
        curve = stats.subsample_curve(
            of_category.abs().to_numpy(), sizes=cell.settings["sizes"], repeats=cell.settings["repeats"]
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


def compared(cell: Cell) -> dict[str, Any]:
    """RQ2: each two models of table 3, on the pairs that both were asked about."""
    by_model = {one.factors["models"]: read_pairs(one.folder) for one in cell.needs["sentences"]}
    return {"rows": model_differences(by_model)}


def before(cell: Cell) -> dict[str, Any]:
    """Pronouns, as the model is."""
    model = _model(cell, cell.factors["model"])
    results = {variant: ppd(model, pronoun_templates(variant)) for variant in VARIANTS}
    write_pronouns(results, cell.folder)
    return {"rows": [row for variant in VARIANTS for row in _words(results[variant], variant)]}


def after(cell: Cell) -> dict[str, Any]:
    """Pronouns after training on MT Gender or GAP; after GAP sentence pairs too."""
    recipe, text, seed = recipe_of(cell), cell.factors["text"], cell.factors["seed"]
    texts = _sample(cell, sentences_to_train_on(text, recipe), recipe)
    # The templates as printed are asked once, as in the thesis.
    asked = VARIANTS if seed == 0 and text != UNSWAPPED_GAP else VARIANTS[:1]
    with trained_aside(cell, texts, cell.factors["model"], recipe) as folder:
        model = _model(cell, folder)
        write_pronouns({variant: ppd(model, pronoun_templates(variant)) for variant in asked}, cell.folder)
        if text != MT_GENDER:
            write_pairs(sld(model, some_pairs(cell.settings["pairs"])), cell.folder)
    (cell.folder / _SENTENCES).write_text("\n".join(texts), encoding="utf-8")
    return _trained_on(texts)


def professions(cell: Cell) -> dict[str, Any]:
    """APPD of each word before and after MT Gender, and the line through the professions."""
    return {"rows": _before_and_after(cell, "after")}


def swapping(cell: Cell) -> dict[str, Any]:
    """The same for GAP, swapped and unswapped, and what the swap itself did."""
    rows = _before_and_after(cell, "after_gap")
    start = read_pronouns(cell.needed("before").folder)
    swapped, unswapped = (_runs(cell, text, CORRECTED) for text in (GAP, UNSWAPPED_GAP))
    return {"rows": [*rows, *net_rows(start, swapped, unswapped)]}


def untrained(cell: Cell) -> dict[str, Any]:
    """Sentence pairs as the model is."""
    return _measured_pairs(cell, _model(cell, cell.factors["model"]), some_pairs(cell.settings["pairs"]))


def debiased(cell: Cell) -> dict[str, Any]:
    """Table 4: sentence pairs after swapped GAP, paired with the model as it is and with unswapped GAP."""
    swapped, unswapped = (
        {one.factors["seed"]: read_pairs(one.folder) for one in _finished(cell, "after_gap", text)}
        for text in (GAP, UNSWAPPED_GAP)
    )
    n = int(_finished(cell, "after_gap", GAP)[0].result["n"])
    rows = gap_rows(read_pairs(cell.needed("untrained").folder), swapped, unswapped)
    return {"rows": [{**row, "sentences": n} for row in rows]}


def corpora(cell: Cell) -> dict[str, Any]:
    """Table 4: what the model trained on swapped GAP learns from equal samples of corpora, beside neutral text."""
    opened = open_corpora(cell.settings["corpora"])  # before an hour of training that nobody could use
    recipe = recipe_of(cell)
    texts = _sample(cell, sentences_to_train_on(GAP, recipe), recipe)
    with trained_aside(cell, texts, cell.factors["model"], recipe) as reference:
        return {"rows": corpus_rows(cell, opened, reference, recipe)}


def remind(cell: Cell) -> dict[str, Any]:
    """Table 5: pronouns after swapped GAP with reminders of a word, or with the control's sentences."""
    recipe, word = recipe_of(cell), cell.factors["word"]
    texts = _sample(cell, sentences_to_train_on(GAP, recipe), recipe)
    added = reminders_to_add(
        word,
        cell.factors["wording"],
        cell.settings["reminders"],
        cell.factors["copies"],
        recipe.settings.seed,
    )
    with trained_aside(cell, [*texts, *added], cell.factors["model"], recipe) as folder:
        model = _model(cell, folder)
        results: dict[Variant, Result] = {
            "corrected": ppd(model, pronoun_templates()),
            "published": ppd(model, _templates_of(word, "published")),
        }
        write_pronouns(results, cell.folder)
    return _trained_on([*texts, *added])


def reminded(cell: Cell) -> dict[str, Any]:
    """Table 5: APPD of each word with its reminders; and of all words, what is due to the word and what is not."""
    by_factors: dict[tuple[str, str, int], dict[int, Path]] = {}
    for one in cell.needs["remind"]:
        key = one.factors["word"], one.factors["wording"], one.factors["copies"]
        by_factors.setdefault(key, {})[one.factors["seed"]] = one.folder
    rows = []
    for (word, wording, copies), folders in by_factors.items():
        for variant in VARIANTS:
            runs = runs_of({seed: read_pronouns(folder, variant) for seed, folder in folders.items()})
            rows += level_rows(runs, word, wording=wording, copies=copies, variant=variant)
            control = by_factors.get((word, NEUTRAL_WORDING, copies))
            if variant == CORRECTED and wording == BOUND_WORDING and control:
                beside = runs_of({seed: read_pronouns(folder) for seed, folder in control.items()})
                compared = ReminderRuns(_runs(cell, GAP, CORRECTED), runs, beside)
                rows += effect_rows(compared, word, copies=copies)
    return {"rows": rows}


def learn(cell: Cell) -> dict[str, Any]:
    """Figure 13: sentence pairs after so many sentences of swapped GAP."""
    recipe, size = recipe_of(cell), cell.factors["size"]
    texts = sentences_to_train_on(GAP, recipe)
    if size > len(texts):
        raise LeftOut(f"GAP has {len(texts)} sentences, not {size}")
    drawn = sample(texts, size, recipe.settings.seed)
    with trained_aside(cell, drawn, cell.factors["model"], recipe) as folder:
        return _measured_pairs(cell, _model(cell, folder), some_pairs(cell.settings["pairs"]))


def curve(cell: Cell) -> dict[str, Any]:
    """Figure 13: ASLD by number of sentences, and its changes pair by pair."""
    by_size: dict[int, dict[int, pd.Series]] = {}
    for one in cell.needs["learn"]:
        by_size.setdefault(one.factors["size"], {})[one.factors["sample"]] = read_pairs(one.folder)
    return {"rows": curve_rows(read_pairs(cell.needed("untrained").folder), by_size)}


def _model(cell: Cell, name: str | Path) -> MaskedLM:
    return load_masked(name, "barza2023", cell.settings["device"])


def _sample(cell: Cell, sentences: Sequence[str], recipe: Recipe) -> list[str]:
    """As many of the sentences as the settings want."""
    return sample(sentences, cell.settings["sentences"], recipe.settings.seed)


def _trained_on(texts: Sequence[str]) -> dict[str, Any]:
    return {"statistic": "sentences trained on", "value": len(texts), "n": len(texts)}


def _measured_pairs(cell: Cell, model: MaskedLM, pairs: Pairs) -> dict[str, Any]:
    result = sld(model, pairs)
    write_pairs(result, cell.folder)
    return {"rows": pair_rows(result)}


def _finished(cell: Cell, step: str, text: str) -> list[FinishedCell]:
    """The finished cells of a step that trained on a text."""
    return [one for one in cell.needs[step] if one.factors["text"] == text]


def _runs(cell: Cell, text: str, variant: Variant, step: str = "after_gap") -> pd.DataFrame:
    """PPD by seed after training on a text."""
    finished = _finished(cell, step, text)
    return runs_of({one.factors["seed"]: read_pronouns(one.folder, variant) for one in finished})


def _before_and_after(cell: Cell, step: str) -> list[dict[str, Any]]:
    """Words and lines of each text and variant."""
    rows = []
    for text in dict.fromkeys(one.factors["text"] for one in cell.needs[step]):
        files = [one.folder / _SENTENCES for one in _finished(cell, step, text)]
        corpus = [line for file in files for line in file.read_text(encoding="utf-8").split("\n")]
        for variant in VARIANTS:
            runs = _runs(cell, text, variant, step)
            if runs.empty:
                continue
            start = read_pronouns(cell.needed("before").folder, variant)
            words = word_rows(start, runs)
            seen = words_in(corpus, {row["group"] for row in words if row["gender"] == ""})
            rows += [
                {**row, "text": text, "variant": variant, "seen": row["group"] in seen}
                for row in (*words, *line_rows(start, runs, corpus))
            ]
    return rows


def _templates_of(word: str, variant: Variant) -> Templates:
    """The templates of a single word."""
    spec = pronoun_templates(variant).spec
    sets = tuple(of_words for of_words in spec.sets if [entry.text for entry in of_words.words] == [word])
    if not sets:
        raise DataError(f"{spec.name} has no templates of its own for {word!r}")
    return Templates(spec.model_copy(update={"sets": sets}), variant)


def _words(result: Result, variant: str) -> list[dict[str, Any]]:
    """A row per word: APPD with its interval over templates."""
    words = result.summary[result.summary.level == "word"]
    kept = words[["group", "value", "ci_low", "ci_high", "p_value", "smallest_detectable", "n"]]
    return [{**row, "statistic": APPD, "variant": variant} for row in records(kept)]
