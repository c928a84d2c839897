"""A probe's numbers are those of the Python call and of plain transformers, alone and among others."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import brute
import counterpoise as cp
import tiny
from counterpoise.core.errors import InputError
from counterpoise.models.fills import Fill
from counterpoise.text.gendered_versions import gendered_versions
from counterpoise.web.alignment import Token, align, parts_of
from counterpoise.web.limits import SENTENCE_TOKENS
from counterpoise.web.probing import ProbeInput, no_gendered_word, probe, probe_all
from counterpoise.web.rendering import verdict
from counterpoise.web.workers import load_to_probe

SENTENCES = [
    "He told his mother that the nurse was late.",
    "The phlebotomist said she would bring her sister.",
    "Nobody here has a gender.",
    "My father is a policeman, and his wife is a phlebotomist!",
]
SWAPPER = cp.text.Swapper()


@pytest.fixture(scope="module", params=["roberta", "gpt2", "modernbert", "xlm-roberta"])
def other(request, tmp_path_factory):
    return cp.load(tiny.save(request.param, tmp_path_factory.mktemp("tiny") / request.param), device="cpu")


def likelihoods(model, versions):
    return model.pseudo_log_likelihood(versions) if model.kind == "masked" else model.log_likelihood(versions)


@pytest.mark.slow
@pytest.mark.parametrize("sentence", SENTENCES)
def test_likelihoods_are_those_of_plain_transformers(builtin, sentence):
    both = gendered_versions(SWAPPER, sentence)
    found = probe(builtin, both)
    assert found.male == pytest.approx(brute.pseudo_log_likelihood(builtin, both.male), abs=1e-4)
    assert found.female == pytest.approx(brute.pseudo_log_likelihood(builtin, both.female), abs=1e-4)


@pytest.mark.slow
def test_numbers_are_those_of_the_python_call_alone_and_among_others(builtin):
    wanted = [ProbeInput(gendered_versions(SWAPPER, sentence)) for sentence in SENTENCES]
    for one, among_others in zip(wanted, probe_all(builtin, wanted), strict=True):
        expected = builtin.pseudo_log_likelihood([one.versions.male, one.versions.female])
        alone = probe(builtin, one.versions)
        assert [alone.male, alone.female] == pytest.approx(expected, abs=1e-9)
        # What other sentences are in the batch is seen in the last bits of float32.
        assert [among_others.male, among_others.female] == pytest.approx(expected, rel=2e-6)


def test_every_architecture_adds_up(other):
    for sentence in SENTENCES:
        both = gendered_versions(SWAPPER, sentence)
        found = probe(other, both)
        assert [found.male, found.female] == pytest.approx(
            likelihoods(other, [both.male, both.female]), abs=1e-4
        )
        assert sum(cell.difference for cell in found.tokens) == pytest.approx(found.difference, abs=1e-9)
        gendered = [(cell.male, cell.female) for cell in found.tokens if cell.is_gendered]
        assert gendered == [(place.male, place.female) for place in both.places]


def test_a_token_has_its_own_log_probability(builtin):
    both = gendered_versions(SWAPPER, "He is a nurse.")
    found = probe(builtin, both)
    [nurse] = [cell for cell in found.tokens if cell.male == "nurse"]
    token = builtin.tokenizer.convert_tokens_to_ids("nurse")
    assert nurse.male_log_prob == pytest.approx(
        brute.log_probability(builtin, "He is a [MASK].", token), abs=1e-4
    )
    assert nurse.female_log_prob == pytest.approx(
        brute.log_probability(builtin, "She is a [MASK].", token), abs=1e-4
    )


def test_fills_hide_all_gendered_words_at_once(builtin):
    found = probe(builtin, gendered_versions(SWAPPER, "He lost his keys."), fills=3)
    assert [place.word for place in found.fills] == ["he/she", "his/her"]
    for mask, place in enumerate(found.fills):
        assert len(place.fills) == 3
        for fill in place.fills:
            token = builtin.tokenizer.convert_tokens_to_ids(fill.word)
            expected = brute.log_probability(builtin, "[MASK] lost [MASK] keys.", token, mask)
            assert np.log(fill.probability) == pytest.approx(expected, abs=1e-4)
    assert builtin.fills(["[MASK] is here.", "A [MASK] and a [MASK]."]) == [
        approximately(builtin.fill("[MASK] is here.")),
        approximately(builtin.fill("A [MASK] and a [MASK].")),
    ]


def approximately(places):
    """Fills whose probabilities are compared to five digits."""
    return [
        [Fill(fill.word, pytest.approx(fill.probability, rel=1e-4)) for fill in place] for place in places
    ]


def test_a_causal_model_is_asked_for_both_words(tmp_path):
    model = cp.load(tiny.save("gpt2", tmp_path / "gpt2"), device="cpu")
    found = probe(model, gendered_versions(SWAPPER, "The nurse said that she was late."))
    [place] = found.fills
    expected = np.exp(model.next_log_probs(["The nurse said that "], ["he", "she"])[0])
    assert {fill.word: fill.probability for fill in place.fills} == pytest.approx(
        dict(zip(["he", "she"], expected, strict=True))
    )


def test_a_sentence_without_a_gendered_word_is_asked_for_its_next_word(tmp_path):
    model = cp.load(tiny.save("gpt2", tmp_path / "gpt2"), device="cpu")
    both = gendered_versions(SWAPPER, "The nurse said that")
    [place] = probe(model, both).fills
    expected = np.exp(model.next_log_probs(["The nurse said that "], ["he", "she", "they"])[0])
    assert {fill.word: fill.probability for fill in place.fills} == pytest.approx(
        dict(zip(["he", "she", "they"], expected, strict=True))
    )
    assert no_gendered_word(both).startswith("This sentence has no gendered word, so its male and female")
    assert "first names" not in no_gendered_word(both, names=True)
    assert no_gendered_word(gendered_versions(SWAPPER, "He left.")) == ""


@pytest.fixture(scope="module")
def classifier(tmp_path_factory):
    return cp.load(tiny.save("classifier", tmp_path_factory.mktemp("tiny") / "classifier"), device="cpu")


def test_a_classifier_rates_three_versions_as_plain_transformers_does(classifier):
    text = "He told his mother that the nurse was late."
    both, neutral = gendered_versions(SWAPPER, text), SWAPPER.swap(text, "remove")
    found = probe(classifier, both, neutral=neutral)
    batch = [classifier.tokenizer(one, return_tensors="pt") for one in (both.male, both.female, neutral)]
    with torch.no_grad():
        expected = [classifier.model(**one).logits.double().softmax(-1)[0, 1].item() for one in batch]
    assert [found.male, found.female, found.neutral] == pytest.approx(expected, abs=1e-6)
    assert found.difference == pytest.approx(expected[0] - expected[1], abs=1e-6)
    assert (found.kind, found.tokens, found.fills, found.is_probability) == ("classifier", (), (), True)
    assert verdict(found).startswith(
        f"The {'male' if found.difference > 0 else 'female'} version is rated higher"
    )


def test_a_neutral_version_without_words_has_no_rating(classifier):
    both = gendered_versions(SWAPPER, "She")
    found, other = probe_all(
        classifier, [ProbeInput(both, neutral=""), ProbeInput(both, neutral="One left.")]
    )
    assert found.neutral is None
    assert other.neutral == pytest.approx(float(classifier.rate(["One left."])[0]))


def test_scores_of_a_function_are_no_probabilities():
    shouting = cp.models.Classifier.of(lambda texts: [len(text) for text in texts], name="length")
    found = probe(shouting, gendered_versions(SWAPPER, "He left."), neutral="left.")
    assert (found.male, found.female, found.neutral, found.is_probability) == (8.0, 9.0, 5.0, False)
    assert verdict(found) == "The female version is rated higher than the male one, by 1.0."
    alike = probe(shouting, gendered_versions(SWAPPER, "It rains."), neutral="It rains.")
    assert verdict(alike) == "Both versions are rated alike."


def smollm2():
    """The GGUF file that COUNTERPOISE_SMOLLM2 names, or that of the data folder."""
    named, data = os.environ.get("COUNTERPOISE_SMOLLM2"), os.environ.get("COUNTERPOISE_DATA")
    files = [Path(named)] if named else sorted(Path(data, "smollm2").glob("*.gguf")) if data else []
    if not files:
        pytest.skip(
            "needs smollm2: COUNTERPOISE_SMOLLM2 names no file, and smollm2/*.gguf is not in the data folder"
        )
    pytest.importorskip("gguf", reason="needs smollm2: the package gguf is not installed")
    return files[0]


@pytest.mark.slow
def test_smollm2_is_asked_as_any_causal_model():
    model = load_to_probe(str(smollm2()), "cpu")
    both = gendered_versions(SWAPPER, "The nurse said that she was late.")
    found = probe(model, both)
    for text, likelihood in ((both.male, found.male), (both.female, found.female)):
        ids = torch.tensor([model.encode([text])[0].ids])
        with torch.no_grad():
            log_probs = model.model(ids).logits.double().log_softmax(-1)
        expected = log_probs[0, :-1].gather(1, ids[0, 1:, None]).sum().item()
        assert likelihood == pytest.approx(expected, abs=1e-2)
    assert sum(cell.difference for cell in found.tokens) == pytest.approx(found.difference)
    [place] = found.fills
    assert [fill.word for fill in place.fills] == ["she", "he"]  # what SmolLM2 expects of a nurse


def test_one_that_cannot_be_read_does_not_touch_the_others(builtin):
    bad = ["He [MASK] her.", "\u200b", "He left. " * 60]
    wanted = [ProbeInput(gendered_versions(SWAPPER, text)) for text in ["He left.", *bad, "She left."]]
    first, mask, empty, long, last = probe_all(builtin, wanted)
    assert str(mask) == "a sentence to score must have no mask in it"
    assert str(empty) == "the text is empty"
    assert f"tokens and a probe takes {SENTENCE_TOKENS}" in str(long)
    assert first.male == pytest.approx(last.male, abs=1e-5)
    with pytest.raises(InputError, match="no mask"):
        probe(builtin, wanted[1].versions)


@given(
    st.lists(st.sampled_from(["He", "she", "her", "nurse", "mother", ",", "s/he", "Mr.", "x"]), max_size=12)
)
@settings(max_examples=100, deadline=None)
def test_the_cells_of_any_sentence_hold_every_token_once(words):
    both = gendered_versions(SWAPPER, " ".join(words))

    def tokens(text, weight):
        """A token per character: each has a weight of its own, so that none can be lost unseen."""
        return [Token(i, i + 1, one, weight * (i + 1)) for i, one in enumerate(text) if not one.isspace()]

    male, female = tokens(both.male, 1.0), tokens(both.female, 1000.0)
    cells = align(parts_of(both), male, female)
    assert sum(cell.male_log_prob for cell in cells) == sum(token.log_prob for token in male)
    assert sum(cell.female_log_prob for cell in cells) == sum(token.log_prob for token in female)
    assert "".join(cell.male for cell in cells) == "".join(both.male.split())
    assert "".join(cell.female for cell in cells) == "".join(both.female.split())
