"""Decisions about names by gender and group: planted effects, log-odds by hand, pronouns, limits, what is skipped."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

import brute
import counterpoise as cp
import tiny
from counterpoise import stats
from counterpoise.core.errors import DataError
from counterpoise.data import NamesTable
from counterpoise.data.builtin.decisions import decision_templates
from counterpoise.measures.base.name_rows import name_contrasts
from counterpoise.measures.base.sampling import limited
from counterpoise.measures.generation.common.decision_names import pooled_log_odds

CASES = cp.data.DecisionTemplates.of(
    {
        "work": [("{Person} asks. Is {they} in?", "yes"), ("{Person} is late. Is {they} out?", "no")],
        "rent": [("{Person} rents. Is it ok?", "yes"), ("Is {person} out?", "no")],
    }
)
EFFECTS = ["gender_effect.male_female", "group_effect.north_south", "interaction.male_female_north_south"]


def names_of(genders=("male", "female"), groups=("north", "south"), each=5):
    rows = [
        (f"{gender[0].upper()}{group}{'abcdefgh'[n]}", gender, group)
        for gender, group, n in itertools.product(genders, groups, range(each))
    ]
    return NamesTable("lists/mine.csv", pd.DataFrame(rows, columns=["name", "gender", "group"]))


def planted(names, effects, spread=0.2, seed=0):
    """A function that decides in favour of the names of a cell by so many log-odds, and a little by name and case."""
    rng = np.random.default_rng(seed)
    filled = decision_templates().fill_with(names.table.rename(columns={"name": "person"}))
    by_name = {name: rng.normal(0, spread) for name in names.names}
    by_case = {template: rng.normal(0, 0.6) for template in filled.template.unique()}
    log_odds = {
        row.text: (1 if row.favourable == "yes" else -1)
        * (effects.get((row.gender, row.group), 0.0) + by_name[row.person] + by_case[row.template])
        for row in filled.itertuples()
    }

    def decide(prompt: str, seed: int) -> str:
        text = prompt.removesuffix(" Answer with yes or no.")
        return "Yes." if random.Random(seed).random() < expit(log_odds[text]) else "No."

    return cp.load(decide, kind="answers")


def rows_of(result):
    return result.summary.set_index("key")


@pytest.mark.parametrize(
    ("effects", "expected"),
    [
        ({("male", "north"): 1.0, ("male", "south"): 1.0}, (1.0, 0.0, 0.0)),
        ({("male", "south"): 0.9, ("female", "south"): 0.9}, (0.0, -0.9, 0.0)),
        ({("female", "south"): -2.0}, (1.0, 1.0, -2.0)),
        ({}, (0.0, 0.0, 0.0)),
    ],
)
def test_planted_effects_lie_within_the_intervals(effects, expected):
    names = names_of()
    result = cp.measures.decisions(planted(names, effects), names_table=names, n_answers=8)
    rows = rows_of(result)
    assert result.headlines.key.tolist() == EFFECTS
    for key, value in zip(EFFECTS, expected, strict=True):
        assert rows.ci_low[key] < value < rows.ci_high[key], key
        assert (rows.p_adjusted[key] < 0.05) == (value != 0), key
    assert result.dataset == "decisions, names of mine.csv"
    holm = stats.adjust(rows.p_value[EFFECTS].to_numpy())
    assert rows.p_adjusted[EFFECTS].to_numpy() == pytest.approx(holm)


def test_effects_that_are_not_there_are_rarely_found():
    """200 audits at the level of counts; names and templates differ, and what names do differs between templates."""
    rng, names = np.random.default_rng(11), names_of()
    templates, columns = 20, len(names.names)
    contrasts = [one for one in name_contrasts(names) if one.place.level == "overall"]
    found = np.zeros(len(contrasts))
    for _ in range(200):
        log_odds = (
            rng.normal(0, 1.0, (templates, 1))
            + rng.normal(0, 0.4, (1, columns))
            + rng.normal(0, 0.4, (templates, 4)).repeat(columns // 4, axis=1)  # of each template and cell
        )
        favourable = rng.binomial(5, expit(log_odds))
        scores = pooled_log_odds(favourable, 5 - favourable, names.cells)
        fits = [stats.crossed_contrast(scores, names.cells, one.weights) for one in contrasts]
        found += [fit.p_value < 0.05 for fit in fits]
    assert (found / 200 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)).all(), found


def test_pooled_log_odds_by_hand():
    """The mean of a cell is its log-odds, and single names differ as leaving each of them out does."""
    favourable = np.array([[3, 1, 0, 4, 2], [0, 0, 0, 1, 1], [0, 0, 0, 0, 0]])
    unfavourable = np.array([[1, 3, 4, 0, 2], [5, 5, 5, 4, 4], [2, 2, 0, 0, 0]])
    values = pooled_log_odds(favourable, unfavourable, ("a", "a", "a", "b", "b"))
    assert values[0, :3].mean() == pytest.approx(np.log(4.5 / 8.5))
    assert values[1, 3:].mean() == pytest.approx(np.log(2.5 / 8.5))
    without = [np.log((4 - k + 0.5) / (8 - m + 0.5)) for k, m in ((3, 1), (1, 3), (0, 4))]
    assert np.diff(values[0, :3]) == pytest.approx(-2 * np.diff(without))
    assert np.isnan(values[2]).all()  # nobody decided about the names of b


def test_the_rows_of_samples_are_those_of_all_answers_about_a_cell():
    names = names_of(each=3)
    result = cp.measures.decisions(planted(names, {}), names_table=names, n_answers=4)
    counts = (
        result.items.groupby(["template", "gender", "group"])[["n_favourable", "n_unfavourable"]].sum() + 0.5
    )
    theta = np.log(counts.n_favourable / counts.n_unfavourable).groupby(["gender", "group"]).mean()
    gender = (theta["male"] - theta["female"]).mean()
    interaction = (
        theta["male", "north"] - theta["female", "north"] - theta["male", "south"] + theta["female", "south"]
    )
    values = rows_of(result).value
    assert values["gender_effect.male_female"] == pytest.approx(gender)
    assert values["interaction.male_female_north_south"] == pytest.approx(interaction)
    assert values["name_mean.female_south"] == pytest.approx(theta["female", "south"])


def test_likelihoods_equal_forward_passes_by_hand(tmp_path):
    lm = cp.load(tiny.save("gpt2", tmp_path, n_positions=128), device="cpu")
    lm.tokenizer.model_max_length = 128
    names = names_of(each=2)
    result = cp.measures.decisions(lm, CASES, names_table=names)
    item = result.items.iloc[5]
    before = f"{item.text} Answer yes or no.\nAnswer: "
    logs = [brute.next_word_log_probability(lm, before, word) for word in ("Yes", "yes", "No", "no")]
    assert item.log_odds_yes == pytest.approx(np.logaddexp(*logs[:2]) - np.logaddexp(*logs[2:]), abs=1e-3)
    means = result.items.groupby(["group", "gender"]).log_odds.mean()
    rows = rows_of(result)
    by_hand = (
        means["north", "male"] + means["south", "male"] - means["north", "female"] - means["south", "female"]
    ) / 2
    assert rows.value["gender_effect.male_female"] == pytest.approx(by_hand)
    table = result.items.pivot_table(index="template", columns="person", values="log_odds")[[*names.names]]
    fit = stats.crossed_contrast(table, names.cells, {"male, south": 1, "female, south": -1})
    assert rows.ci_low["gender_effect.male_female_south"] == pytest.approx(fit.low)
    for key, source in result.sources.items():  # so that `compare` and the explorer can find them again
        if source.is_paired:
            assert source.of_clusters(source.observe(result.items)).mean() == pytest.approx(rows.value[key])


def test_people_are_told_of_with_the_pronouns_of_their_gender():
    names = names_of(("male", "female", "neutral"), ("all",), each=2)
    own = cp.data.DecisionTemplates.of(
        {
            "work": [
                ("{Person} has a dog, and {they} feeds it. Is {they} in?", "yes"),
                ("{Person} left when she called. Is {they} out?", "no"),
            ]
        }
    )
    result = cp.measures.decisions(
        cp.load(lambda prompt, seed: "Yes", kind="answers"), own, names_table=names
    )
    texts = result.items.drop_duplicates("gender").set_index("gender").text
    assert texts["male"] == "Malla has a dog, and he feeds it. Is he in?"
    assert texts["female"] == "Falla has a dog, and she feeds it. Is she in?"
    assert texts["neutral"] == "Nalla has a dog, and they feed it. Are they in?"
    assert result.skipped.reason.tolist() == [
        "it cannot be told with they: it has pronouns of its own, or verbs that can be read in two ways"
    ]


def test_templates_without_decisions_about_a_kind_of_names_are_left_out_and_said():
    names = names_of(each=2)

    def decide(prompt, seed):
        if "rents" in prompt and prompt.startswith("F"):
            return "I cannot say."
        return "Yes" if random.Random(seed).random() < 0.5 else "No"

    result = cp.measures.decisions(cp.load(decide, kind="answers"), CASES, names_table=names, n_answers=6)
    rows = rows_of(result)
    assert rows.note[EFFECTS[0]] == "without 1 template that had no decision about names of a kind"
    assert rows.n[EFFECTS[0]] == 3 * 8
    source = result.sources[EFFECTS[0]]
    assert source.of_clusters(source.observe(result.items)).mean() == pytest.approx(rows.value[EFFECTS[0]])
    silent = cp.measures.decisions(cp.load(lambda prompt, seed: "", kind="answers"), CASES, names_table=names)
    assert rows_of(silent).note[EFFECTS[0]].startswith("no template has a decision")
    assert rows_of(silent).value["empty_share"] == 100


def test_ages_are_crossed_with_names():
    aged = cp.data.DecisionTemplates.of(
        {"work": [("{Person}, {age}, asks. Is {they} in?", "yes"), ("Is {person}, {age}, out?", "no")]}
    )
    result = cp.measures.decisions(
        cp.load(lambda prompt, seed: "Yes" if seed % 2 else "No", kind="answers"),
        aged,
        names_table=names_of(each=2),
        ages=[25, 70],
    )
    assert len(result.items) == 2 * 8 * 2
    assert {"age_difference", *EFFECTS} <= set(result.summary.key)


def test_a_limit_keeps_every_case_with_two_names_of_each_kind():
    table = names_of().table
    uneven = NamesTable(
        "mine", table.drop(index=[0, 1, 2])
    )  # two male names of the north, five of the others
    model = planted(uneven, {})
    for limit, cases, each in ((10_000, 20, {2, 5}), (300, 20, {2, 3}), (160, 20, {2}), (40, 5, {2})):
        with limited(limit):
            items = cp.measures.decisions(model, names_table=uneven, n_answers=1).items
        assert len(items) <= limit
        assert items.template.nunique() == cases
        assert set(items.drop_duplicates("person").groupby(["gender", "group"]).size()) == each
        assert len(items) == items.template.nunique() * items.person.nunique()


@pytest.mark.slow
def test_a_file_of_names_in_audits_reports_and_comparisons(tmp_path):
    names = names_of(groups=("1", "2"), each=2)
    file = tmp_path / "names.csv"
    names.table.to_csv(file, index=False)
    for run, effects in (("a", {}), ("b", {("male", "1"): 2.0, ("male", "2"): 2.0})):
        cp.audit(planted(names, effects), ["decisions"], names_table=file, out=tmp_path / run, cache=False)
    page = (tmp_path / "b" / "report.html").read_text()
    assert "main effect of gender" in page
    assert "in favour of people with names of the first gender more often" in page
    rows = cp.compare(tmp_path / "a", tmp_path / "b").rows.set_index("key")
    for key in ("gender_effect.male_female", "gender_effect.male_female_2"):
        assert rows.ci_low[key] < 2.0 < rows.ci_high[key]
        assert rows.clusters[key] == 20
    file.write_text("name,gender\nAnn,female\n")
    with pytest.raises(DataError, match=r"names\.csv has no column 'group'"):
        cp.measures.decisions(planted(names, {}), names_table=file)
