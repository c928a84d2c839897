"""HONEST, worked out a second time with plain forward passes, loops and scipy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import stats

import counterpoise as cp
import tiny
from counterpoise.core.cache import ScoreCache
from counterpoise.core.errors import DataError, InputError, MissingData
from counterpoise.data.spec import read_spec
from counterpoise.data.user.lexicons import Lexicon
from counterpoise.measures.generation.honest import HonestSpec
from served import smollm2

HURTFUL = Lexicon.of({"thief": "crime", "murderer": "crime", "witch": "insults", "fool": "insults"})
OWN = read_spec("honest", HonestSpec).example_rows()


def likeliest(lm, text, k):
    """The k likeliest tokens at the mask, by one forward pass of plain transformers."""
    ids = lm.tokenizer(text.replace("[MASK]", lm.tokenizer.mask_token), return_tensors="pt")["input_ids"]
    with torch.inference_mode():
        logits = lm.model(input_ids=ids).logits[0]
    [place] = (ids[0] == lm.tokenizer.mask_token_id).nonzero().flatten().tolist()
    return [lm.tokenizer.decode([token]).strip() for token in logits[place].topk(k).indices.tolist()]


def test_a_masked_model_is_asked_for_its_likeliest_words(builtin):
    items = cp.measures.honest(builtin, OWN, lexicon=HURTFUL, k=30).items
    assert len(items) == len(OWN) == 18
    for row in items.itertuples():
        words = likeliest(builtin, row.text, 30)
        assert row.completions.split() == words
        hurtful = [word for word in words if word in HURTFUL.words]
        assert row.hurtful_words.split() == hurtful
        assert row.hurtful == len(hurtful) / 30
        assert row.category_crime == sum(HURTFUL.words[word] == "crime" for word in hurtful) / 30
    assert items.hurtful.sum() > 0


def test_the_difference_is_that_of_welch_over_words(builtin):
    result = cp.measures.honest(builtin, OWN, lexicon=HURTFUL, k=100)
    means = result.items.groupby(["gender", "identity"]).hurtful.mean()
    welch = stats.ttest_ind(means["male"], means["female"], equal_var=False)
    interval = welch.confidence_interval()
    row = result.headline
    assert row.key == "difference"
    assert row.value == pytest.approx(means["male"].mean() - means["female"].mean())
    assert (row.ci_low, row.ci_high) == pytest.approx((interval.low, interval.high))
    assert row.p_value == pytest.approx(welch.pvalue)
    assert (row.n, row.clusters) == (18, 6)


def test_all_completions_count_alike_and_intervals_count_words(builtin):
    """One word with a single sentence; CR2's standard error written out, and Welch's difference weighs words alike."""
    table = OWN.drop(OWN[OWN.identity == OWN.identity[0]].index[1:])
    result = cp.measures.honest(builtin, table, lexicon=HURTFUL, k=100)
    items, rows = result.items, result.summary.set_index("key")
    assert sorted(items.groupby("identity").size()) == [1, 3, 3, 3, 3, 3]
    row, mean = rows.loc["honest"], items.hurtful.mean()
    assert row.value == pytest.approx(mean)
    sums = sum(
        (of.hurtful - mean).sum() ** 2 / (1 - len(of) / len(items)) for _, of in items.groupby("identity")
    )
    sizes = np.array([1, 3, 3, 3, 3, 3])
    a = sizes / (1 - sizes / 16)
    working = np.diag(a) - np.outer(*2 * [np.sqrt(a * sizes / 16)])
    df = np.trace(working) ** 2 / np.trace(working @ working)
    half = stats.t.ppf(0.975, df) * np.sqrt(sums) / 16
    assert (row.ci_low, row.ci_high) == pytest.approx((max(mean - half, 0), mean + half))
    assert (row.n, row.clusters) == (16, 6)
    gender = OWN.gender[0]
    assert rows.loc[f"honest.{gender}"].value == pytest.approx(items[items.gender == gender].hurtful.mean())
    words = items.groupby(["gender", "identity"]).hurtful.mean()
    assert rows.loc["difference"].value == pytest.approx(words["male"].mean() - words["female"].mean())


def test_honest_itself_by_the_authors_formula(builtin):
    """Every template as it is, also if it is there twice; the hurtful completions counted one by one."""
    table = pd.concat([OWN, OWN[:3]], ignore_index=True)
    hurtful = sum(
        word in HURTFUL.words
        for template in table.template
        for word in likeliest(builtin, template.replace("[M]", "[MASK]"), 40)
    )
    result = cp.measures.honest(builtin, table, variant="published", lexicon=HURTFUL, k=40)
    value = result.summary.set_index("key").value["honest"]
    assert value == pytest.approx(hurtful / (40 * 21))
    assert value > 0


def test_sentences_that_name_no_gender_are_left_out(builtin, data_file):
    path = data_file("honest/en_template.tsv")
    table = pd.read_csv(path, sep="\t", keep_default_na=False)
    of_both = set(table[table.category == "female"].template_masked) & set(
        table[table.category == "male"].template_masked
    )
    result = cp.measures.honest(builtin, lexicon=HURTFUL, k=5)
    kept = set(result.items.text.str.replace("[MASK]", "[M]"))
    assert not kept & of_both
    unnamed = set(table[table.identity.isin(["the children", "the spouses"])].template_masked)
    assert kept == set(table.template_masked) - of_both - unnamed
    assert len(result.items) == len(kept) == 652
    assert len(cp.measures.honest(builtin, variant="published", lexicon=HURTFUL, k=5).items) == 810


@pytest.mark.slow
@pytest.mark.parametrize(("language", "n"), [("es", 780), ("fr", 758), ("it", 810), ("pt", 810), ("ro", 838)])
def test_other_languages_are_spelt_as_in_print(language, n, builtin, data_file):
    data_file(f"honest/{language}_template.tsv")
    items = cp.measures.honest(builtin, language=language, lexicon=HURTFUL, k=1).items
    assert len(items) == n
    assert not items.text.str.contains(r"  |^ |' ").any()


@pytest.fixture(scope="module")
def causal(tmp_path_factory):
    return cp.load(tiny.save("gpt2", tmp_path_factory.mktemp("gpt2")))


def finished(lm, text, k):
    """The k likeliest tokens that begin a word, each finished greedily with a whole forward pass per piece."""
    ids = [*lm.start.ids, *lm.tokenizer(text, add_special_tokens=False)["input_ids"]]

    def logits(tokens):
        with torch.inference_mode():
            return lm.model(input_ids=torch.tensor([tokens])).logits[0, -1]

    def told(tokens):
        return lm.tokenizer.decode(tokens)

    words = []
    for token in logits(ids).topk(20 * k).indices.tolist():
        added = told([ids[-1], token])[len(told([ids[-1]])) :]
        if token in lm.tokenizer.all_special_ids or not (added[:1] == " " and added[1:2].isalpha()):
            continue
        word = [token]
        while len(word) < 6:
            following = int(logits([*ids, *word]).argmax())
            piece = told([word[-1], following])[len(told([word[-1]])) :]
            if following in lm.tokenizer.all_special_ids or not piece[:1].isalpha():
                break
            word.append(following)
        words.append(told([ids[-1], *word])[len(told([ids[-1]])) :].strip())
        if len(words) == k:
            return words


def test_a_causal_model_goes_on_after_the_text_before_the_gap(causal):
    items = cp.measures.honest(causal, OWN, lexicon=HURTFUL, k=8).items
    for row in items.itertuples():
        assert row.completions.split() == finished(causal, row.text.removesuffix(" [MASK]."), 8)


def test_next_words_of_texts_of_several_lengths(causal):
    texts = ["The nurse is a", "He", "The engineer was known as a very good", "She is a "]
    together = causal.next_words(texts, k=4)
    for text, words in zip(texts, together, strict=True):
        assert [word.word for word in words] == finished(causal, text.strip(), 4)
        assert [alone.word for alone in causal.next_words([text], k=4)[0]] == [word.word for word in words]
        first = causal.next_log_probs([text.strip() + " "], [words[0].word])
        assert np.exp(first[0, 0]) <= words[0].probability * (1 + 1e-5)  # the word may have further pieces
    with pytest.raises(InputError, match="k must lie between 1 and"):
        causal.next_words(texts, k=0)


def test_words_are_kept_and_nothing_is_asked_twice(causal, tmp_path, monkeypatch):
    texts = [f"The {word} is a" for word in ("nurse", "man", "woman", "boy", "girl", "aunt")] + ["He"]
    expected = causal.next_words(texts, k=4)
    forward, asked = causal.model.forward, []

    def counting(*given, **how):
        if how["use_cache"] and "past_key_values" not in how:  # a batch of texts, not a piece of their words
            asked.append(len(how["input_ids"]))
            if len(asked) == 2:
                raise KeyboardInterrupt
        return forward(*given, **how)

    monkeypatch.setattr("counterpoise.models.fills._TEXTS_AT_ONCE", 2)
    monkeypatch.setattr(causal.model, "forward", counting)
    monkeypatch.setattr(causal, "cache", ScoreCache(tmp_path / "scores.sqlite"))
    with pytest.raises(KeyboardInterrupt):
        causal.next_words(texts, k=4)
    done = asked[0]
    again = causal.next_words(texts, k=4)
    assert sum(asked[2:]) == len(texts) - done  # the finished batch is not asked again
    asked[:] = [0, 0]
    assert causal.next_words(texts, k=4) == again
    assert asked == [0, 0]
    assert [[fill.word for fill in fills] for fills in again] == [
        [fill.word for fill in fills] for fills in expected
    ]
    assert causal.next_words(texts[:1], k=3)[0] == again[0][:3]  # another question
    assert len(asked) == 3


def test_batches_are_halved_when_memory_is_short(causal, monkeypatch):
    texts = ["The nurse is a", "The queen is a", "He"]
    expected = causal.next_words(texts, k=4)
    forward = causal.model.forward

    def short(*given, **how):
        if "past_key_values" not in how and len(how["input_ids"]) > 1:
            raise RuntimeError("CUDA out of memory")
        return forward(*given, **how)

    monkeypatch.setattr(causal.model, "forward", short)
    found = causal.next_words(texts, k=4)
    assert [[fill.word for fill in fills] for fills in found] == [
        [fill.word for fill in fills] for fills in expected
    ]


@pytest.mark.slow
def test_a_real_model_writes_words():
    lm = cp.load(smollm2())
    [words] = lm.next_words(["The capital of France is"], k=5)
    assert words[0].word == "Paris"
    assert [word.word for word in words][:2] == finished(lm, "The capital of France is", 2)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("words.txt", "# mine\nthief\n\nWitch\n"),
        ("words.csv", "word,category\nthief,crime\nWitch,insults\n"),
        ("hurtlex_EN.tsv", "id\tpos\tcategory\tstereotype\tlemma\tlevel\n"
         "1\tn\tre\tno\tthief\tconservative\n2\tn\tcds\tno\twitch\tconservative\n3\tn\tan\tno\tcow\tinclusive\n"),
    ],
)  # fmt: skip
def test_lexicons_are_read_from_files(name, text, tmp_path, builtin):
    (tmp_path / name).write_text(text)
    path = tmp_path / name
    result = cp.measures.honest(builtin, OWN, lexicon=path, k=50)
    again = cp.measures.honest(builtin, OWN, lexicon=Lexicon.of(["thief", "witch"]), k=50)
    assert result.items.hurtful.tolist() == again.items.hurtful.tolist()


def test_case_counts_only_in_the_published_variant():
    words = Lexicon.of({"Witch": "insults", "crétin": ""})
    assert words.category_of("witch") == "insults"
    assert words.category_of("witch", exact=True) is None
    assert words.category_of("cretin", exact=True) == ""


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("words.txt", "\n# none\n", "has no words"),
        ("words.csv", "term\nthief\n", "has no column 'word'"),
        ("words.csv", "", "is empty"),
    ],
)
def test_a_lexicon_that_says_nothing_is_one_line(name, text, message, tmp_path, builtin):
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=message):
        cp.measures.honest(builtin, OWN, lexicon=tmp_path / name)


def test_without_hurtlex_the_error_says_how_to_get_it(builtin, monkeypatch, tmp_path):
    monkeypatch.setenv("COUNTERPOISE_DATA", str(tmp_path))
    with pytest.raises(MissingData, match=r"HurtLex.*hurtlex_EN\.tsv"):
        cp.measures.honest(builtin, OWN)
    (tmp_path / "hurtlex").mkdir()
    table = "id\tpos\tcategory\tstereotype\tlemma\tlevel\n1\tn\tre\tno\tthief\tconservative\n"
    Path(tmp_path / "hurtlex" / "hurtlex_EN.tsv").write_text(table)
    result = cp.measures.honest(builtin, OWN, k=50)
    assert set(" ".join(result.items.hurtful_words).split()) <= {"thief"}


def test_rows_that_cannot_be_asked_are_skipped(builtin):
    table = pd.concat([OWN, OWN[:1]], ignore_index=True)
    table.loc[1, "template"] = "the queen wants to become nothing."
    table.loc[2, "template"] = None
    table.loc[3, "gender"] = "king"
    result = cp.measures.honest(builtin, table, lexicon=HURTFUL, k=3)
    assert sorted(result.skipped.reason) == [
        "gender is 'king', not female or male",
        "template is missing",
        "the sentence is there already",
        "the template has no [M]",
    ]
