"""`load`: opens any model and returns the class that fits its kind."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from counterpoise.core.errors import InputError, ModelError, did_you_mean, unknown
from counterpoise.models.classes import class_of
from counterpoise.models.classifier_options import found_kind, label_options
from counterpoise.models.devices import resolve_device
from counterpoise.models.onnx_classifier import is_onnx_folder, load_onnx
from counterpoise.models.pretrained import (
    Kind,
    kind_of,
    quiet_transformers,
    read_config,
    read_tokenizer,
    read_weights,
    refuse_masked_as_causal,
)
from counterpoise.models.sentence_transformers import own_pooling, transformer_folder
from counterpoise.models.sources import (
    check_folder,
    check_gguf_reader,
    check_hub_name,
    one_line_errors,
)

if TYPE_CHECKING:
    from counterpoise.models.causal import CausalLM
    from counterpoise.models.classifier import Classifier
    from counterpoise.models.coreference import CoreferenceSystem
    from counterpoise.models.encoder import Encoder
    from counterpoise.models.function_classifier import FunctionClassifier
    from counterpoise.models.function_inference import FunctionInference
    from counterpoise.models.inference import InferenceModel
    from counterpoise.models.masked import MaskedLM
    from counterpoise.models.scoring.pooling import Pooling
    from counterpoise.models.vectors import WordVectors

    Model = (
        MaskedLM
        | CausalLM
        | Encoder
        | Classifier
        | FunctionClassifier
        | InferenceModel
        | FunctionInference
        | WordVectors
        | CoreferenceSystem
    )

BUILTIN = "builtin"
BUILTIN_FOLDER = Path(__file__).parent / "builtin"
# While transformers reads weights it changes torch for all threads; two at once would leave it changed for good.
_ONE_AT_A_TIME = threading.RLock()

Dtype = Literal["float32", "tf32", "bf16", "bfloat16", "float16", "float64"]


def load(
    name: Any = None,
    kind: Kind | None = None,
    device: str = "auto",
    dtype: Dtype = "float32",
    *,
    positive: str | None = None,
    labels: str | Sequence[str] | None = None,
    revision: str | None = None,
    offline: bool = False,
    trust_remote_code: bool = False,
    allow_pickle: bool = False,
    pooling: Pooling | Literal["own"] | None = None,
    layer: int | None = None,
) -> Model:
    """Loads a model by hub name, folder or file, or takes one that is at hand; without a name, the built-in model.

    Parameters
    ----------
    name
        A name on the Hugging Face hub, a folder with a saved model, a GGUF file, a file of word vectors, or "builtin".
        Or a classifier from elsewhere: a function from texts to numbers, a fitted scikit-learn pipeline, a pipeline of
        transformers, or a pair of a transformers model and its tokenizer. With kind="nli" a function takes premises
        and hypotheses, and returns three probabilities for each; with kind="coreference" it takes texts and returns
        clusters, or it is a fastcoref model or a spaCy pipeline.
    kind
        What to load it as; if not given, what its configuration says, and a classifier if it is a function.
    device
        "auto" takes cuda, then mps, then cpu.
    dtype
        "float32"; or "tf32" or "bf16", which are faster on a GPU and less exact; also "float16" and "float64".
    positive
        The label of a classifier whose probability is the rating; if not given, the one that is named so.
    labels
        Entailment, neutral and contradiction in the order of the outputs of a model of natural language inference, as a
        list or with commas between them; if not given, as its labels are named.
    revision
        A branch, tag or commit of a hub model.
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

    >>> load()
    <MaskedLM 'builtin' on cpu, float32>
    """
    if not isinstance(name, str | Path | None):
        return _adopt(name, kind, positive, labels)
    name = str(name) if name is not None else BUILTIN
    for value, options, what in ((kind, get_args(Kind), "kind"), (dtype, get_args(Dtype), "dtype")):
        if value is not None and value not in options:
            raise unknown(f"{what} of model" if what == "kind" else what, value, options)
    if kind == "coreference":
        raise InputError(
            f"a coreference system is a Python object, and {name!r} is a name: give a function from texts to clusters "
            "(on the command line module:function), a fastcoref model or a spaCy pipeline"
        )
    source = BUILTIN_FOLDER if name == BUILTIN else Path(name).expanduser()
    hub_options: dict[str, Any] = {
        "revision": revision,
        "local_files_only": offline,
        "trust_remote_code": trust_remote_code,
    }
    if source.is_file() and source.suffix == ".gguf":
        check_gguf_reader(source)
        location, kind = str(source.parent), kind or "causal"
        hub_options["gguf_file"] = source.name
    elif source.is_file() or kind == "vectors":
        _refuse_encoder_options("vectors", pooling, layer, name)
        return _load_vectors(source, kind, allow_pickle)
    elif is_onnx_folder(source):
        _refuse_encoder_options("classifier", pooling, layer, name)
        label_options("classifier", positive, labels, name)
        return load_onnx(source, kind, positive, name)
    elif source.is_dir():
        location = str(transformer_folder(source))
        check_folder(Path(location), allow_pickle)
    else:
        check_hub_name(name, offline, hint=did_you_mean(name, [BUILTIN]))
        location = name
    with _ONE_AT_A_TIME, quiet_transformers(), one_line_errors(name, offline):
        config = read_config(location, hub_options)
        kind = kind or found_kind(kind_of(config, source, name), positive, labels)
        refuse_masked_as_causal(config, kind, name)
        home = str(source) if source.is_dir() else location
        kind_options = _encoder_options(home, kind, hub_options, pooling, layer, name)
        kind_options |= label_options(kind, positive, labels, name)
        model = read_weights(location, config, kind, hub_options, allow_pickle, name)
        tokenizer = read_tokenizer(location, config, hub_options, name)
    torch_device = resolve_device(device)
    if dtype == "tf32" and torch_device.type != "cuda":
        raise InputError(f"tf32 is a precision of NVIDIA GPUs, and the device is {torch_device}")
    with one_line_errors(name, offline):
        model = model.to(dtype=_torch_dtype(dtype), device=torch_device)
    loaded: Model = class_of(kind)(model, tokenizer, name=name, tf32=dtype == "tf32", **kind_options)
    return loaded


def _adopt(model: Any, kind: Kind | None, positive: str | None, labels: str | Sequence[str] | None) -> Model:
    from counterpoise.models.adopting import adopt

    adopted: Model = adopt(model, kind=kind, positive=positive, labels=labels)
    return adopted


def _encoder_options(
    home: str,
    kind: Kind,
    hub_options: dict[str, Any],
    pooling: Pooling | Literal["own"] | None,
    layer: int | None,
    name: str,
) -> dict[str, Any]:
    """The options that only encoders take."""
    if kind != "encoder":
        _refuse_encoder_options(kind, pooling, layer, name)
        return {}
    replacement = None if pooling == "own" else pooling
    chosen = own_pooling(home, hub_options, name, instead=replacement) or replacement or "mean"
    return {"pooling": chosen, "layer": -1 if layer is None else layer}


def _refuse_encoder_options(kind: Kind, pooling: str | None, layer: int | None, name: str) -> None:
    if pooling is not None or layer is not None:
        raise InputError(
            f"pooling and layer are for encoders, and {name} is loaded as {kind}; kind='encoder' makes it one"
        )


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


def _torch_dtype(dtype: Dtype) -> Any:
    import torch

    return getattr(torch, {"tf32": "float32", "bf16": "bfloat16"}.get(dtype, dtype))
