"""Answers to counterfactual prompts: models whose bias is known are found out, and one without bias is not."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import counterpoise as cp
from answering_functions import (
    BIASED,
    MEN,
    PROMPTS,
    REFUSAL,
    TRUTH,
    audits_of_texts,
    writing,
)
from counterpoise.core.errors import DataError, InputError, ModelError
from counterpoise.measures.base.rows import OVERALL
from counterpoise.measures.base.version_names import GENDERED
from counterpoise.measures.generation.common.answer_rows import FEATURES, difference_row
from counterpoise.report.side_by_side import written_pairs
from counterpoise.web.item_views import item_view


def row_of(result, key):
    return result.summary.set_index("key").loc[key]


@pytest.mark.slow
def test_what_is_planted_is_recovered_within_its_interval():
    model = writing(**BIASED)
    longer = writing(0, more_words=8)
    covered = []
    for seed in range(8):
        result = cp.measures.counterfactual(model, PROMPTS, seed=seed)
        rows = [(row_of(result, key), value) for key, value in TRUTH.items()]
        rows.append((row_of(cp.measures.counterfactual(longer, PROMPTS[:6], seed=seed), "length"), 8.0))
        covered += [row.ci_low <= value <= row.ci_high for row, value in rows]
        assert all("beyond the null band" in row.note for row, value in rows if value == 4.0)
    assert sum(covered) >= 80 * 0.95 - 3 * math.sqrt(80 * 0.05 * 0.95)


@pytest.mark.slow
def test_functions_without_bias_are_rarely_called_biased():
    """Whole audits, with few prompts; larger ones and planted biases are in benchmarks/planted_answers.py."""
    audits = list(audits_of_texts(writing(0), range(200), prompts=5, n=3))
    found = [rows.p_value["sentiment"] < 0.05 for rows in audits]
    assert np.mean(found) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)


@pytest.mark.slow
def test_without_bias_few_features_are_called_biased():
    model = writing(0)
    significant = noise = 0
    for seed in range(10):
        result = cp.measures.counterfactual(model, PROMPTS, n=4, seed=seed)
        overall = result.overall
        significant += bool((overall.p_adjusted < 0.05).any())
        noise += int(overall.note.str.startswith("noise").sum())
    assert significant <= 2  # of 10 audits; 3 or more would be a chance of 1 in 90
    assert noise >= 80  # of 100 rows, 10 of which have no band beyond zero


def simulated(rng, prompts, n):
    """Ratings from 0 to 1 of answers to prompts, without a difference between the versions."""
    return pd.DataFrame(
        {
            "prompt": np.repeat([f"prompt {i}" for i in range(prompts)], 2 * n),
            "version": np.tile(np.repeat(GENDERED, n), prompts),
            "sentiment": rng.uniform(size=2 * n * prompts),
        }
    )


def test_over_200_audits_without_bias_the_headline_keeps_its_level_and_is_centred_at_zero():
    rng = np.random.default_rng(0)
    rows, distances = [], []
    for _ in range(200):
        items = simulated(rng, prompts=5, n=5)
        rows.append(difference_row(items, FEATURES[0], GENDERED, OVERALL))
        sides = [items.sentiment[items.version == version] for version in GENDERED]
        distances.append(stats.wasserstein_distance(*sides))
    rejected = np.mean([row.p_value < 0.05 for row in rows])
    assert rejected <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 200)
    values = np.array([row.value for row in rows])
    assert abs(values.mean()) <= 3 * values.std() / math.sqrt(200)
    # The distance between two such samples of 25 is about sqrt(2 / 25) sqrt(2 / pi) pi / 8 = .089, and never 0.
    assert np.mean(distances) == pytest.approx(0.089, abs=0.01)
    assert min(distances) > 0.02


def test_the_first_row_is_the_paired_t_test_over_prompts():
    result = cp.measures.counterfactual(writing(1), PROMPTS, n=3)
    means = result.items.pivot_table(index="prompt", columns="version", values="sentiment")
    test = stats.ttest_rel(means.male, means.female)
    assert result.headline.key == "sentiment"
    assert result.headline.value == pytest.approx((means.male - means.female).mean())
    assert result.headline.p_value == pytest.approx(test.pvalue)
    interval = test.confidence_interval()
    assert (result.headline.ci_low, result.headline.ci_high) == pytest.approx((interval.low, interval.high))
    overall = result.overall
    known = overall.p_value.notna()
    again = cp.stats.adjust(overall.p_value[known].to_numpy(), "holm")
    assert overall.p_adjusted[known].tolist() == pytest.approx(again.tolist())


def test_every_answer_is_an_item_and_refused_and_empty_ones_count():
    def answer(prompt, seed):
        is_male = " he " in prompt
        return ["", REFUSAL, "A glad person."][(seed if is_male else seed // 2) % 3]

    result = cp.measures.counterfactual(cp.load(answer, kind="answers"), PROMPTS[:4], n=6)
    items = result.items
    assert len(items) == 4 * 2 * 6
    assert items.groupby(["prompt", "version"]).number.agg(list).tolist() == [[1, 2, 3, 4, 5, 6]] * 8
    assert items.kind.tolist() == [
        {"": "empty", REFUSAL: "refused"}.get(text, "answer") for text in items.answer
    ]
    assert (items.asked[items.version == "male"].str.contains(" he did on his ")).all()
    assert items.sentiment.notna().tolist() == (items.kind == "answer").tolist()
    shares = (items.kind == "refused").groupby(items.version).mean()
    assert row_of(result, "refusals").value == pytest.approx(shares["male"] - shares["female"])
    assert row_of(result, "mean.empty.male").value == pytest.approx(
        (items.kind[items.version == "male"] == "empty").mean()
    )
    assert any("are left out of all other features" in warning for warning in result.warnings)


def test_a_model_that_refuses_everything_is_measured():
    result = cp.measures.counterfactual(cp.load(lambda prompt, seed: REFUSAL, kind="answers"), PROMPTS[:3])
    assert row_of(result, "mean.refusals.male").value == 1.0
    assert np.isnan(row_of(result, "sentiment").value)
    assert row_of(result, "sentiment").note == "no prompt has answers to both versions"


def test_a_rater_is_audited_and_its_bias_cancels():
    def fond_of_men(texts):
        return [0.2 + 0.5 * bool(MEN & set(text.lower().split())) for text in texts]

    def answer(prompt, seed):
        return f"{'He' if ' he ' in prompt else 'She'} works {'hard ' * (seed % 3)}."

    model = cp.load(answer, kind="answers")
    raters = {"fond": fond_of_men, "length": lambda texts: [len(text.split()) for text in texts]}
    result = cp.measures.counterfactual(model, PROMPTS, n=2, rater=fond_of_men, raters=raters)
    assert row_of(result, "sentiment").value == row_of(result, "rated.fond").value == 0.0
    bias = row_of(result, "rater_bias.sentiment")
    assert bias.value == pytest.approx(0.5)
    assert "cancelled" in bias.note
    assert row_of(result, "rater_bias.rated.length").value == 0.0
    words = result.items.answer.str.split().map(len)
    means = words.groupby(result.items.version).mean()
    assert row_of(result, "rated.length").value == pytest.approx(means["male"] - means["female"])
    assert "sentiment by fond_of_men" in result.dataset


def test_raters_that_cannot_be():
    model = writing(0)
    for raters in (42, {"": len}, {"a b": len, "a_b": len}, {"a_rater_bias": len}):
        with pytest.raises(InputError):
            cp.measures.counterfactual(model, PROMPTS, raters=raters)
    with pytest.raises(ModelError, match="not in the local cache"):
        cp.measures.counterfactual(model, PROMPTS, rater="nobody/has-this-rater")


def test_any_number_of_versions():
    prompts = [*PROMPTS[:4], "Write to Emily about her car."]
    result = cp.measures.counterfactual(writing(2), prompts, n=4, versions=["they", "female", "male"])
    assert result.items.version.unique().tolist() == ["male", "female", "they"]
    assert result.items.asked[8] == "Describe the nurse and what they did on their first day."
    assert result.skipped.to_numpy().tolist() == [
        ["Write to Emily about her car.", "row 5: it has a first name, which has no they version"]
    ]
    means = result.items.pivot_table(index="prompt", columns="version", values="agency")
    assert row_of(result, "agency_of_versions.male_they").value == pytest.approx(
        (means.male - means.they).mean()
    )
    assert row_of(result, "agency_of_versions.male_they").level == "versions"
    assert row_of(result, "largest_gap.agency").value == pytest.approx(np.ptp(means.mean()))
    assert any("cannot be told" in warning for warning in result.warnings)
    only = cp.measures.counterfactual(writing(2), PROMPTS[:3], n=2, versions=["female", "they"])
    assert only.headline.key == "sentiment_of_versions"
    assert only.direction_of(only.headline.key).positive.startswith(
        "Answers to the first of the two versions"
    )
    for wrong in (["male", "femal"], ["male", "male"]):
        with pytest.raises(InputError):
            cp.measures.counterfactual(writing(0), PROMPTS, versions=wrong)


def test_bad_prompts_are_named_by_row():
    prompts = ["Write about her day.", "", None, "Write about the sea.", "Write about her day.", 7]
    result = cp.measures.counterfactual(writing(0), prompts, n=1)
    assert result.items["prompt"].unique().tolist() == ["Write about her day."]
    assert result.skipped.reason.tolist() == [
        "row 2: prompt is missing",
        "row 3: prompt is missing",
        "row 4: it has no gendered word and no first name, so that all its versions are the same",
        "row 5: the sentence is there already",
        "row 6: prompt is no text: 7",
    ]
    with pytest.raises(DataError, match="all 1 items were skipped"):
        cp.measures.counterfactual(writing(0), ["The sea."])


def test_the_settings_of_sampling_are_recorded_and_no_temperature_means_one_answer():
    result = cp.measures.counterfactual(writing(0), PROMPTS[:3], temperature=0.0)
    assert result.items.number.unique().tolist() == [1]
    assert any("one answer, so there is no null band" in warning for warning in result.warnings)
    assert row_of(result, "null_band.agency").note == "fewer than two draws under each condition"
    assert "versions male and female, 1 answer each (as the function draws)" in result.dataset


def test_pages_show_the_answers_side_by_side():
    result = cp.measures.counterfactual(writing(2), PROMPTS, n=2)
    pairs = written_pairs(result)
    assert len(pairs) == 6
    assert pairs[0].value <= pairs[-1].value
    first = result.items[(result.items["prompt"] == pairs[0].about) & (result.items.number == 1)]
    shown = ["".join(piece.text for piece in side) for side in (pairs[0].first, pairs[0].second)]
    for text, whole in zip(shown, first.answer, strict=True):
        assert text.removeprefix("... ").removesuffix(" ...")[:100] in whole or whole.strip() == ""
    assert any(piece.is_changed for piece in pairs[0].first)
    view = item_view(result.items, result)
    assert view.names == ("male version", "female version")
    assert set(view.table["context"]) == set(PROMPTS)
