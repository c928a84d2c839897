from __future__ import annotations

import pytest

import build_docs


@pytest.mark.parametrize("name", build_docs.pages())
def test_each_page_is_up_to_date(name):
    path = build_docs.FOLDER / name
    assert path.read_text(encoding="utf-8") == build_docs.pages()[name], "run `make docs`"


def test_no_page_without_a_measure():
    assert {path.name for path in build_docs.FOLDER.glob("*.md")} == set(build_docs.pages())
