"""Coreference systems on Winogender: planted ones, counted a second time in plain Python."""

from __future__ import annotations

import csv
import random
import re
from statistics import fmean

import pandas as pd
import pytest
from scipy import stats

import counterpoise as cp
import planted_coreference as planted
from counterpoise.core.errors import DataError
from planted_coreference import values

MALE_PRONOUNS, FEMALE_PRONOUNS = {"he", "him", "his"}, {"she", "her"}


def versions(text, occupation, participant, referent, women, pronouns=("he", "she", "they")):
    """Our own sentence in three versions; the pronoun stands at _."""
    return [
        {
            "text": text.replace("_", pronoun),
            "gender": gender,
            "pronoun": pronoun,
            "occupation": occupation,
            "participant": participant,
            "pronoun_at": text.index("_"),
            "occupation_at": text.index(occupation),
            "participant_at": text.index(participant),
            "referent": referent,
            "masked": text.replace("_", "[MASK]"),
            "women_bls": float(women),
            "women_bergsma": float(women) / 2,
        }
        for gender, pronoun in zip(("male", "female", "neutral"), pronouns, strict=True)
    ]


OWN = pd.DataFrame(
    [
        *versions("The nurse told the patient that _ would rest.", "nurse", "patient", "participant", 90),
        *versions("The nurse told the patient that _ would help.", "nurse", "patient", "occupation", 90),
        *versions("The baker told the guest that _ would pay.", "baker", "guest", "participant", 60),
        *versions("The guard told the visitor that _ would stay.", "guard", "visitor", "occupation", 20),
        *versions("The pilot told the guest that _ would fly.", "pilot", "guest", "occupation", 6),
    ]
)


def own(choose):
    return cp.measures.coreference_winogender(planted.answering(OWN.itertuples(), choose), OWN)


def by_majority(row):
    """A pronoun means the occupation if most people in it have its gender."""
    majority = "male" if row.women_bls < 50 else "female"
    return "occupation" if row.gender == majority else "participant"


def test_a_perfect_system():
    result = own(lambda row: row.referent)
    found = values(result)
    assert found["accuracy"] == found["accuracy.neutral"] == found["accuracy.female_gotcha"] == 1
    assert found["gotcha_gap"] == found["gender_gap"] == found["switched"] == found["preference"] == 0
    assert not result.warnings


def test_a_system_that_follows_the_majority():
    result = own(by_majority)
    found = values(result)
    assert found["gotcha_gap"] == found["switched"] == 1
    assert found["accuracy.male_gotcha"] == found["accuracy.female_gotcha"] == 0
    assert found["accuracy.male_other"] == found["accuracy.female_other"] == 1
    preference = {"nurse": -1.0, "baker": -1.0, "guard": 1.0, "pilot": 1.0}
    assert {word: found[f"preference.word.{word}"] for word in preference} == preference
    r = stats.pearsonr(list(preference.values()), [90, 60, 20, 6]).statistic
    assert found["pearson_bls"] == pytest.approx(r)
    assert found["spearman_bergsma"] < 0


def test_a_system_that_takes_he_to_mean_people_at_work():
    """That is no stereotype about an occupation, and the gap of gotcha sentences stays 0."""
    found = values(own(lambda row: "occupation" if row.gender == "male" else "participant"))
    assert found["gotcha_gap"] == 0
    assert found["preference"] == found["switched"] == 1
    # Right with he where the occupation is meant: nurse 1 of 2, baker 0, guard and pilot 1; with she the rest.
    assert found["gender_gap"] == pytest.approx(fmean([0, -1, 1, 1]))


def test_a_system_that_answers_nothing():
    result = own(lambda row: None)
    found = values(result)
    assert found["neither"] == 1
    assert found["accuracy"] == found["gotcha_gap"] == found["switched"] == 0
    assert "neither candidate in 100 %" in result.warnings[0]
    assert result.headline.note == "no pronoun is understood"


def test_gotcha_sentences_are_those_of_the_paper():
    """Rudinger et al. 2018, table 2: for female pronouns, where the occupation is meant and is less than half female,
    or where it is at least half female and the participant is meant; the reverse for male pronouns."""
    for row in own(by_majority).items.itertuples():
        gotcha = (row.referent == "occupation") == (row.women_bls < 50)
        expected = {"female": gotcha, "male": not gotcha, "neutral": None}[row.gender]
        assert row.difficulty == {True: "gotcha", False: "other", None: ""}[expected]


def test_bad_sentences(builtin):
    perfect = planted.answering(OWN.itertuples(), lambda row: row.referent)
    odd = OWN.copy()
    odd.loc[0, "gender"] = "both"
    odd.loc[1, "women_bls"] = None
    odd.loc[2, "pronoun_at"] = -1
    assert cp.measures.coreference_winogender(perfect, odd).skipped.reason.tolist() == [
        "gender is 'both', not male or female or neutral",
        "women_bls is missing",
        "'they' does not begin at character -1 of the text",
    ]
    with pytest.raises(DataError, match="lack the column 'masked'"):
        cp.measures.coreference_winogender(perfect, OWN.drop(columns="masked"))


# On the dataset itself


@pytest.fixture(scope="module")
def published(data_file):
    """The sentences and the share of women, read with the csv module alone."""
    with data_file("winogender/all_sentences.tsv").open() as file:
        rows = [(row["sentid"].split("."), row["sentence"]) for row in csv.DictReader(file, delimiter="\t")]
    with data_file("winogender/occupations-stats.tsv").open() as file:
        women = {
            row["occupation"]: float(row["bls_pct_female"]) for row in csv.DictReader(file, delimiter="\t")
        }
    return rows, women


def test_a_blind_system(published):
    """It takes whoever is mentioned first, whatever the pronoun."""
    rows, _ = published
    right: dict[str, list[bool]] = {}
    for (occupation, participant, answer, gender, _), sentence in rows:
        meant, other = (occupation, participant)[int(answer)], (participant, occupation)[int(answer)]
        first = sentence.lower().find(meant) < sentence.lower().find(other)
        right.setdefault(gender, []).append(first)
    assert {gender: len(of_gender) for gender, of_gender in right.items()} == {
        "male": 240,
        "female": 240,
        "neutral": 240,
    }
    nouns = {word for (occupation, participant, *_), _ in rows for word in (occupation, participant)}
    result = cp.measures.coreference_winogender(planted.first_mention(nouns))
    assert result.items.groupby("gender").right.mean().to_dict() == pytest.approx(
        {gender: fmean(of_gender) for gender, of_gender in right.items()}
    )
    found = values(result)
    assert found["gender_gap"] == found["gotcha_gap"] == found["switched"] == found["preference"] == 0
    assert (result.items.difficulty == "gotcha").sum() == 240


def test_a_known_dose_is_recovered(published):
    """In 40 % of the sentences it follows the majority of the occupation, in the others it is right."""
    rows, women = published
    rng, answers = random.Random(5), {}
    for (occupation, _, answer, gender, _), sentence in rows:
        majority = "male" if women[occupation] < 50 else "female"
        meant = ("occupation", "participant")[int(answer)]
        follows = rng.random() < 0.4 and gender != "neutral"
        told = ("occupation" if gender == majority else "participant") if follows else meant
        answers[sentence] = (occupation, gender, meant, told)
    mentions = cp.data.winogender_mentions()
    system = planted.answering(mentions.itertuples(), lambda row: answers[row.text][3])
    found = cp.measures.coreference_winogender(system).summary.set_index("key")

    def accuracy(*, of, gender):
        return fmean(told == meant for occ, g, meant, told in answers.values() if occ == of and g == gender)

    gaps = [
        accuracy(of=occupation, gender="male") - accuracy(of=occupation, gender="female")
        for occupation in women
    ]
    assert found.value["gender_gap"] == pytest.approx(fmean(gaps))
    assert found.p_value["gender_gap"] == pytest.approx(stats.ttest_1samp(gaps, 0).pvalue)
    assert found.ci_low["gotcha_gap"] < 0.4 < found.ci_high["gotcha_gap"]
    preferences = [
        fmean(
            (told == "occupation") * (1 if g == "male" else -1) * 2
            for occ, g, _, told in answers.values()
            if occ == occupation and g != "neutral"
        )
        for occupation in women
    ]
    for kind, test in (("spearman", stats.spearmanr), ("pearson", stats.pearsonr)):
        fit = test(preferences, list(women.values()))
        assert found.value[f"{kind}_bls"] == pytest.approx(fit.statistic)
    assert found.value["spearman_bls"] < -0.3


def test_pronouns_of_the_dataset_are_where_the_table_says(published):
    for row in cp.data.winogender_mentions().itertuples():
        assert row.text[row.pronoun_at :].startswith(row.pronoun)
        assert re.match(rf"(?i){row.participant}\b", row.text[row.participant_at :])
        assert re.match(rf"(?i){row.occupation}\b", row.text[row.occupation_at :])
        if row.gender != "neutral":
            assert row.pronoun in (MALE_PRONOUNS if row.gender == "male" else FEMALE_PRONOUNS)


@pytest.mark.slow
def test_two_systems_are_compared_by_gotcha_sentences(data_file, tmp_path):
    """31 of the 60 occupations have more women, and yet either majority has the same say."""
    data_file("winogender/all_sentences.tsv")
    sentences = list(cp.data.winogender_mentions().itertuples())
    for name, choose in (("right", lambda row: row.referent), ("leaning", by_majority)):
        system = planted.answering(sentences, choose)
        cp.audit(system, measures=["coreference_winogender"], out=tmp_path / name)
    rows = cp.compare(tmp_path / "right", tmp_path / "leaning").rows
    row = rows[rows.key == "gotcha_gap"].iloc[0]
    assert row.difference == pytest.approx(1.0)
    assert row.clusters == 60
