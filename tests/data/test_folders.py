import pytest

from counterpoise.core.errors import DataError
from counterpoise.data.folders import find_file, using_data


def test_a_file_is_found_under_any_of_its_names(tmp_path):
    (tmp_path / "eec").mkdir()
    (tmp_path / "eec" / "corpus.csv.xz").touch()
    with using_data(tmp_path):
        assert find_file("eec", "corpus.csv", "corpus.csv.xz") == tmp_path / "eec" / "corpus.csv.xz"


def test_a_missing_file_is_said_with_its_place(tmp_path):
    with using_data(tmp_path), pytest.raises(DataError, match=r"eec/corpus\.csv \(--data DIR"):
        find_file("eec", "corpus.csv")
