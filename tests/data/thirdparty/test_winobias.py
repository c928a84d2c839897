from __future__ import annotations

import pytest

from counterpoise.core.errors import DataError, InputError
from counterpoise.data import winobias, winobias_mentions
from counterpoise.data.spec import read_spec
from counterpoise.data.thirdparty.folders import using_data
from counterpoise.data.thirdparty.winobias import WinoBiasSpec

# A pair of each kind, written for this test: pro- and anti-stereotyped.
PAIRS = [
    (
        "[The guard] thanked the nurse because [he] was lost.",
        "[The guard] thanked the nurse because [she] was lost.",
    ),
    ("The guard thanked [the nurse] for [her] help.", "The guard thanked [the nurse] for [his] help."),
    ("The guard met the [the nurse] and liked [her].", "The guard met the [the nurse] and liked [him]."),
    (
        "[The cook] ate the baker 's pie as [he] saw [his] own.",
        "[The cook] ate the baker 's pie as [she] saw [her] own.",
    ),
    ("[The cook] left since [he] was ill.", "[The cook] left since [she] was tired."),
    ("[The cook] left since [he] was ill.", "[The cook] left since [he] was ill."),
    ("[The cook] is glad since [he] is a lucky man.", "[The cook] is glad since [she] is a lucky man."),
    ("[The poet] left since [he] was ill.", "[The poet] left since [she] was ill."),
    ("The cook demanded [her] pay.", "The cook demanded [he] pay."),
    (
        "[The guard] thanked the nurse because [he] was lost.",
        "[The guard] thanked the nurse because [she] was lost.",
    ),
]


def write(folder, kind, part, pairs):
    for side, number in (("pro", 0), ("anti", 1)):
        lines = [f"{i} {pair[number]}\n" for i, pair in enumerate(pairs, start=1)]
        (folder / f"{side}_stereotyped_type{kind}.txt.{part}").write_text("".join(lines))


@pytest.fixture
def folder(tmp_path, no_data):
    made = tmp_path / "winobias"
    made.mkdir()
    for kind in (1, 2):
        for part in ("dev", "test"):
            write(made, kind, part, [])
    write(made, 1, "dev", PAIRS)
    write(made, 1, "test", PAIRS[1:2])
    write(made, 2, "dev", PAIRS[:1])
    write(made, 2, "test", PAIRS[2:3])
    with using_data(tmp_path):
        yield made


def test_rows(folder):
    rows = winobias("dev")
    first, second, third, fourth = rows.iloc[:4].itertuples()
    assert first.text == "The guard thanked the nurse because [MASK] was lost."
    assert (first.pro, first.anti, first.slot) == ("he", "she", "subject")
    assert (first.occupation, first.stereotype, first.women) == ("guard", "male", 22)
    assert (second.pro, second.anti, second.slot) == ("her", "his", "possessive")
    assert (second.occupation, second.stereotype) == ("nurse", "female")
    assert third.text == "The guard met the nurse and liked [MASK]."
    assert (third.pro, third.anti, third.slot) == ("her", "him", "object")
    assert fourth.text == "The cook ate the baker's pie as [MASK] saw [MASK] own."
    assert (fourth.pro, fourth.anti) == ("he", "she")
    assert (first.type, first.split, first.number) == (1, "dev", 1)


def test_what_cannot_be_used_is_said(folder):
    problems = winobias("dev").query("type == 1").problem
    assert problems[:4].isna().all()
    for problem, expected in zip(
        problems[4:],
        [
            "differs in more than the pronoun: 'The cook left since she was tired.'",
            "the two versions are the same",
            "'man', which stays in the sentence, gives the gender away",
            "no occupation of the dataset",
            "differs in more than the pronoun: 'The cook demanded he pay.'",
            "the sentence is there already",
        ],
        strict=True,
    ):
        assert expected in problem


def test_published_keeps_the_text(folder):
    rows = winobias("dev", "published")
    assert rows.text[2] == "The guard met the the nurse and liked [MASK]."
    assert rows.text[3].startswith("The cook ate the baker 's pie")


def test_splits(folder):
    assert winobias("test").split.unique().tolist() == ["test"]
    both = winobias()
    assert both.split.unique().tolist() == ["dev", "test"]
    assert both.query("split == 'test'").problem.tolist() == ["the sentence is there already"] * 2
    with pytest.raises(InputError, match="there is no split of WinoBias 'train'"):
        winobias("train")


def test_mistakes(folder):
    write(folder, 2, "dev", PAIRS[:2])
    (folder / "pro_stereotyped_type2.txt.dev").write_text("1 [The guard] said [he] was lost.\n")
    with pytest.raises(DataError, match="type 2 dev has 1 pro- and 2 anti-stereotyped sentences"):
        winobias()
    (folder / "pro_stereotyped_type2.txt.dev").write_text("no number\n")
    with pytest.raises(DataError, match="every line must be a number and a sentence"):
        winobias()
    (folder / "pro_stereotyped_type2.txt.dev").unlink()
    with pytest.raises(DataError, match=r"put it at .*pro_stereotyped_type2.txt.dev"):
        winobias()


def test_shares_of_women():
    """Zhao et al. (2018), table 1: 20 occupations with fewer than half women and 20 with more."""
    women = read_spec("winobias", WinoBiasSpec).women
    assert len(women) == 40
    assert sum(share < 50 for share in women.values()) == 20
    assert (women["carpenter"], women["salesperson"], women["editor"], women["secretary"]) == (2, 48, 52, 95)


@pytest.fixture(scope="module")
def whole(data_file):
    data_file("winobias/pro_stereotyped_type1.txt.dev")
    return winobias()


def test_the_data_set(whole):
    assert whole.groupby(["type", "split"]).size().tolist() == [396] * 4
    good = whole[whole.problem.isna()]
    assert len(good) == 1559
    assert good.occupation.nunique() == 40
    assert good.groupby("occupation").size().between(36, 40).all()
    assert good.text.str.count(r"\[MASK\]").value_counts().to_dict() == {1: 1516, 2: 43}
    assert not good.text.str.contains(r"\]\[|\[(?!MASK)| 's|\bthe the\b|  ").any()


def test_the_stereotype_is_the_one_of_the_statistics(whole):
    """Each occupation has one stereotype, and it is the gender of most who work in it."""
    good = whole[whole.problem.isna()]
    assert good.groupby("occupation").stereotype.nunique().eq(1).all()
    assert ((good.stereotype == "male") == (good.women < 50)).all()


def test_pairs_that_are_no_pairs(whole):
    bad = whole[whole.problem.notna()].set_index(["type", "split", "number"]).problem
    assert len(bad) == 25
    assert bad.str.contains("differs in more than the pronoun").sum() == 19
    assert "The physician hired the tailor" in bad[2, "test", 382]  # the files are out of order here
    assert "'man'" in bad[1, "test", 93]
    assert "'his'" in bad[2, "dev", 236]
    assert bad[bad == "the sentence is there already"].index.tolist() == [
        (1, "test", 1),
        (2, "test", 1),
        (2, "test", 2),
    ]


def test_mentions(folder):
    rows = winobias_mentions("dev").query("type == 1")
    assert len(rows) == 2 * len(PAIRS)
    for row in rows.itertuples():
        if row.problem is None:
            assert row.text[row.pronoun_at :].startswith(f"{row.pronoun} ") or row.text.endswith(
                f"{row.pronoun}."
            )
            for word, at in ((row.occupation, row.occupation_at), (row.other, row.other_at)):
                assert row.text[int(at) :].startswith(word)
    guard, again, nurse, _, mended, _, baker, _ = rows.iloc[:8].itertuples()
    assert (guard.version, guard.pronoun, guard.counterpart) == ("pro", "he", "she")
    assert (again.version, again.pronoun, again.counterpart) == ("anti", "she", "he")
    assert guard.pair == again.pair != nurse.pair
    assert (guard.occupation, guard.other, guard.stereotype, guard.women) == ("guard", "nurse", "male", 22)
    assert (guard.occupation_at, guard.other_at, guard.pronoun_at) == (4, 22, 36)
    assert (nurse.occupation, nurse.other, nurse.stereotype) == ("nurse", "guard", "female")
    assert mended.text == "The guard met the nurse and liked her."  # the the nurse
    assert (mended.occupation_at, mended.pronoun_at) == (18, 34)
    assert baker.text == "The cook ate the baker's pie as he saw his own."  # the baker 's pie
    assert (baker.pronoun_at, baker.other, baker.other_at) == (32, "baker", 17)


def test_problems_of_mentions(folder):
    rows = winobias_mentions("dev").query("type == 1").iloc[8:]
    assert rows.problem.notna().all()  # those of winobias
    published = winobias_mentions("dev", "published").query("type == 1")
    usable = published[published.problem.isna()]
    # Every sentence with two occupations, also the last pair, which is there twice; not "the poet", and no other cook.
    assert usable.pair.unique().tolist() == [f"type1.dev.{number}" for number in (1, 2, 3, 4, 10)]
    assert set(published.problem.dropna()) == {"the sentence lacks a pronoun, its occupation or another one"}
