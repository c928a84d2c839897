"""The seven conditions of Jentzsch & Turan as transformations of texts and labels."""

from __future__ import annotations

import pytest

from counterpoise.core.errors import InputError
from counterpoise.text import Swapper, clean
from counterpoise.text.conditions import CONDITIONS, apply_condition

TEXTS = ["He told his aunt, the queen.", "It rains.", "Well, she's a nurse; her son is not."]
LABELS = ["pos", "neg", "pos"]


def test_there_are_seven():
    assert list(CONDITIONS) == ["original", "R-pro", "R-weat", "R-all", "mix-pro", "mix-weat", "mix-all"]


def test_original_is_as_it_was():
    treated = apply_condition(TEXTS, LABELS)
    assert (treated.texts, treated.labels, treated.sources) == (TEXTS, LABELS, [0, 1, 2])
    assert apply_condition(TEXTS, LABELS, variant="published").texts == [clean(text) for text in TEXTS]


@pytest.mark.parametrize("terms", ["pro", "weat", "all"])
@pytest.mark.parametrize("variant", ["corrected", "published"])
def test_remove_and_mix(terms, variant):
    swapper = Swapper(terms, variant=variant)
    before = [clean(text) for text in TEXTS] if variant == "published" else TEXTS
    removed = apply_condition(TEXTS, LABELS, f"R-{terms}", variant)
    assert removed.texts == [swapper.swap(text, "remove") for text in before]
    assert removed.labels == LABELS
    mixed = apply_condition(TEXTS, LABELS, f"mix-{terms}", variant)
    assert mixed.texts == [swapper.swap(text, to) for to in ("male", "female") for text in before]
    assert mixed.labels == LABELS * 2
    assert mixed.sources == [0, 1, 2] * 2


def test_the_authors_lists(data_file):
    """Their dictionaries make girl bloke, and their removal also deletes words that have no partner."""
    lists = data_file("jentzsch-turan/term_lists.json")
    treated = apply_condition(["the girl and the lady sang"], [1], "mix-all", "published", lists)
    assert treated.texts == ["the bloke and the lord sang", "the girl and the lady sang"]


def test_mistakes():
    with pytest.raises(InputError, match=r"there is no condition 'R-al'.*did you mean 'R-all'"):
        apply_condition(TEXTS, LABELS, "R-al")
    with pytest.raises(InputError, match="3 texts but 1 labels"):
        apply_condition(TEXTS, [1])
