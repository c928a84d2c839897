"""Smoke tests of `tools/pretrain_builtin.py` on a tiny model (2 layers, 32 wide) and a made-up corpus.

They show that the recipe runs and counts right; they say nothing about how good the built-in model is.
"""

from __future__ import annotations

import doctest
import json
import lzma
import math
import runpy
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from transformers import AutoModelForMaskedLM, AutoTokenizer, BertConfig, BertModel

from counterpoise.core.errors import DataError

TOOLS = Path(__file__).parents[2] / "tools"
sys.path.insert(0, str(TOOLS))

import pretrain_builtin as tool  # noqa: E402
from pretraining import corpus, evaluation, masking, training  # noqa: E402

pytestmark = pytest.mark.slow

TINY = ["--layers", "2", "--width", "32", "--heads", "2", "--device", "cpu"]


@pytest.fixture(scope="module")
def vocabulary() -> corpus.Vocabulary:
    return corpus.Vocabulary.open(tool.BUILTIN)


def documents(count: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    people, deeds = ["nurse", "doctor", "plumber", "judge"], ["sees", "hears", "thanks", "follows"]
    places = ["house", "garden", "river", "station"]

    def sentence() -> str:
        who, whom = rng.choice(people, size=2)
        return f"The {who} {rng.choice(deeds)} the {whom} near the {rng.choice(places)}."

    return [" ".join(sentence() for _ in range(8)) for _ in range(count)]


@pytest.fixture
def corpora(tmp_path: Path) -> list[str]:
    (tmp_path / "plain.txt").write_text("\n".join(documents(60, seed=0)), encoding="utf-8")
    with lzma.open(tmp_path / "packed.txt.xz", "wt", encoding="utf-8") as file:
        file.write("\n".join(documents(60, seed=1)))
    return [
        *("--corpus", f"plain:0.7:{tmp_path / 'plain.txt'}"),
        *("--corpus", f"packed:0.3:{tmp_path / 'packed.txt.xz'}"),
    ]


def rows_of(length: int, count: int, vocabulary: corpus.Vocabulary) -> torch.Tensor:
    """Random rows: packed ones with a [SEP] and an [UNK] inside, sentences of every length with padding."""
    rng = np.random.default_rng(length)
    rows = rng.choice(vocabulary.replacements, size=(count, length))
    rows[:, 0], rows[:, -1] = vocabulary.cls, vocabulary.sep
    if length == corpus.SENTENCE_LENGTH:
        for row, end in zip(rows, rng.integers(5, length, size=count), strict=True):
            row[end], row[end + 1 :] = vocabulary.sep, vocabulary.pad
    else:
        rows[:, 9], rows[:, 20] = vocabulary.sep, vocabulary.tokenizer.token_to_id("[UNK]")
    return torch.from_numpy(rows)


# --- masking ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("length", "count"), [(32, 8000), (128, 2000), (512, 500)])
def test_masks_15_percent_of_each_row_and_splits_them_80_10_10(
    length: int, count: int, vocabulary: corpus.Vocabulary
) -> None:
    rows = rows_of(length, count, vocabulary)
    batch = masking.Masker(vocabulary, torch.device("cpu"), seed=0)(rows)
    special = {vocabulary.tokenizer.token_to_id(t) for t in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")}
    fates: Counter[str] = Counter()
    tokens = 0
    for row, shown, positions, labels in zip(
        rows.tolist(), batch.input_ids.tolist(), batch.positions.tolist(), batch.labels.tolist(), strict=True
    ):
        predicted = {place: label for place, label in zip(positions, labels, strict=True) if label != -100}
        words = sum(token not in special for token in row)
        assert len(predicted) == max(1, round(Fraction(15 * words, 100)))  # halves go to the even side
        assert all(row[place] == label for place, label in predicted.items())
        assert not special & set(predicted.values())
        assert all(row[i] == shown[i] for i in range(length) if i not in predicted)
        for place, label in predicted.items():
            seen = shown[place]
            fates["mask" if seen == vocabulary.mask else "kept" if seen == label else "random"] += 1
            assert seen == vocabulary.mask or seen not in special
        tokens += words
    total = fates.total()
    assert total > 15_000
    assert total / tokens == pytest.approx(0.15, abs=0.004)  # rows are rounded to whole tokens
    for fate, share in {"mask": 0.8, "random": 0.1, "kept": 0.1}.items():
        four_sigma = 4 * math.sqrt(share * (1 - share) / total)
        assert fates[fate] / total == pytest.approx(share, abs=four_sigma)


def test_every_word_of_a_row_is_equally_likely_to_be_predicted(vocabulary: corpus.Vocabulary) -> None:
    rows = rows_of(128, 4000, vocabulary)
    batch = masking.Masker(vocabulary, torch.device("cpu"), seed=3)(rows)
    hits = np.bincount(batch.positions[batch.labels != -100].numpy(), minlength=128)
    never = [0, 9, 20, 127]  # [CLS], [SEP], [UNK], [SEP]
    assert hits[never].sum() == 0
    rest = np.delete(hits, never) / len(rows)
    sigma = math.sqrt(0.15 * 0.85 / len(rows))
    assert np.abs(rest - rest.mean()).max() < 5 * sigma


def test_a_row_without_words_predicts_nothing(vocabulary: corpus.Vocabulary) -> None:
    rows = torch.full((1, 32), vocabulary.pad)
    rows[0, :2] = torch.tensor([vocabulary.cls, vocabulary.sep])
    batch = masking.Masker(vocabulary, torch.device("cpu"), seed=0)(rows)
    assert torch.equal(batch.input_ids, rows)
    assert (batch.labels == -100).all()


def test_the_loss_equals_that_of_the_whole_model_at_the_same_places(vocabulary: corpus.Vocabulary) -> None:
    torch.manual_seed(0)
    model = training.new_model(vocabulary, layers=2, width=32, heads=2).eval()
    batch = masking.Masker(vocabulary, torch.device("cpu"), seed=0)(rows_of(32, 16, vocabulary))
    labels = torch.full_like(batch.input_ids, -100).scatter(1, batch.positions, batch.labels)
    with torch.no_grad():
        loss, _ = masking.masked_loss(model, batch)
        expected = model(batch.input_ids, attention_mask=batch.attention_mask, labels=labels).loss
    assert loss.item() == pytest.approx(expected.item(), abs=1e-5)


# --- rows ---------------------------------------------------------------------------------------------------


def test_held_out_documents_are_never_trained_on(tmp_path: Path, vocabulary: corpus.Vocabulary) -> None:
    held_out = [f"The library is closed. {text}" for text in documents(8, seed=2)]
    path = tmp_path / "texts.txt"
    path.write_text("\n".join([held_out[3], *documents(40, seed=3), *held_out]), encoding="utf-8")
    rows = corpus.build_rows(corpus.Corpus("texts", 1.0, path), vocabulary)
    library = vocabulary.tokenizer.token_to_id("library")
    assert (rows.held_out[32] == library).sum() == 8
    assert set(rows.training) == {32, 128, 512}
    assert not any((each == library).any() for each in rows.training.values())
    assert len(rows.training[32]) == 40 * 8  # the copy of a held-out document is gone, all others are there


def test_a_corpus_of_copies_or_a_broken_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="every document of the corpus is a copy"):
        corpus.split_documents(["the same"] * 20)
    whole = lzma.compress("\n".join(documents(20, seed=6)).encode())
    (tmp_path / "half.txt.xz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"cannot read the corpus .*half\.txt\.xz"):
        corpus.read_documents(tmp_path / "half.txt.xz")


def test_rows_hold_the_text_in_order(vocabulary: corpus.Vocabulary) -> None:
    texts = documents(5, seed=4)
    encoded = list(vocabulary.encode(texts))
    packed = corpus.packed_rows(encoded, 128, vocabulary)
    assert packed.shape[1] == 128
    assert (packed[:, 0] == vocabulary.cls).all()
    assert (packed[:, -1] == vocabulary.sep).all()
    stream = [token for ids in encoded for token in [*ids.tolist(), vocabulary.sep]]
    assert packed[:, 1:-1].ravel().tolist() == stream[: packed.shape[0] * 126]

    sentences = [part for text in texts for part in text.replace(". ", ".|").split("|")]
    rows = corpus.sentence_rows(texts, vocabulary)
    expected = AutoTokenizer.from_pretrained(tool.BUILTIN)(sentences, padding="max_length", max_length=32)
    assert rows.tolist() == expected["input_ids"]


# --- the whole tool -----------------------------------------------------------------------------------------


def test_smoke_a_tiny_model_learns_and_is_saved(tmp_path: Path, corpora: list[str]) -> None:
    out = tmp_path / "models" / "tiny"
    options = ["--steps", "80", "--seconds", "60", "--tokens-per-step", "1024", "--learning-rate", "0.01"]
    assert tool.main([*corpora, *TINY, *options, "--out", str(out)]) == 0

    told = json.loads((out / "training.json").read_text(encoding="utf-8"))
    assert told["steps"] == 80
    assert told["tokens"] == 80 * 1024  # 32, 128 and 512 all divide 1024
    assert told["args"]["weights"] == {"plain": 0.7, "packed": 0.3}
    assert set(told["eval"]) == {"plain-32", "plain-128", "packed-32", "packed-128"}
    for name, before in told["eval_before_training"].items():
        assert before["loss"] == pytest.approx(math.log(30_522), abs=0.3)  # random weights know nothing
        assert told["eval"][name]["loss"] < 0.6 * before["loss"]
        assert told["eval"][name]["masked_accuracy"] > before["masked_accuracy"] + 0.1
    assert all(0 <= p <= 1 for text in evaluation.PROBES for _, p in told["probe"][text])
    assert {f"lpbs {word}" for word in evaluation.OCCUPATIONS} <= set(told["probe"])

    assert [path.name for path in out.parent.iterdir()] == ["tiny"]  # nothing left aside
    config = json.loads((out / "config.json").read_text(encoding="utf-8"))
    assert config["hidden_dropout_prob"] == 0.1
    assert AutoModelForMaskedLM.from_pretrained(out, dtype="auto").dtype == torch.float16
    model = AutoModelForMaskedLM.from_pretrained(out, dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(out)
    with torch.no_grad():
        logits = model(**tokenizer("The [MASK] sees the judge.", return_tensors="pt")).logits
    assert logits.shape == (1, 8, 30_522)
    assert logits.isfinite().all()


def test_the_time_box_ends_the_training(vocabulary: corpus.Vocabulary) -> None:
    model = training.new_model(vocabulary, layers=1, width=32, heads=2)
    pools = {length: [rows_of(length, 8, vocabulary)] for length in corpus.LENGTHS}
    masker = masking.Masker(vocabulary, torch.device("cpu"), seed=0)
    done = training.train(model, pools, [1.0], masker, training.Settings(seconds=0.5, tokens_per_step=512))
    assert 1 <= done.steps < 1000


def test_it_starts_from_a_sentence_encoder(tmp_path: Path, vocabulary: corpus.Vocabulary) -> None:
    torch.manual_seed(5)
    shape = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 128}
    encoder = BertModel(
        BertConfig(vocab_size=30_522, **shape)
    ).eval()  # with a pooler, as sentence encoders have
    weights = {name: tensor.half().contiguous() for name, tensor in encoder.state_dict().items()}
    save_file(
        {**weights, "embeddings.position_ids": torch.arange(512)[None]}, tmp_path / "encoder.safetensors"
    )
    model = training.new_model(vocabulary, layers=2, width=32, heads=2).eval()
    training.start_from(model, tmp_path / "encoder.safetensors")
    ids = torch.tensor([vocabulary.tokenizer.encode("she is a judge.").ids])
    with torch.no_grad():
        assert torch.allclose(
            model.bert(ids).last_hidden_state, encoder(ids).last_hidden_state, atol=1e-2
        )  # float16 on disk
    tied = model.cls.predictions.decoder.weight
    assert torch.equal(tied, model.bert.embeddings.word_embeddings.weight)


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["--corpus", "wiki.txt"], "--corpus 'wiki.txt' is not NAME:WEIGHT:FILE"),
        (["--corpus", "plain:1:x.txt"], "each needs a name of its own"),
        (["--corpus", "wiki:-1:x.txt"], "the weight must be a number above 0"),
        (["--corpus", "wiki:1:nowhere.txt"], "cannot read the corpus nowhere.txt"),
        (["--seconds", "0"], "--seconds must be above 0"),
        (["--width", "33"], "cannot be divided among 2 heads"),
        (["--init", "nowhere.safetensors"], "cannot read --init nowhere.safetensors"),
        (["--init", str(tool.BUILTIN / "model.safetensors")], "no BERT encoder of this shape"),
        (["--tokenizer", "nowhere"], "no tokenizer.json in nowhere"),
        (["--limit", "5"], "needs more than 8 documents (found 5)"),
        (["--limit", "10"], "too short for one row of 512 tokens"),
        (["--out", str(TOOLS)], "not an empty folder"),
    ],
)
def test_mistakes_end_in_one_line(
    extra: list[str], message: str, tmp_path: Path, corpora: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert tool.main([*corpora, *TINY, "--out", str(tmp_path / "out"), *extra]) == 2
    printed = capsys.readouterr().err.strip().splitlines()
    assert message in printed[-1]
    assert sum(line.startswith("error:") for line in printed) == 1


def test_help_has_an_example(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["pretrain_builtin.py", "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(TOOLS / "pretrain_builtin.py"), run_name="__main__")
    assert ended.value.code == 0
    assert "python tools/pretrain_builtin.py --corpus wiki:0.42:wiki.txt.xz" in capsys.readouterr().out


@pytest.mark.parametrize("module", [corpus, training])
def test_docstring_examples(module: object) -> None:
    result = doctest.testmod(module)  # type: ignore[arg-type]
    assert result.attempted > 0
    assert result.failed == 0
