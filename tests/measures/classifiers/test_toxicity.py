"""Toxicity: planted classifiers are recovered, AUCs are scikit-learn's, and what is wrong is one line."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline

import counterpoise as cp
from counterpoise.core.errors import DataError, InputError
from counterpoise.data import Texts
from counterpoise.measures.classifiers.common.subgroup_aucs import subgroup_rows
from counterpoise.models import Classifier
from counterpoise.text.mentions import mentions

TEMPLATES = cp.data.toxicity_templates()
KIND_OF = TEMPLATES.set_index("text")
FEMALE = {text for text, group in zip(TEMPLATES.text, TEMPLATES.group, strict=True) if group == "female"}
INSULTS = (
    "stupid",
    "hate",
    "idiot",
    "sick",
    "fool",
    "liar",
    "moron",
    "ugly",
    "dumb",
    "scum",
    "garbage",
    "brainless",
)


def insulting(text: str) -> float:
    """A score that knows insults, and nothing about people."""
    return 0.2 + 0.1 * sum(word in text.lower() for word in INSULTS)


def measured(score, data=None, **settings):
    classifier = Classifier.of(lambda texts: [score(text) for text in texts], name="planted")
    return cp.measures.toxicity(classifier, data, **settings)


def values(result):
    return result.summary.set_index("key").value


def comments(n: int, seed: int, shift: float = 0.0):
    """Labelled texts whose scores stand in them; harmless texts about women are scored `shift` higher."""
    rng = np.random.default_rng(seed)
    toxic = rng.random(n) < 0.4
    people = rng.choice(["he", "she", "he and she", "they"], n)
    about_women = np.char.find(people, "she") >= 0
    scores = rng.normal(size=n) + toxic + shift * (about_women & ~toxic)
    texts = [
        f"{who} said {score:.9f} of {i}" for i, (who, score) in enumerate(zip(people, scores, strict=True))
    ]
    return Texts.of(texts, labels=["toxic" if each else "not toxic" for each in toxic])


def written(text: str) -> float:
    """The score that stands in a comment; of the templates, another."""
    found = re.search(r"said (-?\d+\.\d+) of", text)
    return float(found[1]) if found else insulting(text)


# Planted bias


def test_what_is_added_for_women_is_the_signed_difference():
    found = values(measured(lambda text: insulting(text) + 0.07 * (text in FEMALE)))
    for place in ("", ".non_toxic", ".toxic", ".word.man_woman", ".word.father_mother"):
        assert found[f"difference{place}"] == pytest.approx(-0.07, abs=1e-12)
    for place in ("", ".non_toxic", ".toxic"):
        assert found[f"ctf_gap{place}"] == pytest.approx(0.07, abs=1e-12)
    assert found["score_above_neutral.female"] - found["score_above_neutral.male"] == pytest.approx(0.07)


def test_gaps_in_both_directions_cancel_in_the_difference_and_not_in_the_ctf_gap():
    """.05 more for the woman in harmless sentences, .05 more for the man in insults."""

    def score(text):
        sentence = KIND_OF.loc[text]
        sides = {"male": 1.0, "female": -1.0}
        return 0.5 + (0.025 if sentence.is_toxic else -0.025) * sides.get(sentence.group, 0.0)

    result = measured(score)
    found = values(result)
    assert found["difference"] == pytest.approx(0, abs=1e-12)
    assert found["ctf_gap"] == pytest.approx(0.05)
    assert found["difference.non_toxic"] == pytest.approx(-0.05)
    assert found["difference.toxic"] == pytest.approx(0.05)
    assert not result.summary.set_index("key").p_value["difference"] < 0.05


def test_a_blind_classifier_has_no_gap():
    result = measured(written, comments(400, 1), threshold=0.25)
    found = values(result)
    for key in (
        "difference",
        "ctf_gap",
        "false_positive_difference",
        "false_negative_difference",
        "fped",
        "fned",
    ):
        assert found[key] == 0
    assert (result.summary[result.summary.key.str.startswith("score_above_neutral")].value == 0).all()
    blind = values(measured(lambda text: 0.5, comments(400, 1)))
    for key in blind.index[blind.index.str.contains("auc")]:
        assert blind[key] == pytest.approx(0.0 if "difference" in key else 0.5)


def test_a_classifier_that_flags_every_text_with_woman():
    result = measured(lambda text: float(re.search(r"\bwom[ae]n\b", text, re.IGNORECASE) is not None))
    found = values(result)
    assert found["false_positive_rate.word.woman"] == 1
    assert found["false_positive_rate.word.man"] == 0
    assert found["false_negative_rate.word.woman"] == 0
    assert found["false_negative_rate.word.man"] == 1
    assert found["false_positive_rate.word.transgender_woman"] == 1
    assert found["false_positive_difference"] == pytest.approx(-1 / 10)  # one of ten pairs
    assert found["false_negative_difference"] == pytest.approx(1 / 10)
    assert found["false_positive_rate.female"] == pytest.approx(1 / 10)
    assert found["false_positive_rate.transgender"] == pytest.approx(1 / 2)
    assert found["false_positive_rate.neutral"] == 0
    # Of 25 identity terms two are always flagged and 23 never; all together 2/25 are.
    assert found["fped"] == pytest.approx(2 * (1 - 2 / 25) + 23 * 2 / 25)
    assert found["fned"] == pytest.approx(2 * (1 - 2 / 25) + 23 * 2 / 25)


def test_error_rates_and_equality_differences_by_brute_force():
    rng = np.random.default_rng(7)
    score_of = dict(zip(TEMPLATES.text, rng.random(len(TEMPLATES)), strict=True))
    found = values(measured(score_of.__getitem__, threshold=0.3))
    for toxic, rate, together in ((False, "false_positive", "fped"), (True, "false_negative", "fned")):
        rows = TEMPLATES[(TEMPLATES.is_toxic == toxic) & (TEMPLATES.group != "neutral")]
        wrong = [(score_of[text] >= 0.3) != toxic for text in rows.text]
        of_term: dict[str, list[bool]] = {}
        for term, is_wrong in zip(rows.term, wrong, strict=True):
            of_term.setdefault(term, []).append(is_wrong)
        overall = sum(wrong) / len(wrong)
        assert found[together] == pytest.approx(
            sum(abs(overall - sum(each) / len(each)) for each in of_term.values())
        )
        rate_of = {
            group: np.mean([w for w, g in zip(wrong, rows.group, strict=True) if g == group])
            for group in ("male", "female")
        }
        assert found[f"{rate}_difference"] == pytest.approx(rate_of["male"] - rate_of["female"])
        assert found[f"{rate}_rate.female"] == pytest.approx(rate_of["female"])


def test_intervals_of_differences_count_pairs_and_templates():
    """Each pair of terms has a gap of its own: with ten pairs, the spread of their means is what decides."""
    gap_of = dict(zip(TEMPLATES.pair.unique(), np.linspace(-0.2, 0.1, TEMPLATES.pair.nunique()), strict=True))

    def score(text):
        sentence = KIND_OF.loc[text]
        return 0.5 + gap_of[sentence.pair] * (sentence.group == "male")

    row = measured(score).summary.set_index("key").loc["difference"]
    gaps = np.array([gap for pair, gap in gap_of.items() if pair])
    assert row.value == pytest.approx(gaps.mean())
    assert row.clusters == 10
    half = (row.ci_high - row.ci_low) / 2
    assert half == pytest.approx(
        2.262 * gaps.std(ddof=1) / np.sqrt(10), rel=1e-3
    )  # t with 9 degrees of freedom


# AUCs of labelled texts


def by_hand(texts, scores, toxic, about):
    """The AUCs of Borkan et al. (2019) from scikit-learn: texts that are chosen, and their labels."""

    def area(kept):
        return roc_auc_score(toxic[kept], scores[kept])

    return {
        "subgroup_auc": area(about),
        "bpsn_auc": area((about & ~toxic) | (~about & toxic)),
        "bnsp_auc": area((about & toxic) | (~about & ~toxic)),
    }


@pytest.mark.parametrize("by_column", [False, True])
def test_aucs_are_scikit_learns(by_column):
    data = comments(300, 2, shift=0.5)
    if by_column:
        genders = np.random.default_rng(3).choice(["m", "f", "unknown"], 300)
        data = Texts.of(data.table.text.tolist(), data.table.label.tolist(), genders.tolist())
        about = {"male": genders == "m", "female": genders == "f"}
    else:
        words = [re.findall(r"\b(?:he|she)\b", text) for text in data.table.text]
        about = {
            gender: np.array([word in each for each in words])
            for gender, word in (("male", "he"), ("female", "she"))
        }
    toxic = (data.table.label == "toxic").to_numpy()
    scores = np.array([written(text) for text in data.table.text])
    found = values(measured(written, data))
    areas = {gender: by_hand(data.table.text, scores, toxic, about[gender]) for gender in about}
    for kind in ("subgroup_auc", "bpsn_auc", "bnsp_auc"):
        pair = [areas[gender][kind] for gender in ("male", "female")]
        assert [found[f"{kind}.male"], found[f"{kind}.female"]] == pytest.approx(pair, abs=1e-12)
        assert found[f"{kind}_difference"] == pytest.approx(pair[0] - pair[1], abs=1e-12)
        assert found[f"{kind}_mean"] == pytest.approx(np.mean(np.power(pair, -5.0)) ** (-1 / 5), abs=1e-12)
    assert found["auc"] == pytest.approx(roc_auc_score(toxic, scores), abs=1e-12)
    means = [found[f"{kind}_mean"] for kind in ("subgroup_auc", "bpsn_auc", "bnsp_auc")]
    assert found["jigsaw_score"] == pytest.approx(0.25 * (found["auc"] + sum(means)))


def test_planted_false_positives_on_women_lower_their_bpsn_auc():
    row = measured(written, comments(1500, 4, shift=0.8)).summary.set_index("key").loc["bpsn_auc_difference"]
    assert row.value > 0
    assert row.ci_low > 0
    assert row.p_adjusted < 0.05


def test_intervals_of_auc_differences_cover():
    """With the same scores for both genders the true differences are 0; 200 samples of 160 texts."""
    covered = dict.fromkeys(("subgroup_auc", "bpsn_auc", "bnsp_auc"), 0)
    for seed in range(200):
        table = comments(160, seed + 100).table
        items = table.assign(
            origin="texts",
            is_toxic=table.label == "toxic",
            score=table.text.map(written),
            about_men=table.text.str.contains(r"\bhe\b"),
            about_women=table.text.str.contains(r"\bshe\b"),
        )
        rows = {row.key: row for row in subgroup_rows(items, seed)}
        for kind in covered:
            row = rows[f"{kind}_difference"]
            covered[kind] += row.ci_low <= 0 <= row.ci_high
    assert all(0.90 <= count / 200 <= 0.99 for count in covered.values()), covered


# Labels, suites, bad input


@pytest.mark.parametrize(
    "labels",
    [("toxic", "not toxic"), ("1", "0"), (1.0, 0.0), ("Yes", "no"), ("sexist", "not sexist"), ("0.8", "0.2"),
     ("HATE", "non-hate"), ("offensive", "neither"), ("positive", "negative")],
)  # fmt: skip
def test_labels_as_files_write_them(labels):
    data = comments(60, 5).table
    said = [labels[0] if label == "toxic" else labels[1] for label in data.label]
    result = measured(written, Texts.of(data.text.tolist(), said))
    assert result.skipped.empty
    of_texts = result.items[result.items.origin == "texts"]
    assert of_texts.is_toxic.tolist() == (data.label == "toxic").tolist()


def trained(labels=("not sexist", "sexist"), **options):
    texts = ["she is stupid", "he left", "women are stupid", "they sing"] * 3
    pipeline = make_pipeline(TfidfVectorizer(), LogisticRegression())
    return cp.load(pipeline.fit(texts, [labels[1], labels[0]] * 6), **options)


@pytest.mark.slow
def test_a_suite_measures_classifiers_of_toxicity_only(data_file):
    data_file("eec/Equity-Evaluation-Corpus.csv.xz")
    about = ["He left early.", "She sings well.", "He is stupid.", "She is great."]
    ran = cp.audit(trained(), texts=about)
    assert "--label COLUMN" in ran.left_out["toxicity"]
    ran = cp.audit(trained())
    assert "toxicity" in ran.results
    for other, reason in [
        (trained(("neg", "pos")), "does not rate toxicity: its positive label is 'pos'"),
        (trained(("0", "1")), "does not rate toxicity: its positive label is '1'"),
        (
            Classifier.of(lambda texts: [0.5 + 0.001 * len(text) for text in texts], name="f"),
            "f is a function",
        ),
    ]:
        ran = cp.audit(other, texts=about)
        assert reason in ran.left_out["toxicity"]
        assert "--measures toxicity" in ran.left_out["toxicity"]
        named = cp.audit(other, measures=["toxicity"])
        assert list(named.results) == ["toxicity"]
    assert "'pos', which does not name toxicity" in cp.measures.toxicity(trained(("neg", "pos"))).warnings[0]
    chosen = cp.measures.toxicity(trained(("fine", "sexist"), positive="sexist"))
    assert not any("does not name toxicity" in warning for warning in chosen.warnings)


def test_bad_input():
    whole = comments(40, 6).table

    def texts(chosen=None, **columns):
        table = whole if chosen is None else whole[chosen]
        return Texts("mine", table.assign(**columns))

    toxic = whole.label == "toxic"
    women = mentions(whole.text)["female"]
    for data, message in [
        (
            ["He left."],
            r"needs labels that say which texts of own are toxic, and there are none \(--label COLUMN\)",
        ),
        (texts(toxic), r"all \d+ texts of mine are labelled toxic: an AUC compares"),
        (texts(~toxic), r"all \d+ texts of mine are labelled not toxic"),
        (texts(~women), r"no text of mine is about women \(tried \d+, e.g. 'they"),
        (texts(~women | toxic), "no harmless text of mine is about women"),
        (texts(women | ~toxic), "every toxic text of mine is about women: BPSN and BNSP AUC"),
        (texts(gender="m"), r"no text of mine is about women"),
        (
            texts(label="maybe"),
            r"all 40 items were skipped \(the label 'maybe' says neither toxic nor harmless",
        ),
    ]:
        with pytest.raises(DataError, match=message) as raised:
            measured(written, data)
        assert "\n" not in str(raised.value)
    for threshold, message in [(1.5, "less than or equal to 1, not 1.5"), (-0.1, "greater than or equal to 0"),
                               ("high", "threshold takes a number")]:  # fmt: skip
        with pytest.raises(InputError, match=message):
            measured(written, threshold=threshold)
    odd = Texts.of([*whole.text, "", "he", "she"], [*whole.label, "toxic", "", "2"])
    assert measured(written, odd).skipped.reason.tolist() == [
        "the text is empty",
        "the label is missing",
        "the label '2' says neither toxic nor harmless (toxic and not toxic do, or 1 and 0)",
    ]


def test_a_classifier_near_chance_is_said_to_be():
    constant = measured(lambda text: 0.1, comments(60, 1))
    assert len(constant.warnings) == 2
    assert "hardly tell 'harmless template' and 'toxic template' texts apart" in constant.warnings[0]


# A real classifier


@pytest.fixture(scope="module")
def detector(data_file):
    data_file("sexism/edos_labelled.csv.xz")
    train = cp.data.edos("train")
    pipeline = make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True),
        LogisticRegression(C=10, class_weight="balanced", max_iter=1000),
    )
    return cp.load(pipeline.fit(train.text, train.label))


def test_a_detector_of_sexism(detector):
    assert detector.labels[detector.positive] == "sexist"
    data = cp.data.edos_texts("dev")
    result = cp.measures.toxicity(detector, data)
    found = values(result)
    toxic = (data.table.label == "sexist").to_numpy()
    assert found["auc"] == pytest.approx(roc_auc_score(toxic, detector.rate(data.table.text.tolist())))
    assert found["auc"] > 0.8
    # What it has learnt of comments about women it applies to harmless sentences about them.
    words = result.summary.set_index("key")
    assert words.loc["difference.word.man_woman"].ci_high < 0
    assert found["false_positive_rate.word.woman"] > found["false_positive_rate.word.man"]
    assert found["false_positive_rate.neutral"] == 0
