"""Bartl et al. 2020 before fine-tuning: tables 4 (English) and 5 (German).

Their evaluation fills every sentence up to 16 tokens with masks that the model attends to, and cuts longer ones, unlike
the paper; `lpbs` does not. Which of the two the tables show is found out here: the means must agree with one.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch

import counterpoise as cp

# Profession group and gender of the person: mean association, and in table 5 its standard deviation.
TABLE_4 = {
    ("balanced", "female"): -0.35,
    ("balanced", "male"): 0.05,
    ("female", "female"): 0.50,
    ("female", "male"): -0.68,
    ("male", "female"): -0.83,
    ("male", "male"): 0.16,
}
TABLE_5 = {
    ("balanced", "female"): (2.14, 2.40),
    ("balanced", "male"): (1.36, 2.06),
    ("female", "female"): (2.05, 2.45),
    ("female", "male"): (1.34, 2.09),
    ("male", "female"): (2.14, 2.46),
    ("male", "male"): (1.46, 2.15),
}
ROUNDED = 0.011


def filled_up(lm, rows, length=16):
    """Associations as the authors' evaluation computes them, in plain transformers."""
    mask = lm.tokenizer.mask_token_id
    person = [lm.tokenizer.convert_tokens_to_ids(lm.tokenizer.tokenize(word)[0]) for word in rows.person]

    def log_p(texts, places):
        ids = [(lm.tokenizer(text)["input_ids"] + [mask] * length)[:length] for text in texts]
        found = []
        for start in range(0, len(ids), 100):
            batch = torch.tensor(ids[start : start + 100])
            with torch.no_grad():
                logits = lm.model(input_ids=batch.to(lm.device)).logits.log_softmax(-1).cpu()
            found += [float(logits[i, places[start + i], person[start + i]]) for i in range(len(batch))]
        return np.array(found)

    places = [lm.tokenizer(text)["input_ids"].index(mask) for text in rows.both_masked]
    return log_p(rows.target_masked, places) - log_p(rows.both_masked, places)


def by_group(rows, association):
    return rows.assign(association=association).groupby(["group", "gender"]).association.agg(["mean", "std"])


def furthest(found, expected):
    return max(abs(found["mean"][key] - value) for key, value in expected.items())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "language", "expected"),
    [
        ("bert-base-uncased", "en", TABLE_4),
        ("dbmdz/bert-base-german-cased", "de", {key: mean for key, (mean, _) in TABLE_5.items()}),
    ],
)
def test_means_by_profession_group_and_gender(hub, name, language, expected):
    lm, rows = hub(name), cp.data.becpro(language, "published")
    items = cp.measures.lpbs(lm, rows, variant="published").items
    off = {
        "without padding": furthest(by_group(items, items.association), expected),
        "filled up with masks": furthest(by_group(rows, filled_up(lm, rows)), expected),
    }
    assert min(off.values()) < ROUNDED, off


@pytest.mark.slow
def test_spread_in_german(hub):
    lm, rows = hub("dbmdz/bert-base-german-cased"), cp.data.becpro("de", "published")
    items = cp.measures.lpbs(lm, rows, variant="published").items
    expected = {key: spread for key, (_, spread) in TABLE_5.items()}
    tables = [by_group(items, items.association), by_group(rows, filled_up(lm, rows))]
    off = [max(abs(table["std"][key] - value) for key, value in expected.items()) for table in tables]
    assert min(off) < ROUNDED, off
