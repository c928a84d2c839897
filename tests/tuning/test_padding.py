"""Padding of classifiers: a text in a batch has the logits, the loss and the gradient that it has by itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
import transformers
from safetensors.torch import load_file

import counterpoise as cp
import tiny
from counterpoise import tuning
from counterpoise.core.errors import ModelError

pytestmark = pytest.mark.slow

KINDS = ("bert", "distilbert", "roberta", "albert", "gpt2", "gpt2-without-pad", "xlnet", "xlnet-types")
SETTINGS = tuning.Settings(batch_size=2, epochs=1, patience=None, learning_rate=1e-4, validation=0.5)
SHORT, LONG = (
    "She is a nurse.",
    "The technician told his friend that he had a good day at work and went home.",
)
NO_DROPOUT = {
    "distilbert": {"dropout": 0.0, "attention_dropout": 0.0, "seq_classif_dropout": 0.0},
    "albert": {"classifier_dropout_prob": 0.0},
    "gpt2": {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0, "summary_first_dropout": 0.0},
    "xlnet": {"dropout": 0.0, "summary_last_dropout": 0.0},
}
NO_DROPOUT["gpt2-without-pad"] = NO_DROPOUT["gpt2"]
BERT_DROPOUT = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}


def save_base(kind, folder):
    """A tiny language model without dropout; XLNet also with a tokenizer that gives token types, as before v5."""
    plain = kind.removesuffix("-types")
    changes = NO_DROPOUT.get(plain, {}) | (BERT_DROPOUT if plain in ("bert", "roberta", "albert") else {})
    tiny.save(plain, folder, **changes)
    if kind.endswith("-types"):
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        tokenizer.model_input_names = ["input_ids", "token_type_ids", "attention_mask"]
        tokenizer.save_pretrained(folder)
        assert tokenizer("a")["token_type_ids"][-1] == 2
    return folder


class FirstStep(transformers.TrainerCallback):
    """Remembers the model as it was before the first step, and that step's gradient."""

    def on_train_begin(self, args, state, control, model, **_):
        self.before = {name: weights.detach().clone() for name, weights in model.state_dict().items()}

    def on_pre_optimizer_step(self, args, state, control, model, **_):
        self.gradient = {
            name: one.grad.clone() for name, one in model.named_parameters() if one.grad is not None
        }


@pytest.fixture(scope="module", params=KINDS)
def trained(request, tmp_path_factory):
    """A model that was trained one step on a short and a long text; the same two are held out."""
    folder = tmp_path_factory.mktemp(request.param)
    base = save_base(request.param, folder / "base")
    step = FirstStep()
    texts, labels = [SHORT, LONG, SHORT, LONG], ["neg", "pos", "neg", "pos"]
    done = tuning.train_classifier(
        texts, labels, folder / "model", base=base, settings=SETTINGS, device="cpu", callbacks=[step]
    )
    assert done.steps == 1
    return done, step


def read(folder):
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    return model, transformers.AutoTokenizer.from_pretrained(folder)


def test_one_step_is_the_gradient_of_the_mean_of_both_losses(trained):
    """By hand: each text alone, so that there is no padding, and the mean gradient clipped to a norm of 1."""
    done, step = trained
    model, tokenizer = read(done.folder)
    model.load_state_dict(step.before)
    losses = []
    for label, text in enumerate((SHORT, LONG)):
        logits = model(**tokenizer(text, return_tensors="pt")).logits
        losses.append(-logits[0].log_softmax(-1)[label])
    (sum(losses) / 2).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    expected = {name: one.grad for name, one in model.named_parameters() if one.grad is not None}
    assert max(float(gradient.abs().max()) for gradient in expected.values()) > 1e-2
    assert expected.keys() == step.gradient.keys()
    for name, gradient in step.gradient.items():
        assert torch.allclose(gradient, expected[name], rtol=1e-3, atol=1e-5), name


def test_the_loss_in_validation_is_that_of_each_text_alone(trained):
    done, _ = trained
    model, tokenizer = read(done.folder)
    with torch.no_grad():
        logits = [model(**tokenizer(text, return_tensors="pt")).logits[0] for text in (SHORT, LONG)]
    losses = [float(-one.log_softmax(-1)[label]) for label, one in enumerate(logits)]
    assert done.best["loss"] == pytest.approx(np.mean(losses), rel=1e-4)


def test_ratings_do_not_depend_on_what_is_rated_beside(trained):
    """Plain transformers, one text per call as its tokenizer gives it, against one padded batch."""
    done, _ = trained
    model, tokenizer = read(done.folder)
    texts = [SHORT, LONG, "He left.", "My mother works as an electrician, he said."]
    with torch.no_grad():
        alone = torch.cat([model(**tokenizer(text, return_tensors="pt")).logits for text in texts])
    classifier = cp.load(done.folder, device="cpu")
    rows, _ = classifier._token_ids(texts)
    with torch.no_grad():
        batch = classifier.pad(rows)
        together = model(**batch).logits
    assert not batch["attention_mask"].all()
    assert torch.allclose(together, alone, atol=1e-5)
    assert classifier.rate(texts) == pytest.approx(alone.softmax(-1)[:, 1].numpy(), abs=1e-5)


def test_many_ratings(trained):
    """The fast way to the logits, which is looked for when there is much to rate, gives the same."""
    done, _ = trained
    classifier = cp.load(done.folder, device="cpu")
    texts = [" ".join([LONG, *["He left."] * (i % 5), str(i)]) for i in range(300)]
    chosen = texts[::37]
    model, tokenizer = read(done.folder)
    with torch.no_grad():
        alone = [
            model(
                **tokenizer(text, return_tensors="pt", truncation=True, max_length=classifier.max_length)
            ).logits
            for text in chosen
        ]
    expected = torch.cat(alone).softmax(-1)[:, 1].numpy()
    assert classifier.rate(texts)[::37] == pytest.approx(expected, abs=1e-5)


def test_a_base_without_a_pad_token_gets_the_end_of_text_token(tmp_path):
    base = save_base("gpt2-without-pad", tmp_path / "base")
    assert transformers.AutoTokenizer.from_pretrained(base).pad_token is None
    done = tuning.train_classifier(
        [SHORT, LONG] * 4, ["neg", "pos"] * 4, tmp_path / "model", base=base, settings=SETTINGS, device="cpu"
    )
    model, tokenizer = read(done.folder)
    assert tokenizer.pad_token == tokenizer.eos_token == "<|endoftext|>"
    assert model.config.pad_token_id == tokenizer.pad_token_id == 0
    assert len(tokenizer) == model.config.vocab_size  # nothing was added


def test_a_base_without_any_token_to_pad_with_is_refused(tmp_path):
    base = save_base("gpt2-without-pad", tmp_path / "base")
    tokenizer = transformers.AutoTokenizer.from_pretrained(base)
    tokenizer.eos_token = None
    tokenizer.save_pretrained(base)
    with pytest.raises(ModelError, match="has neither a pad token nor an end-of-text token") as refused:
        tuning.train_classifier(
            [SHORT, LONG] * 4, ["neg", "pos"] * 4, tmp_path / "m", base=base, settings=SETTINGS, device="cpu"
        )
    assert "\n" not in str(refused.value)
    assert list(tmp_path.iterdir()) == [base]


def test_texts_longer_than_the_model_takes_are_cut(tmp_path):
    """The settings allow 512 tokens and the model 64."""
    base = save_base("bert", tmp_path / "base")
    done = tuning.train_classifier(
        [LONG * 20, SHORT] * 4,
        ["neg", "pos"] * 4,
        tmp_path / "model",
        base=base,
        settings=replace(SETTINGS, max_length=512),
        device="cpu",
    )
    assert all(weights.isfinite().all() for weights in load_file(done.folder / "model.safetensors").values())
