"""An audit's request is checked before a model is loaded: measures, files of one's own, settings."""

from __future__ import annotations

import hashlib
import inspect

import pytest

import counterpoise as cp
from counterpoise.audit.request import AuditRequest, LoadOptions, accepting, file_kinds, parse_settings
from counterpoise.cli.audit import audit as command
from counterpoise.core.errors import DataError, InputError, RunError
from counterpoise.measures.base.catalogue import all_measures, find_measure

PAIRS = "stereotyped,counterpart\nThe nurse lost her keys.,The nurse lost his keys.\n"


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text(PAIRS)
    return path


def test_every_kind_of_file_is_an_option_of_the_command_and_a_parameter_of_its_measures():
    for name in file_kinds():
        assert name in inspect.signature(command).parameters
        for measure in accepting(name):
            [kind] = [kind for kind in find_measure(measure).accepts if kind.name == name]
            assert kind.parameter in inspect.signature(find_measure(measure).function).parameters


def test_every_option_of_loading_is_one_of_the_command():
    options = set(inspect.signature(command).parameters)
    named = {"dtype": "precision", "model": "served"}  # as the command has them
    assert {named.get(field, field) for field in LoadOptions.model_fields} <= options


def test_files_are_read_for_the_measures_that_accept_them(pairs):
    request = AuditRequest.of(measures=["lpbs", "sld"], files={"pairs": pairs})
    assert request.given_to(find_measure("sld"))["data"].table.counterpart.tolist() == [
        "The nurse lost his keys."
    ]
    assert request.given_to(find_measure("lpbs")) == {}
    with pytest.raises(
        InputError, match=r"--pairs is for aul, aula, crows or sld, not for a measure of this audit \(lpbs\)"
    ):
        AuditRequest.of(measures=["lpbs"], files={"pairs": pairs})
    with pytest.raises(InputError, match=r"there is no kind of file 'pear'.*did you mean 'pairs'"):
        cp.audit(measures="sld", pear=pairs)


def test_a_run_keeps_the_checksums_of_files(builtin, pairs):
    request = AuditRequest.of(measures=["sld"], files={"pairs": pairs})
    files = dict(request.options(builtin, request.planned).files)
    assert files.pop("pairs") == hashlib.sha256(pairs.read_bytes()).hexdigest()
    assert set(files.values()) == {None}
    assert set(files) == {*file_kinds()} - {"pairs"}


def test_a_file_beside_the_data_of_a_measure(tmp_path):
    path = tmp_path / "own.yaml"
    path.write_text(
        "sets: {x: [a], y: [b], a: [c], b: [d]}\ntests: [{name: t, targets: [x, y], attributes: [a, b]}]"
    )
    request = AuditRequest.of(measures=["ceat", "weat"], files={"words": path})
    assert [test.name for test in request.given_to(find_measure("ceat"))["words"].tests] == ["t"]
    assert [test.name for test in request.given_to(find_measure("weat"))["data"].tests] == ["t"]


def test_a_file_that_is_not_there_is_said_before_a_model_is_loaded():
    with pytest.raises(DataError, match=r"cannot read nowhere.yaml"):
        cp.audit("no such model", ["ppd"], templates="nowhere.yaml")


def test_texts_have_columns(builtin, tmp_path):
    path = tmp_path / "bios.csv"
    path.write_text("bio,job,who\nShe operates.,surgeon,F\n")
    columns = {"text": "bio", "label": "job"}
    request = AuditRequest.of(measures=["sentiment"], files={"texts": path}, columns=columns)
    assert request.given_to(find_measure("sentiment"))["data"].table.text.tolist() == ["She operates."]
    assert request.options(builtin, []).files["texts"].endswith("(label: job, text: bio)")
    with pytest.raises(InputError, match="without --texts"):
        AuditRequest.of(measures=["sentiment"], columns=columns)
    with pytest.raises(InputError, match="there is no column 'txt'"):
        AuditRequest.of(measures=["sentiment"], files={"texts": path}, columns={"txt": "bio"})


def test_a_measure_takes_the_settings_that_it_has(small, pairs, tmp_path):
    both = ["sld", "crows"]
    found = cp.audit(small, both, pairs=pairs, settings={"scoring": "word_l2r"}, out=tmp_path / "run")
    assert found.results["sld"].items.scoring[0] == "PLL word_l2r"
    assert found.results["crows"].items.stereotyped[0] == "The nurse lost her keys."
    assert found.run.manifest["options"]["settings"] == {"scoring": "word_l2r"}
    with pytest.raises(RunError, match="holds a run with settings"):
        cp.audit(small, both, pairs=pairs, out=tmp_path / "run")


NE = "subject: ne\nobject: nem\ndeterminer: nir\npossessive: nirs\nreflexive: nemself\nplural: false\n"


@pytest.mark.parametrize(
    ("name", "setting", "before", "after"),
    [
        ("ne.yaml", lambda path: {"versions": ["he", path]}, NE, NE.replace("nem\n", "nemm\n")),
        ("mine.csv", lambda path: {"terms": path}, "male,female\nboy,girl\n", "male,female\nboy,lass\n"),
    ],
)
def test_a_file_that_a_setting_names_is_compared_by_what_it_holds(name, setting, before, after, tmp_path):
    path = tmp_path / name
    path.write_text(before)

    def rate(texts):
        return [len(text) / 100 for text in texts]

    def audit():
        settings = {"over": "terms", **setting(str(path))}
        texts = ["He met the boy.", "The boy saw him."]
        return cp.audit(rate, "perturbation", texts=texts, settings=settings, out=tmp_path / "run")

    first, again = (audit().results["perturbation"].items.range.tolist() for _ in range(2))
    assert first == again
    path.write_text(after)
    with pytest.raises(RunError, match="holds a run with settings"):
        audit()


def test_a_setting_that_no_measure_has_is_a_mistake():
    with pytest.raises(InputError, match=r"has a setting 'scorin'.*scoring.*there are: per_token, scoring"):
        AuditRequest.of(measures=["sld"], settings={"scorin": "token"})


@pytest.mark.parametrize(
    ("measure", "settings", "message"),
    [
        ("sld", {"per_token": "maybe"}, "per_token takes true or false, such as false, not maybe"),
        ("sld", {"scoring": "tokens"}, "scoring takes token or word_l2r, not tokens; did you mean 'token'"),
        (
            "crows",
            {"categories": 3},
            r"categories takes a list of names or a name, such as \[gender\], not 3",
        ),
        ("ceat", {"contexts": 0}, "contexts should be greater than or equal to 1, not 0"),
        ("weat", {"equalise": "first"}, "equalise takes random or end, not first"),
    ],
)
def test_a_value_of_another_kind_is_said_before_work_begins(measure, settings, message):
    with pytest.raises(InputError, match=message):
        AuditRequest.of(measures=[measure], settings=settings)


def test_categories_of_ones_own_pairs_are_not_chosen(pairs):
    """They would be measured whole, and the user would not know."""
    with pytest.raises(InputError, match=r"datasets of crows; pairs of your own are measured whole"):
        AuditRequest.of(measures=["crows"], files={"pairs": pairs}, settings={"categories": ["age"]})
    AuditRequest.of(  # those of stereoset are
        measures=["crows", "stereoset"], files={"pairs": pairs}, settings={"categories": "all"}
    )


@pytest.mark.parametrize("seed", [-1, 1.5, "one", True])
def test_a_seed_that_is_none(seed):
    with pytest.raises(InputError, match="seed should be"):
        cp.audit("no such model", ["sld"], seed=seed)


def test_measures_and_suites_are_checked_before_a_model_is_loaded():
    with pytest.raises(InputError, match="no measure was named"):
        cp.audit("no such model", [])
    with pytest.raises(InputError, match=r"there is no measure 'lbps'.*did you mean 'lpbs'"):
        cp.audit("no such model", ["lbps"])
    with pytest.raises(InputError, match="there is no suite 'fast'"):
        cp.audit("no such model", ["ppd"], suite="fast")
    assert AuditRequest.of(measures="ppd").planned == [all_measures()["ppd"]]


@pytest.mark.parametrize("text", ["scoring", "=token", "a b=1", "x=[1"])
def test_what_is_no_setting_is_said(text):
    with pytest.raises(InputError, match="--set"):
        parse_settings([text])
