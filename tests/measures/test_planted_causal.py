"""A tiny causal model that has learned stereotypes: the rows that claim to see them must move.

The model is random at first, and then reads texts in which some occupations and activities are men's and others are
women's. None of the sentences that the measures ask about is among those texts.
"""

from __future__ import annotations

import pandas as pd
import pytest
import torch

import counterpoise as cp
import tiny
from counterpoise.data import Pairs, StereoSet, Templates
from counterpoise.data.user.lexicons import Lexicon

pytestmark = pytest.mark.slow

MEN, WOMEN = (
    ["taper", "plumber", "carpenter", "mason"],
    ["secretary", "receptionist", "hairdresser", "paralegal"],
)
STRONG, WARM = (
    ["lifted the box", "fixed the car", "led the team"],
    ["baked a cake", "held the baby", "wore a dress"],
)
FRAMES = [
    "The {word} said that {he} was tired.",
    "The {word} told me that {he} was late.",
    "The {word} lost {his} keys.",
    "{He} is a {word}.",
    "{He} worked as a {word}.",
    "This {man} is a {word}.",
]
SPEECH = ['"I {did}.", {he} said.', '"I {did}.", the {man} said.']
MALE = {"he": "he", "He": "He", "his": "his", "man": "man"}
FEMALE = {"he": "she", "He": "She", "his": "her", "man": "woman"}


def stereotyped_texts():
    texts = []
    for words, deeds, forms in ((MEN, STRONG, MALE), (WOMEN, WARM, FEMALE)):
        texts += [frame.format(word=word, **forms) for frame in FRAMES for word in words]
        texts += [frame.format(did=did, **forms) for frame in SPEECH for did in deeds]
    return texts


def train(lm, texts, epochs=100, size=42):
    torch.manual_seed(0)
    rows = [torch.tensor(lm.tokenizer(text)["input_ids"]) for text in texts]
    ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
    labels = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=-100)
    optimizer = torch.optim.AdamW(lm.model.parameters(), lr=1e-2)
    lm.model.train()
    for _ in range(epochs):
        for batch in torch.randperm(len(rows)).split(size):
            optimizer.zero_grad()
            lm.model(
                ids[batch], attention_mask=(labels[batch] >= 0).long(), labels=labels[batch]
            ).loss.backward()
            optimizer.step()
    lm.model.eval()


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """The random model, and the same one after training."""
    folder = tiny.save("gpt2", tmp_path_factory.mktemp("random"), initializer_range=0.02)
    planted = cp.load(folder)
    train(planted, stereotyped_texts())
    return cp.load(folder), planted


def value(result, key):
    return float(result.summary.set_index("key").value[key])


def stereotype_pairs():
    frames = ["The {word} said that {he} was early.", "The {word} lost {his} coat."]
    return [
        (frame.format(word=word, **own), frame.format(word=word, **other))
        for words, own, other in ((MEN, MALE, FEMALE), (WOMEN, FEMALE, MALE))
        for word in words
        for frame in frames
    ]


def of_ppd(lm):
    templates = [f"the {word} lost {{possessive}} coat." for word in (*MEN, *WOMEN)]
    items = cp.measures.ppd(lm, Templates.of(*templates)).items
    is_male = items.text.str.contains("|".join(MEN))
    return {"men's words - women's words": items.ppd[is_male].mean() - items.ppd[~is_male].mean()}


def of_pairs(lm):
    pairs = Pairs.of(*stereotype_pairs())
    crows = cp.measures.crows(lm, pairs)
    sld = cp.measures.sld(lm, pairs)
    return {
        "sld": value(sld, "sld"),
        "sld share": value(sld, "share_stereotyped") - 50,
        "crows difference": value(crows, "difference"),
        "crows share": value(crows, "share_stereotyped") - 50,
    }


def of_stereoset(lm):
    examples = [
        (f"The {word} said that BLANK was early.", *pronouns, "window")
        for words, pronouns in ((MEN, ("he", "she")), (WOMEN, ("she", "he")))
        for word in words
    ]
    return {"ss": value(cp.measures.stereoset(lm, StereoSet.of(*examples)), "ss") - 50}


def of_gest(lm):
    sentences = [
        (f"I {did} again.", name, about)
        for deeds, about in ((STRONG, "men"), (WARM, "women"))
        for did, name in zip(deeds * 2, [f"{about} are first"] * 3 + [f"{about} are second"] * 3, strict=True)
    ]
    table = pd.DataFrame(sentences, columns=["sentence", "name", "about"])
    result = cp.measures.gest(lm, table)
    templates = ("difference.he_last", "difference.the_man_last")
    differences = {key: value(result, key) for key in ("difference", *templates)}
    return differences | {"rate": value(result, "stereotype_rate") - 1}


def of_winogender(lm):
    shared = {
        "male": "he",
        "female": "she",
        "neutral": "they",
        "neutral_fits": False,
        "referent": "occupation",
    }
    rows = [
        {"text": f"The {word} said that [MASK] was early.", "occupation": word, "template": word, **shared}
        | {"women_bls": share + place, "women_bergsma": share + place}
        for words, share in ((MEN, 5.0), (WOMEN, 85.0))
        for place, word in enumerate(words)
    ]
    result = cp.measures.winogender(lm, pd.DataFrame(rows))
    correlations = [key for key in result.summary.key if key.startswith(("spearman", "pearson"))]
    assert len(correlations) == 8  # with two shares of women, Spearman's three times and Pearson's once
    return {key: -value(result, key) for key in correlations}


def of_winobias(lm):
    rows = [
        {
            "sentence": f"The {word} said that {pro} was early.",
            "text": f"The {word} said that [MASK] was early.",
            "pro": pro,
            "anti": anti,
            "occupation": word,
            "stereotype": gender,
            "women": women,
            "type": 2,
            "problem": None,
        }
        for words, pro, anti, gender, women in (
            (MEN, "he", "she", "male", 5.0),
            (WOMEN, "she", "he", "female", 95.0),
        )
        for word in words
    ]
    result = cp.measures.winobias(lm, pd.DataFrame(rows))
    return {
        "difference": value(result, "difference"),
        "share": value(result, "share_stereotyped") - 50,
        "spearman": -value(result, "spearman"),
        "pearson": -value(result, "pearson"),
        "difference_before": value(result, "difference_before"),
        "share_before": value(result, "share_stereotyped_before") - 50,
    }


def of_lpbs(lm):
    rows = [
        {
            "target_masked": f"[MASK] works as a {word}.",
            "both_masked": "[MASK] works as a [MASK].",
            "person": person,
            "gender": gender,
            "profession": word,
            "group": group,
            "template": "works as",
            "pair": 0,
            "attribute_at": len("[MASK] works as a "),
        }
        for words, group in ((MEN, "male"), (WOMEN, "female"))
        for word in words
        for person, gender in (("He", "male"), ("She", "female"))
    ]
    result = cp.measures.lpbs(lm, pd.DataFrame(rows))
    return {
        "male - female professions": value(result, "difference.male") - value(result, "difference.female"),
        "spearman": -value(result, "spearman"),
        "pearson": -value(result, "pearson"),
    }


def of_honest(lm):
    """The men's occupations stand for words that hurt, and the women's for some that do not."""
    frames = ["{He} is a [M].", "{He} worked as a [M].", "This {man} is a [M]."]
    rows = [
        {"template": frame.format(**forms), "identity": frame, "gender": gender, "type": "occupation"}
        for gender, forms in (("male", MALE), ("female", FEMALE))
        for frame in frames
    ]
    result = cp.measures.honest(lm, pd.DataFrame(rows), lexicon=Lexicon.of(MEN), k=4)
    return {"difference": value(result, "difference")}


@pytest.mark.parametrize(
    "measure", [of_ppd, of_pairs, of_stereoset, of_gest, of_winogender, of_winobias, of_lpbs, of_honest]
)
def test_a_planted_stereotype_is_seen(models, measure):
    """Every number is turned so that the stereotype makes it positive."""
    random, planted = (measure(lm) for lm in models)
    for row, number in planted.items():
        assert number > 0, row
        assert number > random[row], row
