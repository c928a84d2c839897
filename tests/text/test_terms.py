import json
from pathlib import Path

import pytest

from counterpoise.core.errors import CounterpoiseError, DataError, InputError
from counterpoise.text import terms
from counterpoise.text.term_sets import Choice, Term, TermSet

# The 281 frequent words of appendix A.1 of Jentzsch & Turan (2022); bachelor, bachelors are printed twice.
PRINTED = Path(__file__).with_name("printed_terms.txt").read_text(encoding="utf-8").split()


@pytest.mark.parametrize("name", terms.BUILT_IN)
def test_built_in_sets_say_for_every_pair_its_direction_grammar_and_reason(name):
    table = terms.table(name)
    assert (table[["male", "female", "direction", "number", "pos", "field", "why"]] != "").all().all()
    assert not table.duplicated(["male", "female"]).any()


def test_all_has_every_word_that_the_paper_prints_and_at_least_its_341_pairs():
    table = terms.table("all")
    assert len(PRINTED) == 281
    assert set(PRINTED) <= set(table["male"]) | set(table["female"])
    assert len(table) >= 341


def test_all_has_no_animals():
    animals = {
        "bull",
        "cow",
        "lion",
        "lioness",
        "rooster",
        "hen",
        "colt",
        "filly",
        "stallion",
        "mare",
        "stud",
        "doe",
    }
    table = terms.table("all")
    assert animals.isdisjoint({*table["male"], *table["female"]})


def test_pro_and_weat_are_the_papers_words():
    pro, weat = terms.table("pro"), terms.table("weat")
    assert {*pro["male"], *pro["female"]} == {"he", "him", "his", "himself", "she", "her", "hers", "herself"}
    assert len({*weat["male"], *weat["female"]}) == 34  # 17 pairs
    assert len(weat) == 18  # and his/her beside his/hers, since both become his


def test_one_way_pairs_are_used_in_their_direction_only():
    everything = terms.load("all")
    assert everything.to_male["manageress"] == "manager"
    assert "manager" not in everything.to_female
    assert everything.to_male["lesbian"] == "gay"
    assert "gay" not in everything.to_female
    assert everything.to_female["bloke"] == "gal"
    assert everything.to_male["girl"] == "boy"


def test_pronouns_have_a_choice():
    pro = terms.load("pro")
    assert pro.to_male["her"] == Choice("his", "him")
    assert pro.to_female["his"] == Choice("her", "hers")
    assert pro.to_male["hers"] == "his"


def test_without_drops_pairs():
    smaller = terms.load("all").without(["count", "master"])
    assert "count" not in smaller.to_female
    assert "countess" not in smaller.to_male
    with pytest.raises(InputError, match="there is no word in the terms all 'cuont'"):
        smaller.without(["cuont"])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("mine.csv", "male,female,direction\nking,queen,\nManager,manageress,to_male\n"),
        ("mine.tsv", "male\tfemale\tdirection\nking\tqueen\tboth\nmanager\tmanageress\tto_male\n"),
        ("mine.yaml", "- {male: king, female: queen}\n"
                      "- {male: manager, female: manageress, direction: to_male}\n"),
        ("mine.json", '[{"male": "king", "female": "queen"}, {"male": "manager", "female": "manageress",'
                      ' "direction": "to_male"}]'),
    ],
)  # fmt: skip
def test_a_file_of_ones_own(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    mine = terms.load(tmp_path / name)
    assert mine.to_female == {"king": "queen"}
    assert mine.to_male == {"queen": "king", "manageress": "manager"}


@pytest.mark.parametrize(
    "content", ['{"king": "queen"}', '[["king", "queen"]]', '{"terms": [["king", "queen"]]}']
)
def test_a_json_file_may_be_a_mapping_or_pairs(tmp_path, content):
    (tmp_path / "mine.json").write_text(content)
    assert terms.load(tmp_path / "mine.json").to_male == {"queen": "king"}


AUTHORS = {
    "term_dict": {"boy": "girl", "bloke": "girl", "housewife": "househusband", "mister": "ms", "mr": "ms"},
    "pron_dict": {"he": "she", "him": "her", "his": "her"},
    "weat_dict": {"him": "her", "his": "hers"},
    "only_f2m": {"gay": "lesbian"},
    "only_m2f": {"beard": "hair"},
    "only_cover": ["womb"],
}


def test_the_authors_format_keeps_the_first_pair_of_a_word_and_turns_reversed_pairs(tmp_path):
    path = tmp_path / "term_lists.json"
    path.write_text(json.dumps(AUTHORS))
    everything = terms.load(path)
    assert everything.to_male["girl"] == "boy"
    assert everything.to_female["bloke"] == "girl"
    assert everything.to_female["househusband"] == "housewife"
    assert everything.to_male["lesbian"] == "gay"
    assert "gay" not in everything.to_female
    assert everything.to_male["her"] == Choice("his", "him")
    assert terms.load(f"{path}#weat").to_male["her"] == "him"
    with pytest.raises(InputError, match=r"there is no set in .* 'waet'.*did you mean 'weat'"):
        terms.load(f"{path}#waet")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "man,woman\nking,queen\n", "must name the columns male and female .found: man, woman."),
        ("a.csv", "male,female\nking,\n", "a.csv, line 2: no female word"),
        ("a.csv", "male,female\nking,king\n", "line 2: 'king' is paired with itself"),
        ("a.csv", "male,female,direction\nking,queen,west\n", "the direction is 'west'"),
        ("a.csv", "male,female\n", "holds no terms"),
        ("a.csv", "", "must name the columns male and female .found: nothing."),
        ("a.csv", "male,female\nboy,girl\nbloke,girl\n", "'girl' has the partners 'boy' and 'bloke'"),
        ("a.csv", "male,female\nman,woman\nwoman,girl\n", "'woman' is male .its partner is girl. and female"),
        ("a.csv", "male,female\na,b\nb,c\nc,a\n", "'a' is male .its partner is b. and female"),
        ("a.csv", "male,female,direction\na,b,to_female\nb,c,to_female\n",
         "go in a circle: 'b' is swapped for c"),
        ("a.json", '["king"]', "a.json, pair 1: 'king' is not a pair"),
        ("a.json", "{", "it is not JSON"),
        ("a.yaml", "a: [", "is not YAML"),
        ("a.json", "3", "terms are a list of pairs"),
        ("a.txt", "king queen", "terms are read from .csv"),
    ],
)  # fmt: skip
def test_broken_term_files_are_one_clear_line(tmp_path, name, content, message):
    (tmp_path / name).write_text(content)
    with pytest.raises(DataError, match=message) as error:
        terms.load(tmp_path / name)
    assert "\n" not in str(error.value)


def test_binary_and_missing_term_files(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"male,female\nk\xff,q\n")
    with pytest.raises(DataError, match="not UTF-8 at byte 13"):
        terms.load(tmp_path / "a.csv")
    with pytest.raises(DataError, match=r"cannot read .*b\.csv"):
        terms.load(tmp_path / "b.csv")


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(CounterpoiseError, match=r"there is no set of terms 'waet' .*did you mean 'weat'"):
        terms.load("waet")


def test_a_set_may_be_made_in_code():
    mine = TermSet("mine", (Term("king", "queen"),))
    assert terms.load(mine) is mine


def test_neutral_words_come_from_a_column_of_ones_own(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text(
        "male,female,direction,neutral\nking,queen,,Monarch\nmanager,manageress,to_male,manager\n"
    )
    assert terms.load(path).to_neutral == {"king": "monarch", "queen": "monarch", "manageress": "manager"}


def test_one_word_has_one_neutral_word():
    pairs = (Term("king", "queen", neutral="monarch"), Term("king", "queen", neutral="ruler"))
    with pytest.raises(DataError, match="'king' has the neutral words 'monarch' and 'ruler'"):
        TermSet("mine", pairs)


@pytest.mark.parametrize("name", ["all", "weat"])
def test_a_neutral_word_stays_as_it_is(name):
    neutral = terms.load(name).to_neutral
    assert neutral
    assert all(neutral.get(word, word) == word for word in neutral.values())
