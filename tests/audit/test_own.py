from __future__ import annotations

import hashlib
import inspect

import pytest

from counterpoise.audit import audit
from counterpoise.audit.own import FILE_KINDS, OwnFiles
from counterpoise.cli.audit import audit as command
from counterpoise.core.errors import DataError, InputError
from counterpoise.measures.catalogue import all_measures


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("stereotyped,counterpart\nHe sews.,She sews.\n")
    return path


def test_every_kind_of_file_is_an_option_and_has_a_measure():
    for kind, about in FILE_KINDS.items():
        assert {*about.measures, *about.beside} <= set(all_measures())
        for name in about.beside:
            assert kind in inspect.signature(all_measures()[name].function).parameters
        assert kind in inspect.signature(audit).parameters
        assert kind in inspect.signature(command).parameters


def test_files_by_measure(pairs):
    own = OwnFiles.of(pairs=pairs, templates=None)
    assert own.read("corrected")["sld"].table.stereotyped.tolist() == ["He sews."]
    hashes = own.hashes()
    assert hashes.pop("pairs") == hashlib.sha256(pairs.read_bytes()).hexdigest()
    assert set(hashes.values()) == {None}
    own.check(["lpbs", "sld"])
    with pytest.raises(
        InputError, match=r"--pairs is for sld, crows, aul or aula, not for a measure of this audit \(lpbs\)"
    ):
        own.check(["lpbs"])


def test_a_file_beside_the_data_of_a_measure(tmp_path):
    path = tmp_path / "own.yaml"
    path.write_text(
        "sets: {x: [a], y: [b], a: [c], b: [d]}\ntests: [{name: t, targets: [x, y], attributes: [a, b]}]"
    )
    own = OwnFiles.of(words=path)
    own.check(["ceat"])
    assert "ceat" not in own.read("corrected")
    assert own.settings() == {"ceat": {"words": path}}


def test_no_files():
    own = OwnFiles.of(pairs=None, templates=None)
    own.check([])
    assert own.read("corrected") == {}


def test_a_file_that_is_not_there():
    with pytest.raises(DataError, match=r"cannot read nowhere.yaml"):
        OwnFiles.of(templates="nowhere.yaml").read("corrected")


def test_texts_have_columns(tmp_path):
    path = tmp_path / "bios.csv"
    path.write_text("bio,job,who\nShe operates.,surgeon,F\n")
    own = OwnFiles.of(texts=path, columns={"text": "bio", "label": "job"})
    assert own.read("corrected")["sentiment"].table.text.tolist() == ["She operates."]
    assert own.hashes()["texts"].endswith("(label: job, text: bio)")
    with pytest.raises(InputError, match="without --texts"):
        OwnFiles.of(columns={"text": "bio"})
    with pytest.raises(InputError, match="there is no column 'txt'"):
        OwnFiles.of(texts=path, columns={"txt": "bio"})
