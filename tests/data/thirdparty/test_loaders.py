"""The loaders of third-party datasets: row counts as published, checked columns, one line for what is wrong."""

from __future__ import annotations

import zipfile

import pandas as pd
import pytest

import counterpoise as cp
from counterpoise.core.errors import DataError, InputError
from counterpoise.data.thirdparty.folders import using_data


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Writes a file into a data folder that has nothing else."""
    monkeypatch.setenv("COUNTERPOISE_DATA", str(tmp_path))

    def write(name: str, text: str):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


# GAP

GAP_HEADER = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL\n"
GAP_ROW = 'x-1\tAnn met "Bo; she left.\tshe\t13\tAnn\t0\tTRUE\tBo\t9\tFALSE\thttp://x.org\n'


@pytest.mark.parametrize(
    ("split", "rows", "female", "neither"),
    # in the development set the pronoun means neither name in 103 male and 98 female passages
    [("development", 2000, 1000, 103 + 98), ("test", 2000, 1000, None), ("validation", 454, 227, None)],
)
def test_gap(data_file, split, rows, female, neither):
    data_file(f"gap/gap-{split}.tsv")
    table = cp.data.gap(split)
    assert len(table) == rows
    assert (table.gender == "female").sum() == female
    assert table.a_coref.dtype == bool
    assert table.a_offset.dtype == "int64"
    assert not (table.a_coref & table.b_coref).any()
    if neither is not None:
        assert (~table.a_coref & ~table.b_coref).sum() == neither
    assert table.id[0] == f"{split}-1"


def test_gap_swapped(data_file):
    data_file("bec-pro/gap_flipped.tsv.xz")
    swapped = cp.data.gap("swapped")
    assert len(swapped) == 4454
    original = pd.concat([cp.data.gap(split) for split in ("development", "test", "validation")])
    assert set(swapped.id) == set(original.id)
    merged = swapped.merge(original, on="id", suffixes=("", "_original"))
    assert (merged.text != merged.text_original).all()  # a full inversion
    assert (merged.pronoun == merged.pronoun_original).all()  # and the pronoun column was left


def test_gap_keeps_quotes_and_checks_offsets(own):
    own("gap/gap-test.tsv", GAP_HEADER + GAP_ROW)
    assert cp.data.gap("test").text[0] == 'Ann met "Bo; she left.'
    path = own("gap/gap-test.tsv", GAP_HEADER + GAP_ROW.replace("\t13\t", "\t12\t"))
    with pytest.raises(DataError, match=f"{path}: x-1: there is no 'she' at 12"):
        cp.data.gap("test")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        (GAP_HEADER, "has no rows"),
        ("ID\tText\n1\tx\n", r"has no column 'Pronoun' \(there are: ID, Text\)"),
        (GAP_HEADER + GAP_ROW.replace("\t9\t", "\tnine\t"), "b_offset of row 1 is no whole number: 'nine'"),
        (GAP_HEADER + GAP_ROW.replace("TRUE", "yes"), "a_coref of row 1 is 'yes', not one of true, false"),
    ],
)
def test_a_file_that_is_not_gap(own, text, message):
    own("gap/gap-test.tsv", text)
    with pytest.raises(DataError, match=message):
        cp.data.gap("test")


def test_names_that_do_not_exist():
    for wrong in (
        lambda: cp.data.gap("dev"),
        lambda: cp.data.mt_gender("anty"),
        lambda: cp.data.imdb("valid"),
        lambda: cp.data.edos("valid"),
        lambda: cp.data.traits("neutral"),
        lambda: cp.data.skills("linkedin"),
    ):
        with pytest.raises(InputError, match="there is no"):
            wrong()


def test_a_set_that_is_not_at_hand(tmp_path, monkeypatch):
    monkeypatch.delenv("COUNTERPOISE_DATA", raising=False)
    with using_data(tmp_path), pytest.raises(DataError, match="counterpoise catalog fetch gap"):
        cp.data.gap()


# MT Gender


@pytest.mark.parametrize(("part", "rows"), [("all", 3888), ("pro", 1584), ("anti", 1584)])
def test_mt_gender(data_file, part, rows):
    data_file("mt-gender/en.txt")
    table = cp.data.mt_gender(part)
    assert len(table) == rows
    for row in table.itertuples():
        words = row.sentence.lower().split()[row.position :]
        assert " ".join(words).startswith(row.person.lower()), row


# Kurita


def test_words_that_are_no_text(tmp_path):
    (tmp_path / "kurita").mkdir()
    file = tmp_path / "kurita" / "positive_traits"
    for content, message in ((b"\xff\xfe", "cannot read"), (b"\n \n", "is empty")):
        file.write_bytes(content)
        with using_data(tmp_path), pytest.raises(DataError, match=message):
            cp.data.traits("positive")


def test_traits(data_file):
    data_file("kurita/positive_traits")
    assert len(cp.data.traits("positive", variant="published")) == 230
    assert len(cp.data.traits("negative", variant="published")) == 365
    assert len(cp.data.traits("positive")) == 230
    corrected = cp.data.traits("negative")
    assert len(corrected) == len(set(corrected)) == 365 + 2 - 2  # two words more, two that stood twice
    assert {"Indecisive", "Indulgent", "Inert"} <= set(corrected)


def test_skills_of_onet(own):
    own(
        "kurita/onet_technology_skills.txt",
        "O*NET-SOC Code\tExample\tCommodity Code\tCommodity Title\tHot Technology\n"
        "11-1011.00\tAdobe Acrobat\t43232202\tDocument software\tN\n"
        "11-1012.00\tAdobe Acrobat\t43232202\tDocument software\tN\n"
        '11-1011.00\tIBM "Cognos"\t43232306\tQuery software\tY\n',
    )
    assert cp.data.skills("onet") == ("Adobe Acrobat", 'IBM "Cognos"')


def test_skills_in_demand(data_file):
    data_file("kurita/in_demand_tech_skills")
    assert len(cp.data.skills()) == 25


def test_job_titles(data_file):
    data_file("kurita/job_titles_salaries.csv")
    table = cp.data.job_titles()
    assert len(table) == 6842
    assert table.job_title.str.lower().nunique() == 921  # as many as the authors' notebook scores
    assert table.annual_salary.dtype == "float64"


# IMDB


@pytest.fixture(scope="module")
def reviews(data_file):
    data_file("imdb/imdb_50k_labelled.csv.xz")
    return cp.data.imdb()


def test_imdb(reviews):
    assert len(reviews) == 50_000
    assert reviews.groupby(["split", "sentiment"]).size().tolist() == [12_500] * 4
    # "A negative review has a score <= 4 out of 10, and a positive review has a score >= 7" (the set's own README)
    assert (reviews.rating[reviews.sentiment == "pos"] >= 7).all()
    assert (reviews.rating[reviews.sentiment == "neg"] <= 4).all()
    assert not (reviews.review == "").any()


def test_imdb_by_split(own):
    own(
        "imdb/imdb_50k_labelled.csv",
        'split,sentiment,id,rating,review\ntrain,pos,0,9,"Good, ""really"""\ntest,neg,0,1,NA\n',
    )
    [row] = cp.data.imdb("test").itertuples()
    assert (row.sentiment, row.id, row.rating, row.review) == ("neg", 0, 1, "NA")
    assert cp.data.imdb("train").review[0] == 'Good, "really"'


# EDOS


def test_edos(data_file):
    data_file("sexism/edos_labelled.csv.xz")
    table = cp.data.edos()
    assert len(table) == 20_000
    counts = table.groupby(["split", "label"]).size()
    assert counts["train"].to_dict() == {"not sexist": 10_602, "sexist": 3_398}
    assert counts["dev"].to_dict() == {"not sexist": 1_514, "sexist": 486}
    assert counts["test"].to_dict() == {"not sexist": 3_030, "sexist": 970}
    assert table.id.is_unique
    texts = cp.data.edos_texts()
    assert (texts.name, len(texts.table), set(texts.table.label)) == ("edos", 4000, {"sexist", "not sexist"})


def test_edos_is_checked(own):
    header = "rewire_id,text,label_sexist,label_category,label_vector,split\n"
    own("sexism/edos_labelled.csv", header + "a,It rains.,not sexist,none,none,dev\n")
    [row] = cp.data.edos("dev").itertuples()
    assert (row.text, row.label) == ("It rains.", "not sexist")
    path = own("sexism/edos_labelled.csv", header + "a,It rains.,maybe,none,none,dev\n")
    with pytest.raises(DataError, match=f"{path}: label of row 1 is 'maybe', not one of sexist, not sexist"):
        cp.data.edos()


# Jigsaw

JIGSAW = (
    "id,comment_text,toxic,severe_toxic,obscene,threat,insult,identity_hate\n"
    '0000,"Thanks,\nbye",0,0,0,0,0,0\n0001,Go away,1,0,1,0,1,0\n'
)


def test_jigsaw(own, tmp_path):
    own("jigsaw/train.csv", JIGSAW)
    table = cp.data.jigsaw()
    assert table.comment_text[0] == "Thanks,\nbye"
    assert table.toxic.tolist() == [False, True]
    assert not table.severe_toxic.any()
    (tmp_path / "jigsaw" / "train.csv").unlink()
    with zipfile.ZipFile(tmp_path / "jigsaw" / "train.csv.zip", "w") as packed:  # as Kaggle gives it
        packed.writestr("train.csv", JIGSAW)
    pd.testing.assert_frame_equal(cp.data.jigsaw(), table)


@pytest.mark.parametrize("name", ["train.csv.zip", "train.csv.xz"])
def test_a_damaged_archive_is_one_line(own, name):
    path = own(f"jigsaw/{name}", "damaged")
    with pytest.raises(DataError, match=f"cannot read {path}"):
        cp.data.jigsaw()
