"""`measure`: numbers of a model amid its training, which it leaves as it was."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch
import transformers

import counterpoise as cp
import few
import tiny
from counterpoise.core.errors import InputError
from counterpoise.integrations.training.measuring import Measuring
from counterpoise.integrations.training.undisturbed import undisturbed
from counterpoise.measures.base.sampling import limited


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    kinds = ("bert", "gpt2", "encoder")
    return {kind: tiny.save(kind, tmp_path_factory.mktemp(kind) / kind) for kind in kinds}


def parts(folder, auto=transformers.AutoModelForMaskedLM):
    return auto.from_pretrained(folder), transformers.AutoTokenizer.from_pretrained(folder)


def test_it_gives_the_rows_of_the_measure(folders):
    table = cp.callbacks.measure(*parts(folders["bert"]), measures="sld", limit=10, seed=2, pairs=few.pairs())
    with limited(10, 2):
        rows = cp.measures.sld(cp.load(folders["bert"], device="cpu"), few.pairs(), seed=2).overall
    assert table.columns.tolist() == ["measure", "key", "value", "ci_low", "ci_high", "n"]
    assert table.key.tolist() == rows.key.tolist() == ["sld", "asld", "share_stereotyped"]
    for column in ("value", "ci_low", "ci_high", "n"):
        assert table[column].tolist() == pytest.approx(rows[column].tolist(), abs=1e-5)
    assert table.n.tolist() == [10, 10, 10]


def test_all_rows_and_all_items(folders):
    table = cp.callbacks.measure(
        *parts(folders["bert"]), measures=["sld"], limit=None, rows="all", pairs=few.pairs()
    )
    whole = cp.measures.sld(cp.load(folders["bert"], device="cpu"), few.pairs())
    assert table.key.tolist() == whole.summary.key.tolist()
    assert table.n.max() == len(few.pairs().table)


def test_a_loop_of_ones_own_goes_on_as_if_nobody_had_asked(folders):
    """Modes, gradients, random numbers and the tokenizer's state are as before."""
    model, tokenizer = parts(folders["bert"])
    model.train()
    model.bert.encoder.layer[0].eval()  # one part is frozen
    tokenizer(["a", "b c"], padding="max_length", truncation=True, max_length=7)
    model(
        **tokenizer(["She left."], return_tensors="pt"), labels=torch.tensor([[1, 2, 3, 4, 5]])
    ).loss.backward()

    def state():
        backend = tokenizer.backend_tokenizer
        return (
            [module.training for module in model.modules()],
            torch.get_rng_state().tolist(),
            np.random.get_state()[1].tolist(),  # noqa: NPY002
            random.getstate(),
            backend.padding,
            backend.truncation,
            [None if weights.grad is None else weights.grad.sum().item() for weights in model.parameters()],
            [weights.requires_grad for weights in model.parameters()],
            torch.is_grad_enabled(),
        )

    tokenizer.backend_tokenizer.enable_padding(length=9)
    before = state()
    cp.callbacks.measure(
        model, tokenizer, measures=["sld", "ppd"], limit=8, pairs=few.pairs(), templates=few.templates()
    )
    assert state() == before
    with pytest.raises(cp.CounterpoiseError):
        cp.callbacks.measure(model, tokenizer, measures="weat")
    assert state() == before


def test_what_is_drawn_meanwhile_is_drawn_again(folders):
    model, tokenizer = parts(folders["bert"])

    def draws():
        return torch.rand(3).tolist(), np.random.rand(3).tolist(), random.random()  # noqa: NPY002

    with undisturbed(model, tokenizer):
        drawn = draws()
        assert not model.training
    assert draws() == drawn


def test_a_loaded_model_that_is_being_trained_is_asked_without_dropout(folders):
    lm = cp.load(folders["bert"], device="cpu")
    expected = cp.callbacks.measure(lm, measures="sld", limit=8, pairs=few.pairs())
    lm.model.train()
    found = cp.callbacks.measure(lm, measures="sld", limit=8, pairs=few.pairs())
    assert lm.model.training
    assert found.value.tolist() == expected.value.tolist()


def test_copies_in_parallel_are_unwrapped(folders):
    model, tokenizer = parts(folders["bert"])
    plain = cp.callbacks.measure(model, tokenizer, measures="sld", limit=8, pairs=few.pairs())
    wrapped = torch.nn.DataParallel(model)
    found = cp.callbacks.measure(wrapped, tokenizer, measures="sld", limit=8, pairs=few.pairs())
    assert found.equals(plain)


def test_an_encoder_has_its_own_default(folders):
    table = cp.callbacks.measure(*parts(folders["encoder"], transformers.AutoModel))
    expected = cp.measures.seat(cp.load(folders["encoder"], device="cpu")).overall
    assert table.measure.unique().tolist() == ["seat"]
    assert table.value.tolist() == pytest.approx(expected.value.tolist(), abs=1e-5)


def test_what_begins_a_text_is_found_out_once(folders):
    """A tokenizer that puts nothing before a text, and two tokens that could stand there."""
    model, _ = parts(folders["gpt2"], transformers.AutoModelForCausalLM)
    tokenizer = tiny.byte_level()
    tokenizer.backend_tokenizer.post_processor = _plain()
    measuring = Measuring.of("sld", limit=6, files={"pairs": few.pairs()})
    first = measuring.table(model, tokenizer)
    start = measuring.start
    assert start in ("<s>", "</s>")
    with torch.no_grad():
        for weights in model.parameters():
            weights.mul_(-1.0)
    measuring.table(model, tokenizer)
    assert measuring.start == start
    with limited(6):
        lm = cp.models.CausalLM(model, tokenizer, name="m", start=start)
        assert cp.measures.sld(lm, few.pairs()).overall.value.tolist() != first.value.tolist()


def _plain():
    from tokenizers import processors

    return processors.ByteLevel(trim_offsets=False)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (lambda folder: (parts(folder)[0], None), "BertForMaskedLM needs its tokenizer"),
        (lambda folder: (torch.nn.Linear(2, 2), None), "Linear is no model of transformers"),
        (lambda folder: ("builtin", None), "str is no model of transformers"),
    ],
)
def test_what_cannot_be_measured_is_named(model, message, folders):
    with pytest.raises(InputError, match=message):
        cp.callbacks.measure(*model(folders["bert"]))


def test_nothing_is_shown_of_the_progress(folders, monkeypatch, capsys):
    monkeypatch.setenv("COUNTERPOISE_PROGRESS", "1")
    monkeypatch.setattr("counterpoise.core.progress_lines.SECONDS_BETWEEN", 0.0)
    model, tokenizer = parts(folders["bert"])
    capsys.readouterr()
    cp.callbacks.measure(model, tokenizer, measures="sld", limit=8, pairs=few.pairs())
    assert capsys.readouterr().err == ""
