from __future__ import annotations

import pytest

import build_docs
from counterpoise.measures.catalogue import all_measures


@pytest.mark.parametrize("name", all_measures())
def test_the_page_of_each_measure_is_up_to_date(name):
    path = build_docs.FOLDER / f"{name}.md"
    assert path.read_text(encoding="utf-8") == build_docs.page(all_measures()[name]), "run `make docs`"


def test_no_page_without_a_measure():
    assert {path.stem for path in build_docs.FOLDER.glob("*.md")} == set(all_measures())
