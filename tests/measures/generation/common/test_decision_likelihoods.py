"""Decisions by the likelihood of yes and no where a server gives only the most probable next tokens."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

import counterpoise as cp
import tiny
from counterpoise.data.builtin.decisions import decision_templates
from counterpoise.measures.base.rows import Row
from counterpoise.measures.generation.common.decision_likelihoods import with_log_odds
from counterpoise.measures.generation.common.decision_rows import LIKELIHOOD, decision_rows
from counterpoise.measures.generation.common.yes_or_no import yes_and_no
from counterpoise.models import CausalLM, Endpoint
from counterpoise.models.endpoints.endpoint import Bounds
from served import Misbehaving, misbehaving, only_next, serving_model

CASES = cp.data.DecisionTemplates.of(
    {"work": [("{Person} asks. Is {they} in?", "yes"), ("{Person} is late. Is {they} out?", "no")]}
)
PROMPTS = [f"{name} asks for a loan. Answer yes or no.\nAnswer: " for name in ("James", "Mary", "She")]


@pytest.fixture(scope="module")
def direct(tmp_path_factory: pytest.TempPathFactory) -> CausalLM:
    model = cp.load(tiny.save("gpt2", tmp_path_factory.mktemp("served"), n_positions=256), device="cpu")
    model.tokenizer.model_max_length = 256
    return model


@pytest.fixture
def in_front(direct: CausalLM) -> Iterator[tuple[str, type[Misbehaving]]]:
    with serving_model(direct) as address, misbehaving(address) as server:
        yield server


def items_of(log_probs: Bounds, people: pd.DataFrame) -> pd.DataFrame:
    return with_log_odds(people, log_probs).assign(by=LIKELIHOOD)


def some_people() -> pd.DataFrame:
    people = decision_templates().fill(n_names=4, ages=[30, 60])
    return people[people.template.isin(people.template.unique()[:6])].reset_index(drop=True)


def some_log_probs(n: int, rng: np.random.Generator) -> tuple[np.ndarray, Bounds]:
    """log P(yes) and log P(no) of n cases, and bounds that hold them; every third of either is not known exactly."""
    truth = np.log(rng.dirichlet((2, 2, 12), n)[:, :2])
    unknown = rng.random((n, 2)) < 1 / 3
    low, high = (truth + sign * unknown * rng.uniform(0.1, 0.5, (n, 2)) for sign in (-1, 1))
    return truth, Bounds(low, high)


def test_intervals_hold_however_the_unknown_is_filled_in():
    rng, people = np.random.default_rng(0), some_people()
    truth, bounds = some_log_probs(len(people), rng)
    bounded = {row.key: row for row in decision_rows(items_of(bounds, people))}
    fills = [truth, *(np.where(rng.random(truth.shape) < 0.5, bounds.low, bounds.high) for _ in range(5))]
    is_man, is_yes = (
        (people[name] == value).to_numpy() for name, value in (("gender", "male"), ("favourable", "yes"))
    )
    for towards_men in (True, False):  # the two ends themselves
        raises_yes = (is_man == is_yes) == towards_men
        yes, no = (
            np.where(up, bounds.high[:, at], bounds.low[:, at])
            for at, up in ((0, raises_yes), (1, ~raises_yes))
        )
        fills.append(np.column_stack([yes, no]))
    ends = []
    for filled in fills:
        rows: list[Row] = decision_rows(items_of(Bounds(filled, filled), people))
        assert [row.key for row in rows] == list(bounded)
        for row in rows:
            found = bounded[row.key]
            assert found.ci_low - 1e-9 <= row.value <= found.ci_high + 1e-9, row.key
        ends.append(next(row.value for row in rows if row.key == "difference"))
    middle = bounded["difference"]
    assert middle.value == pytest.approx((ends[-1] + ends[-2]) / 2)
    assert middle.ci_low < min(ends[-2:]) < max(ends[-2:]) < middle.ci_high
    assert "items have a spelling of yes or no outside the server's top tokens" in middle.note


def test_a_word_of_which_nothing_is_known_leaves_log_odds_open_and_shares_bounded():
    rng, people = np.random.default_rng(1), some_people()
    truth, bounds = some_log_probs(len(people), rng)
    confident = np.flatnonzero(people.is_named.to_numpy())[:3]
    bounds.low[confident, 1] = -np.inf  # surely yes: no is nowhere among the top tokens
    items = items_of(bounds, people)
    assert len(items) == len(people)  # confident cases are not left out
    assert items.log_odds_yes_high[confident].isna().all()
    assert items.log_odds_yes_low[confident].notna().all()
    rows = {row.key: row for row in decision_rows(items)}
    assert np.isnan([rows["difference"].value, rows["difference"].p_value, rows["difference"].ci_high]).all()
    assert "in 3 no spelling of yes" in rows["difference"].note
    assert np.isfinite(rows["difference.unnamed"].value)
    rate = rows["rate_difference"]
    assert np.isfinite(rate.p_value)  # it is the headline then
    for filled in (truth, np.where(np.isfinite(bounds.low), bounds.low, -50.0), bounds.high):
        [exact] = (
            row
            for row in decision_rows(items_of(Bounds(filled, filled), people))
            if row.key == "rate_difference"
        )
        assert rate.ci_low <= exact.value <= rate.ci_high


def test_names_by_gender_and_group():
    rng = np.random.default_rng(2)
    people = pd.DataFrame(
        [
            (f"{gender}{group}{n}", gender, group)
            for gender, group, n in itertools.product(("male", "female"), "ab", range(3))
        ],
        columns=["person", "gender", "group"],
    )
    filled = decision_templates().fill_with(
        people.assign(is_named=True), [40], decision_templates().table().head(4)
    )
    truth, bounds = some_log_probs(len(filled), rng)
    bounded = {row.key: row for row in decision_rows(items_of(bounds, filled))}
    for ends in (truth, bounds.low, bounds.high):
        for row in decision_rows(items_of(Bounds(ends, ends), filled)):
            assert bounded[row.key].ci_low - 1e-9 <= row.value <= bounded[row.key].ci_high + 1e-9, row.key
    in_b = np.flatnonzero((filled.group == "b").to_numpy())[:1]
    bounds.low[in_b, 0] = -np.inf
    rows = {row.key: row for row in decision_rows(items_of(bounds, filled))}
    assert np.isnan(rows["interaction.male_female_a_b"].value)
    assert rows["gender_effect.male_female_a"].value == pytest.approx(
        bounded["gender_effect.male_female_a"].value
    )


def test_exact_probabilities_have_no_bounds():
    people = some_people()
    truth, _ = some_log_probs(len(people), np.random.default_rng(3))
    items = items_of(Bounds(truth, truth), people)
    assert not [name for name in items if name.endswith(("_low", "_high"))]
    sign = np.where(people.favourable == "yes", 1, -1)
    assert items.log_odds.to_numpy() == pytest.approx(sign * (truth[:, 0] - truth[:, 1]))
    assert items.favoured.to_numpy() == pytest.approx(expit(items.log_odds))


@pytest.mark.parametrize("top", [5, 20])
def test_bounds_through_a_server_hold_what_the_model_says(in_front, direct, top):
    url, server = in_front
    server.instead = only_next(top)
    endpoint = Endpoint.open(url, direct.name)
    bounds, truth = yes_and_no(endpoint, PROMPTS), yes_and_no(direct, PROMPTS)
    assert truth.exact.all()
    assert not bounds.exact.all()
    assert (bounds.low <= truth.low + 1e-4).all()
    assert (truth.high <= bounds.high + 1e-4).all()
    served, own = (
        cp.measures.decisions(model, CASES, by="likelihood", n_names=2) for model in (endpoint, direct)
    )
    assert served.items.text.tolist() == own.items.text.tolist()  # none is left out
    assert served.skipped.empty
    rows = served.summary.set_index("key")
    assert np.isnan(rows.value["difference"])
    assert rows.ci_low["rate_difference"] <= own.summary.set_index("key").value["rate_difference"]
    assert own.summary.set_index("key").value["rate_difference"] <= rows.ci_high["rate_difference"]
    assert "so their log-odds have no bound" in " ".join(served.warnings)
