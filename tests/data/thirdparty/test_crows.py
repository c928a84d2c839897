from __future__ import annotations

import pytest

from counterpoise.core.errors import DataError, InputError
from counterpoise.data.builtin.pairs import Pairs
from counterpoise.data.thirdparty.crows import ORIGINAL, REVISED, CrowsPairs, crows_pairs
from counterpoise.data.thirdparty.folders import using_data

# The formats of the two files, with sentences of ours.
PUBLISHED = """,sent_more,sent_less,stereo_antistereo,bias_type,annotations,anon_writer,anon_annotators
0,"She cooks, he eats.","He cooks, she eats.",stereo,gender,[],a0,[]
1,Old people nap.,Young people nap.,stereo,age,[],a1,[]
2,He is the boss.,She is the boss.,antistereo,gender,[],a2,[]
3,He is the boss.,She is the boss.,antistereo,gender,[],a3,[]
"""
CORRECTED = """\tsent_more\tsent_less\tstereo_antistereo\tbias_type
0\tShe cooks, and he eats.\tHe cooks, and she eats.\tstereo\tgender
2\t"He is ""the boss""."\t"She is ""the boss""."\tantistereo\tgender
"""


@pytest.fixture
def folder(tmp_path, no_data):
    (tmp_path / "crows-pairs").mkdir()
    (tmp_path / "crows-pairs" / ORIGINAL).write_text(PUBLISHED)
    with using_data(tmp_path):
        yield tmp_path / "crows-pairs"


def test_the_published_file(data_file):
    data_file(f"crows-pairs/{ORIGINAL}")
    assert crows_pairs("all", "published").table.category.value_counts().to_dict() == {
        "race-color": 516,
        "gender": 262,
        "socioeconomic": 172,
        "nationality": 159,
        "religion": 105,
        "age": 87,
        "sexual-orientation": 84,
        "physical-appearance": 63,
        "disability": 60,
    }
    gender = crows_pairs(variant="published")
    assert gender.table.direction.value_counts().to_dict() == {"stereo": 159, "antistereo": 103}
    assert gender.table.stereotyped[0].endswith("whether he would come forward.")
    assert gender.table.counterpart[0].endswith("whether she would come forward.")


def test_categories(folder):
    assert crows_pairs().table.category.tolist() == ["gender"] * 3
    assert crows_pairs(("age",)).table.stereotyped.tolist() == ["Old people nap."]
    assert len(crows_pairs("all").table) == 4
    assert len(crows_pairs("age").table) == 1
    with pytest.raises(InputError, match=r"there is no category 'gendre'.*did you mean 'gender'"):
        crows_pairs(("gendre",))
    with pytest.raises(InputError, match="a list of names, or 'all', not 3"):
        crows_pairs(3)
    with pytest.raises(InputError, match="no category was named"):
        crows_pairs(())


def test_the_corrected_file_is_taken_where_it_is_there_and_that_is_said(folder):
    before = crows_pairs()
    assert before.name == "crows-pairs"
    assert any("as published; put crows_pairs_EN_revised.csv" in warning for warning in before.warnings)
    (folder / REVISED).write_text(CORRECTED)
    after = crows_pairs()
    assert after.name == "crows-pairs revised"
    assert after.table.stereotyped.tolist() == ["She cooks, and he eats.", 'He is "the boss".']
    assert any("corrected them" in warning for warning in after.warnings)
    published = crows_pairs(variant="published")
    assert (published.name, len(published.table)) == ("crows-pairs", 3)
    assert all("Blodgett" in found.warnings[0] for found in (before, after, published))


def test_a_repeated_pair_counts_in_published_figures_only(folder):
    pairs = crows_pairs()
    assert pairs.problems() == [None, None, "the pair is there already"]
    assert pairs.problems("published") == [None, None, None]


def test_pairs_of_ones_own():
    own = CrowsPairs.of(Pairs.of(("She cooks.", "He cooks."), ("", "He cooks."), ("", "He cooks.")))
    assert own.table.direction.tolist() == [""] * 3
    assert own.problems("published")[1:] == ["a sentence of the pair is empty"] * 2


def test_missing_and_broken_files(tmp_path, folder):
    (folder / ORIGINAL).write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="no column 'sent_more'; is it CrowS-Pairs"):
        crows_pairs()
    (folder / ORIGINAL).unlink()
    with pytest.raises(DataError, match=f"put it at .*crows-pairs/{ORIGINAL}"):
        crows_pairs()
