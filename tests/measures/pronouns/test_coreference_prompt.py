"""Whom a language model says that a pronoun means, worked out a second time with plain transformers."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import brute
import counterpoise as cp
import tiny
from counterpoise.core.errors import DataError, ModelError
from planted_coreference import OWN, balanced, values

ASKED = 'The pronoun "{}" refers to the '


def masked_log_p(lm, text, pronoun, word):
    return brute.word_log_probability(lm, f"{text}{ASKED.format(pronoun)}[MASK].", word)


def causal_log_p(lm, text, pronoun, word):
    """The tokens of the word after those of the prompt, one forward pass."""
    prompt = f"{text}{ASKED.format(pronoun)}".rstrip(" ")
    before, whole = (
        [lm.tokenizer.bos_token_id, *lm.tokenizer(one, add_special_tokens=False)["input_ids"]]
        for one in (prompt, f"{prompt} {word}")
    )
    assert whole[: len(before)] == before
    with torch.no_grad():
        logs = lm.model(torch.tensor([whole])).logits[0].double().log_softmax(-1)
    return float(sum(logs[i - 1, whole[i]] for i in range(len(before), len(whole))))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["builtin", "roberta", "gpt2"])
def test_equals_plain_transformers(kind, builtin, tmp_path):
    lm = builtin if kind == "builtin" else cp.load(tiny.save(kind, tmp_path), device="cpu")
    log_p = causal_log_p if kind == "gpt2" else masked_log_p
    items = cp.measures.coreference_prompt(lm, OWN).items
    assert len(items) == len(OWN)
    for row in items.itertuples():
        scores = []
        for word in (row.occupation, row.other):
            prior = [log_p(lm, "", pronoun, word) for pronoun in (row.pronoun, row.counterpart)]
            scores.append(log_p(lm, f"{row.text} ", row.pronoun, word) - sum(prior) / 2)
        assert [row.score_occupation, row.score_other] == pytest.approx(scores, abs=1e-4)
        assert row.margin == pytest.approx(scores[0] - scores[1], abs=1e-4)
        assert row.right == float(row.margin > 0)


def test_rows(builtin):
    result = cp.measures.coreference_prompt(builtin, OWN)
    found, items = values(result), result.items
    for version in ("pro", "anti"):
        part = items[items.version == version]
        assert found[f"accuracy.{version}"] == pytest.approx(
            balanced(part.itertuples(), lambda item: item.margin > 0)
        )
    assert found["gap"] == pytest.approx(found["accuracy.pro"] - found["accuracy.anti"])
    anti = items[items.version == "anti"].set_index("pair").margin
    shift = balanced(items[items.version == "pro"].itertuples(), lambda item: item.margin - anti[item.pair])
    assert found["shift"] == pytest.approx(shift)


class Leaning(cp.models.MaskedLM):
    """The built-in model, but after `he` words of one kind of work are likelier, by a known amount in nats."""

    lean = 2.0

    def target_log_probs(self, texts, targets, *, mask=0):
        logs = super().target_log_probs(["The [MASK]."] * len(texts), targets, mask=mask)
        male = np.array([[word in ("guard", "cook") for word in words] for words in targets])
        is_he = np.array([f'"{pronoun}"' in text for text in texts for pronoun in ("he", "him", "his")])
        return logs + self.lean * male * is_he.reshape(len(texts), 3).any(axis=1)[:, None]


def test_a_planted_leaning_is_recovered(builtin):
    """What the words have of their own is the same everywhere, so that only the leaning is left."""
    lm = Leaning(builtin.model, builtin.tokenizer, name="leaning")
    found = values(cp.measures.coreference_prompt(lm, OWN))
    # With he the male word gains 2, and the mean over he and she, 1, is subtracted: the margin is 1 or -1.
    assert found["shift"] == pytest.approx(2.0, abs=1e-4)
    assert (found["accuracy.pro"], found["accuracy.anti"], found["gap"]) == (1, 0, 1)


def test_what_cannot_be_asked(builtin):
    odd = OWN.copy()
    columns = ["text", "occupation", "other"]
    odd[columns] = odd[columns].replace("guard", "ꙮꙮꙮꙮꙮ", regex=True)
    reasons = cp.measures.coreference_prompt(builtin, odd).skipped.reason.tolist()
    assert reasons == ["'ꙮꙮꙮꙮꙮ' is not in the vocabulary"] * 6
    with pytest.raises(DataError, match="lack the column 'counterpart'"):
        cp.measures.coreference_prompt(builtin, OWN.drop(columns="counterpart"))
    with pytest.raises(ModelError, match="needs a masked language model or a causal language model"):
        cp.measures.coreference_prompt(cp.load(lambda texts: [[] for _ in texts], kind="coreference"), OWN)


def test_a_tie_counts_as_one_half_and_the_reader_is_warned(builtin):
    lm = Leaning(builtin.model, builtin.tokenizer, name="indifferent")
    lm.lean = 0.0
    result = cp.measures.coreference_prompt(lm, OWN)
    assert result.items.right.tolist() == [0.5] * len(OWN)
    assert "right in 50 % of the sentences, where chance is 50 %" in result.warnings[0]
