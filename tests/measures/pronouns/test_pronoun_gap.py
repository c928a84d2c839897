"""Declared pronouns, worked out a second time with plain forward passes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp

import brute
import counterpoise as cp
import tiny
from counterpoise.audit.request import parse_settings
from counterpoise.core.errors import InputError
from counterpoise.measures.base.sampling import limited
from counterpoise.text.pronoun_sets import pronoun_set

SHORT = cp.data.DeclaredPronouns(
    cp.data.declared_pronouns().spec.model_copy(
        update={
            "declarations": ("{name} uses {pronouns}.",),
            "fillers": ("It rained.", "It was late."),
            "templates": cp.data.declared_pronouns().spec.templates.model_copy(
                update={
                    "subject": ("{name} said {pronoun} would rest.",),
                    "object": (),
                    "determiner": ("{name} lost {pronoun} keys.", "{name} packed {pronoun} bag."),
                    "possessive": (),
                    "reflexive": ("{name} hurt {pronoun}.",),
                }
            ),
        }
    )
)
NAMES = ["he", "she", "they", "xe"]


def spellings(form):
    return ["themself", "themselves"] if form == "themself" else [form]


def check_items(items, score):
    """`score(text, word)` is the second computation; log P of what was chosen and of what is right follow from it."""
    for row in items.itertuples():
        logs = {
            form: logsumexp([score(row.text, word) for word in spellings(form)])
            for form in (getattr(pronoun_set(name), row.form) for name in NAMES)
        }
        assert row.choice == max(logs, key=logs.get)
        assert row.right == (row.choice == row.word)
        assert np.log(row.p_right) == pytest.approx(logs[row.word] - logsumexp(list(logs.values())), abs=1e-3)


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_a_masked_model_equals_forward_passes_by_hand(kind, tmp_path):
    lm = cp.load(tiny.save(kind, tmp_path))
    result = cp.measures.pronoun_gap(lm, SHORT, pronouns=["they", "xe"])
    assert len(result.items) == 4 * 3 * 4
    check_items(result.items, lambda text, word: brute.word_log_probability(lm, text, word))
    assert (result.items.tokens > 1).any()


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_a_causal_model_equals_likelihoods_of_whole_texts_by_hand(kind, tmp_path):
    lm = cp.load(tiny.save(kind, tmp_path))
    result = cp.measures.pronoun_gap(lm, SHORT, pronouns=["they", "xe"])
    assert len(result.items) == 4 * 3 * 4
    check_items(
        result.items,
        lambda text, word: brute.sentence_log_likelihood(lm, text.replace("[MASK]", word)),
    )


@pytest.fixture(scope="module")
def whole(small):
    return cp.measures.pronoun_gap(small, cp.data.declared_pronouns().head(3), pronouns=["they", "xe", "ze"])


def accuracies(items, column="right"):
    """By template, of each set."""
    return items.pivot_table(index="template", columns="pronouns", values=column)


def test_gaps_are_those_of_template_means(whole):
    rows = whole.summary.set_index("key")
    by = accuracies(whole.items)
    base = (by.he + by.she) / 2
    for key, other in {"gap": by[["they", "xe", "ze"]].mean(axis=1), "gap.xe": by.xe}.items():
        difference = base - other
        assert rows.value[key] == pytest.approx(difference.mean())
        assert rows.clusters[key] == 15
        if np.ptp(difference) > 0:
            interval = stats.ttest_1samp(difference, 0).confidence_interval()
            assert (rows.ci_low[key], rows.ci_high[key]) == pytest.approx((interval.low, interval.high))
            assert rows.p_value[key] == pytest.approx(stats.ttest_1samp(difference, 0).pvalue)
    calibrated = accuracies(whole.items, "right_calibrated")
    expected = (calibrated.he + calibrated.she) / 2 - calibrated.they
    assert rows.value["gap_calibrated.they"] == pytest.approx(expected.mean())
    assert whole.headline.key == "gap"


def test_accuracies_by_set_form_distance_and_lean(whole):
    rows, items = whole.summary.set_index("key").value, whole.items
    assert rows["chance"] == pytest.approx(1 / 5)
    assert rows["accuracy"] == pytest.approx(items.right.mean())
    for name, of_set in items.groupby("pronouns"):
        assert rows[f"accuracy.{name}"] == pytest.approx(of_set.right.mean())
        for column in ("form", "distance", "lean"):
            for part, of_part in of_set.groupby(column):
                assert rows[f"accuracy.{name}.{column}_{part}"] == pytest.approx(of_part.right.mean())
    far = accuracies(items[items.distance == 2])
    expected = (far.he + far.she) / 2 - far[["they", "xe", "ze"]].mean(axis=1)
    assert rows["gap.distance_2"] == pytest.approx(expected.mean())


def test_forms_in_pieces_are_told_apart(whole, small):
    items = whole.items
    assert items.tokens.equals(
        items.word.map(lambda word: min(len(small.tokenizer.tokenize(f" {one}")) for one in spellings(word)))
    )
    rows = whole.summary.set_index("key").value
    others = items[items.pronouns.isin(["they", "xe", "ze"])]
    by_template = others[others.tokens == 1].groupby("template").right.mean()
    assert rows["accuracy.1_token"] == pytest.approx(by_template.mean())
    assert "gap_whole.they" in rows
    assert "gap_whole.xe" not in rows  # x ##e, x ##em, x ##yr


def test_a_set_of_ones_own(small, tmp_path):
    path = tmp_path / "ne.yaml"
    path.write_text(
        "subject: ne\nobject: nem\ndeterminer: nir\npossessive: nirs\nreflexive: nemself\nplural: false\n"
    )
    result = cp.measures.pronoun_gap(small, SHORT, pronouns=[str(path)])
    assert set(result.items.pronouns) == {"he", "she", "ne"}
    assert result.items.text[2] == "James uses ne/nem/nir. James said [MASK] would rest."
    typed = parse_settings([f"pronouns=[they, {path}]"])
    assert set(cp.measures.pronoun_gap(small, SHORT, **typed).items.pronouns) == {"he", "she", "they", "ne"}


def test_what_cannot_be_asked(small, tmp_path):
    with pytest.raises(InputError, match="did you mean 'they'"):
        cp.measures.pronoun_gap(small, SHORT, pronouns=["thye"])
    with pytest.raises(InputError, match="needs a set to compare with he and she"):
        cp.measures.pronoun_gap(small, SHORT, pronouns=["he"])
    path = tmp_path / "they.yaml"
    path.write_text(
        "subject: thon\nobject: thon\ndeterminer: thons\npossessive: thons\nreflexive: thonself\nplural: false\n"
    )
    with pytest.raises(InputError, match="two pronoun sets are called 'they'"):
        cp.measures.pronoun_gap(small, SHORT, pronouns=["they", str(path)])


def test_a_slot_is_left_out_as_a_whole(small):
    """Where a text is too long after one declaration, none of its versions is compared."""
    long = SHORT.spec.model_copy(
        update={"fillers": ("It rained.", "So " + "very " * small.max_length + "much.")}
    )
    result = cp.measures.pronoun_gap(small, cp.data.DeclaredPronouns(long), pronouns=["they"])
    assert (result.items.groupby(["template", "name", "distance"]).size() == 3).all()
    assert "tokens and the model takes" in result.skipped.reason[0]
    assert len(result.items) + 3 * len(result.skipped) == 4 * 3 * 3


def test_a_limit_counts_slots(small):
    with limited(5):
        assert len(cp.measures.pronoun_gap(small, SHORT, pronouns=["they"]).items) == 5 * 3


def test_a_model_that_hardly_reads_is_said_to(whole):
    base = whole.items[whole.items.pronouns.isin(["he", "she"])].right.mean()
    assert (len(whole.warnings) == 1) == (base < 0.5)


def test_the_built_in_model_follows_they_less_than_he_and_she(builtin):
    rows = cp.measures.pronoun_gap(
        builtin, cp.data.declared_pronouns().head(1), pronouns=["they"]
    ).summary.set_index("key")
    assert rows.value["accuracy.they"] < rows.value["accuracy.he"]
