from __future__ import annotations

import pytest

import build_docs


@pytest.mark.parametrize("name", build_docs.pages())
def test_each_page_is_up_to_date(name):
    path = build_docs.FOLDER / name
    assert path.read_text(encoding="utf-8") == build_docs.pages()[name], "run `make docs`"


def test_what_the_command_reads_of_measures_is_what_they_declare():
    assert build_docs.INDEX.read_text(encoding="utf-8") == build_docs.index_file(), "run `make docs`"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("weat_contextual", "# weat_contextual: embedding association in context (WEAT)"),
        ("stereoset", "# stereoset: stereotyped continuations (StereoSet)"),
        ("lpbs", "counterpoise audit MODEL --measures lpbs"),
        ("ceat", "counterpoise audit MODEL --measures ceat --corpus sentences.txt"),
        (
            "tpr_gap",
            "counterpoise audit MODEL --measures tpr_gap --texts bios.csv --label job --gender gender",
        ),
    ],
)
def test_titles_and_commands(name, shown):
    assert any(line.startswith(shown) for line in build_docs.pages()[f"{name}.md"].splitlines())


def test_no_page_without_a_measure():
    assert {path.name for path in build_docs.FOLDER.glob("*.md")} == set(build_docs.pages())
