"""Hidden tokens: as many and of the kinds that the recipe says, the same in every run and other ones in every epoch."""

from __future__ import annotations

import numpy as np
import pytest

import tiny
from counterpoise.core.errors import InputError
from counterpoise.tuning import LANGUAGE_MODEL, Masking
from counterpoise.tuning.language_model import load_to_train, make_rows
from counterpoise.tuning.masking import IGNORED, Mask, TrainingRow, collate, draw

TEXTS = [
    "She told her brother that the nurse was late.",
    "It rains.",
    "The men left, and nobody saw them again.",
]


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return load_to_train(tiny.save("bert", tmp_path_factory.mktemp("bert")))


def test_shares():
    """15 % of 400,000 tokens, of them 80, 10 and 10 %: within four standard errors of a binomial."""
    n = 400_000
    ids = np.arange(n) % 1000 + 1000
    shown, labels = draw(ids, np.full(n, 0.15), Mask(103, 30_000), seed=1, epoch=0)
    chosen = labels != IGNORED
    assert (labels[chosen] == ids[chosen]).all()
    assert (shown[~chosen] == ids[~chosen]).all()

    def close(count, total, share):
        return abs(count - total * share) < 4 * np.sqrt(total * share * (1 - share))

    hidden, same = (shown == 103) & chosen, (shown == ids) & chosen
    assert close(chosen.sum(), n, 0.15)
    assert close(hidden.sum(), chosen.sum(), 0.8)
    assert close(same.sum(), chosen.sum(), 0.1)
    assert close((chosen & ~hidden & ~same).sum(), chosen.sum(), 0.1)
    anything = shown[chosen & ~hidden & ~same]
    assert anything.min() < 300
    assert anything.max() > 29_700


def test_seed_and_epoch_decide(bert):
    first, again = (make_rows(bert, TEXTS * 50, [], Masking(), LANGUAGE_MODEL) for _ in range(2))
    for key in [(0, 0), (3, 2), (149, 0), (3, 0)]:
        assert (first[key].ids == again[key].ids).all()
    epochs = [np.concatenate([first[i, epoch].labels for i in range(150)]) for epoch in (0, 1)]
    assert (epochs[0] != epochs[1]).any()


def test_special_tokens_are_never_hidden(bert):
    rows = make_rows(bert, TEXTS, [], Masking(share=1.0), LANGUAGE_MODEL)
    tokens = bert.tokenizer.tokenize(TEXTS[0])
    assert bert.tokenizer.convert_ids_to_tokens(rows[0, 0].labels[1:-1]) == tokens
    assert rows[0, 0].labels[[0, -1]].tolist() == [IGNORED, IGNORED]


def test_gendered_words_have_odds_of_their_own(bert):
    """With 1 for them and next to 0 for all others, exactly she, her, brother and men are drawn."""
    rows = make_rows(bert, TEXTS, [], Masking(share=1e-9, gendered=1.0), LANGUAGE_MODEL)
    drawn = [
        bert.tokenizer.decode(row.labels[row.labels != IGNORED]) for row in (rows[i, 0] for i in range(3))
    ]
    assert drawn == ["she her brother", "", "men"]


def test_attended_padding(bert):
    """Rows of 16 for at most 9 words; masks behind the text, which are seen, drawn and to be guessed as masks."""
    rows = make_rows(bert, TEXTS, [], Masking(share=1.0, attended_padding=True), LANGUAGE_MODEL)
    mask = bert.tokenizer.mask_token_id
    row = rows[1, 0]
    assert len(row.ids) == 16
    assert row.labels.tolist() == [
        IGNORED,
        *bert.tokenizer("it rains.")["input_ids"][1:-1],
        IGNORED,
        *[mask] * 11,
    ]
    assert "attention_mask" not in collate([rows[0, 0], row], pad=0)


def test_each_next_token(tmp_path):
    model = load_to_train(tiny.save("gpt2", tmp_path))
    row = make_rows(model, TEXTS, [], Masking(), LANGUAGE_MODEL)[0, 0]
    assert row.ids.tolist() == list(model.encode([TEXTS[0]])[0].ids)
    assert row.labels.tolist() == [*row.ids[1:], IGNORED]


def test_a_batch():
    first = TrainingRow(np.array([1, 2, 3]), np.array([IGNORED, 5, IGNORED]), keep=np.ones(3, bool))
    second = TrainingRow(np.array([4, 6, 7, 8]), np.array([9, IGNORED, IGNORED, 10]), keep=np.zeros(4, bool))
    batch = collate([first, second], pad=0)
    assert batch["input_ids"].tolist() == [[4, 6, 7, 8], [1, 2, 3, 0]]
    assert batch["attention_mask"].tolist() == [[1, 1, 1, 1], [1, 1, 1, 0]]
    assert batch["places"].tolist() == [0, 3, 5]
    assert batch["targets"].tolist() == [9, 10, 5]
    assert (batch["kept_rows"], batch["kept_places"]) == (1, 1)


def test_odds_are_probabilities():
    for options in ({"share": 0.0}, {"share": 1.5}, {"gendered": 0.0}):
        with pytest.raises(InputError, match="is a probability above 0"):
            Masking(**options)
