"""The sentence pairs: what every one of ours must be, and what a user's file may be.

The list of gendered words is this test's own; the package is not asked what a gendered word is.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter

import pandas as pd
import pytest

from counterpoise.core.errors import DataError
from counterpoise.data import Pairs, read_pairs, stereotype_pairs
from counterpoise.data.builtin.pairs import SIDES

# Words that may take each other's place; "her" answers to his and him, "girl" also to guy.
ANSWERS = [
    ("she", "he"),
    ("her", "his"),
    ("her", "him"),
    ("hers", "his"),
    ("herself", "himself"),
    ("woman", "man"),
    ("women", "men"),
    ("girl", "boy"),
    ("girls", "boys"),
    ("girl", "guy"),
    ("lady", "gentleman"),
    ("ladies", "gentlemen"),
    ("female", "male"),
    ("mother", "father"),
    ("mothers", "fathers"),
    ("mom", "dad"),
    ("moms", "dads"),
    ("daughter", "son"),
    ("daughters", "sons"),
    ("daughter-in-law", "son-in-law"),
    ("sister", "brother"),
    ("sisters", "brothers"),
    ("wife", "husband"),
    ("wives", "husbands"),
    ("ex-wife", "ex-husband"),
    ("girlfriend", "boyfriend"),
    ("niece", "nephew"),
    ("aunt", "uncle"),
    ("grandmother", "grandfather"),
    ("grandmothers", "grandfathers"),
    ("grandma", "grandpa"),
    ("bride", "groom"),
    ("princess", "prince"),
]
# Further words with a gender that a careless counterpart would leave standing.
OTHERS = """
actor actress bachelor beard businessman businesswoman chairman fireman foreman gal goddess guys heroine hostess king
lad lads landlady landlord lass lasses lipstick maid maternal mum paternal policeman pregnant queen salesman seamstress
sir spinster stepfather stepmother waiter waitress widow widower witch wizard
"""
GENDERED = {word for pair in ANSWERS for word in pair} | set(OTHERS.split())
FUNCTION = """
a an the this that these those my your our their its i you we they it me us them who whom which what when where why how
and or but if so because as than until while before after since for of to in on at by with without from into out up down
off over about is are was were be been being am has have had do does did will would should could can cannot must may
might not no never there here
"""
FUNCTION_WORDS = set(FUNCTION.split())


@pytest.fixture(scope="module")
def pairs():
    return stereotype_pairs().table


def words(sentence):
    """The words of a sentence in lower case, without punctuation and the genitive's ending."""
    return [re.sub(r"'s$", "", word) for word in re.findall(r"[a-z][a-z'-]*", sentence.lower())]


def masked(sentence):
    return ["*" if word in GENDERED else word for word in words(sentence)]


def test_sizes(pairs):
    assert pairs.category.value_counts().to_dict() == {
        "occupation bias": 114,
        "benevolent sexism": 113,
        "hostile sexism": 117,
    }
    assert (pairs.category.value_counts() >= 100).all()


def test_the_two_sentences_differ_in_gendered_words_only(pairs):
    allowed = set(ANSWERS) | {(male, female) for female, male in ANSWERS}
    for row in pairs.itertuples():
        first, second = row.stereotyped.split(), row.counterpart.split()
        assert len(first) == len(second), row.stereotyped
        changed = [(a, b) for a, b in zip(first, second, strict=True) if a != b]
        assert changed, f"differs in nothing: {row.stereotyped}"
        for a, b in changed:
            assert (words(a)[0], words(b)[0]) in allowed, f"{a} / {b}: {row.stereotyped}"
            # The rest of the word (punctuation, genitive, capital letter) is the same.
            assert re.sub(r"[A-Za-z-]+", "", a, count=1) == re.sub(r"[A-Za-z-]+", "", b, count=1)
            assert a.strip('"')[0].isupper() == b.strip('"')[0].isupper()


def test_no_gendered_word_is_left_standing(pairs):
    for row in pairs.itertuples():
        for a, b in zip(words(row.stereotyped), words(row.counterpart), strict=True):
            assert a != b or a not in GENDERED, f"{a}: {row.stereotyped}"


def test_the_stereotyped_side_is_what_is_marked(pairs):
    """It names those whom the stereotype is about, and, where it is about an occupation, nobody of the other gender."""
    female, male = ({pair[side] for pair in ANSWERS} for side in (0, 1))
    for row in pairs.itertuples():
        own, other = (female, male) if row.about == "women" else (male, female)
        assert set(words(row.stereotyped)) & own, row.stereotyped
        if row.category == "occupation bias":
            assert not set(words(row.stereotyped)) & other, row.stereotyped


def test_no_pair_stands_twice_and_none_is_the_reverse_of_another(pairs):
    sentences = [*pairs.stereotyped, *pairs.counterpart]
    assert len({text.lower() for text in sentences}) == 2 * len(pairs)


def test_no_near_duplicates(pairs):
    """Jaccard's index of the words of two sentences, gendered words alike; all pairs are compared."""
    bags = [(frozenset(masked(text)), text) for text in pairs.stereotyped]
    for (a, first), (b, second) in itertools.combinations(bags, 2):
        assert len(a & b) / len(a | b) < 0.5, f"{first} / {second}"


def test_no_more_than_three_pairs_share_a_frame(pairs):
    openings = Counter(tuple(masked(text)[:3]) for text in pairs.stereotyped)
    skeletons = Counter(
        tuple(word if word in FUNCTION_WORDS or word == "*" else "_" for word in masked(text))
        for text in pairs.stereotyped
    )
    for frames in (openings, skeletons):
        frame, times = frames.most_common(1)[0]
        assert times <= 3, frame


def test_balance_of_genders(pairs):
    """Occupations are as often women's as men's; sexism is mostly about women, and never only about them."""
    counts = pairs.groupby("category").about.value_counts()
    assert counts["occupation bias"].to_dict() == {"women": 57, "men": 57}
    for category in ("benevolent sexism", "hostile sexism"):
        assert 0.25 <= counts[category]["men"] / counts[category].sum() <= 0.5
    assert pairs.about.value_counts().to_dict() == {"women": 218, "men": 126}


def test_sentences_are_sentences(pairs):
    for text in [*pairs.stereotyped, *pairs.counterpart]:
        assert re.search(r"[.!?]\"?$", text), text
        assert re.match(r"\"?[A-Z]", text), text
        assert text == " ".join(text.split())
        assert text.isascii()
        assert text.count('"') % 2 == 0
        assert not re.search(r"[{}|\[\]]|\ba [aeio]\w|\ban (?![aeio]|hour|un)", text), text
    lengths = pairs.stereotyped.str.split().str.len()
    assert lengths.min() == 5
    assert lengths.max() <= 30
    assert lengths.std() > 4


def test_both_sides_have_equally_many_word_pieces(pairs, builtin):
    """With BERT's vocabulary no pair needs `per_token`."""
    count = [[len(one.ids) for one in builtin.encode(pairs[side].tolist())] for side in SIDES]
    assert count[0] == count[1]


@pytest.mark.slow
def test_the_sentences_are_not_those_of_other_data_sets(pairs, data_file):
    """No sentence of CrowS-Pairs or StereoSet, not even with other gendered words."""
    crows = pd.read_csv(data_file("crows-pairs/crows_pairs_anonymized.csv"))
    stereoset = pd.read_csv(data_file("stereoset/stereoset_dev_flat.csv"))
    others = pd.concat([crows.sent_more, crows.sent_less, stereoset.stereotype, stereoset.anti_stereotype])
    known = [frozenset(masked(str(text))) for text in others.unique()]
    for text in pairs.stereotyped:
        own = frozenset(masked(text))
        nearest = max(known, key=lambda other: len(own & other) / len(own | other))
        assert len(own & nearest) / len(own | nearest) < 0.65, f"{text} / {sorted(nearest)}"


# A user's own file

TABLE = pd.DataFrame(
    {
        "stereotyped": ["The nurse lost her keys.", "None"],
        "counterpart": ["The nurse lost his keys.", "NA"],
        "category": ["work", ""],
        "source": ["a", "b"],
    }
)


def write(table, path):
    if path.suffix == ".parquet":
        table.to_parquet(path)
    elif path.suffix == ".jsonl":
        path.write_text("\n".join(json.dumps(row) for row in table.to_dict("records")) + "\n")
    else:
        table.to_csv(path, index=False, sep="," if path.suffix == ".csv" else "\t", encoding="utf-8-sig")
    return path


@pytest.mark.parametrize("name", ["pairs.csv", "pairs.TSV", "pairs.jsonl", "pairs.parquet"])
def test_a_users_own_file(name, tmp_path):
    path = write(TABLE, tmp_path / name.lower()).rename(tmp_path / name)
    pairs = read_pairs(path)
    assert pairs.name == name
    assert pairs.table.stereotyped.tolist() == TABLE.stereotyped.tolist()
    assert pairs.table.counterpart.tolist() == TABLE.counterpart.tolist()
    assert pairs.table.category.tolist() == ["work", "own"]
    assert pairs.table.about.tolist() == ["", ""]
    assert pairs.table.columns.tolist() == ["stereotyped", "counterpart", "category", "about"]


def test_the_order_of_columns_does_not_matter(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("counterpart,stereotyped\nB is his.,A is hers.\n")
    assert read_pairs(path).table.stereotyped.tolist() == ["A is hers."]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("pairs.csv", "", "pairs.csv is empty"),
        ("pairs.csv", "stereotyped,counterpart\n", "pairs.csv has no pairs"),
        (
            "pairs.csv",
            "sent_more,sent_less\na,b\n",
            r"no column 'stereotyped' \(there are: sent_more, sent_less\)",
        ),
        ("pairs.tsv", "stereotyped\nA.\n", r"no column 'counterpart' \(there are: stereotyped\)"),
        (
            "pairs.csv",
            "stereotyped,counterpart\na,b\na,b,c,d\n",
            "cannot read .*Expected 2 fields in line 3, saw 4",
        ),
        ("pairs.jsonl", '{"stereotyped": "a", "counterpart": "b"}\n{"ster', "line 2 is not a JSON object"),
        ("pairs.jsonl", "[1, 2]\n", "line 1 is not a JSON object"),
        ("pairs.jsonl", "", "pairs.jsonl has no pairs"),
        (
            "pairs.jsonl",
            '{"stereotyped": "a", "counterpart": 3}\n',
            "counterpart must be text, and pair 1 has 3",
        ),
        ("pairs.parquet", "no parquet", "cannot read .*pairs.parquet"),
        ("pairs.docx", "", "pairs are read from files that end in .csv, .tsv, .jsonl, .parquet"),
    ],
)
def test_bad_files_are_one_line(name, text, message, tmp_path):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(DataError, match=message) as error:
        read_pairs(path)
    assert "\n" not in str(error.value)


def test_files_that_cannot_be_opened(tmp_path):
    with pytest.raises(DataError, match="cannot read"):
        read_pairs(tmp_path / "nothing.csv")
    (tmp_path / "latin.csv").write_bytes("stereotyped,counterpart\né,b\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"cannot read .*latin.csv"):
        read_pairs(tmp_path / "latin.csv")


def test_pairs_that_say_nothing():
    pairs = Pairs.of(
        ("He sings.", "She sings."),
        ("He sings.", "He  sings. "),
        ("", "She sings."),
        ("He sings.", " "),
        ("He sings.", "She sings."),
    )
    assert pairs.problems() == [
        None,
        "the two sentences of the pair are the same",
        "a sentence of the pair is empty",
        "a sentence of the pair is empty",
        "the pair is there already",
    ]


def test_categories_may_be_numbers_or_missing(tmp_path):
    line = '{"stereotyped": "a", "counterpart": "b", "category": %s}\n'
    (tmp_path / "pairs.jsonl").write_text(line % 1 + line % "null" + line % '"work"')
    assert read_pairs(tmp_path / "pairs.jsonl").table.category.tolist() == ["1", "own", "work"]


def test_a_missing_cell_is_an_empty_sentence(tmp_path):
    (tmp_path / "pairs.jsonl").write_text('{"stereotyped": "a", "counterpart": null}\n')
    assert read_pairs(tmp_path / "pairs.jsonl").problems() == ["a sentence of the pair is empty"]


def test_the_callers_table_is_left_alone():
    table = TABLE[["stereotyped", "counterpart"]].iloc[1:]
    before = table.copy()
    assert Pairs("mine", table).table.index.tolist() == [0]
    pd.testing.assert_frame_equal(table, before)


def test_copies_that_differ_in_white_space_count_once():
    pairs = Pairs.of(*((f"He is{' ' * n}a\tdoctor.", "She is a\xa0doctor. ") for n in range(1, 21)))
    assert pairs.problems() == [None] + ["the pair is there already"] * 19


@pytest.mark.parametrize("unseen", ["\u00ad", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff"])
def test_copies_that_differ_in_unseen_characters_count_once(unseen):
    pairs = Pairs.of(*((f"He is a doc{unseen * n}tor.", f"{unseen}She is a doctor.") for n in range(20)))
    assert pairs.problems() == [None] + ["the pair is there already"] * 19
    assert pairs.table.stereotyped[2] == f"He is a doc{unseen * 2}tor."  # the model sees what was given
