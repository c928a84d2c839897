"""Questions of BBQ with their options in an order, as a prompt."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd

from counterpoise.measures.generation.common.bbq_roles import OPTIONS, ROLES

LETTERS = ("A", "B", "C")
ORDERS = tuple(permutations(ROLES))
CELLS = ["context_condition", "alignment", "question_polarity"]


def in_orders(questions: pd.DataFrame, n: int) -> pd.DataFrame:
    """Every question in n of the six orders of its options, each order as often as the others.

    With fewer than six they are dealt out in turn among the questions of one kind (context, alignment, polarity).
    """
    turns = questions.groupby(CELLS, sort=False).cumcount().to_numpy()
    parts = []
    for number in range(n):
        orders = (turns * n + number) % len(ORDERS) if n < len(ORDERS) else np.full(len(questions), number)
        parts.append(questions.assign(order=orders))
    return _ordered(pd.concat(parts).sort_index(kind="stable").reset_index(drop=True))


def in_published_order(questions: pd.DataFrame) -> pd.DataFrame:
    """Every question once, with its options in the order in which its data have them."""
    orders = [
        ORDERS.index(tuple(ROLES[list(places).index(number)] for number in range(len(OPTIONS))))
        for places in questions.options
    ]
    return _ordered(questions.assign(order=orders))


def _ordered(items: pd.DataFrame) -> pd.DataFrame:
    roles = [ORDERS[order] for order in items.order]
    options = [
        [row[role] for role in of_row]
        for row, of_row in zip(items[list(ROLES)].to_dict("records"), roles, strict=True)
    ]
    texts = [
        prompt(context, question, listed)
        for context, question, listed in zip(items.context, items.question, options, strict=True)
    ]
    letters = {f"letter_{role}": [LETTERS[of_row.index(role)] for of_row in roles] for role in ROLES}
    return items.assign(text=texts, **letters)


def prompt(context: str, question: str, options: list[str]) -> str:
    """
    >>> print(prompt("Ann and Bob met.", "Who was late?", ["Ann", "Bob", "Not known"]))
    Ann and Bob met.
    Question: Who was late?
    A: Ann
    B: Bob
    C: Not known
    Answer:
    """
    listed = [f"{letter}: {option}" for letter, option in zip(LETTERS, options, strict=True)]
    return "\n".join([context, f"Question: {question}", *listed, "Answer:"])
