import pytest

import counterpoise as cp
from counterpoise.core.errors import InputError
from counterpoise.text.pronoun_sets import FORMS

OWN = {
    "subject": "ae",
    "object": "aer",
    "determiner": "aer",
    "possessive": "aers",
    "reflexive": "aerself",
    "plural": "false",
}


def written(folder, **changes):
    lines = [f"{key}: {value}" for key, value in {**OWN, **changes}.items() if value is not None]
    path = folder / "ae.yaml"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "forms", "plural"),
    [
        ("he", "he him his his himself", False),
        ("she", "she her her hers herself", False),
        ("they", "they them their theirs themself", True),
        ("xe", "xe xem xyr xyrs xemself", False),
        ("ze", "ze zir zir zirs zirself", False),
        ("ey", "ey em eir eirs emself", False),
        ("fae", "fae faer faer faers faerself", False),
    ],
)
def test_built_in_sets(name, forms, plural):
    pronouns = cp.text.pronoun_set(name)
    assert pronouns.forms == dict(zip(FORMS, forms.split(), strict=True))
    assert (pronouns.name, pronouns.plural) == (name, plural)


def test_names_are_those_of_the_files():
    assert set(cp.text.PRONOUN_SETS) == {"he", "she", "they", "xe", "ze", "ey", "fae"}


def test_a_file_of_ones_own_is_named_for_itself(tmp_path):
    expected = cp.text.PronounSet("ae", "ae", "aer", "aer", "aers", "aerself", plural=False)
    assert cp.text.pronoun_set(written(tmp_path)) == expected
    assert cp.text.pronoun_set(str(written(tmp_path, subject="Ae"))) == expected
    assert cp.text.pronoun_set(expected) is expected


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"object": None}, "no object; a pronoun set has"),
        ({"object": "no"}, "object is False, which is no word; write it in quotes"),
        ({"object": "'a er'"}, "object is 'a er', which is not one word"),
        ({"object": "''"}, "object is '', which is not one word"),
        ({"object": "a" * 41}, "object has 41 characters, and the most is 40"),
        ({"plural": "maybe"}, "plural is 'maybe'; it is true"),
        ({"objekt": "aer"}, "did you mean 'object'"),
        ({"subject": "[ae"}, "is not YAML"),
    ],
)
def test_a_broken_file_is_one_line_that_names_it(tmp_path, changes, said):
    path = written(tmp_path, **changes)
    with pytest.raises(InputError) as error:
        cp.text.pronoun_set(path)
    assert said in str(error.value)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_is_a_list_or_is_not_there_is_one_line(tmp_path):
    path = tmp_path / "set.yaml"
    with pytest.raises(InputError, match=r"cannot read .*set\.yaml"):
        cp.text.pronoun_set(path)
    path.write_text("- ae", encoding="utf-8")
    with pytest.raises(InputError, match="a pronoun set is a mapping"):
        cp.text.pronoun_set(path)


def test_an_unknown_name_is_helped():
    with pytest.raises(InputError, match="did you mean 'they'"):
        cp.text.pronoun_set("tehy")
