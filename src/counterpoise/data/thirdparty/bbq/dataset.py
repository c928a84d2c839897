"""The items of BBQ: questions about two people, with a context that says who it was and one that does not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from counterpoise.core.errors import DataError, unknown
from counterpoise.core.hashing import hash_file
from counterpoise.data.spec import Spec, read_spec
from counterpoise.data.thirdparty.bbq.draws import Draws, RecordedDraws, SeededDraws
from counterpoise.data.thirdparty.bbq.items import draw_words, four_items
from counterpoise.data.thirdparty.bbq.people import comparisons
from counterpoise.data.thirdparty.bbq.templates import (
    BbqTemplate,
    BbqVocabulary,
    read_templates,
    read_vocabulary,
)
from counterpoise.data.thirdparty.folders import find_file
from counterpoise.data.thirdparty.sources import find_source

CATEGORIES = ("Age", "Gender_identity", "Race_x_gender", "Religion", "Sexual_orientation")
WORDS, NAMES = "vocabulary.csv", "vocabulary_proper_names.csv"


class BbqSpec(Spec):
    """`draws` are the authors' own, a line for each template; `men` the templates of Race_x_gender about men."""

    draws: dict[str, tuple[str, ...]]
    men: tuple[str, ...]


def bbq(
    category: str = "Gender_identity", folder: str | Path | None = None, *, seed: int = 0
) -> pd.DataFrame:
    """The items of a category of BBQ, in the columns of the authors' JSON lines.

    Columns: `example_id`, `question_index` (the template), `question_polarity` (neg or nonneg), `context_condition`
    (ambig or disambig), `category`, `answer_info` (who each option is about), `additional_metadata` (among others the
    stereotyped groups), `context`, `question`, the options `ans0`, `ans1` and `ans2`, and `label`, the right one.

    Parameters
    ----------
    category
        "Gender_identity", "Race_x_gender", "Age", "Religion" or "Sexual_orientation"; with `folder` any that has a
        file of templates there, such as "Nationality".
    folder
        Where templates (`templates_CATEGORY.csv`) and vocabulary are; the folder `bbq` of the data folder if not given.
    seed
        For what the templates leave open: which names, which words, which wording of "unknown", the order of options.

    The authors drew without a seed. For Age, Religion and Sexual_orientation their draws are recorded, and the items
    are the published ones, one by one; `seed` counts only where templates or vocabulary are not the published ones. For
    Gender_identity and Race_x_gender there are as many items as published, of the same templates, with draws of ours.
    In other categories a template that lists no people of its own compares every two words that the vocabulary has of
    the category, in both orders, or of five of them where it has more.
    """
    if folder is None and category not in CATEGORIES:
        raise unknown("category of BBQ", category, CATEGORIES)
    templates, words, names = (
        _find(folder, *of_file)
        for of_file in (
            (f"templates_{category}.csv", f"new_templates - {category}.csv"),
            (WORDS,),
            (NAMES,),
        )
    )
    vocabulary = read_vocabulary(words, names)
    recorded = read_spec("bbq", BbqSpec).draws.get(category)
    draws: list[Draws] | None = None
    if recorded and _are_published(templates, words, names):
        draws = [RecordedDraws(digits) for digits in recorded]
    rows = list(_items(category, read_templates(templates), vocabulary, draws, seed))
    if not rows:
        raise DataError(
            f"there are no items: {words} has no two words of {category}, or {templates} no templates"
        )
    return pd.DataFrame([{"example_id": number, **row} for number, row in enumerate(rows)])


def _items(
    category: str,
    templates: list[BbqTemplate],
    vocabulary: BbqVocabulary,
    recorded: list[Draws] | None,
    seed: int,
) -> Iterator[dict[str, Any]]:
    seeded = SeededDraws(seed)
    for number, template in enumerate(templates):
        draws = seeded if recorded is None else recorded[number]
        for sharing in comparisons(category, template, vocabulary, draws):
            words = draw_words(template, draws)
            for people in sharing:
                yield from four_items(category, template, people, words, draws)


def _find(folder: str | Path | None, *names: str) -> Path:
    if folder is None:
        return find_file("bbq", *names)
    place = Path(folder).expanduser()
    found = next((place / name for name in names if (place / name).is_file()), None)
    if found is None:
        there = ", ".join(sorted(path.name for path in place.glob("*.csv"))) or "no tables"
        raise DataError(
            f"there is no {names[0]} in {place} (there are {there}); BBQ's templates and vocabulary are to be there"
        )
    return found


def _are_published(*paths: Path) -> bool:
    known = {file.sha256 for file in find_source("bbq").files}
    return all(hash_file(path) in known for path in paths)
