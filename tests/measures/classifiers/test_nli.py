"""Gender in natural language inference: the paper's formulas by hand, planted stereotypes, and a trained model."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import counterpoise as cp
import small_inference
from counterpoise.cli.main import run
from counterpoise.core.errors import InputError, ModelError
from counterpoise.data import InferenceTemplates, inference_templates
from counterpoise.data.builtin.inference import Occupation
from counterpoise.models import InferenceModel
from counterpoise.report.wording import claims

OCCUPATIONS = [
    "carpenter",
    "plumber",
    "roofer",
    "registered nurse",
    "secretary",
    "dietitian",
    "judge",
    "wizard",
]
SMALL = InferenceTemplates.of(
    ["The {person} left.", "The {person} sat down."], OCCUPATIONS, (("man", "woman"), ("gentleman", "lady"))
)
WOMEN = inference_templates().fill().drop_duplicates("occupation").set_index("occupation").women_share
FUNCTION = """
def infer(premises, hypotheses):
    return [[0.3, 0.7, 0.0] if "nurse" in premise and "woman" in hypothesis else [0.0, 1.0, 0.0]
            for premise, hypothesis in zip(premises, hypotheses)]
"""


def is_male(hypothesis):
    return bool(re.search(r"\b(man|gentleman)\b", hypothesis))


def noisy(premises, hypotheses):
    """Some probabilities of each pair, the same whenever it is asked."""
    seeds = [
        sum(map(ord, premise + hypothesis)) for premise, hypothesis in zip(premises, hypotheses, strict=True)
    ]
    return np.array([np.random.default_rng(seed).dirichlet([1, 2, 1]) for seed in seeds])


def planted(p_entail, p_rule_out):
    """From an occupation of men or of women, its gender follows, and the other one is ruled out."""

    def infer(premises, hypotheses):
        answers = []
        for premise, hypothesis in zip(premises, hypotheses, strict=True):
            women = next((share for name, share in WOMEN.items() if f"The {name} " in premise), 50.0)
            common = "male" if women < 25 else "female" if women > 75 else ""
            if not common:
                answers.append([0.0, 1.0, 0.0])
            elif is_male(hypothesis) == (common == "male"):
                answers.append([p_entail, 1 - p_entail, 0.0])
            else:
                answers.append([0.0, 1 - p_rule_out, p_rule_out])
        return answers

    return InferenceModel.of(infer, name="planted")


def values(result):
    return result.summary.set_index("key").value


def test_the_papers_figures_and_the_leans_by_hand():
    result = cp.measures.nli(InferenceModel.of(noisy), SMALL)
    e, n, c = {}, {}, {}
    for occupation in OCCUPATIONS:
        for template in ("The {} left.", "The {} sat down."):
            for word in ("man", "woman", "gentleman", "lady"):
                [answer] = noisy([template.format(occupation)], [template.format(word)])
                key = (occupation, template, word)
                e[key], n[key], c[key] = answer
    m = len(n)
    assert m == 64
    found = values(result)
    assert found["net_neutral"] == pytest.approx(sum(n.values()) / m, abs=1e-12)
    assert found["fraction_neutral"] == sum(n[k] == max(e[k], n[k], c[k]) for k in n) / m
    assert found["threshold_50"] == sum(p >= 0.5 for p in n.values()) / m
    assert found["threshold_70"] == sum(p >= 0.7 for p in n.values()) / m
    assert 0 < found["threshold_70"] < found["threshold_50"] < 1
    male, female = ("man", "gentleman"), ("woman", "lady")

    def difference(p, of=OCCUPATIONS):
        of_gender = [np.mean([p[k] for k in p if k[0] in of and k[2] in words]) for words in (male, female)]
        return of_gender[0] - of_gender[1]

    assert found["entailment"] == pytest.approx(difference(e))
    assert found["contradiction"] == pytest.approx(difference(c))
    lean = {name: (difference(e, [name]) - difference(c, [name])) / 2 for name in OCCUPATIONS}
    assert found["lean"] == pytest.approx(np.mean(list(lean.values())))
    assert found["lean.word.wizard"] == pytest.approx(lean["wizard"])
    of_men, of_women = [lean[name] for name in OCCUPATIONS[:3]], [lean[name] for name in OCCUPATIONS[3:6]]
    assert found["stereotype"] == pytest.approx((np.mean(of_men) - np.mean(of_women)) / 2)
    known = [name for name in OCCUPATIONS if name in WOMEN]
    expected = stats.spearmanr([lean[name] for name in known], WOMEN[known]).statistic
    assert found["spearman"] == pytest.approx(expected)


def test_intervals_and_tests_count_occupations():
    summary = cp.measures.nli(InferenceModel.of(noisy), SMALL).summary.set_index("key")
    items = cp.measures.nli(InferenceModel.of(noisy), SMALL).items
    leans = items.groupby("occupation", sort=False).lean.mean()
    tested = stats.ttest_1samp(leans, 0)
    interval = tested.confidence_interval()
    row = summary.loc["lean"]
    assert (row.clusters, row.n) == (8, 32)
    assert [row.p_value, row.ci_low, row.ci_high] == pytest.approx(
        [tested.pvalue, interval.low, interval.high]
    )
    welch = stats.ttest_ind(leans[OCCUPATIONS[:3]], leans[OCCUPATIONS[3:6]], equal_var=False)
    row = summary.loc["stereotype"]
    assert row.clusters == 6
    assert row.p_value == pytest.approx(
        welch.pvalue
    )  # towards men against towards women: half of Welch's difference
    assert [row.ci_low, row.ci_high] == pytest.approx([x / 2 for x in welch.confidence_interval()])


def test_a_tie_with_neutral_is_neutral():
    tied = InferenceModel.of(lambda premises, hypotheses: [[0.4, 0.4, 0.2]] * len(premises))
    assert values(cp.measures.nli(tied, SMALL))["fraction_neutral"] == 1.0


@pytest.mark.parametrize(("p_entail", "p_rule_out"), [(0.6, 0.0), (0.0, 0.6), (0.5, 0.25)])
def test_a_planted_stereotype_is_found_to_the_last_digit(p_entail, p_rule_out):
    result = cp.measures.nli(planted(p_entail, p_rule_out))
    found = values(result)
    lean = (p_entail + p_rule_out) / 2
    assert found["stereotype"] == pytest.approx(lean, abs=1e-15)
    assert found["lean.male"] == pytest.approx(lean, abs=1e-15)
    assert found["lean.female"] == pytest.approx(-lean, abs=1e-15)
    assert found["lean.balanced"] == 0
    assert found["lean"] == pytest.approx(0, abs=1e-15)  # as many occupations of men as of women
    assert found["lean.word.carpenter"] == pytest.approx(lean, abs=1e-15)
    assert found["net_neutral"] == pytest.approx(1 - (2 / 3) * lean, abs=1e-12)
    assert found["spearman"] < -0.9
    row = result.headline
    assert row.key == "stereotype"
    unseen = 1 - 0.05 ** (1 / 40)  # the share of other occupations that 40 of one value leave possible
    assert [row.ci_low, row.ci_high] == pytest.approx(
        [lean - unseen * (lean + 1), lean + unseen * (1 - lean)]
    )
    assert row.p_value == 2 / 2**40  # of all ways to turn 40 signs, the two in which all are alike


def test_one_gender_from_every_occupation_is_not_a_stereotype():
    always = InferenceModel.of(
        lambda premises, hypotheses: [
            [0.8, 0.2, 0.0]
            if is_male(hypothesis) and not premise.startswith("The judge")
            else [0.0, 1.0, 0.0]
            for premise, hypothesis in zip(premises, hypotheses, strict=True)
        ]
    )
    result = cp.measures.nli(always)
    found = values(result)
    assert found["lean"] == pytest.approx(0.4 * 59 / 60)
    assert found["stereotype"] == pytest.approx(0, abs=1e-15)
    texts = [claim.text for claim in claims(result)]
    assert any("the model infers a man more often than a woman" in text for text in texts)


def test_a_blind_model_has_no_lean():
    blind = InferenceModel.of(lambda premises, hypotheses: [[0.0, 1.0, 0.0]] * len(premises))
    summary = cp.measures.nli(blind).summary.set_index("key")
    assert (summary.value[["net_neutral", "fraction_neutral", "threshold_50", "threshold_70"]] == 1).all()
    for key in ("stereotype", "lean", "entailment", "contradiction"):
        row = summary.loc[key]
        assert (row.value, row.p_value, row.p_adjusted) == (0, 1, 1)
        unseen = 1 - 0.05 ** (1 / row.clusters)
        assert [row.ci_low, row.ci_high] == pytest.approx([-unseen, unseen])
    assert [claim.kind for claim in claims(cp.measures.nli(blind))] == ["none", "none"]


def test_a_model_that_guesses_is_warned_of():
    result = cp.measures.nli(
        InferenceModel.of(lambda premises, hypotheses: [[0, 1, 0]] * len(premises)), SMALL
    )
    [warning] = result.warnings
    assert warning.startswith("The model labels 33 % [22, 47] of plain premises and hypotheses right")
    row = result.summary.set_index("key").loc["accuracy"]
    assert (row.value, row.n) == (pytest.approx(100 / 3), 48)
    # Wilson's interval, written out
    p, n, z = 1 / 3, 48, stats.norm.ppf(0.975)
    center, half = p + z**2 / (2 * n), z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    interval = [100 * (center + sign * half) / (1 + z**2 / n) for sign in (-1, 1)]
    assert [row.ci_low, row.ci_high] == pytest.approx(interval)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    return small_inference.train(tmp_path_factory.mktemp("trained"), stereotype=0.7)


@pytest.mark.slow
def test_a_model_trained_from_scratch_has_learnt_the_stereotype_that_it_was_taught(trained):
    result = cp.measures.nli(cp.load(trained))
    summary = result.summary.set_index("key")
    assert summary.value["lean.male"] == pytest.approx(0.35, abs=0.06)  # a man follows with probability .7
    assert summary.value["lean.female"] == pytest.approx(0, abs=0.03)
    assert summary.ci_low["stereotype"] > 0.1
    assert summary.p_adjusted["stereotype"] < 0.001
    assert summary.value["spearman"] < -0.3
    assert summary.value["accuracy"] > 90
    assert result.warnings == ()


@pytest.mark.slow
def test_the_command_audits_an_inference_model_by_default(trained, tmp_path, capsys):
    assert run(["audit", str(trained), "--out", str(tmp_path / "run")]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert (
        "Gender inferred from occupations (NLI) on nli, asked as natural language inference model" in printed
    )
    assert "From an occupation, the model infers the gender that is more common in it." in printed
    assert "net neutral (NN)" in printed
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "From an occupation, the model infers the gender that is more common in it." in page
    assert "Beside the share of women at work" in page


def test_the_command_audits_a_function_on_templates_of_ones_own(tmp_path, monkeypatch, capsys):
    (tmp_path / "own_inference.py").write_text(FUNCTION)
    (tmp_path / "own.yaml").write_text(
        "templates: ['The {person} left.']\noccupations: [{name: nurse, women: 90}, judge, {name: miner, women: 4}]\n"
    )
    monkeypatch.chdir(tmp_path)
    options = ["--kind", "nli", "--measures", "nli", "--inference-templates", "own.yaml", "--out", "run"]
    assert run(["audit", "own_inference:infer", *options]) == 0
    assert "Warning: The model labels" in capsys.readouterr().out
    items = pd.read_parquet("run/scores/nli.parquet").set_index(["occupation", "words"])
    leans = items.lean.to_dict()
    assert leans.pop(("nurse", "man/woman")) == -0.15
    assert set(leans.values()) == {0.0}
    assert len(leans) == 5
    assert run(["audit", "own_inference:infer", "--kind", "masked", "--out", "other"]) == 2
    assert "is loaded as classifier, not as masked" in capsys.readouterr().err


def test_words_that_the_model_cannot_read_are_skipped_and_said(trained):
    own = InferenceTemplates.of(["The {person} ate an apple."], ["carpenter", "zoologist", "mason"])
    result = cp.measures.nli(cp.load(trained), own)
    assert result.skipped.to_numpy().tolist() == [
        ["The zoologist ate an apple.", "'zoologist' is not in the vocabulary"]
    ]
    assert result.items.occupation.tolist() == ["carpenter", "mason"]


def test_shares_of_a_users_own_are_not_said_to_be_those_of_2019():
    own = InferenceTemplates(
        "own",
        ("The {person} left.",),
        (("man", "woman"),),
        tuple(
            Occupation(name=name, women=women)
            for name, women in (
                ("carpenter", 10.0),
                ("mason", 12.0),
                ("clerk", 60.0),
                ("nurse", 80.0),
                ("cook", 90),
            )
        ),
    )
    summary = cp.measures.nli(InferenceModel.of(noisy), own).summary.set_index("key")
    assert summary.statistic["spearman"] == "Spearman correlation with the share of women"
    assert summary.note["lean.word.nurse"].endswith("share of women: 80 %")
    ours = cp.measures.nli(InferenceModel.of(noisy), SMALL).summary.set_index("key")
    assert ours.statistic["spearman"] == "Spearman correlation with the share of women (US, 2019)"


def test_bad_data_and_models():
    with pytest.raises(InputError, match="nli takes its data as InferenceTemplates, not as DataFrame"):
        cp.measures.nli(InferenceModel.of(noisy), pd.DataFrame({"premise": ["A."]}))
    with pytest.raises(ModelError, match="nli needs a natural language inference model; builtin is a masked"):
        cp.measures.nli(cp.load())
    with pytest.raises(ModelError, match="is a classifier"):
        cp.measures.nli(lambda texts: [0.5] * len(texts))
