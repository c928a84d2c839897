"""Gaps in true positive rates against counts by hand and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import counterpoise as cp
from counterpoise.core.errors import DataError
from counterpoise.data import Texts
from counterpoise.models import Classifier


def cases(male, female, label="pos"):
    """Texts of one label: (right, wrong) of men and of women; what is predicted stands in the text."""
    wrong = "neg" if label == "pos" else "pos"
    rows = []
    for gender, (right, missed) in (("male", male), ("female", female)):
        rows += [(f"{label} {gender} {i}", label, gender) for i in range(right)]
        rows += [(f"{wrong} {gender} {i}", label, gender) for i in range(missed)]
    return rows


def texts(rows):
    text, label, gender = zip(*rows, strict=True)
    return Texts.of(text, label, gender)


READER = Classifier.of(lambda texts: [text.startswith("pos") for text in texts], name="reader")


def test_gaps_by_hand_and_scipy():
    data = texts([*cases((18, 2), (10, 10)), *cases((15, 5), (16, 4), "neg")])
    result = cp.measures.tpr_gap(READER, data)
    summary = result.summary
    gaps = summary[summary.level == "group"].set_index("group")
    assert gaps.value["positive"] == pytest.approx(0.9 - 0.5)
    assert gaps.value["negative"] == pytest.approx(0.75 - 0.8)
    assert gaps.p_value["positive"] == pytest.approx(stats.fisher_exact([[18, 2], [10, 10]]).pvalue)
    assert gaps.ci_low["positive"] < 0.4 < gaps.ci_high["positive"]
    headline = result.overall.iloc[0]
    assert (headline.group, headline.value) == ("positive", pytest.approx(0.4))
    assert result.overall.value.iloc[1] == pytest.approx(np.sqrt((0.4**2 + 0.05**2) / 2))


def test_many_labels_and_the_share_of_women():
    """As in De-Arteaga et al.: where there are more women, women are found more often."""
    three = ("nurse", "pilot", "poet")

    class Three:
        kind, name, labels, positive, max_length = "classifier", "three", three, 0, None

        def predict(self, texts):
            return [text.split()[0] for text in texts]

    rows = []
    for label, other, women, men in (("nurse", "poet", (9, 1), (1, 1)), ("pilot", "poet", (1, 1), (9, 1))):
        for gender, (right, wrong) in (("female", women), ("male", men)):
            rows += [(f"{label} {gender} {i}", label, gender) for i in range(right)]
            rows += [(f"{other} {gender} {label} {i}", label, gender) for i in range(wrong)]
    rows += [(f"poet {gender} {i}", "poet", gender) for gender in ("male", "female") for i in range(4)]
    result = cp.measures.tpr_gap(Three(), texts(rows))
    gaps = result.summary[result.summary.level == "group"].set_index("group").value
    assert gaps.to_dict() == pytest.approx({"nurse": -0.4, "pilot": 0.4, "poet": 0.0})
    correlation = result.overall[result.overall.statistic.str.startswith("correlation")].value.item()
    assert correlation == pytest.approx(np.corrcoef([10 / 12, 2 / 12, 0.5], [-0.4, 0.4, 0.0])[0, 1])


def test_bad_input():
    whole = [*cases((1, 1), (1, 1)), *cases((1, 1), (1, 1), "neg")]
    for data, message in [
        (None, "there are no texts"),
        (Texts.of(["a"], genders=["m"]), "there are no labels"),
        (Texts.of(["a"], labels=["pos"]), "there are no genders"),
        (texts(cases((1, 1), (1, 1))), "all labels are 'positive'"),
        (texts([row for row in whole if row[2] == "male"]), "all genders are 'male'"),
        (Texts.of(["a"], labels=["good"], genders=["m"]), "no label 'good'"),
    ]:
        with pytest.raises(DataError, match=message):
            cp.measures.tpr_gap(READER, data)
    rows = [
        *whole,
        ("", "pos", "male"),
        ("pos x", "", "male"),
        ("pos y", "pos", "person"),
        ("pos z", "pos", ""),
    ]
    reasons = cp.measures.tpr_gap(READER, texts(rows)).skipped.reason.tolist()
    assert reasons == [
        "the text is empty",
        "the label is missing",
        "the gender is 'person', neither male nor female",
        "the gender is missing",
    ]
