"""`load`: opens any model and returns the class that fits its kind."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from counterpoise.core.addresses import CONCURRENCY, TIMEOUT, is_url
from counterpoise.core.errors import InputError, ModelError, unknown
from counterpoise.core.hub import hub_is_offline
from counterpoise.core.progress import step
from counterpoise.models.classes import class_of
from counterpoise.models.classifier_options import found_kind, label_options
from counterpoise.models.gguf import explained, own_progress
from counterpoise.models.onnx_classifier import is_onnx_folder, load_onnx
from counterpoise.models.origins import BUILTIN, BUILTIN_FOLDER, Origin, find_origin
from counterpoise.models.placement import DeviceMap, Dtype, Placement, check_offloaded
from counterpoise.models.pretrained import (
    Kind,
    kind_of,
    quiet_transformers,
    read_config,
    read_tokenizer,
    read_weights,
    refuse_masked_as_causal,
)
from counterpoise.models.quantization import Quantize, missing_package, quantization_of
from counterpoise.models.sentence_transformers import own_pooling
from counterpoise.models.sources import one_line_errors
from counterpoise.models.text_start import Chat

if TYPE_CHECKING:
    from counterpoise.models.answer_function import AnswerFunction
    from counterpoise.models.causal import CausalLM
    from counterpoise.models.classifier import Classifier
    from counterpoise.models.coreference import CoreferenceSystem
    from counterpoise.models.encoder import Encoder
    from counterpoise.models.endpoints.endpoint import Endpoint
    from counterpoise.models.function_classifier import FunctionClassifier
    from counterpoise.models.function_inference import FunctionInference
    from counterpoise.models.inference import InferenceModel
    from counterpoise.models.masked import MaskedLM
    from counterpoise.models.scoring.pooling import Pooling
    from counterpoise.models.vectors import WordVectors

    Model = (
        MaskedLM
        | CausalLM
        | Endpoint
        | Encoder
        | Classifier
        | FunctionClassifier
        | InferenceModel
        | FunctionInference
        | WordVectors
        | CoreferenceSystem
        | AnswerFunction
    )

__all__ = ["BUILTIN", "BUILTIN_FOLDER", "DeviceMap", "Dtype", "Model", "Quantize", "load"]

# While transformers reads weights it changes torch for all threads; two at once would leave it changed for good.
_ONE_AT_A_TIME = threading.RLock()

_OBJECTS = {  # kinds of model that no name or folder is
    "coreference": "a coreference system is a Python object, and {name} is a name: give a function from texts to "
    "clusters (on the command line module:function), a fastcoref model or a spaCy pipeline",
    "answers": "kind 'answers' is for Python functions, and {name} is a name: give a function from a prompt and a seed "
    "to a text (on the command line module:function); language models and endpoints need no kind to answer",
}


def load(
    name: Any = None,
    kind: Kind | None = None,
    device: str = "auto",
    dtype: Dtype | None = None,
    *,
    adapter: str | Path | None = None,
    quantize: Quantize | None = None,
    device_map: DeviceMap | None = None,
    positive: str | None = None,
    labels: str | Sequence[str] | None = None,
    revision: str | None = None,
    offline: bool = False,
    trust_remote_code: bool = False,
    allow_pickle: bool = False,
    pooling: Pooling | Literal["own"] | None = None,
    layer: int | None = None,
    start: str | None = None,
    chat: bool | Chat | Mapping[str, Any] = False,
    model: str | None = None,
    key_file: str | Path | None = None,
    concurrency: int = CONCURRENCY,
    timeout: float = TIMEOUT,
    strict_model: bool = False,
) -> Model:
    """Loads a model by hub name, folder or file, or takes one that is at hand; without a name, the built-in model.

    An address opens a model behind an HTTP endpoint, such as `load("http://127.0.0.1:8080/v1", model="my-model")`.

    Parameters
    ----------
    name
        A name on the Hugging Face hub, a folder with a saved model or a LoRA adapter, a GGUF file, a file of word
        vectors, or "builtin".
        Or a classifier from elsewhere: a function from texts to numbers, a fitted scikit-learn pipeline, a pipeline of
        transformers, or a pair of a transformers model and its tokenizer. With kind="nli" a function takes premises
        and hypotheses, and returns three probabilities for each; with kind="coreference" it takes texts and returns
        clusters, or it is a fastcoref model or a spaCy pipeline; with kind="answers" it takes a prompt and a seed and
        returns a text (see `AnswerFunction`).
    kind
        What to load it as; if not given, what its configuration says, and a classifier if it is a function.
    device
        "auto" takes cuda, then mps, then cpu.
    dtype
        "float32"; or "tf32" or "bf16", which are faster on a GPU and less exact; also "float16" and "float64". If not
        given, the precision in which a causal model was saved, and float32 for all others and for GGUF files. Of a
        quantised model, the precision that it computes in.
    adapter
        A LoRA adapter, as a folder or hub name, to put into the model. An adapter can also be loaded by its own name:
        its base is then the one that its configuration names.
    quantize
        "4bit" or "8bit": quantise a causal model with bitsandbytes while it is loaded, on an NVIDIA GPU.
    device_map
        "auto" spreads a causal model that is too large for one GPU over all of them, the CPU's memory and the disk; a
        dictionary says for each module where it goes. In place of `device`.
    positive
        The label of a classifier whose probability is the rating; if not given, the one that is named so.
    labels
        Entailment, neutral and contradiction in the order of the outputs of a model of natural language inference, as a
        list or with commas between them; if not given, as its labels are named.
    revision
        A branch, tag or commit of a hub model or of an adapter that is loaded by its own name.
    offline
        Never contact the hub; a hub model must be in the local cache.
    trust_remote_code
        Run Python code that comes with the model. Off, because that code can do anything.
    allow_pickle
        Read weights, or what gensim saved, from pickle files. Off, because a pickle can run code when it is read.
    pooling
        Of an encoder: how it makes the vector of a sentence (see `Encoder`). "own", the default, is what the files of
        a sentence-transformers model say, and "mean" for any other model.
    layer
        Of an encoder: which layer to read; the last one if not given.
    start
        Of a causal model: the token that begins every text, or "none"; see `CausalLM`.
    chat
        Of a causal model: ask in a chat, by the model's chat template; True, or a `Chat` with the turns before a text,
        or a dictionary with its fields.
    model
        Of an endpoint: the name that the server knows the model by.
    key_file, concurrency, timeout, strict_model
        Of an endpoint; see `Endpoint.open`.

    >>> load()
    <MaskedLM 'builtin' on cpu, float32>
    """
    if not isinstance(name, str | Path | None):
        return _adopt(name, kind, positive, labels)
    asked_in = Chat.of(chat)
    name = str(name) if name is not None else BUILTIN
    if is_url(name):
        refused = {
            "kind": kind,
            "dtype": dtype,
            "adapter": adapter,
            "quantize": quantize,
            "device_map": device_map,
            "positive": positive,
            "labels": labels,
            "revision": revision,
            "pooling": pooling,
            "layer": layer,
            "start": start,
            "chat": asked_in,
        }
        return _open_endpoint(name, model, refused, key_file, concurrency, timeout, strict_model)
    if model is not None or key_file is not None or strict_model:
        raise InputError(f"model, key_file and strict_model are for endpoints, and {name} is not an address")
    if kind is not None and kind not in get_args(Kind):
        raise unknown("kind of model", kind, get_args(Kind))
    placement = Placement(dtype, device, device_map, quantize)
    if kind in _OBJECTS:
        raise InputError(_OBJECTS[kind].format(name=repr(name)))
    hub_options = {
        "revision": revision,
        "local_files_only": offline or hub_is_offline(),
        "trust_remote_code": trust_remote_code,
    }
    with _ONE_AT_A_TIME, quiet_transformers():
        origin = find_origin(name, kind, None if adapter is None else str(adapter), hub_options, allow_pickle)
    is_vectors = kind == "vectors" or (origin.path.is_file() and not origin.is_gguf)
    if is_vectors or is_onnx_folder(origin.path):
        other: Kind = "vectors" if is_vectors else "classifier"
        _refuse_encoder_options(other, pooling, layer, origin.base)
        _refuse_transformers_options(placement, origin)
        if is_vectors:
            return _load_vectors(origin.path, kind, allow_pickle)
        label_options("classifier", positive, labels, origin.base)
        return load_onnx(origin.path, kind, positive, origin.base)
    origin.check(allow_pickle)
    with (
        _ONE_AT_A_TIME,
        quiet_transformers(),
        one_line_errors(origin.base, offline),
        explained(origin.path) if origin.is_gguf else nullcontext(),
    ):
        config = read_config(origin.location, origin.hub_options)
        if kind is None and origin.is_gguf:
            kind = "causal"
        kind = kind or found_kind(kind_of(config, origin.path, origin.base), positive, labels)
        refuse_masked_as_causal(config, kind, origin.base)
        kind_options = _encoder_options(origin, kind, pooling, layer)
        kind_options |= label_options(kind, positive, labels, origin.base)
        kind_options |= _causal_options(kind, start, asked_in, origin.base)
        weights, tokenizer, details = _read(origin, config, kind, placement, allow_pickle)
    loaded: Model = class_of(kind)(weights, tokenizer, name=origin.name, tf32=dtype == "tf32", **kind_options)
    loaded.details |= {**origin.details(), **details}  # type: ignore[union-attr, misc]
    if kind == "causal":
        _ = loaded.start  # type: ignore[union-attr]  # a start or chat that cannot be is reported at once
    return loaded


def _read(
    origin: Origin, config: Any, kind: Kind, placement: Placement, allow_pickle: bool
) -> tuple[Any, Any, dict[str, Any]]:
    """The model in its place, with its adapter; the tokenizer; and what a manifest says of both."""
    base, adapter, hub_options = origin.base, origin.adapter, origin.hub_options
    if adapter is not None:
        adapter.check_kind(kind, base)
    weight_options = placement.weight_options(config, kind, base, origin.is_gguf)
    try:
        with own_progress(origin.path) if origin.is_gguf else step(f"loading {base}") as types:
            model = read_weights(
                origin.location, config, kind, hub_options, weight_options, allow_pickle, base
            )
    except ImportError as error:
        if not quantization_of(config):
            raise
        raise missing_package(error, config, base) from error
    model = placement.put(model, weight_options, base)
    details = placement.details(model)
    if types:
        details["quantization"] = {
            "method": "gguf",
            "type": max(types, key=types.__getitem__),
        }  # of most weights
    own = adapter.tokenizer(config) if adapter else None
    tokenizer = own or read_tokenizer(origin.location, config, hub_options, base)
    if adapter is not None:
        model = adapter.put_into(model, base, weight_options, tokens=len(own or ()))
    check_offloaded(model, base)
    return model, tokenizer, details


def _open_endpoint(
    url: str,
    model: str | None,
    others: Mapping[str, Any],
    key_file: str | Path | None,
    concurrency: int,
    timeout: float,
    strict_model: bool,
) -> Endpoint:
    from counterpoise.models.endpoints.endpoint import Endpoint

    if given := [option for option, value in others.items() if value is not None]:
        raise InputError(
            f"{given[0]} is for models that are loaded here; the server of an endpoint decides it"
        )
    return Endpoint.open(
        url,
        model or "",
        key_file=key_file,
        concurrency=concurrency,
        timeout=timeout,
        strict_model=strict_model,
    )


def _adopt(model: Any, kind: Kind | None, positive: str | None, labels: str | Sequence[str] | None) -> Model:
    from counterpoise.models.adopting import adopt

    adopted: Model = adopt(model, kind=kind, positive=positive, labels=labels)
    return adopted


def _encoder_options(
    origin: Origin, kind: Kind, pooling: Pooling | Literal["own"] | None, layer: int | None
) -> dict[str, Any]:
    """The options that only encoders take."""
    if kind != "encoder":
        _refuse_encoder_options(kind, pooling, layer, origin.base)
        return {}
    replacement = None if pooling == "own" else pooling
    own = own_pooling(origin.home, origin.hub_options, origin.base, instead=replacement)
    chosen = own or replacement or "mean"
    return {"pooling": chosen, "layer": -1 if layer is None else layer}


def _causal_options(kind: Kind, start: str | None, chat: Chat | None, name: str) -> dict[str, Any]:
    """The options that only causal models take."""
    if kind == "causal":
        return {"start": start, "chat": chat}
    if start is not None or chat is not None:
        raise InputError(f"start and chat are for causal models, and {name} is loaded as {kind}")
    return {}


def _refuse_encoder_options(kind: Kind, pooling: str | None, layer: int | None, name: str) -> None:
    if pooling is not None or layer is not None:
        raise InputError(
            f"pooling and layer are for encoders, and {name} is loaded as {kind}; kind='encoder' makes it one"
        )


def _refuse_transformers_options(placement: Placement, origin: Origin) -> None:
    """Word vectors and ONNX files have no adapter and no quantisation, and are on one device."""
    given = [name for name in ("quantize", "device_map") if getattr(placement, name) is not None]
    given += ["adapter"] if origin.adapter else []
    if given:
        flag = given[0].replace("_", "-")
        raise InputError(f"{given[0]} (--{flag}) is for transformers models, and {origin.base} is none")


def _load_vectors(path: Path, kind: Kind | None, allow_pickle: bool) -> WordVectors:
    from counterpoise.models.vector_files import SUFFIXES
    from counterpoise.models.vectors import WordVectors

    if not path.is_file():
        raise ModelError(f"there is no file {path}")
    if kind not in (None, "vectors") or (kind is None and path.suffix not in SUFFIXES):
        raise ModelError(
            f"{path} is a file; a model is a folder or .gguf, and word vectors are a file that ends in "
            f"{', '.join(SUFFIXES)}"
        )
    return WordVectors.open(path, allow_pickle=allow_pickle)
