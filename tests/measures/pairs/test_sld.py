"""The sentence likelihood difference, worked out a second time with one forward pass per token."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import torch

import brute
import counterpoise as cp
import tiny
from counterpoise.core.errors import DataError, InputError, ModelError
from counterpoise.data import Pairs
from counterpoise.measures.base.rows import OVERALL
from counterpoise.measures.base.source import observe
from counterpoise.measures.pairs.sld import differences, sld_rows

# Words of several pieces in every vocabulary, of which one side may have more than the other.
PAIRS = Pairs.of(
    ("The phlebotomist said that she was tired.", "The phlebotomist said that he was tired."),
    ("A plumber never forgets his toolbox.", "A plumber never forgets her toolbox."),
    ("His grandfather was an electrician.", "Her grandmother was an electrician."),
)
ARCHITECTURES = ["bert", "distilbert", "roberta", "albert"]


def model_of(kind, builtin, tmp_path):
    return builtin if kind == "builtin" else cp.load(tiny.save(kind, tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["builtin", *ARCHITECTURES])
@pytest.mark.parametrize("scoring", ["token", "word_l2r"])
def test_equals_one_forward_pass_per_token(kind, scoring, builtin, tmp_path):
    lm = model_of(kind, builtin, tmp_path)
    result = cp.measures.sld(lm, PAIRS, scoring=scoring)
    expected = [
        brute.pseudo_log_likelihood(lm, row.stereotyped, scoring == "word_l2r")
        - brute.pseudo_log_likelihood(lm, row.counterpart, scoring == "word_l2r")
        for row in PAIRS.table.itertuples()
    ]
    assert result.items.sld.tolist() == pytest.approx(expected, abs=1e-4)
    assert result.overall.value.iloc[0] == pytest.approx(np.mean(expected), abs=1e-4)
    assert result.overall.value.iloc[1] == pytest.approx(np.mean(np.abs(expected)), abs=1e-4)
    assert result.overall.value.iloc[2] == pytest.approx(100 * np.mean(np.array(expected) > 0))
    how = "PLL" if scoring == "token" else "PLL word_l2r"
    assert set(result.items.scoring) == {how}
    assert result.overall.statistic.tolist() == [
        f"SLD, {how}",
        f"ASLD, {how}",
        f"% stereotyped likelier, {how}",
    ]


def test_per_token(builtin):
    """Each sentence by the number of its own word pieces, special tokens not counted."""
    items = cp.measures.sld(builtin, PAIRS, per_token=True).items
    for row in items.itertuples():
        count = len(builtin.tokenizer.tokenize(row.stereotyped))
        assert row.tokens_stereotyped == count
        assert row.score_stereotyped == pytest.approx(
            brute.pseudo_log_likelihood(builtin, row.stereotyped) / count, abs=1e-4
        )
        assert row.sld == pytest.approx(row.score_stereotyped - row.score_counterpart)
        assert row.scoring == "PLL per token"


def test_a_causal_model_is_asked_for_the_log_likelihood(tmp_path):
    lm = cp.load(tiny.save("gpt2", tmp_path))
    result = cp.measures.sld(lm, PAIRS)

    def log_likelihood(text):
        ids = torch.tensor([lm.tokenizer(text)["input_ids"]])
        with torch.no_grad():
            logs = lm.model(ids).logits[0].double().log_softmax(-1)
        return sum(float(logs[i - 1, ids[0, i]]) for i in range(1, ids.shape[1]))

    expected = [
        log_likelihood(r.stereotyped) - log_likelihood(r.counterpart) for r in PAIRS.table.itertuples()
    ]
    assert result.items.sld.tolist() == pytest.approx(expected, abs=1e-4)
    assert set(result.items.scoring) == {"log-likelihood"}
    assert result.overall.statistic.iloc[0] == "SLD, log-likelihood"
    per_token = cp.measures.sld(lm, PAIRS, per_token=True).items
    assert per_token.score_counterpart.tolist() == pytest.approx(
        (result.items.score_counterpart / result.items.tokens_counterpart).tolist()
    )
    with pytest.raises(InputError, match="'word_l2r' is for masked language models"):
        cp.measures.sld(lm, PAIRS, scoring="word_l2r")


def test_the_worked_example_of_the_thesis():
    """Section 4.1.2: PLLs -32.3, -38.6, -13.0, -16.9 give an ASLD of 5.1."""
    items = pd.DataFrame({"score_stereotyped": [-32.3, -13.0], "score_counterpart": [-38.6, -16.9]})
    items["sld"] = differences(items)
    signed, absolute, share = sld_rows(observe(items, "sld"), "PLL", OVERALL)
    assert absolute.value == pytest.approx(5.1)
    assert signed.value == pytest.approx(5.1)  # both stereotypes are likelier
    assert share.value == 100.0


def test_signs_cancel_in_sld_and_not_in_asld():
    turned = sld_rows(observe(pd.DataFrame({"sld": [6.3, -3.9]}), "sld"), "PLL", OVERALL)
    assert [row.value for row in turned] == pytest.approx([1.2, 5.1, 50.0])


@pytest.fixture(scope="module")
def sample(small):
    """Every eighth of our pairs: all categories, both genders, in seconds."""
    return cp.measures.sld(small, cp.data.stereotype_pairs().table.iloc[::8])


def test_rows_per_category_and_combined(sample):
    items, summary = sample.items, sample.summary
    signed = summary[summary.statistic == "SLD, PLL"].set_index("group")
    absolute = summary[summary.statistic == "ASLD, PLL"].set_index("group")
    assert signed.index.tolist() == [
        "all",
        "occupation bias",
        "benevolent sexism",
        "hostile sexism",
        "about women",
        "about men",
    ]
    for category, some in items.groupby("category"):
        assert signed.value[category] == pytest.approx(some.sld.mean())
        assert absolute.value[category] == pytest.approx(some.sld.abs().mean())
        assert signed.n[category] == signed.clusters[category] == len(some)
    assert signed.value["all"] == pytest.approx(items.sld.mean())  # the union, not the mean of three means
    assert absolute.value["all"] == pytest.approx(items.sld.abs().mean())
    assert signed.value["about men"] == pytest.approx(items[items.about == "men"].sld.mean())
    assert summary.level.unique().tolist() == ["overall", "group"]


def test_intervals_and_tests_are_over_pairs(sample):
    from scipy import stats

    row = sample.overall.iloc[0]
    tested = stats.ttest_1samp(sample.items.sld, 0.0)
    interval = tested.confidence_interval()
    assert row.p_value == pytest.approx(tested.pvalue)
    assert (row.ci_low, row.ci_high) == pytest.approx((interval.low, interval.high))
    assert row.smallest_detectable > 0
    absolute, share = sample.overall.iloc[1], sample.overall.iloc[2]
    assert np.isnan(absolute.p_value)
    wins = int((sample.items.sld > 0).sum())
    assert share.p_value == pytest.approx(stats.binomtest(wins, len(sample.items)).pvalue)
    assert share.ideal == 50
    assert share.ideal_text == "50 %"


def test_what_cannot_be_measured_is_skipped_and_said(builtin):
    own = Pairs.of(
        ("He is a nurse.", "She is a nurse."),
        ("He is a nurse.", "He is a nurse."),
        ("", "She is a nurse."),
        ("He is here.", "  "),
        ("He is here.", "She is " + "very " * 600 + "late."),
        ("He is a nurse.", "She is a nurse."),
    )
    result = cp.measures.sld(builtin, own)
    assert len(result.items) == 1
    stereotyped = own.table.stereotyped.replace("", "row 3")
    assert result.skipped.item.tolist() == stereotyped.tolist()[1:]
    for reason, expected in zip(
        result.skipped.reason,
        ["are the same", "empty", "empty", "the model takes 512", "already"],
        strict=True,
    ):
        assert expected in reason
    row = result.overall.iloc[0]
    assert row.n == 1
    assert np.isnan(row.ci_low)
    assert row.note == "one value only"


def test_a_tie_counts_as_one_half(builtin):
    """To an uncased model the two sentences are the same, although they are written differently."""
    own = Pairs.of(("He is a NURSE.", "He is a nurse."))
    assert cp.measures.sld(builtin, own).overall.value.tolist() == [0.0, 0.0, 50.0]


def test_nothing_left(builtin):
    with pytest.raises(DataError, match="all 2 items were skipped"):
        cp.measures.sld(builtin, Pairs.of(("He sings.", "He sings."), ("", "")))


def test_a_plain_table_will_do(builtin):
    table = pd.DataFrame({"stereotyped": ["She is a nurse."], "counterpart": ["He is a nurse."]}, index=[7])
    result = cp.measures.sld(builtin, table)
    assert result.dataset == "own"
    assert [row for row in result.summary.group if row.startswith("about")] == []
    with pytest.raises(DataError, match="no column 'counterpart'"):
        cp.measures.sld(builtin, table[["stereotyped"]])


def test_mistakes(builtin, tmp_path):
    with pytest.raises(InputError, match="scoring takes token or word_l2r, not words"):
        cp.measures.sld(builtin, PAIRS, scoring="words")
    with pytest.raises(InputError, match="there is no variant 'best'"):
        cp.measures.sld(builtin, PAIRS, variant="best")
    with pytest.raises(ModelError, match="sld needs a masked language model or a causal language model"):
        cp.measures.sld(cp.load(tiny.save("classifier", tmp_path)), PAIRS)
