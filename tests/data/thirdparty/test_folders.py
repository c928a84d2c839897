from __future__ import annotations

import pytest

from counterpoise.core.errors import DataError, InputError, MissingData
from counterpoise.data.thirdparty.folders import (
    at_hand,
    data_folder,
    data_folders,
    fetched_folder,
    find_file,
    look_for,
    place_of,
    using_data,
)


@pytest.fixture(autouse=True)
def no_data_folder(monkeypatch):
    monkeypatch.delenv("COUNTERPOISE_DATA", raising=False)


def put(folder, name):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


def test_a_file_is_found_under_any_of_its_names(tmp_path):
    path = put(tmp_path, "eec/corpus.csv.xz")
    with using_data(tmp_path):
        assert find_file("eec", "corpus.csv", "corpus.csv.xz") == path


def test_the_order_is_option_variable_cache(tmp_path, monkeypatch):
    option, variable = tmp_path / "option", tmp_path / "variable"
    in_cache = put(fetched_folder(), "gap/a")
    assert find_file("gap", "a") == in_cache
    in_variable = put(variable, "gap/a")
    monkeypatch.setenv("COUNTERPOISE_DATA", str(variable))
    assert find_file("gap", "a") == in_variable
    option.mkdir()
    with using_data(option):
        assert data_folders() == [option, variable, fetched_folder()]
        assert data_folder() == option
        assert find_file("gap", "a") == in_variable  # a set that --data lacks is still found
        in_option = put(option, "gap/a.xz")
        assert find_file("gap", "a", "a.xz") == in_option
    assert data_folder() == variable


def test_a_missing_file_is_said_with_how_to_get_it(tmp_path):
    with using_data(tmp_path), pytest.raises(MissingData) as raised:
        find_file("eec", "corpus.csv")
    place = tmp_path / "eec" / "corpus.csv"
    assert str(raised.value) == (
        "Equity Evaluation Corpus (Kiritchenko & Mohammad 2018) is not at hand: get it with `counterpoise catalog "
        f"fetch eec`, or put it at {place} (--data DIR or COUNTERPOISE_DATA=DIR)"
    )
    with pytest.raises(
        DataError, match=f"log in at .*kaggle.* and put it at {fetched_folder()}/jigsaw/train.csv"
    ):
        find_file("jigsaw", "train.csv")


def test_looking_for_a_file_that_may_be_missing(tmp_path):
    path = put(tmp_path, "crows-pairs/a")
    with using_data(tmp_path):
        assert look_for("crows-pairs", "b", "a") == path
        assert look_for("crows-pairs", "b") is None


def test_a_set_that_nobody_knows():
    with pytest.raises(InputError, match=r"there is no dataset 'eecc'.*did you mean 'eec'"):
        find_file("eecc", "corpus.csv")


def test_a_folder_with_nothing_in_it_is_not_at_hand(tmp_path):
    (tmp_path / "gap").mkdir()
    (tmp_path / "gap" / ".gap.tsv.part").touch()
    put(tmp_path, "eec/corpus.csv")
    with using_data(tmp_path):
        assert place_of("gap") is None
        assert {name for name, here in at_hand().items() if here} == {"eec"}


def test_a_data_folder_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match=r"there is no folder .*nowhere"), using_data(tmp_path / "nowhere"):
        pass
