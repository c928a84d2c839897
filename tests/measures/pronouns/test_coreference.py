"""Coreference systems on WinoBias: planted ones, whose accuracies are counted a second time in plain Python."""

from __future__ import annotations

import random
import re
from statistics import fmean

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import f1_score

import counterpoise as cp
import planted_coreference as planted
from counterpoise.core.errors import DataError, ModelError
from planted_coreference import OWN, balanced, values


def own(choose):
    return cp.measures.coreference(planted.answering(OWN.itertuples(), choose), OWN)


def by_stereotype(row):
    return "occupation" if row.version == "pro" else "other"


def test_a_perfect_system():
    result = own(lambda row: "occupation")
    found = values(result)
    assert found["accuracy"] == found["f1.pro"] == found["f1.type_2_anti"] == 1
    assert found["gap"] == found["f1_gap"] == found["neither"] == found["both"] == 0
    assert not result.warnings
    assert set(result.items.answer) == {"gold"}
    headline, unseen = result.headline, stats.beta.ppf(0.95, 1, 4)  # none of four occupations differs
    assert (headline.key, headline.p_value, headline.note) == ("gap", 1, "")
    assert (headline.ci_low, headline.ci_high) == pytest.approx((-unseen, unseen))


def test_a_system_that_follows_the_stereotype():
    found = values(own(by_stereotype))
    assert found["accuracy.pro"] == found["f1.pro"] == found["gap"] == found["gap.type_1"] == 1
    assert found["accuracy.anti"] == found["f1.anti"] == 0
    assert found["f1_gap"] == found["gap.word.guard"] == 1


def test_a_system_that_always_prefers_one_gender_is_at_0():
    """he means the occupation of every second sentence, whatever the stereotype."""
    found = values(own(lambda row: "occupation" if row.pronoun in ("he", "him") else "other"))
    assert found["gap"] == 0
    assert (found["gap.male"], found["gap.female"]) == (1, -1)


def test_a_system_that_answers_nothing():
    result = own(lambda row: None)
    found = values(result)
    assert found["accuracy"] == found["f1.pro"] == found["gap"] == 0
    assert found["neither"] == found["neither.anti"] == 1
    assert "neither candidate in 100 % of the sentences" in result.warnings[0]
    assert "right in 0 % of the sentences" in result.warnings[1]
    assert (result.headline.key, result.headline.note) == ("gap", "no pronoun is understood")
    assert np.isnan(result.headline.ci_low)


def test_rows_by_hand():
    """Right in all but: pair 1 anti (other), pair 2 anti (none), pair 4 pro (both)."""
    plan = {("1", "anti"): "other", ("2", "anti"): None}
    right = planted.answering(OWN.itertuples(), lambda row: plan.get((row.pair, row.version), "occupation"))

    def with_both(texts):
        of_both = OWN[(OWN["pair"] == "4") & (OWN.version == "pro")].iloc[0]
        answers = right.clusters(texts)
        return [
            [[*clusters[0], planted.mention(of_both, "other")]] if text == of_both.text else clusters
            for text, clusters in zip(texts, answers, strict=True)
        ]

    result = cp.measures.coreference(cp.load(with_both, kind="coreference"), OWN)
    found = values(result)
    # Occupations: guard (pairs 1, 3), cook (5); nurse (2), cleaner (4). Differences pro - anti: 1, 0; 0; 1; -1.
    assert found["gap"] == pytest.approx(((0.5 + 0) / 2 + (1 - 1) / 2) / 2)
    assert found["accuracy.pro"] == pytest.approx((1 + (1 + 0) / 2) / 2)
    assert found["accuracy.anti"] == pytest.approx(((0.5 + 1) / 2 + (0 + 1) / 2) / 2)
    # Links: pro 5 right of 6; anti 3 right of 4, of 5 sentences.
    assert found["f1.pro"] == pytest.approx(2 * (5 / 6) * 1 / (5 / 6 + 1))
    assert found["f1.anti"] == pytest.approx(2 * (3 / 4) * (3 / 5) / (3 / 4 + 3 / 5))
    assert found["f1_gap"] == pytest.approx(found["f1.pro"] - found["f1.anti"])
    assert found["both.pro"] == pytest.approx((0 + (0 + 1) / 2) / 2)
    assert found["neither.anti"] == pytest.approx((0 + (1 + 0) / 2) / 2)
    assert found["gap.word.guard"] == 0.5


def test_f1_is_that_of_scikit_learn_over_links():
    rng = random.Random(3)
    chosen = {}

    def choose(row):
        return chosen.setdefault(row.text, rng.choice(["occupation", "other", None]))

    found = values(own(choose))
    for version in ("pro", "anti"):
        rows = OWN[OWN.version == version]
        truth = [is_gold for _ in rows.text for is_gold in (1, 0)]
        links = [int(chosen[text] == column) for text in rows.text for column in ("occupation", "other")]
        assert found[f"f1.{version}"] == pytest.approx(f1_score(truth, links))


def test_bad_sentences_are_skipped_and_said():
    perfect = planted.answering(OWN.itertuples(), lambda row: "occupation")
    odd = OWN.copy().astype({"occupation_at": object})
    odd.loc[0, "occupation_at"] = 7
    odd.loc[1, "version"] = "contra"
    odd.loc[2, "problem"] = "it is broken"
    odd.loc[3, "other"] = None
    result = cp.measures.coreference(perfect, odd)
    assert result.skipped.reason.tolist() == [
        "'guard' does not begin at character 7 of the text",
        "version is 'contra', not pro or anti",
        "it is broken",
        "other is missing",
    ]
    assert result.overall.n.iloc[0] == 3  # pairs that are whole
    with pytest.raises(DataError, match="lack the column 'other_at'; coreference needs text, version"):
        cp.measures.coreference(perfect, OWN.drop(columns="other_at"))
    with pytest.raises(DataError, match="there are no sentences"):
        cp.measures.coreference(perfect, OWN.iloc[:0])


def test_other_kinds_of_models(builtin):
    with pytest.raises(
        ModelError, match=r"^coreference needs a coreference system; builtin is a masked language"
    ):
        cp.measures.coreference(builtin, OWN)


# On the dataset itself


@pytest.fixture(scope="module")
def sentences(data_file):
    data_file("winobias/pro_stereotyped_type1.txt.dev")
    return cp.data.winobias_mentions()


@pytest.fixture(scope="module")
def lines(data_file):
    """Every line of the published files, by type and version, in plain Python."""
    return {
        (kind, version): [
            line.split(maxsplit=1)[1].strip()
            for part in ("dev", "test")
            for line in data_file(f"winobias/{version}_stereotyped_type{kind}.txt.{part}")
            .read_text()
            .splitlines()
        ]
        for kind in (1, 2)
        for version in ("pro", "anti")
    }


def test_planted_on_the_dataset(sentences):
    usable = sentences[sentences.problem.isna()]
    perfect = values(
        cp.measures.coreference(planted.answering(usable.itertuples(), lambda row: "occupation"), sentences)
    )
    assert perfect["accuracy"] == perfect["f1.type_1_pro"] == 1
    assert perfect["gap"] == 0
    stereotyped = values(
        cp.measures.coreference(planted.answering(usable.itertuples(), by_stereotype), sentences)
    )
    assert (stereotyped["accuracy.pro"], stereotyped["accuracy.anti"], stereotyped["gap"]) == (1, 0, 1)


@pytest.mark.slow
def test_a_known_dose_is_recovered(sentences):
    """Right in pro-stereotypical sentences with probability .9, in the others with .6."""
    usable, rng, is_right = sentences[sentences.problem.isna()], random.Random(1), {}

    def choose(row):
        is_right[row.text] = rng.random() < (0.9 if row.version == "pro" else 0.6)
        return "occupation" if is_right[row.text] else "other"

    result = cp.measures.coreference(planted.answering(usable.itertuples(), choose), sentences)
    rows = result.summary.set_index("key")
    pairs = usable.groupby("pair", sort=False)

    def difference(pro):
        return is_right[pro.text] - is_right[pairs.get_group(pro["pair"]).text.iloc[1]]

    firsts = [row for _, row in usable[usable.version == "pro"].iterrows()]
    assert rows.value["gap"] == pytest.approx(balanced(firsts, difference))
    assert rows.ci_low["gap"] < 0.3 < rows.ci_high["gap"]
    assert rows.value["gap"] == pytest.approx(rows.value["accuracy.pro"] - rows.value["accuracy.anti"])
    means = pd.DataFrame(
        [(row.stereotype, row.occupation, difference(row)) for row in firsts], columns=["s", "o", "d"]
    ).groupby(["s", "o"])
    welch = stats.ttest_ind(means.d.mean()["male"], -means.d.mean()["female"], equal_var=False)
    assert rows.p_value["gap"] == pytest.approx(welch.pvalue)
    assert (rows.n["gap"], rows.clusters["gap"]) == (1559, 40)
    share = np.mean([is_right[row.text] for row in usable[usable.version == "anti"].itertuples()])
    assert rows.value["f1.anti"] == pytest.approx(share)  # one link in each sentence


def test_a_blind_system_on_the_published_sentences(lines):
    """It takes whoever is mentioned first, so a sentence is right if its first occupation is the one in brackets."""
    occupations = {
        re.sub(r"^(the|an?) ", "", phrase.strip().lower())
        for of_file in lines.values()
        for line in of_file
        for phrase in re.findall(r"\[([^\]]*)\]", line)
    } - {"he", "she", "him", "her", "his", "himself", "herself"}
    assert len(occupations) == 40
    longest_first = sorted(occupations, key=len, reverse=True)

    def is_right(line):
        start = min(line.lower().find(word) for word in longest_first if re.search(rf"(?i)\b{word}\b", line))
        return line[:start].count("[") > line[:start].count("]")

    result = cp.measures.coreference(planted.first_mention(occupations), variant="published")
    found = values(result)
    for (kind, version), of_file in lines.items():
        share = fmean(map(is_right, of_file))
        assert found[f"f1.type_{kind}_{version}"] == pytest.approx(share)
        part = result.items[(result.items.type == kind) & (result.items.version == version)]
        assert len(part) == len(of_file) == 792
        assert found[f"accuracy.type_{kind}_{version}"] == pytest.approx(
            balanced(part.itertuples(), lambda item: item.right)
        )
    # In type 2 the pronoun means whoever is mentioned last, but for a few sentences.
    assert found["f1.type_2_pro"] < 0.1
    assert 0.4 < found["f1.type_1_pro"] < 0.6
    assert abs(found["gap"]) < 0.01
