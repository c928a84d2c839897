"""Answers by letter where the letter that may be the likeliest is not among a server's top tokens."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.measures.generation.common.answer_weights import weights_of_roles, with_answers
from counterpoise.measures.generation.common.bbq_bounds import (
    CANNOT_TELL,
    bounded_answer_rows,
    likeliest,
    with_bounded_answers,
)
from counterpoise.measures.generation.common.bbq_orders import in_orders
from counterpoise.measures.generation.common.bbq_roles import ROLES, with_kinds_of_people, with_roles
from counterpoise.measures.generation.common.bbq_rows import BY_LETTER, answer_rows
from counterpoise.models.endpoints.capabilities import Capabilities
from counterpoise.models.endpoints.endpoint import Bounds, Endpoint
from planted_bbq import questions

HOW = {BY_LETTER: "by the option's letter"}


class Completing(Endpoint):
    """An endpoint whose server has these next tokens after every text."""

    def __init__(self, top: dict[str, float]) -> None:
        self.asker, self.name = self, "completing"
        self.capabilities, self.top = Capabilities(completions=True, top=5), top
        self.joined: set[str] = set()

    def ask(self, asked):
        return [self.top] * len(asked)


def asked_items():
    table, _ = with_roles(questions().assign(template="", question_key=""))
    table["template"] = "Gender_identity " + table.question_index
    table["question_key"] = table.example_id.astype(str)
    return with_kinds_of_people(in_orders(table, 1)).drop(
        columns=["options", "answer_info", "additional_metadata"]
    )


def test_the_last_of_the_top_tokens_is_the_answer_if_it_is_the_only_letter():
    """The others are less probable than it."""
    result = cp.measures.bbq(
        Completing({" the": -0.5, " a": -1.5, " it": -2.5, " one": -4.0, " A": -6.0}), questions()
    )
    assert (result.items.filter(regex="^letter_").to_numpy() == "A").sum(axis=1).min() == 1
    assert CANNOT_TELL not in set(result.items.answer_letter)
    assert not [name for name in result.items if name.endswith(("_low", "_high"))]
    assert not any("cannot tell" in text for text in (*result.warnings, *result.summary.note))


@pytest.mark.parametrize(
    ("top", "letters"),
    [
        (
            {" ": -1.0, " the": -1.5, "\n": -2.0, " A": -6.0, " B": -7.0},
            {"A", "C"},
        ),  # " C" may be " " and "C"
        ({" the": -1.0, " it": -1.5, " one": -2.0, " a": -3.0, ".": -4.0}, {"A", "B", "C"}),
    ],
)
def test_what_cannot_be_told_is_neither_an_answer_nor_a_refusal(top, letters):
    result = cp.measures.bbq(Completing(top), questions(), orders=6)
    items, rows = result.items, result.summary.set_index("key")
    assert set(items.answer_letter) == {CANNOT_TELL}
    for item in items.itertuples():
        roles = {role for role in ROLES if getattr(item, f"letter_{role}") in letters}
        assert set(item.could_be_letter.split(", ")) == roles
        signs = {"stereotyped": 1, "counter_stereotyped": -1, "unknown": 0}
        assert item.biased_letter_low == min(signs[role] for role in roles)
        assert item.biased_letter_high == max(signs[role] for role in roles)
    assert rows.value["unreadable_letter"] == rows.value["tied_letter"] == 0
    note = f"cannot tell which letter is the likeliest in {len(items)} of {len(items)} questions"
    assert note in rows.note["s_amb_letter"]
    assert note in result.warnings[0]
    assert rows.ci_low["accuracy_ambig_letter"] < 1 / 3 < rows.ci_high["accuracy_ambig_letter"]
    assert rows.p_value["s_amb_letter"] == 1
    if len(letters) == 3:
        assert rows.loc["s_amb_letter", ["value", "ci_low", "ci_high"]].tolist() == [0, -1, 1]
        assert len(result.warnings) == 1  # whether the model understands the questions cannot be told either


@pytest.mark.slow
def test_intervals_hold_whatever_the_answers_are():
    rng, items = np.random.default_rng(0), asked_items()
    n = len(items)
    low = np.log(rng.dirichlet((1, 1, 1), n))
    high = low.copy()
    for item in rng.choice(n, 6, replace=False):  # one letter is outside of the top tokens
        unknown = rng.integers(3)
        low[item, unknown], high[item, unknown] = -np.inf, high[item].max() + 0.1
    bounds = Bounds(low, high)
    bounded = with_bounded_answers(items, bounds, BY_LETTER)
    is_open = (bounded.answer_letter == CANNOT_TELL).to_numpy()
    assert is_open.sum() == 6
    rows = {row.key: row for row in bounded_answer_rows(bounded, HOW)}
    possible = [np.flatnonzero(of_item) for of_item in likeliest(bounds)[is_open]]
    assert {len(of_item) for of_item in possible} == {2}
    values = {key: [] for key in rows}
    for chosen in itertools.product(*possible):
        roles = [ROLES[place] for place in low.argmax(axis=1)]
        for item, place in zip(np.flatnonzero(is_open), chosen, strict=True):
            roles[item] = ROLES[place]
        filled = with_answers(items, weights_of_roles(roles), BY_LETTER)
        for row in answer_rows(filled, HOW):
            values[row.key].append(row.value)
    for key in ("s_amb", "s_dis", "accuracy_gap", "accuracy_ambig", "accuracy_disambig"):
        row, of_fills = rows[f"{key}_letter"], values[f"{key}_letter"]
        assert row.value == pytest.approx((min(of_fills) + max(of_fills)) / 2), key
        assert row.ci_low <= min(of_fills) + 1e-12, key
        assert row.ci_high >= max(of_fills) - 1e-12, key
        assert "in 6 of 32 questions" in row.note
    items_low, items_high = bounded.biased_letter_low[is_open], bounded.biased_letter_high[is_open]
    assert (items_low < items_high).all()
    assert (bounded.biased_letter_low[~is_open] == bounded.biased_letter_high[~is_open]).all()
