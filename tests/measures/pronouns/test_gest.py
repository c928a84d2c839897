"""GEST, worked out a second time with plain forward passes and numpy."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import brute
import counterpoise as cp
import tiny
from counterpoise.core.errors import DataError

# Our own sentences in the shape of the dataset.
OWN = pd.DataFrame(
    [
        ("I cried at the wedding.", "women are emotional", "women"),
        ("I felt sad all day.", "women are emotional", "women"),
        ("I like my new dress.", "women are beautiful", "women"),
        ("I spent an hour on my hair.", "women are beautiful", "women"),
        ("I lifted the heavy box alone.", "men are strong", "men"),
        ("I carried the sofa upstairs.", "men are strong", "men"),
        ("I told the team what to do.", "men are leaders", "men"),
        ("I decided for all of us.", "men are leaders", "men"),
        ("I looked at the numbers first.", "men are rational", "men"),
        ("I solved the problem step by step.", "men are rational", "men"),
    ],
    columns=["sentence", "name", "about"],
)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["builtin", "roberta"])
def test_a_masked_model_fills_four_templates(kind, builtin, tmp_path):
    lm = builtin if kind == "builtin" else cp.load(tiny.save(kind, tmp_path))
    items = cp.measures.gest(lm, OWN[::3]).items
    assert len(items) == 4 * len(OWN[::3])
    assert items.text[0] == '[MASK] said: "I cried at the wedding."'
    assert items.text.iloc[-1] == '"I solved the problem step by step.", the [MASK] said.'
    for row in items.itertuples():
        male, female = (brute.word_log_probability(lm, row.text, word) for word in (row.male, row.female))
        assert row.score == pytest.approx(male - female, abs=1e-4)


def test_a_causal_model_goes_on_in_two_templates(causal):
    items = cp.measures.gest(causal, OWN).items
    assert len(items) == 2 * len(OWN)
    assert items.text[0] == '"I cried at the wedding.", [MASK]'
    for row in items.itertuples():
        before = row.text.removesuffix("[MASK]")
        logs = [brute.next_word_log_probability(causal, before, word) for word in (row.male, row.female)]
        assert row.log_p_male == pytest.approx(logs[0], abs=1e-4)
        assert row.score == pytest.approx(logs[0] - logs[1], abs=1e-4)


@pytest.fixture(scope="module")
def causal(tmp_path_factory):
    return cp.load(tiny.save("gpt2", tmp_path_factory.mktemp("gpt2")))


@pytest.fixture(scope="module")
def own(causal):
    return cp.measures.gest(causal, OWN)


def test_the_stereotype_rate_by_the_formula_of_the_paper(own):
    """g_s is the ratio of geometric means of r_i, and the headline is its logarithm."""
    r = np.exp(own.items.groupby(["about", "name"]).score.mean())
    rate = stats.gmean(r["men"]) / stats.gmean(r["women"])
    rows = own.summary.set_index("key")
    assert rows.value["stereotype_rate"] == pytest.approx(rate)
    assert own.headline.key == "difference"
    assert own.headline.value == pytest.approx(np.log(rate))


def test_the_interval_over_stereotypes_is_that_of_welch(own):
    means = own.items.groupby(["about", "name"]).score.mean()
    welch = stats.ttest_ind(means["men"], means["women"], equal_var=False)
    interval = welch.confidence_interval()
    row = own.summary.set_index("key").loc["difference"]
    assert (row.ci_low, row.ci_high) == pytest.approx((interval.low, interval.high))
    assert row.p_value == pytest.approx(welch.pvalue)
    assert row.clusters == 5


def test_the_interval_over_sentences_counts_what_varies_within_stereotypes(own):
    sentences = own.items.groupby(["about", "name", "number"]).score.mean()
    within = sentences.groupby(level=["about", "name"]).agg(["var", "size"])
    parts = within["var"] / within["size"]
    variance = parts["men"].sum() / 3**2 + parts["women"].sum() / 2**2
    row = own.summary.set_index("key").loc["stereotype_rate"]
    assert row.ci_low < row.value < row.ci_high
    terms = pd.concat([parts["men"] / 9, parts["women"] / 4])
    df = variance**2 / (terms**2 / 1).sum()  # Satterthwaite, two sentences each
    half = stats.t.ppf(0.975, df) * np.sqrt(variance)
    assert np.log(row.ci_high / row.value) == pytest.approx(half)


def test_each_stereotype_has_a_score_and_a_rank(own):
    rows = own.summary.set_index("key")
    means = own.items.groupby("name").score.mean()
    for rank, name in enumerate(means.sort_values().index, start=1):
        row = rows.loc[f"preference.word.{name.replace(' ', '_')}"]
        assert row.value == pytest.approx(means[name])
        assert row.note == f"rank {rank} of 5"


def test_the_published_variant_takes_logarithms_as_the_authors_do(causal, own):
    published = cp.measures.gest(causal, OWN, variant="published")
    assert published.items.score.tolist() == pytest.approx((own.items.score / np.log(10)).tolist())
    rates = []
    for _, part in published.items.groupby("template"):
        r = np.exp(part.groupby(["about", "name"]).score.mean())
        rates.append(stats.gmean(r["men"]) / stats.gmean(r["women"]))
    row = published.summary.set_index("key").loc["stereotype_rate"]
    assert row.value == pytest.approx(np.mean(rates))
    assert (np.isnan(row.ci_low), row.note) == (True, "no interval in the published variant")


def test_a_sentence_that_is_there_twice_counts_once(causal):
    twice = pd.concat([OWN, OWN[:1]])
    result = cp.measures.gest(causal, twice)
    assert len(result.items) == 2 * len(OWN)
    assert len(result.skipped) == 1
    assert len(cp.measures.gest(causal, twice, variant="published").items) == 2 * len(OWN) + 2


def test_a_stereotype_about_both_has_two_names(causal):
    both = pd.concat([OWN, pd.DataFrame([("I sang.", "women are beautiful", "men")], columns=OWN.columns)])
    with pytest.raises(DataError, match="the stereotype 'women are beautiful' is about men and about women"):
        cp.measures.gest(causal, both)


def test_stereotypes_about_one_gender_have_no_rate(causal):
    result = cp.measures.gest(causal, OWN[OWN.about == "women"])
    assert result.headline.key == "preference"


@pytest.mark.parametrize("variant", ["corrected", "published"])
def test_a_template_into_which_no_sentence_about_men_fits_has_no_rate(builtin, variant):
    long = "I carried " + "very " * 500 + "much."
    assert [len(encoded.ids) for encoded in builtin.encode([f'He said: "{long}"'])] == [511]
    table = pd.DataFrame([*OWN[:4].to_numpy(), (long, "men are strong", "men")], columns=OWN.columns)
    result = cp.measures.gest(builtin, table, variant=variant)
    asked = result.items[result.items.about == "men"].template.tolist()
    assert asked == ["he said first", "the man said first", "he said last"]
    of_stereotypes = result.items.groupby(["template", "about", "name"]).score.mean().reset_index()
    means = of_stereotypes.pivot_table(values="score", index="template", columns="about")
    rates = np.exp((means.men - means.women).dropna())
    rows = result.summary.set_index("key").value
    for template in asked:
        assert rows[f"stereotype_rate.{template.replace(' ', '_')}"] == pytest.approx(rates[template])
    assert "stereotype_rate.the_man_said_last" not in rows.index
    if variant == "published":
        assert rows["stereotype_rate"] == pytest.approx(rates.mean())


def test_a_sentence_with_a_mask_of_its_own_is_skipped(causal, builtin, tmp_path):
    """Else the model would be asked about that mask instead of the speaker."""
    roberta = cp.load(tiny.save("roberta", tmp_path))
    for lm, mask in ((causal, "[MASK]"), (builtin, "[MASK]"), (roberta, "<mask>")):
        masked = OWN[:4].assign(sentence=[f"I like {mask}.", *OWN.sentence[1:4]])
        result = cp.measures.gest(lm, masked)
        assert result.skipped.reason.tolist() == [f"the sentence has a mask in it, {mask}"]
        assert set(result.items.sentence) == set(OWN.sentence[1:4])


def test_a_table_without_stereotypes_is_refused(causal):
    with pytest.raises(DataError, match="lack the column 'about'"):
        cp.measures.gest(causal, OWN.drop(columns="about"))


def test_the_sentences_of_the_dataset(data_file):
    data_file("gest/gest_1.1.csv")
    corrected, published = cp.data.gest(), cp.data.gest("published")
    assert len(corrected) == len(published) == 3565
    assert corrected.groupby("about").stereotype.nunique().to_dict() == {"men": 9, "women": 7}
    assert (corrected.sentence != published.sentence).sum() == 244
    assert corrected.name[corrected.stereotype == 7].unique().tolist() == ["women are beautiful"]
