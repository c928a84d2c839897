"""BBQ over many simulated audits, with bias and without, and in audits of a causal model."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import counterpoise as cp
import tiny
from counterpoise.measures.base.rows import OVERALL
from counterpoise.measures.generation.common.answer_weights import weights_of_roles, with_answers
from counterpoise.measures.generation.common.bbq_roles import ROLES
from counterpoise.measures.generation.common.bbq_rows import score_rows
from planted_bbq import answering, many_templates


def simulated(rng, n=8):
    """Answers without bias: right or not and whom they name depends on the template, never on the stereotype."""
    template = np.repeat(np.arange(50), 4 * n)
    ambiguous = np.tile(np.repeat([True, True, False, False], n), 50)
    aligned = np.tile(np.repeat([True, False, True, False], n), 50)
    items = pd.DataFrame({
        "template": template.astype(str), "question_key": np.arange(len(template)), "category": "x", "people": "labels",
        "context_condition": np.where(ambiguous, "ambig", "disambig"),
        "alignment": np.where(ambiguous, "ambiguous", np.where(aligned, "aligned", "nonaligned")),
    })  # fmt: skip
    skill, unsure = rng.beta(2, 2, 50)[template], rng.beta(1, 3, 50)[template]
    right = np.where(ambiguous, 2, np.where(aligned, 0, 1))
    # Within a template the answers go together: a liking for one person of each pair of names, whoever that is.
    pairs = rng.integers(0, 2, (50, n))[template, np.tile(np.arange(n), 200)]
    turned = np.where(aligned, pairs, 1 - pairs)
    drawn = np.where(rng.random(len(items)) < unsure, 2, turned)
    answers = np.where(rng.random(len(items)) < skill, right, drawn)
    return with_answers(items, weights_of_roles([ROLES[answer] for answer in answers]))


@pytest.mark.slow
def test_unbiased_answers_are_rarely_called_biased():
    rng = np.random.default_rng(0)
    found = np.array([
        [row.p_value < 0.05 for row in score_rows(simulated(rng), "", "", OVERALL, {})] for _ in range(200)
    ])  # fmt: skip
    assert found.shape == (200, 3)
    assert (found.mean(axis=0) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)).all()


def test_a_planted_bias_is_recovered_within_its_interval():
    """Every fourth answer follows the stereotype, whatever the unbiased one was."""
    rng = np.random.default_rng(1)
    inside = 0
    for _ in range(40):
        items = simulated(rng)
        roles = np.where(rng.random(len(items)) < 0.25, "stereotyped", items.answer)
        s_amb, s_dis, _ = score_rows(with_answers(items, weights_of_roles(roles)), "", "", OVERALL, {})
        assert s_amb.p_value < 0.05
        assert s_dis.p_value < 0.05
        inside += s_amb.ci_low <= 0.25 <= s_amb.ci_high
    assert inside >= 34  # of 40 intervals of 95 %, 38 are expected


AUDITS = 200
KEYS = ["s_amb_words", "s_dis_words", "accuracy_gap_words"]


def audits_of_functions(bias, seed):
    """The rows of audits that ask a function, each with templates of its own making."""
    table, rng = many_templates(), np.random.default_rng(seed)
    for _ in range(AUDITS):
        model = cp.load(answering(rng, bias), kind="answers")
        yield cp.measures.bbq(model, table, orders=1).summary.set_index("key").loc[KEYS]


@pytest.mark.slow
def test_functions_without_bias_are_rarely_called_biased():
    found = np.array([rows.p_value < 0.05 for rows in audits_of_functions(0.0, seed=2)])
    assert (found.mean(axis=0) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / AUDITS)).all()


@pytest.mark.slow
def test_the_bias_of_a_function_is_inside_of_its_interval():
    bias = 0.25
    # Of the unbiased answers to questions whose context tells, all name a person but the wrong ones that are unsure.
    naming = bias + (1 - bias) * (1 - 0.5 * 0.25)
    planted = np.array([bias, bias / naming, bias])
    inside = np.array([
        (rows.ci_low <= planted) & (planted <= rows.ci_high) for rows in audits_of_functions(bias, seed=3)
    ])  # fmt: skip
    assert (inside.mean(axis=0) >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / AUDITS)).all()


@pytest.mark.slow
def test_an_audit_of_a_causal_model_with_a_limit(data_file, tmp_path):
    data_file("bbq/vocabulary.csv")
    folder = tiny.save_long("gpt2", tmp_path / "model", length=512)
    audit = cp.audit(folder, measures=["bbq"], limit=100, out=tmp_path / "run")
    [result] = audit.results.values()
    assert len(result.items) == 100
    per_template = result.items.groupby(["context_condition", "template"]).size()
    assert per_template["ambig"].tolist() == [1] * 50
    assert per_template["disambig"].tolist() == [2] * 25
    page = (tmp_path / "run" / "report.html").read_text()
    assert "Content note" in page
    assert "the texts state stereotypes and prejudices about groups of people" in page


@pytest.mark.slow
def test_without_the_data_a_suite_leaves_it_out_and_says_why(tmp_path):
    folder = tiny.save_long("gpt2", tmp_path / "model")
    (tmp_path / "empty").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("COUNTERPOISE_DATA", raising=False)
        patch.setenv("COUNTERPOISE_CACHE", str(tmp_path / "cache"))
        audit = cp.audit(folder, suite="full", data=tmp_path / "empty", limit=2)
    assert "bbq" not in audit.results
    assert "catalog fetch bbq" in audit.left_out["bbq"]
