"""WEAT on contextual vectors, worked out a second time with plain transformers."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import torch

import counterpoise as cp
from counterpoise.core.errors import DataError

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def encoder():
    return cp.load(kind="encoder")


def vector(encoder, text, word):
    """The first piece of a word in a text."""
    ids = encoder.tokenizer(text)["input_ids"]
    piece = encoder.tokenizer(word, add_special_tokens=False)["input_ids"][0]
    with torch.no_grad():
        hidden = encoder.model(torch.tensor([ids])).last_hidden_state[0].double().numpy()
    found = hidden[ids.index(piece)]
    return found / np.linalg.norm(found)


def test_career_and_family_as_published(encoder):
    """Names and words in small letters, the other slot masked, no full stop; d over names; p over all splits."""
    [row] = cp.measures.weat_contextual(
        encoder, cp.data.weat(["weat6"]), variant="published"
    ).summary.itertuples()
    [test] = cp.data.weat(["weat6"]).tests
    verbs = ["likes", "like", "is interested in"]
    x, y = (
        [[vector(encoder, f"{w.lower()} {verb} [MASK]", w.lower()) for verb in verbs] for w in one.words]
        for one in (test.x, test.y)
    )
    a, b = (
        [vector(encoder, f"[MASK] {verb} {word}", word) for word in one.words for verb in verbs]
        for one in (test.a, test.b)
    )
    s = [np.mean([u @ v for u in w for v in a]) - np.mean([u @ v for u in w for v in b]) for w in [*x, *y]]
    assert row.value == pytest.approx((np.mean(s[:8]) - np.mean(s[8:])) / np.std(s, ddof=1), abs=1e-5)
    observed, s = abs(np.mean(s[:8]) - np.mean(s[8:])), np.array(s)
    sums = np.array([s[list(chosen)].sum() for chosen in combinations(range(16), 8)])
    assert row.p_value == np.mean(np.abs(sums / 8 - (s.sum() - sums) / 8) > observed + 1e-12)


def test_the_words_that_the_paper_has(encoder):
    """Nine flowers, nine insects and five names of each kind are in BERT's vocabulary; the longer lists are cut."""
    tests = cp.data.weat(["weat1", "weat4"])
    result = cp.measures.weat_contextual(encoder, tests, variant="published")

    def words(test, role):
        chosen = result.items[(result.items.test == test) & (result.items.role == role)]
        return chosen.word.unique().tolist()

    assert words("weat1", "X") == [
        "clover",
        "poppy",
        "iris",
        "orchid",
        "rose",
        "daisy",
        "lily",
        "violet",
        "magnolia",
    ]
    assert words("weat1", "Y") == [
        "ant",
        "flea",
        "spider",
        "fly",
        "bee",
        "mosquito",
        "beetle",
        "cricket",
        "hornet",
    ]
    [flowers, names] = cp.data.weat(["kurita_flowers", "kurita_names"]).tests
    assert words("weat1", "X") == list(flowers.x.words)
    assert words("weat1", "Y") == list(flowers.y.words)
    assert words("weat4", "Y") == [word.lower() for word in names.y.words]
    assert words("weat4", "X") == ["brad", "brendan", "geoffrey", "greg", "brett"]
    assert sorted(words("weat4", "Y")) == ["ebony", "jamal", "kenya", "leroy", "tyrone"]
    assert result.summary.value.notna().all()
    assert {"aster", "centipede", "locust"} <= set(result.skipped.item)


def test_as_published_the_words_are_those_of_the_authors_code(encoder):
    """Novels and sculptures, experiments; all of them one piece, so that nothing is cut."""
    result = cp.measures.weat_contextual(encoder, variant="published")
    tests = result.items.test.unique().tolist()
    assert tests == ["weat6", "kurita_math", "kurita_science"]
    assert {"novels", "sculptures", "experiments", "einstein"} <= set(result.items.word)
    assert result.skipped.empty
    assert result.summary.clusters.tolist() == [16, 16, 16]
    assert result.items.text[result.items.word == "novels"].iloc[0] == "[MASK] likes novels"


def test_texts(encoder):
    """In tests 7 and 8 the targets are what is liked. Sentences begin with a capital letter."""
    items = cp.measures.weat_contextual(encoder).items
    texts = items.drop_duplicates(["test", "role"]).set_index(["test", "role"]).text
    assert texts["weat6", "X"] == "John likes [MASK]."
    assert texts["weat6", "B"] == "[MASK] likes home."
    assert texts["weat7", "X"] == "[MASK] likes math."
    assert texts["weat8", "A"] == "Brother likes [MASK]."
    assert set(items.form[items.word == "he"]) == {"He"}
    own = cp.data.WordTest.of("own", ["he"], ["she"], ["math"], ["art"])
    texts = cp.measures.weat_contextual(encoder, own).items.text.tolist()
    assert texts[:2] == ["He are [MASK].", "He is [MASK]."]


def test_words_of_several_pieces_are_kept(encoder):
    tests = cp.data.weat(["weat1"])
    result = cp.measures.weat_contextual(encoder, tests)
    assert result.skipped.empty
    assert result.summary.clusters.tolist() == [50]


def test_a_model_without_a_mask(encoder):
    import copy

    tokenizer = copy.deepcopy(encoder.tokenizer)
    tokenizer.mask_token = None
    maskless = cp.models.Encoder(encoder.model, tokenizer, name="maskless")
    with pytest.raises(DataError, match="needs a model with a mask, and maskless has none"):
        cp.measures.weat_contextual(maskless)


def test_lost_sets_say_so_unless_allowed(encoder):
    [test] = cp.data.weat(["weat6"]).tests
    snow = replace(test, x=replace(test.x, words=("☃", "☂", *test.x.words[:6])))
    result = cp.measures.weat_contextual(encoder, snow)
    assert result.summary.note[0] == "2 of the 8 words of 'male names' are lost, more than a fifth"
    assert cp.measures.weat_contextual(encoder, snow, allow_lost=True).summary.value.notna().all()
