"""Tables of a user's own with all that can be wrong with them: named and skipped, never dropped in silence."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import counterpoise as cp
import tiny
from counterpoise.core.errors import CounterpoiseError, DataError, InputError
from counterpoise.measures.base.table_checks import check_columns

WOMEN = {"women_bls": 50.0, "women_bergsma": 50.0}


@pytest.fixture(scope="module")
def lm(tmp_path_factory) -> cp.models.MaskedLM:
    return cp.load(tiny.save("bert", tmp_path_factory.mktemp("bert")))


def becpro() -> pd.DataFrame:
    rows = cp.data.becpro("en")
    some = rows.profession.isin(["carpenter", "registered nurse"]) & (rows["pair"] < 2)
    return rows[some & (rows.template == rows.template[0])].reset_index(drop=True)


def winogender() -> pd.DataFrame:
    rows = [
        {
            "text": f"The {job} told the {other} that [MASK] was late.",
            "occupation": job,
            "referent": referent,
            "template": f"{job}.{referent}",
        }
        for job in ("nurse", "plumber", "teacher")
        for other, referent in (("guest", "occupation"), ("driver", "participant"))
    ]
    pronouns = {"male": "he", "female": "she", "neutral": "they", "neutral_fits": True}
    return pd.DataFrame(rows).assign(**pronouns, **WOMEN)


def winobias() -> pd.DataFrame:
    jobs = {"nurse": "female", "secretary": "female", "plumber": "male", "driver": "male"}
    rows = [
        {
            "text": f"The guest met the {job} and thanked [MASK].",
            "sentence": f"The guest met the {job}.",
            "pro": "him" if gender == "male" else "her",
            "anti": "her" if gender == "male" else "him",
            "occupation": job,
            "stereotype": gender,
        }
        for job, gender in jobs.items()
    ]
    return pd.DataFrame(rows).assign(women=[90.0, 95.0, 3.0, 6.0], type=2, problem=None)


TABLES = {
    cp.measures.lpbs: (
        becpro,
        ["target_masked", "person", "gender", "profession", "group", "template", "pair"],
    ),
    cp.measures.winogender: (
        winogender,
        ["text", "male", "female", "neutral", "neutral_fits", "occupation", "referent", "template"],
    ),
    cp.measures.winobias: (winobias, ["text", "pro", "anti", "occupation", "stereotype", "type"]),
}
CELLS = [(measure, make, column) for measure, (make, columns) in TABLES.items() for column in columns]


@pytest.mark.parametrize("missing", [None, np.nan, " "])
@pytest.mark.parametrize(("measure", "make", "column"), CELLS)
def test_a_missing_cell_is_named_and_the_rest_is_measured(lm, measure, make, column, missing):
    whole = make()
    broken = whole.astype(object)
    broken.loc[0, column] = missing
    result = measure(lm, broken)
    assert result.skipped.reason[0] == f"{column} is missing"
    label = "row 1" if column in ("target_masked", "text") and measure is not cp.measures.winobias else None
    assert label in (None, result.skipped.item[0])
    assert len(result.items) + len(result.skipped) == len(whole)

    broken[column] = missing
    with pytest.raises(DataError, match=f"nothing is left to measure.*{column} is missing"):
        measure(lm, broken)


def test_a_place_that_is_no_number_or_no_place(lm):
    for wrong, said in (
        (np.nan, "attribute_at is missing"),
        (2.5, "begin at character 2.5"),
        (-3, "character -3"),
    ):
        rows = becpro().astype(object)
        rows.loc[0, "attribute_at"] = wrong
        result = cp.measures.lpbs(lm, rows)
        assert said in result.skipped.reason[0]
        assert len(result.items) == len(rows) - 2  # the partner has nothing to be compared with


@pytest.mark.parametrize("measure", TABLES)
def test_a_row_that_is_there_twice_counts_once(lm, measure):
    rows = TABLES[measure][0]()
    once, twice = measure(lm, rows), measure(lm, pd.concat([rows, rows]))
    assert set(twice.skipped.reason) == {"the sentence is there already"}
    assert len(twice.skipped) == len(rows)
    pd.testing.assert_frame_equal(once.summary, twice.summary)


@pytest.mark.parametrize("measure", TABLES)
def test_what_is_no_table(lm, measure):
    with pytest.raises(InputError, match=r"takes its data as DataFrame, not as 'mine\.csv'"):
        measure(lm, "mine.csv")
    with pytest.raises(DataError, match="the data lack the column"):
        measure(lm, pd.DataFrame({"a": [1]}))
    with pytest.raises(DataError, match="there are no sentences"):
        measure(lm, TABLES[measure][0]()[:0])


@pytest.mark.parametrize(
    ("measure", "kind"),
    [("ppd", "Templates"), ("lpbs_weat", "Associations"), ("stereoset", "StereoSet")],
)
def test_data_of_another_kind(lm, measure, kind):
    for other, name in (("mine.yaml", "'mine.yaml'"), (pd.DataFrame(), "DataFrame"), (3, "int")):
        with pytest.raises(InputError, match=f"{measure} takes its data as {kind}, not as {name}"):
            getattr(cp.measures, measure)(lm, other)


@pytest.mark.parametrize("measure", ["sld", "crows", "aul", "aula"])
def test_pairs_of_another_kind(lm, measure):
    for other in ("mine.csv", [("He sews.", "She sews.")]):
        with pytest.raises(InputError, match="pairs are given as a table or as Pairs"):
            getattr(cp.measures, measure)(lm, other)


def test_a_gender_that_the_measure_does_not_compare(lm):
    rows = pd.concat([becpro(), becpro().assign(gender="neutral", person="They")])
    result = cp.measures.lpbs(lm, rows)
    assert set(result.skipped.reason) == {"gender is 'neutral', not male or female"}
    assert len(result.items) == len(becpro())
    with pytest.raises(DataError, match="gender is 'Male', not male or female"):
        cp.measures.lpbs(lm, becpro().assign(gender=becpro().gender.str.title()))


def test_a_profession_that_the_model_does_not_know(lm):
    rows = becpro().astype(object)
    text = rows.loc[0, "target_masked"]
    rows.loc[0, ["target_masked", "profession"]] = [text.replace("carpenter", "ꙮ"), "ꙮ"]
    assert cp.measures.lpbs(lm, rows).skipped.reason[0] == "'ꙮ' is not in the vocabulary"


def test_the_published_prior_is_checked_too(lm):
    rows = becpro().astype(object)
    rows.loc[0, "both_masked"] = None
    assert len(cp.measures.lpbs(lm, rows).skipped) == 0  # it makes its own
    assert cp.measures.lpbs(lm, rows, variant="published").skipped.reason[0] == "both_masked is missing"
    rows.loc[0, "both_masked"] = "nobody is nothing."
    reason = cp.measures.lpbs(lm, rows, variant="published").skipped.reason[0]
    assert reason == "the prior cannot be asked: the text has no [MASK]"


@pytest.mark.parametrize("masks", [0, 2])
def test_one_mask_is_the_pronouns(lm, masks):
    rows = winogender()
    rows.loc[0, "text"] = "The nurse said that " + " and ".join(["[MASK]"] * masks) + " was late."
    reason = f"the text has {masks} masks instead of one for the pronoun"
    assert cp.measures.winogender(lm, rows).skipped.reason.tolist() == [reason]


def test_no_share_of_women_is_known(lm):
    result = cp.measures.winogender(lm, winogender().assign(women_bls=np.nan))
    rows = result.overall[result.overall.statistic.str.contains("BLS")]
    assert rows.value.isna().all()
    assert set(rows.note) == {"no word has both values"}


def test_an_occupation_of_no_gender(lm):
    result = cp.measures.winobias(lm, pd.concat([winobias(), winobias().assign(stereotype="none")]))
    assert set(result.skipped.reason) == {"stereotype is 'none', not male or female"}


def test_columns():
    with pytest.raises(DataError, match="the data lack the column 'b'; m needs a, b"):
        check_columns(pd.DataFrame({"a": [1]}), ["a", "b"], "m")
    with pytest.raises(DataError, match="there are no sentences"):
        check_columns(pd.DataFrame({"a": []}), ["a"], "m")


@pytest.mark.parametrize(
    ("option", "shown"), [(None, "nothing"), (3, "3"), (["token"], "[token]")], ids=["none", "number", "list"]
)
def test_settings_of_another_kind_are_said_in_one_line(lm, option, shown):
    pair = cp.data.Pairs.of(("He sews.", "She sews."))
    with pytest.raises(CounterpoiseError, match=re.escape(f"scoring takes token or word_l2r, not {shown}")):
        cp.measures.sld(lm, pair, scoring=option)
    with pytest.raises(CounterpoiseError, match="there is no variant"):
        cp.measures.sld(lm, pair, variant=option)
    with pytest.raises(CounterpoiseError, match=re.escape(f"targets takes sum or mean, not {shown}")):
        cp.measures.lpbs_weat(lm, targets=option)
