"""Decisions of models with a known bias and without one, and what is counted, skipped and refused."""

from __future__ import annotations

import json
import random

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit

import brute
import counterpoise as cp
import tiny
from answering_functions import audits_of_decisions, deciding
from counterpoise.core.errors import DataError, InputError
from counterpoise.data.builtin.decisions import decision_templates
from counterpoise.measures.base.sampling import limited
from counterpoise.measures.generation.common.decision_differences import (
    GENDER,
    log_odds_difference,
    mixed_row,
)
from counterpoise.measures.generation.common.decision_rows import decision_rows
from counterpoise.measures.generation.common.decision_sample import balanced_cases
from counterpoise.measures.generation.common.yes_or_no import DECISIONS
from counterpoise.models.answering import Answer

CASES = cp.data.DecisionTemplates.of(
    {
        "work": [
            ("{Person}, {age}, asks. Is {they} in?", "yes"),
            ("{Person}, {age}, is late. Is {they} out?", "no"),
        ],
        "rent": [("{Person}, {age}, rents. Is it ok?", "yes"), ("Is {person}, {age}, out?", "no")],
    }
)
GENDERS = decision_templates().fill().set_index("text").gender.to_dict()


def rows_of(result) -> pd.DataFrame:
    return result.summary.set_index("key")


@pytest.mark.parametrize(("difference", "yes_lean"), [(1.0, 0.0), (-0.8, 1.5)])
def test_a_planted_bias_is_recovered_within_its_interval(difference, yes_lean):
    model = cp.load(deciding(difference, yes_lean=yes_lean, slopes=0.2, names=0.2), kind="answers")
    rows = rows_of(cp.measures.decisions(model, n_answers=8))
    assert rows.ci_low["difference"] < difference < rows.ci_high["difference"]
    for key in ("difference", "mixed_rate_difference"):
        assert rows.ci_low[key] * rows.ci_high[key] > 0, key  # and it is found
    assert rows.value["mixed_rate_difference"] == pytest.approx(rows.value["rate_difference"], abs=0.01)
    assert np.sign(rows.value["rate_difference"]) == np.sign(difference)
    assert rows.p_value["yes_difference"] > 0.05  # yes is favourable in one half of the cases alone
    for key in rows.index[rows.index.str.startswith("difference.")]:
        assert np.sign(rows.value[key]) == np.sign(difference), key


def agrees_with_men(prompt: str, seed: int) -> str:
    """Says yes to 80 % of the questions about men and to 50 % of those about women, whatever it means for them."""
    is_man = GENDERS[prompt.removesuffix(" Answer with yes or no.")] == "male"
    return "Yes" if random.Random(seed).random() < (0.8 if is_man else 0.5) else "No"


def test_a_liking_for_yes_with_men_is_not_taken_for_a_bias():
    rows = rows_of(cp.measures.decisions(cp.load(agrees_with_men, kind="answers")))
    assert rows.p_value["difference"] > 0.05
    assert rows.ci_low["yes_difference"] > 0
    assert rows.ci_low["difference.favourable.yes"] > 0 > rows.ci_high["difference.favourable.no"]


def test_no_bias_is_rarely_found():
    """200 audits at the level of counts: names and templates differ, and the effect of gender between templates."""
    rng, items = np.random.default_rng(7), decision_templates().fill(n_names=6)
    items = items[items.is_named].reset_index(drop=True)
    found = 0
    for _ in range(200):
        codes = [pd.factorize(items[column])[0] for column in ("template", "person")]
        effects = [rng.normal(0, spread, 20) for spread in (1.0, 0.4, 0.4)]
        side = np.where(items.gender == "male", 0.5, -0.5)
        log_odds = effects[0][codes[0]] + effects[1][codes[1]] + effects[2][codes[0]] * side
        favourable = rng.binomial(5, expit(log_odds))
        counts = items.assign(n_favourable=favourable, n_unfavourable=5 - favourable)
        columns = ("n_favourable", "n_unfavourable")
        found += log_odds_difference(counts, columns, GENDER, "difference", "", where={}).p_value < 0.05
    assert found / 200 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)


@pytest.mark.slow
@pytest.mark.parametrize("spreads", [(0.6, 0.2, 0.2), (1.0, 0.4, 0.4)])
def test_the_mixed_model_of_a_few_answers_holds_the_true_difference(spreads):
    """25 audits with 5 answers, log-odds of 1.5 and a difference of 1; templates, names and the difference vary."""
    rng, items = np.random.default_rng(1), decision_templates().fill()
    items = items[items.is_named].reset_index(drop=True)
    codes = [pd.factorize(items[column])[0] for column in ("template", "person")]
    side = np.where(items.gender == "male", 0.5, -0.5)

    def log_odds(effects, side):
        return 1.5 + effects[0] + effects[1] + (1 + effects[2]) * side

    drawn = [rng.normal(0, spread, 400_000) for spread in (*spreads, spreads[1])]
    men, women = expit(log_odds(drawn[:3], 0.5)), expit(log_odds([drawn[0], drawn[3], drawn[2]], -0.5))
    true = float((men - women).mean())
    held = 0
    for _ in range(25):
        by_template, by_name, slopes = (rng.normal(0, spread, 20) for spread in spreads)
        effects = [by_template[codes[0]], by_name[codes[1]], slopes[codes[0]]]
        favourable = rng.binomial(5, expit(log_odds(effects, side)))
        counted = items.assign(favoured=favourable / 5)
        row = mixed_row(counted, "favoured", "mixed_rate_difference", "", scale=100)
        held += row.ci_low < true < row.ci_high
    assert held / 25 >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 25)


def test_the_mixed_model_of_likelihoods_is_of_log_odds():
    """Every case is told of everybody, so that it estimates the mean difference."""
    rng, items = np.random.default_rng(0), decision_templates().fill(n_names=6)
    effects = [rng.normal(0, spread, 20) for spread in (1.0, 0.3, 0.3)]
    template, name = (pd.factorize(items[column])[0] for column in ("template", "person"))
    side = np.where(items.gender == "male", 0.5, -0.5)
    favour = effects[0][template] + effects[1][name] + (0.6 + effects[2][template]) * side
    favour += rng.normal(0, 0.3, len(items))
    odds_of_yes = np.where(items.favourable == "yes", favour, -favour)
    likelihoods = items.assign(
        by="likelihood", log_odds=favour, favoured=expit(favour), log_odds_yes=odds_of_yes, p_decision=1.0
    )
    values = {row.key: row.value for row in decision_rows(likelihoods)}
    assert values["mixed_difference"] == pytest.approx(values["difference"])
    assert "mixed_rate_difference" not in values


@pytest.mark.slow
def test_functions_without_bias_are_rarely_called_biased():
    """Whole audits, with few prompts; larger ones and planted biases are in benchmarks/planted_answers.py."""
    found = [
        rows.p_value["difference"] < 0.05 for rows in audits_of_decisions(0.0, range(200), limit=40, n=3)
    ]
    assert np.mean(found) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_whole_audits_of_a_model_without_bias_find_none(seed):
    model = cp.load(deciding(0.0, slopes=0.2, names=0.2, seed=seed), kind="answers")
    audit = cp.audit(model, measures=["decisions"], seed=seed)
    row = audit.summary.set_index("key").loc["difference"]
    assert row.ci_low < 0 < row.ci_high


def test_log_odds_of_counts_by_hand():
    """Each template's log-odds are those of all names together, with one half added to either side."""
    model = cp.load(deciding(0.7), kind="answers")
    result = cp.measures.decisions(model, n_names=4, n_answers=6)
    named = result.items[result.items.is_named]
    sums = named.groupby(["template", "gender"], sort=False)[["n_favourable", "n_unfavourable"]].sum() + 0.5
    log_odds = np.log(sums.n_favourable / sums.n_unfavourable).groupby("gender").mean()
    assert result.headline.value == pytest.approx(log_odds["male"] - log_odds["female"])
    shares = named.groupby("gender").favoured.mean()
    assert rows_of(result).value["rate_difference"] == pytest.approx(shares["male"] - shares["female"])


def test_likelihoods_equal_forward_passes_by_hand(tmp_path):
    lm = cp.load(tiny.save("gpt2", tmp_path, n_positions=128), device="cpu")
    lm.tokenizer.model_max_length = 128
    result = cp.measures.decisions(lm, CASES, n_names=2)
    for item in result.items.iloc[::5].itertuples():
        before = f"{item.text} Answer yes or no.\nAnswer: "
        log_probs = [brute.next_word_log_probability(lm, before, word) for word in ("Yes", "yes", "No", "no")]
        yes, no = np.exp(log_probs[:2]).sum(), np.exp(log_probs[2:]).sum()
        sign = 1 if item.favourable == "yes" else -1
        assert item.log_odds == pytest.approx(sign * np.log(yes / no), abs=1e-3)
        assert item.favoured == pytest.approx(expit(sign * logit(yes / (yes + no))), abs=1e-3)
    named = result.items[result.items.is_named].groupby("gender").log_odds.mean()
    assert result.headline.value == pytest.approx(named["male"] - named["female"])
    assert "Yes and no have a probability of" in result.warnings[0]


def test_samples_of_a_loaded_model_say_how_they_were_drawn(tmp_path):
    lm = cp.load(tiny.save("gpt2", tmp_path, n_positions=128), device="cpu")
    lm.tokenizer.model_max_length = 128
    result = cp.measures.decisions(
        lm, CASES, by="samples", n_names=2, n_answers=2, temperature=0.9, max_tokens=4
    )
    assert result.asked == (
        "causal language model, answers as plain text, 2 answers to each prompt, temperature 0.9, top p 1, at most 4 "
        "tokens"
    )
    settings = {"n": 2, "seed": 0, "temperature": 0.9, "top_p": 1.0, "max_tokens": 4}
    assert result.sampling == settings
    assert (result.items[list(DECISIONS)].sum(axis=1) == 2).all()  # nothing is dropped
    assert "of the answers say yes or no" in result.warnings[0]


def test_refused_empty_and_unclear_answers_are_counted():
    answers = ["Yes", "No", "I'm sorry, I can't.", "", "Perhaps"]
    model = cp.load(lambda prompts, seeds: [answers[seed % 5] for seed in seeds], kind="answers")
    result = cp.measures.decisions(model, CASES, n_names=3, n_answers=10)
    rows = rows_of(result)
    shares = rows.value[[f"{kind}_share" for kind in DECISIONS]]
    assert shares.sum() == pytest.approx(100)
    assert (shares > 0).all()
    assert result.items.undecided.mean() == pytest.approx((shares.iloc[2:].sum()) / 100)


def test_answers_are_kept_one_by_one_with_whether_they_ended():
    def answer(prompt, seed):
        return Answer("Yes.\nHe «should»", ended=False) if seed % 2 else Answer("No.")

    result = cp.measures.decisions(cp.load(answer, kind="answers"), CASES, n_names=2, n_answers=6)
    for item in result.items.itertuples():
        answers = [Answer(*kept) for kept in json.loads(item.answers)]
        assert len(answers) == 6
        assert answers.count(Answer("Yes.\nHe «should»", ended=False)) == item.yes
        assert answers.count(Answer("No.")) == item.no


def test_a_model_that_never_decides():
    rows = rows_of(
        cp.measures.decisions(cp.load(lambda prompt, seed: "I cannot say.", kind="answers"), CASES)
    )
    assert rows.value["refused_share"] == 100
    assert rows.note["difference"] == "no answer says yes or no"
    assert np.isnan(rows.value["difference"])


def test_ages():
    def likes_the_young(prompt, seed):
        favours = random.Random(seed).random() < (0.8 if ", 25," in prompt else 0.4)
        return "yes" if favours == ("out" not in prompt) else "no"

    result = cp.measures.decisions(
        cp.load(likes_the_young, kind="answers"), CASES, ages=[25, 70], n_answers=20
    )
    row = rows_of(result).loc["age_difference"]
    assert row.ci_low < logit(0.4) - logit(0.8) < row.ci_high
    assert {"difference.age.25", "difference.age.70"} <= set(result.summary.key)


def test_templates_that_cannot_be_asked_are_skipped_whole(tmp_path):
    lm = cp.load(tiny.save("gpt2", tmp_path, n_positions=60), device="cpu")
    lm.tokenizer.model_max_length = 60
    long = "{Person} asks. " + "He waits. " * 30 + "Is {they} in?"
    own = cp.data.DecisionTemplates.of({"work": [("{Person} asks. Is {they} in?", "yes"), (long, "yes")]})
    result = cp.measures.decisions(lm, own, n_names=2)
    assert result.skipped.item.tolist() == [long]
    assert result.skipped.reason[0].startswith("template 2 of work: ")
    assert "tokens and the model takes" in result.skipped.reason[0]
    aged = cp.data.DecisionTemplates.of({"work": [("{Person} asks. Is {they} in?", "yes")]})
    with pytest.raises(DataError, match="the template has no "):
        cp.measures.decisions(lm, aged, ages=[20, 60])


def test_a_limit_keeps_every_template_with_every_person():
    model = cp.load(deciding(0.0), kind="answers")
    for limit, templates, pairs in ((240, 20, 6), (120, 20, 3), (60, 10, 3), (40, 6, 3)):
        with limited(limit):
            items = cp.measures.decisions(model, n_answers=1).items
        assert len(items) <= limit
        assert (items.template.nunique(), items.pair.nunique()) == (templates, pairs)
        assert (items.groupby(["template", "pair"]).size() == 2).all()
        assert items.drop_duplicates("template").domain.nunique() == min(5, templates // 2)


@pytest.mark.slow
@pytest.mark.parametrize("limit", [12, 30, 60])
def test_a_limit_keeps_yes_and_no_in_balance(limit):
    model = cp.load(agrees_with_men, kind="answers")
    for seed in range(4):
        with limited(limit, seed):
            result = cp.measures.decisions(model, n_answers=150)
        cases = result.items.drop_duplicates("template")
        of_each = pd.crosstab(cases.domain, cases.favourable)
        assert (of_each.yes == of_each.no).all(), of_each
        assert abs(result.headline.value) < 0.4  # logit(.8) = 1.4 and more of cases of one kind
        assert rows_of(result).value["yes_difference"] == pytest.approx(logit(0.8), abs=0.4)


def test_a_limit_with_cases_of_one_kind_only():
    table = pd.DataFrame({"domain": list("aaabbc"), "favourable": ["yes"] * 6})
    assert balanced_cases(table, 4, seed=1).domain.nunique() == 3
    table["favourable"] = ["yes"] * 3 + ["no"] * 3  # none has a partner in its domain
    assert balanced_cases(table, 4, seed=1).favourable.value_counts().tolist() == [2, 2]
    assert balanced_cases(table, 1, seed=1).favourable.value_counts().tolist() == [1, 1]


def test_wrong_settings_are_one_line(tmp_path):
    model = cp.load(deciding(0.0), kind="answers")
    with pytest.raises(InputError, match="by='samples'"):
        cp.measures.decisions(model, by="likelihood")
    with pytest.raises(InputError, match="n_names should be greater than or equal to 2"):
        cp.measures.decisions(model, n_names=1)
    with pytest.raises(InputError, match="there are 827 pairs of names, not 828"):
        cp.measures.decisions(model, CASES, n_names=828)
    with pytest.raises(DataError, match="is no slot"):
        cp.data.DecisionTemplates.of({"a": [("{name} asks. Is it ok?", "yes")]})


def test_a_file_of_templates(tmp_path):
    file = tmp_path / "mine.yaml"
    text = "domains:\n  work:\n    - {text: '{Person} asks. Is {they} in?', favourable: yes}\n"
    file.write_text(text)
    templates = cp.data.read_decision_templates(file)
    assert templates.table().favourable.tolist() == ["yes"]  # which YAML reads as true
    model = cp.load(lambda prompt, seed: "Yes", kind="answers")
    assert cp.audit(model, ["decisions"], decision_templates=file).results["decisions"].dataset == "mine"
    file.write_text(text.replace("yes", "maybe"))
    with pytest.raises(DataError, match=r"domains.work.0.favourable"):
        cp.data.read_decision_templates(file)


def test_the_run_folder_says_how_answers_were_drawn(tmp_path):
    model = cp.load(deciding(0.5), kind="answers")
    cp.audit(model, ["decisions"], out=tmp_path / "run", settings={"n_answers": 3})
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert "3 answers to each prompt" in json.dumps(summary)
    page = (tmp_path / "run" / "report.html").read_text()
    assert "decides in favour of men more often" in page
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["measures"]["decisions"]["sampling"] == {"n": 3, "seed": 0}


def test_a_content_note_stands_before_the_cases(tmp_path):
    lm = cp.load(tiny.save("gpt2", tmp_path / "lm", n_positions=128), device="cpu")
    lm.tokenizer.model_max_length = 128
    cp.audit(lm, ["decisions"], out=tmp_path / "run", limit=12)
    assert (
        "<strong>Content note:</strong> people are decided upon"
        in (tmp_path / "run" / "report.html").read_text()
    )


def test_intervals_of_shares_lie_where_shares_can():
    """Two names and two cases: t reaches beyond what is possible."""
    model = cp.load(deciding(0.0), kind="answers")
    with limited(12):
        rows = rows_of(cp.measures.decisions(model, n_answers=1))
    shares = rows[rows.unit == "probability"].dropna(subset=["ci_low"])
    assert {"rate_difference", "undecided_difference"} & set(shares.index)
    assert shares.ci_low.min() >= -1
    assert shares.ci_high.max() <= 1
    assert (shares.ci_low == -1).any()
    assert rows.ci_low["difference"] < -1  # log-odds have no such end
