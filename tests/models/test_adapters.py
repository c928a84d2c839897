"""Adapters give PEFT's own numbers, alone or over a base, and say in one line why they cannot be loaded."""

from __future__ import annotations

import json
import shutil

import numpy as np
import peft
import pytest
import safetensors.torch
import torch
import transformers

import counterpoise as cp
import tiny
from adapters import log_likelihood, lora_config, save_adapter
from counterpoise.core.cache import ScoreCache
from counterpoise.core.errors import CounterpoiseError, InputError, ModelError
from counterpoise.models.adapters import ADAPTER_CONFIG

TEXTS = ["The nurse said that she was tired.", "He is an engineer."]
WEIGHTS = "adapter_model.safetensors"


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return tiny.save("llama", tmp_path_factory.mktemp("base") / "base")


@pytest.fixture(scope="module")
def adapter(base, tmp_path_factory):
    return save_adapter(base, tmp_path_factory.mktemp("adapter") / "adapter")


@pytest.fixture
def own_copy(adapter, tmp_path):
    """A copy of the adapter that a test may damage."""
    return shutil.copytree(adapter, tmp_path / "copy")


def complaint(*args, **options):
    with pytest.raises(CounterpoiseError) as error:
        cp.load(*args, **options)
    assert "\n" not in str(error.value)
    return str(error.value)


def change_config(folder, **changes):
    path = folder / ADAPTER_CONFIG
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def by_peft(base, adapter):
    """The log-likelihoods of the texts by PEFT's own model and plain forward passes."""
    model = transformers.AutoModelForCausalLM.from_pretrained(base)
    adapted = peft.PeftModel.from_pretrained(model, adapter).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(base)
    return np.array([log_likelihood(adapted, tokenizer(text)["input_ids"]) for text in TEXTS])


def test_an_adapter_alone_brings_its_base(base, adapter):
    alone = cp.load(adapter)
    assert type(alone) is cp.models.CausalLM
    assert alone.name == str(adapter)
    assert alone.details == {"base": str(base), "adapter": str(adapter)}
    expected = by_peft(base, adapter)
    assert alone.log_likelihood(TEXTS) == pytest.approx(expected, abs=1e-4)
    assert np.abs(cp.load(base).log_likelihood(TEXTS) - expected).min() > 0.1


def test_an_adapter_over_a_base(base, adapter):
    over = cp.load(base, adapter=adapter)
    assert over.details == {"base": str(base), "adapter": str(adapter)}
    assert over.log_likelihood(TEXTS) == pytest.approx(by_peft(base, adapter), abs=1e-4)
    assert over.fingerprint == cp.load(adapter).fingerprint


@pytest.mark.slow
@pytest.mark.parametrize(
    "config",
    [
        lora_config(use_rslora=True),
        lora_config(use_dora=True),
        lora_config(target_modules="all-linear"),
        lora_config(modules_to_save=["lm_head"]),
        lora_config(modules_to_save=["embed_tokens"]),
        lora_config(target_modules=["q_proj", "embed_tokens"]),
        lora_config(target_modules=["q_proj", "lm_head"]),
        peft.IA3Config(
            task_type="CAUSAL_LM", target_modules=["k_proj", "down_proj"], feedforward_modules=["down_proj"]
        ),
        peft.LoHaConfig(task_type="CAUSAL_LM", r=4, target_modules=["q_proj"]),
        peft.LoKrConfig(task_type="CAUSAL_LM", r=4, target_modules=["q_proj"]),
    ],
    ids=[
        "rslora",
        "dora",
        "all-linear",
        "saved-head",
        "saved-embeddings",
        "embeddings",
        "head",
        "ia3",
        "loha",
        "lokr",
    ],
)
def test_other_adapters_that_change_layers(config, base, tmp_path):
    folder = save_adapter(base, tmp_path / "adapter", config=config)
    expected = by_peft(base, folder)
    assert cp.load(folder).log_likelihood(TEXTS) == pytest.approx(expected, abs=1e-4)
    assert np.abs(cp.load(base).log_likelihood(TEXTS) - expected).max() > 0.01


def test_an_adapter_of_a_masked_model(tmp_path):
    base = tiny.save("bert", tmp_path / "base")
    model = peft.get_peft_model(
        transformers.AutoModelForMaskedLM.from_pretrained(base),
        lora_config(target_modules=["query"], task_type=None, init_lora_weights=False),
    )
    model.save_pretrained(tmp_path / "adapter")
    adapted = cp.load(tmp_path / "adapter")
    assert type(adapted) is cp.models.MaskedLM
    text = "[MASK] is a nurse."
    inputs = adapted.tokenizer(text, return_tensors="pt")
    with torch.no_grad():
        log_probs = model.eval()(**inputs).logits[0, 1].log_softmax(-1)
    expected = log_probs[adapted.tokenizer.convert_tokens_to_ids("she")]
    assert adapted.target_log_probs([text], ["she"]).item() == pytest.approx(expected.item(), abs=1e-4)


def test_adapters_and_their_base_have_fingerprints_of_their_own(base, adapter, tmp_path):
    folders = [
        adapter,
        save_adapter(base, tmp_path / "seed", seed=2),
        save_adapter(base, tmp_path / "alpha", config=lora_config(lora_alpha=16)),  # the same weights, scaled
    ]
    models = [cp.load(base), *(cp.load(folder) for folder in folders)]
    assert len({model.fingerprint for model in models}) == 4


def test_the_cache_keeps_adapters_and_their_base_apart(base, adapter, tmp_path):
    cache = ScoreCache(tmp_path / "scores.sqlite")
    for folder in (base, adapter):
        model = cp.load(folder)
        uncached = model.log_likelihood(TEXTS)
        model.cache = cache
        assert model.log_likelihood(TEXTS) == pytest.approx(uncached, abs=1e-6)
    assert len(cache.info().spaces) == 2


def test_a_base_that_is_another_model(adapter, tmp_path):
    other = tiny.save("llama", tmp_path / "other", num_hidden_layers=1)
    message = complaint(other, adapter=adapter)
    assert message.startswith(f"{adapter} is an adapter of '")
    assert f"and {other} is another model" in message


def test_a_base_that_was_moved_is_the_same_model(base, adapter, tmp_path):
    moved = shutil.copytree(base, tmp_path / "moved")
    assert cp.load(moved, adapter=adapter).log_likelihood(TEXTS) == pytest.approx(
        by_peft(base, adapter), abs=1e-4
    )


def test_hub_names_of_two_models_are_two_models(own_copy):
    change_config(own_copy, base_model_name_or_path="some-lab/base-7b")
    message = complaint("other-lab/base-7b", adapter=own_copy, offline=True)
    assert (
        f"{own_copy} is an adapter of 'some-lab/base-7b', and other-lab/base-7b is another model" in message
    )


def test_shapes_that_do_not_fit(own_copy, tmp_path):
    wider = tiny.save("llama", tmp_path / "wider", hidden_size=48, intermediate_size=96)
    change_config(own_copy, base_model_name_or_path="")
    message = complaint(wider, adapter=own_copy)
    assert message.startswith(f"the adapter {own_copy} does not fit {wider}: size mismatch for ")


def test_layers_that_are_not_there(own_copy, tmp_path):
    gpt2 = tiny.save("gpt2", tmp_path / "gpt2")
    change_config(own_copy, base_model_name_or_path="")
    message = complaint(gpt2, adapter=own_copy)
    assert message.startswith(f"the adapter {own_copy} does not fit {gpt2}: Target modules ")


def test_more_layers_than_the_base_has(own_copy, tmp_path):
    shallow = tiny.save("llama", tmp_path / "shallow", num_hidden_layers=1)
    deep = tiny.save("llama", tmp_path / "deep", num_hidden_layers=3)
    change_config(own_copy, base_model_name_or_path="")
    assert "it has weights for base_model.model.model.layers.1." in complaint(shallow, adapter=own_copy)
    assert "it has no weights for base_model.model.model.layers.2." in complaint(deep, adapter=own_copy)


def test_weights_that_are_missing(own_copy):
    weights = safetensors.torch.load_file(own_copy / WEIGHTS)
    lost = sorted(weights)[0]
    safetensors.torch.save_file({name: weights[name] for name in weights if name != lost}, own_copy / WEIGHTS)
    assert complaint(own_copy).endswith(f"it has no weights for {lost}")
    (own_copy / WEIGHTS).write_bytes((own_copy / WEIGHTS).read_bytes()[:300])
    assert f"the adapter {own_copy} does not fit" in complaint(own_copy)
    (own_copy / WEIGHTS).unlink()
    assert complaint(own_copy) == f"{own_copy} is an adapter without weights ({WEIGHTS})"


def test_pickled_weights_are_refused_unless_asked_for(base, adapter, own_copy):
    torch.save(safetensors.torch.load_file(own_copy / WEIGHTS), own_copy / "adapter_model.bin")
    (own_copy / WEIGHTS).unlink()
    assert "has only pickled weights" in complaint(own_copy)
    loaded = cp.load(own_copy, allow_pickle=True)
    assert loaded.log_likelihood(TEXTS) == pytest.approx(by_peft(base, adapter), abs=1e-4)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            {"peft_type": "PROMPT_TUNING"},
            "is an adapter of the method 'PROMPT_TUNING'; those that can be loaded",
        ),
        ({"peft_type": None}, "is an adapter of the method unknown"),
        ({"peft_type": ["LORA"]}, "is an adapter of the method unknown"),
        ({"megatron_config": {"a": 1}}, "is an adapter of a Megatron model"),
        ({"task_type": "SEQ_CLS"}, r"is an adapter with a head of its own \(SEQ_CLS\)"),
        (
            {"base_model_name_or_path": None},
            "names no base model; name it: counterpoise audit BASE --adapter",
        ),
        ({"base_model_name_or_path": ["a", "list"]}, "names no base model"),
        (
            {"base_model_name_or_path": "/no/such folder"},
            "is an adapter of '/no/such folder', which is not at hand; name the base where it is",
        ),
    ],
)
def test_adapters_that_cannot_be_loaded(config, message, own_copy):
    change_config(own_copy, **config)
    with pytest.raises(ModelError, match=message) as error:
        cp.load(own_copy)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("content", ["{", "[]", "null", "{}"])
def test_a_damaged_configuration(content, own_copy):
    (own_copy / ADAPTER_CONFIG).write_text(content)
    assert str(own_copy) in complaint(own_copy)


def test_an_adapter_whose_base_is_an_adapter(adapter, own_copy):
    change_config(own_copy, base_model_name_or_path=str(adapter))
    assert complaint(own_copy).startswith(f"{adapter} is a PEFT adapter of ")
    assert complaint(adapter, adapter=own_copy).startswith(f"{adapter} is a PEFT adapter of ")


def test_what_is_no_adapter(base):
    assert (
        complaint(base, adapter=base)
        == f"{base} has no {ADAPTER_CONFIG}, so it is no adapter that can be loaded"
    )
    assert "there is no folder no where" in complaint(base, adapter="no where")
    assert "the adapter 'some/adapter' cannot be had" in complaint(base, adapter="some/adapter", offline=True)


def test_word_vectors_have_no_adapter(adapter, tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text("2 3\nhe 1 0 0\nshe 0 1 0\n")
    with pytest.raises(InputError, match=r"adapter \(--adapter\) is for transformers models, and .* is none"):
        cp.load(path, adapter=adapter)


def test_without_peft_a_clear_line(adapter, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert (
        complaint(adapter)
        == f"{adapter}, an adapter, needs the package peft: pip install 'counterpoise[llm]'"
    )


def test_a_merged_model_beside_its_adapter_is_loaded_as_it_is(base, adapter, tmp_path):
    model = transformers.AutoModelForCausalLM.from_pretrained(base)
    merged = peft.PeftModel.from_pretrained(model, adapter).merge_and_unload()
    merged.save_pretrained(tmp_path)
    transformers.AutoTokenizer.from_pretrained(base).save_pretrained(tmp_path)
    for name in (ADAPTER_CONFIG, WEIGHTS):
        shutil.copy(adapter / name, tmp_path / name)
    loaded = cp.load(tmp_path)
    assert loaded.details == {}
    assert loaded.log_likelihood(TEXTS) == pytest.approx(by_peft(base, adapter), abs=1e-4)


def with_new_tokens(base, folder, layers, tokens=("<nurse>", "<engineer>"), padded=0):
    """An adapter of a model to whose tokenizer tokens were added before it was trained."""
    model = transformers.AutoModelForCausalLM.from_pretrained(base)
    tokenizer = transformers.AutoTokenizer.from_pretrained(base)
    tokenizer.add_tokens(list(tokens))
    model.resize_token_embeddings(len(tokenizer) + padded, mean_resizing=False)
    resized = folder.parent / f"{folder.name}-resized"
    model.save_pretrained(resized)
    save_adapter(resized, folder, config=lora_config(modules_to_save=layers))
    weights = safetensors.torch.load_file(folder / WEIGHTS)
    for name, values in weights.items():
        if name.endswith(("embed_tokens.weight", "lm_head.weight")):
            weights[name] = torch.randn(values.shape, generator=torch.Generator().manual_seed(1)) * 0.4
    safetensors.torch.save_file(weights, folder / WEIGHTS, metadata={"format": "pt"})
    change_config(folder, base_model_name_or_path=str(base))
    tokenizer.save_pretrained(folder)
    return resized


@pytest.mark.parametrize("padded", [0, 6])
def test_tokens_that_were_added_before_training(padded, base, tmp_path):
    folder = tmp_path / "adapter"
    resized = with_new_tokens(base, folder, ["embed_tokens", "lm_head"], padded=padded)
    text = "The <nurse> said that she was tired."
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(resized)
    adapted = peft.PeftModel.from_pretrained(model, folder).eval()
    ids = tokenizer(text)["input_ids"]
    assert tokenizer.convert_tokens_to_ids("<nurse>") in ids
    for lm in (cp.load(folder), cp.load(base, adapter=folder)):
        assert lm.log_likelihood([text]) == pytest.approx(log_likelihood(adapted, ids), abs=1e-4)


def test_new_tokens_without_weights_of_the_output_layer(base, tmp_path):
    with_new_tokens(base, tmp_path / "adapter", ["embed_tokens"])
    assert "has weights of 2 new tokens for the input layer and none for the output layer" in complaint(
        tmp_path / "adapter"
    )


def test_new_tokens_without_their_tokenizer(base, tmp_path):
    with_new_tokens(base, tmp_path / "adapter", ["embed_tokens", "lm_head"])
    for path in (tmp_path / "adapter").glob("tokenizer*"):
        path.unlink()
    assert "size mismatch for " in complaint(tmp_path / "adapter")


def test_the_tokenizer_of_an_adapter_is_its_own(base, own_copy):
    tokenizer = transformers.AutoTokenizer.from_pretrained(base)
    tokenizer.chat_template = "{% for turn in messages %}{{ turn.content }}{% endfor %}"
    tokenizer.save_pretrained(own_copy)
    assert cp.load(own_copy).tokenizer.chat_template == tokenizer.chat_template
    assert cp.load(own_copy, chat=True).reading == ("as the assistant's answer in a chat",)
