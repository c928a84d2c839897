"""Reads configuration, weights and tokenizer with transformers, and refuses what could not be measured.

Nothing else in the package calls `from_pretrained`, so that no command runs code that comes with a model, or reads
pickled weights, unless it was told to.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from counterpoise.core.errors import ModelError
from counterpoise.models.inference_labels import names_inference
from counterpoise.models.sequence_classifier import labels_of
from counterpoise.models.sources import first_line
from counterpoise.models.transformer import vocabulary_size

Kind = Literal["masked", "causal", "encoder", "classifier", "nli", "vectors", "coreference", "answers"]


_MOST_LAYERS = 2000
_LARGEST_TOKEN = 2**31
_MOST_NUMBERS_PER_BYTE = 40  # of a weight matrix for each byte of the weights; 4-bit weights have two


def read_config(location: str, hub_options: dict[str, Any], **changes: Any) -> Any:
    """The configuration of a folder or hub model, with changes; an error if its sizes cannot be true."""
    from transformers import AutoConfig

    config = AutoConfig.from_pretrained(location, **_untrusting(hub_options), **changes)
    _check_sizes(config, Path(location))
    return config


def _untrusting(hub_options: dict[str, Any]) -> dict[str, Any]:
    """Options with an explicit answer to whether code may run: transformers would ask on standard input."""
    return {**hub_options, "trust_remote_code": bool(hub_options.get("trust_remote_code", False))}


def _check_sizes(config: Any, folder: Path) -> None:
    """Refuses a model that would fill the memory with random numbers: more than its weights can have."""
    for name in ("num_hidden_layers", "num_attention_heads"):
        if isinstance(size := getattr(config, name, None), int) and size < 0:
            raise ModelError(f"cannot load {folder}: config.json claims a {name} of {size}")
    for name, number in config.to_dict().items():
        if name.endswith("_token_id") and isinstance(number, int) and abs(number) >= _LARGEST_TOKEN:
            raise ModelError(f"cannot load {folder}: config.json claims a {name} of {number:.3g}")
    layers = getattr(config, "num_hidden_layers", 0)
    if isinstance(layers, int) and layers > _MOST_LAYERS:
        raise ModelError(
            f"cannot load {folder}: it claims {layers:,} layers, and the most is {_MOST_LAYERS:,}"
        )
    weights = [*folder.glob("*.safetensors"), *folder.glob("pytorch_model*.bin")] if folder.is_dir() else []
    if not weights:
        return
    most = _MOST_NUMBERS_PER_BYTE * sum(path.stat().st_size for path in weights)
    width = getattr(config, "hidden_size", None)
    for name in ("vocab_size", "max_position_embeddings", "intermediate_size", "n_inner", "hidden_size"):
        height = getattr(config, name, None)
        if isinstance(height, int) and isinstance(width, int) and height * width > most:
            raise ModelError(
                f"cannot load {folder}: config.json claims a {name} of {height:,}, more than its weights can have"
            )


def kind_of(config: Any, source: Path, name: str) -> Kind:
    """The kind of a model, from its files and the architecture that its configuration names."""
    if (source / "modules.json").is_file():  # a sentence-transformers folder
        return "encoder"
    [architecture, *_] = getattr(config, "architectures", None) or [""]
    if architecture.endswith("ForConditionalGeneration") and _is_causal_with_images(config):
        return "causal"
    kind = kind_of_architecture(architecture, name)
    return kind_of_classifier(config) if kind == "classifier" else kind


def _is_causal_with_images(config: Any) -> bool:
    """Whether a model with several inputs can be loaded as a causal one, as Gemma 3 can; encoder-decoders cannot."""
    from transformers import AutoModelForCausalLM

    return not config.is_encoder_decoder and type(config) in AutoModelForCausalLM._model_mapping


def kind_of_classifier(config: Any) -> Kind:
    """The kind of a sequence classifier, from the names of its labels."""
    return "nli" if names_inference(labels_of(config)) else "classifier"


def kind_of_architecture(architecture: str, name: str) -> Kind:
    """The kind of a model, from the name of its class in transformers.

    >>> kind_of_architecture("BertForMaskedLM", "mine"), kind_of_architecture("GPT2LMHeadModel", "mine")
    ('masked', 'causal')
    """
    if architecture.endswith(("ForMaskedLM", "ForPreTraining")) and not architecture.startswith("Electra"):
        return "masked"
    if architecture == "ElectraForMaskedLM":
        return "masked"
    if architecture.endswith(("ForCausalLM", "LMHeadModel")):
        return "causal"
    if architecture.endswith("ForSequenceClassification"):
        return "classifier"
    if architecture.endswith("Model") or architecture == "ElectraForPreTraining":
        return "encoder"
    raise ModelError(
        f"cannot tell what {name} is (architecture {architecture or 'not stated'!r}); "
        "say it with kind= (--kind): masked, causal, encoder, classifier or nli"
    )


def refuse_masked_as_causal(config: Any, kind: Kind, name: str) -> None:
    """Masked models load as causal ones without complaint, and then each token sees the ones after it."""
    architectures = getattr(config, "architectures", None) or [""]
    masked = architectures[0].endswith(("ForMaskedLM", "ForPreTraining"))
    if kind == "causal" and masked and not getattr(config, "is_decoder", False):
        raise ModelError(f"{name} is a masked language model and cannot be used as a causal one")


def read_weights(
    location: str,
    config: Any,
    kind: Kind,
    hub_options: dict[str, Any],
    weight_options: dict[str, Any],
    allow_pickle: bool,
    name: str,
    new_head: bool = False,
) -> Any:
    """The model with its weights; an error if any of them are missing, since they would be random.

    new_head: the output layers may be missing, because they are about to be trained.
    """
    import transformers

    auto = {
        "masked": transformers.AutoModelForMaskedLM,
        "causal": transformers.AutoModelForCausalLM,
        "classifier": transformers.AutoModelForSequenceClassification,
        "nli": transformers.AutoModelForSequenceClassification,
        "encoder": transformers.AutoModel,
    }[kind]
    with _without_adapters():
        model, report = auto.from_pretrained(
            location,
            config=config,
            use_safetensors=None if allow_pickle or "gguf_file" in hub_options else True,
            output_loading_info=True,
            **_untrusting(hub_options),
            **weight_options,
        )
    # The pooler of an encoder may be missing, since nothing here reads it. The random one in its place goes.
    if kind == "encoder" and any(key.startswith("pooler.") for key in report["missing_keys"]):
        model.pooler = None
    missing = sorted(key for key in report["missing_keys"] if "pooler" not in key)
    if new_head:
        missing = [key for key in missing if key.startswith(f"{model.base_model_prefix}.")]
    if missing or report["mismatched_keys"]:
        what = missing[0] if missing else sorted(map(str, report["mismatched_keys"]))[0]
        raise ModelError(
            f"{name} cannot be used as a {kind} model: its weights lack {what}"
            + (f" and {len(missing) - 1} more" if len(missing) > 1 else "")
            + ", and what is lacking would be random"
        )
    # Of an encoder-decoder model, only the encoder.
    return model.get_encoder() if kind == "encoder" and model.config.is_encoder_decoder else model


def read_tokenizer(location: str, config: Any, hub_options: dict[str, Any], name: str) -> Any:
    """The fast tokenizer of a folder or hub model; an error if it does not fit the model."""
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(location, use_fast=True, **_untrusting(hub_options))
    except Exception as error:  # whatever a broken file can raise
        raise ModelError(f"{name} has no tokenizer that can be read ({first_line(error)})") from error
    longest = tokenizer.model_max_length
    if not isinstance(longest, int | float):
        raise ModelError(f"{name} has no tokenizer that fits: its model_max_length is {longest!r:.40}")
    # If the files are missing, transformers makes up an empty tokenizer, and every word becomes unknown.
    known = vocabulary_size(config)
    if len(tokenizer) < known // 2:
        raise ModelError(
            f"{name} has no tokenizer that fits: it knows {len(tokenizer)} tokens and the model {known}"
        )
    if tokenizer.vocab_size > known:
        raise ModelError(
            f"{name} has no tokenizer that fits: it knows {tokenizer.vocab_size} tokens and the model only {known}"
        )
    return tokenizer


def read_adapter(model: Any, folder: Path, options: dict[str, Any]) -> Any:
    """A model with the layers of an adapter in it; whoever calls has checked that its weights may be read."""
    from peft import PeftModel

    return PeftModel.from_pretrained(model, str(folder), **options)


@contextlib.contextmanager
def _without_adapters() -> Iterator[None]:
    """Loads what was named: where a folder also has an adapter, transformers would add that to the weights unasked."""
    from transformers import modeling_utils
    from transformers.integrations import peft
    from transformers.models.auto import auto_factory

    found = "find_adapter_config_file"
    places = [place for place in (modeling_utils, peft, auto_factory) if hasattr(place, found)]
    theirs = [getattr(place, found) for place in places]
    for place in places:
        setattr(place, found, lambda *_, **__: None)
    try:
        yield
    finally:
        for place, function in zip(places, theirs, strict=True):
            setattr(place, found, function)


@contextlib.contextmanager
def quiet_transformers() -> Iterator[None]:
    """Silences the loading reports and progress bars of transformers, which would drown our one line."""
    import logging

    from transformers.utils import logging as transformers_logging

    bars = transformers_logging.is_progress_bar_enabled()
    level = transformers_logging.get_verbosity()
    others = [logging.getLogger(package) for package in ("huggingface_hub", "accelerate")]
    levels = [logger.level for logger in others]
    transformers_logging.disable_progress_bar()
    transformers_logging.set_verbosity(transformers_logging.CRITICAL)
    for logger in others:
        logger.setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        if bars:
            transformers_logging.enable_progress_bar()
        transformers_logging.set_verbosity(level)
        for logger, before in zip(others, levels, strict=True):
            logger.setLevel(before)
