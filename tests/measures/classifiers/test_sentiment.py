"""The sentiment bias: planted biases are found, and every number is worked out a second time with scipy."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

import counterpoise as cp
import tiny
from counterpoise import stats
from counterpoise.core.errors import DataError, InputError, ModelError
from counterpoise.data import Texts
from counterpoise.measures.classifiers.common.version_ratings import NO_TERM
from counterpoise.measures.classifiers.sentiment import BEYOND, EQUAL, overall_rows
from counterpoise.models import Classifier
from counterpoise.text import Swapper

TEXTS = [
    "I think he is a great actor, and his uncle too.",
    "The queen lost her crown and blamed herself.",
    "It rains in this film.",
    "She told him that the actress was late.",
    "A man walks in.",
    "Nothing happens, twice.",
]


ALL = Swapper("all")
WORDS = ("great", "good", "well", "best", "worst", "bad", "waste", "boring")


def quality(text):
    """Some rating that knows no gender: none of its words is a term."""
    return 0.2 + 0.1 * sum(word in text for word in WORDS)


def is_male(text):
    return ALL.swap(text, "female") != text


def planted(texts):
    """.01 more for texts whose terms are male, before clipping."""
    return np.clip([quality(text) + 0.01 * is_male(text) for text in texts], 0, 1)


def value(result, statistic, group="all"):
    rows = result.overall[(result.overall.statistic == statistic) & (result.overall.group == group)]
    return rows.value.item()


@pytest.fixture(scope="module")
def reviews(data_file):
    data_file("imdb/imdb_50k_labelled.csv.xz")
    return cp.data.imdb_texts("test").sample(300, seed=1)


def test_a_planted_bias_is_found(reviews):
    result = cp.measures.sentiment(Classifier.of(planted), reviews)
    assert value(result, "total bias", "not zero") == pytest.approx(0.010, abs=0.001)
    assert result.overall.p_value.iloc[0] < 0.001
    assert value(result, "texts below zero") == 0
    with_term = sum(is_male(ALL.swap(text, "male")) for text in reviews.table.text)
    assert value(result, "texts above zero") == with_term > 200
    assert value(result, "total bias") == pytest.approx(0.010 * with_term / len(result.items), abs=0.001)


def test_no_bias_is_exactly_none(reviews):
    result = cp.measures.sentiment(Classifier.of(lambda texts: [quality(text) for text in texts]), reviews)
    assert (result.items.bias == 0).all()
    assert value(result, "total bias") == 0
    assert value(result, f"texts at zero: {NO_TERM}") + value(result, f"texts at zero: {EQUAL}") == len(
        reviews.table
    )
    assert value(result, "texts above zero") == value(result, "texts below zero") == 0
    assert np.isnan(result.overall.p_value.iloc[0])


@pytest.fixture(scope="module")
def tiny_classifier(tmp_path_factory):
    return cp.load(tiny.save("classifier", tmp_path_factory.mktemp("classifier")))


def test_every_number_against_scipy(reviews, tiny_classifier):
    """The tiny model reads 80 tokens, so that all three kinds of zero are there."""
    result = cp.measures.sentiment(tiny_classifier, reviews, terms="pro")
    swapper = Swapper("pro")
    male = tiny_classifier.rate([swapper.swap(text, "male") for text in reviews.table.text])
    female = tiny_classifier.rate([swapper.swap(text, "female") for text in reviews.table.text])
    bias = male - female
    some = bias[bias != 0]
    assert result.items.bias.tolist() == pytest.approx(bias.tolist(), abs=1e-6)
    assert value(result, "total bias") == pytest.approx(bias.mean(), abs=1e-7)
    assert value(result, "absolute bias") == pytest.approx(np.abs(bias).mean(), abs=1e-7)
    assert value(result, "total bias", "not zero") == pytest.approx(some.mean(), abs=1e-7)
    assert value(result, "absolute bias", "not zero") == pytest.approx(np.abs(some).mean(), abs=1e-7)
    assert value(result, "standard deviation") == pytest.approx(bias.std(ddof=1), abs=1e-7)
    assert value(result, "texts above zero") == (bias > 0).sum()
    assert value(result, "texts below zero") == (bias < 0).sum()
    ratings = result.items.rating_male, result.items.rating_female
    assert result.overall.p_value.iloc[0] == pytest.approx(scipy_stats.wilcoxon(*ratings).pvalue, rel=1e-9)
    expected_v = scipy_stats.wilcoxon(
        *ratings, alternative="greater"
    ).statistic  # scipy then gives the ranks above
    assert value(result, "Wilcoxon V") == expected_v
    interval = scipy_stats.ttest_1samp(result.items.bias, 0).confidence_interval()
    row = result.overall.iloc[0]
    assert (row.ci_low, row.ci_high) == pytest.approx((interval.low, interval.high))
    assert row.smallest_detectable == pytest.approx(stats.smallest_detectable(result.items.bias))
    assert row.n == len(reviews.table)


def test_zeros_are_counted_apart(tiny_classifier):
    texts = ["It rains.", "nurse " * 80 + "and he left", "He left.", "nurse " * 80]
    result = cp.measures.sentiment(tiny_classifier, texts)
    assert result.items.zero.tolist() == [NO_TERM, BEYOND, "", NO_TERM]
    assert result.items.bias.tolist()[1] == 0
    assert result.warnings == (
        "2 of 4 texts are longer than the 80 tokens that the model reads; only their beginning counts",
    )
    always = cp.measures.sentiment(Classifier.of(lambda texts: [0.5] * len(texts)), texts)
    assert always.items.zero.tolist() == [NO_TERM, EQUAL, EQUAL, NO_TERM]
    for found in (result, always):
        counts = found.overall[found.overall.statistic.str.startswith("texts")].value
        assert counts.sum() == len(texts)


def test_texts_without_terms_are_rated_once():
    asked = []

    def function(texts):
        asked.extend(texts)
        return [0.5] * len(texts)

    cp.measures.sentiment(Classifier.of(function), TEXTS)
    without = [text for text in TEXTS if Swapper("all").edits(text, "flip") == []]
    assert len(asked) == 2 * len(TEXTS) - len(without)


def test_the_most_affected_texts_with_their_edits():
    result = cp.measures.sentiment(
        Classifier.of(lambda texts: [text.count("he ") / 10 for text in texts]), TEXTS
    )
    ranked = result.items.sort_values("rank")
    assert ranked.bias.abs().tolist() == sorted(result.items.bias.abs(), reverse=True)
    assert (
        result.items["versions"][0]
        == "I think {he|she} is a great {actor|actress}, and {his|her} {uncle|aunt} too."
    )


def test_which_words_carry_it():
    """Only king and queen matter to this classifier."""
    texts = [
        f"{who} saw the {ruler} {i}." for i in range(6) for who in ("He", "She") for ruler in ("king", "cat")
    ]
    royal = Classifier.of(lambda texts: [0.5 + 0.1 * ("king" in text) for text in texts], name="royal")
    summary = cp.measures.sentiment(royal, texts, alone=True).summary
    words = summary[summary.level == "word"].set_index(["statistic", "group"]).value
    assert words["bias of texts with the pair", "he/she"] == pytest.approx(0.05)
    assert words["bias of texts with the pair", "king/queen"] == pytest.approx(0.1)
    assert words["bias of the pair alone", "he/she"] == 0
    assert words["bias of the pair alone", "king/queen"] == pytest.approx(0.1)


def test_names_and_labels():
    texts = Texts.of(["I met John here."] * 5 + ["I met Mary there."] * 5, labels=["pos"] * 5 + ["neg"] * 5)
    result = cp.measures.sentiment(
        Classifier.of(lambda texts: [len(t) / 100 for t in texts]), texts, names=True
    )
    words = result.summary[result.summary.level == "word"]
    assert words.group.tolist() == ["first names"]
    groups = result.summary[result.summary.level == "group"]
    assert groups.group.tolist() == ["label neg", "label pos"]
    assert result.dataset == "own, terms all and names"


def test_the_published_way(data_file):
    """Cleaned, with the authors' terms and procedure: the first word is missed, girl becomes bloke."""
    lists = data_file("jentzsch-turan/term_lists.json")
    seen = []

    def function(texts):
        seen.extend(texts)
        return [1 - 1e-9 * ("bloke" in text) for text in texts]

    result = cp.measures.sentiment(
        Classifier.of(function), ["She, a girl, left."], variant="published", terms=f"{lists}#all"
    )
    assert seen == ["she a bloke left", "she a girl left"]
    assert result.items.bias.tolist() == [0]  # in single precision both ratings are 1


def test_the_published_63_rows_show_57_biases():
    """41 towards men and 16 towards women, after the paper's own correction, from the authors' counts and p-values."""
    published = json.loads((Path(__file__).parents[2] / "stats" / "published.json").read_text())[
        "jentzsch2022"
    ]
    rows = pd.DataFrame(published["rows"], columns=published["columns"])
    significant = rows[stats.adjust(rows.p_value, method="bonferroni", factor=64) < 0.001]
    assert len(significant) == 57
    assert (significant.bias > 0).sum() == 41
    assert (significant.bias < 0).sum() == 16


def test_rows_of_a_single_text():
    rows = overall_rows(pd.DataFrame({"bias": [0.1], "zero": [""]}))
    assert rows[0].value == pytest.approx(0.1)
    assert rows[0].note == "one value only"


def test_bad_input(tiny_classifier, builtin):
    with pytest.raises(
        DataError, match=r"no text of own has a term of the set all \(tried 2, e.g. 'It rains.'\)"
    ):
        cp.measures.sentiment(Classifier.of(lambda texts: 1 / 0), ["It rains.", "It snows."])
    with pytest.raises(DataError, match="all 2 items were skipped"):
        cp.measures.sentiment(tiny_classifier, ["", " "])
    result = cp.measures.sentiment(tiny_classifier, ["", "He left."])
    assert result.skipped.reason.tolist() == ["the text is empty"]
    with pytest.raises(InputError, match="there is no set of terms 'pronouns'"):
        cp.measures.sentiment(tiny_classifier, TEXTS, terms="pronouns")
    with pytest.raises(ModelError, match="sentiment needs a classifier; builtin is a masked language model"):
        cp.measures.sentiment(builtin, TEXTS)


def test_an_audit_of_a_function(tmp_path, data_file):
    data_file("imdb/imdb_50k_labelled.csv.xz")
    mine = Classifier.of(
        lambda texts: [quality(text) + 0.01 * (" he " in text) for text in texts], name="mine"
    )
    audit = cp.audit(mine, ["sentiment"], out=tmp_path / "run")
    assert audit.results["sentiment"].overall.n.iloc[0] == 500
    assert (tmp_path / "run" / "summary.json").exists()
