"""`load`: finds out what it is given and returns the class that fits it."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args
from urllib.parse import urlparse

from counterpoise.core.errors import CounterpoiseError, InputError, ModelError, did_you_mean, unknown
from counterpoise.models.sentence_transformers import own_pooling, transformer_folder

if TYPE_CHECKING:
    from counterpoise.models.causal import CausalLM
    from counterpoise.models.classifier import Classifier
    from counterpoise.models.encoder import Encoder
    from counterpoise.models.masked import MaskedLM
    from counterpoise.models.scoring.pooling import Pooling
    from counterpoise.models.vectors import WordVectors

    Model = MaskedLM | CausalLM | Encoder | Classifier | WordVectors

BUILTIN = "builtin"
BUILTIN_FOLDER = Path(__file__).parent / "builtin"
# While transformers reads weights it changes torch for all threads, and two at once leave it changed for good.
_ONE_AT_A_TIME = threading.RLock()

Kind = Literal["masked", "causal", "encoder", "classifier", "vectors"]
Dtype = Literal["float32", "tf32", "bf16", "bfloat16", "float16", "float64"]

_HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")
_WEIGHTS = ("*.safetensors", "*.safetensors.index.json")
_PICKLES = ("pytorch_model*.bin", "*.pt", "*.pth", "*.ckpt")


def load(
    name: str | Path | None = None,
    kind: Kind | None = None,
    device: str = "auto",
    dtype: Dtype = "float32",
    *,
    positive: str | None = None,
    revision: str | None = None,
    offline: bool = False,
    trust_remote_code: bool = False,
    allow_pickle: bool = False,
    pooling: Pooling | Literal["own"] | None = None,
    layer: int | None = None,
) -> Model:
    """Loads a model by hub name, folder or file; without a name, the built-in one.

    Parameters
    ----------
    name
        A name on the Hugging Face hub, a folder with a saved model, a GGUF file, a file of word vectors, or "builtin".
    kind
        What to load it as; found out from its configuration if not given.
    device
        "auto" takes cuda, then mps, then cpu.
    dtype
        "float32"; or, on a GPU quicker and less exact, "tf32" or "bf16"; also "float16" and "float64".
    positive
        The label of a classifier whose probability is its rating; found by its name if not given.
    revision
        A branch, tag or commit of a hub model.
    offline
        Never ask the hub; a hub model must be in the local cache.
    trust_remote_code
        Run Python code that comes with the model. Off, because that code can do anything.
    allow_pickle
        Read weights, or what gensim saved, from pickle files. Off, because a pickle can run code when it is read.
    pooling
        Of an encoder: how it makes the vector of a sentence (see `Encoder`). "own", what it is if not given, is what
        the files of a sentence-transformers model say, and "mean" for any other model.
    layer
        Of an encoder: which layer is read, the last one if not given.

    >>> load()
    <MaskedLM 'builtin' on cpu, float32>
    """
    name = str(name) if name is not None else BUILTIN
    for value, options, what in ((kind, get_args(Kind), "kind"), (dtype, get_args(Dtype), "dtype")):
        if value is not None and value not in options:
            raise unknown(f"{what} of model" if what == "kind" else what, value, options)
    source = BUILTIN_FOLDER if name == BUILTIN else Path(name).expanduser()
    asked: dict[str, Any] = {
        "revision": revision,
        "local_files_only": offline,
        "trust_remote_code": trust_remote_code,
    }
    if source.is_file() and source.suffix == ".gguf":
        _check_gguf_reader(source)
        location, kind = str(source.parent), kind or "causal"
        asked["gguf_file"] = source.name
    elif source.is_file() or kind == "vectors":
        _refuse_encoder_options("vectors", pooling, layer, name)
        return _load_vectors(source, kind, allow_pickle)
    elif source.is_dir():
        location = str(transformer_folder(source))
        _check_folder(Path(location), allow_pickle)
    else:
        _check_hub_name(name, offline)
        location = name
    with _ONE_AT_A_TIME, quiet_transformers(), _one_line_errors(name, offline):
        config = _config(location, asked)
        kind = kind or _kind_of(config, source, name)
        _refuse_seeing_the_future(config, kind, name)
        home = str(source) if source.is_dir() else location
        only_this_kind = _encoder_options(home, kind, asked, pooling, layer, name)
        if kind == "classifier":
            only_this_kind["positive"] = positive
        elif positive is not None:
            raise InputError(f"positive is for classifiers, and {name} is loaded as {kind}")
        model = _weights(location, config, kind, asked, allow_pickle, name)
        tokenizer = _tokenizer(location, config, asked, name)
    chosen = _device(device)
    if dtype == "tf32" and chosen.type != "cuda":
        raise InputError(f"tf32 is a precision of NVIDIA GPUs, and the device is {chosen}")
    with _one_line_errors(name, offline):
        model = model.to(dtype=_torch_dtype(dtype), device=chosen)
    loaded: Model = _class_of(kind)(model, tokenizer, name=name, tf32=dtype == "tf32", **only_this_kind)
    return loaded


def _encoder_options(
    home: str,
    kind: Kind,
    asked: dict[str, Any],
    pooling: Pooling | Literal["own"] | None,
    layer: int | None,
    name: str,
) -> dict[str, Any]:
    """What only encoders are told."""
    if kind != "encoder":
        _refuse_encoder_options(kind, pooling, layer, name)
        return {}
    wanted = None if pooling == "own" else pooling
    read = own_pooling(home, asked, name, instead=wanted) or wanted or "mean"
    return {"pooling": read, "layer": -1 if layer is None else layer}


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


def _check_gguf_reader(path: Path) -> None:
    if importlib.util.find_spec("gguf") is None:
        raise ModelError(f"{path} is a GGUF file; to read it, install the package gguf (pip install gguf)")


def _check_folder(folder: Path, allow_pickle: bool) -> None:
    if not (folder / "config.json").is_file():
        raise ModelError(f"{folder} is not a model: it has no config.json")
    if any(any(folder.glob(pattern)) for pattern in _WEIGHTS):
        return
    if not any(any(folder.glob(pattern)) for pattern in _PICKLES):
        raise ModelError(f"{folder} has a configuration but no weights (model.safetensors)")
    if not allow_pickle:
        raise ModelError(
            f"{folder} has only pickled weights, which can run code when they are read; "
            "convert them to safetensors, or pass allow_pickle=True (--allow-pickle) if you trust them"
        )


def _check_hub_name(name: str, offline: bool) -> None:
    """Says at once what a hub client would say after half a minute of retries."""
    hint = did_you_mean(name, [BUILTIN])
    if not _HUB_NAME.fullmatch(name) or name.startswith("."):
        raise ModelError(f"there is no folder {name}, and it is no name of a model on the hub{hint}")
    if offline or os.environ.get("HF_HUB_OFFLINE", "0").lower() in ("1", "true", "yes", "on"):
        return
    if _in_local_cache(name) or any(
        os.environ.get(key) for key in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY")
    ):
        return
    endpoint = urlparse(os.environ.get("HF_ENDPOINT", "https://huggingface.co"))
    try:
        socket.create_connection((endpoint.hostname or "", endpoint.port or 443), timeout=10).close()
    except OSError:
        raise ModelError(_unreachable(name) + hint) from None


def _in_local_cache(name: str) -> bool:
    from huggingface_hub import try_to_load_from_cache

    return isinstance(try_to_load_from_cache(name, "config.json"), str)


def _unreachable(name: str) -> str:
    return (
        f"{name!r} is no folder here, and the model hub cannot be reached to look for it; "
        "give a folder with a saved model, or use 'builtin'"
    )


def _config(location: str, asked: dict[str, Any]) -> Any:
    from transformers import AutoConfig

    return AutoConfig.from_pretrained(location, **asked)


def _kind_of(config: Any, source: Path, name: str) -> Kind:
    if (source / "modules.json").is_file():  # a sentence-transformers folder
        return "encoder"
    [architecture, *_] = getattr(config, "architectures", None) or [""]
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
        "say it with kind= (--kind): masked, causal, encoder or classifier"
    )


def _refuse_seeing_the_future(config: Any, kind: Kind, name: str) -> None:
    """Masked models load as causal ones without complaint, and each token then sees the ones after it."""
    architectures = getattr(config, "architectures", None) or [""]
    masked = architectures[0].endswith(("ForMaskedLM", "ForPreTraining"))
    if kind == "causal" and masked and not getattr(config, "is_decoder", False):
        raise ModelError(f"{name} is a masked language model and cannot be used as a causal one")


def _weights(
    location: str, config: Any, kind: Kind, asked: dict[str, Any], allow_pickle: bool, name: str
) -> Any:
    import transformers

    auto = {
        "masked": transformers.AutoModelForMaskedLM,
        "causal": transformers.AutoModelForCausalLM,
        "classifier": transformers.AutoModelForSequenceClassification,
        "encoder": transformers.AutoModel,
    }[kind]
    model, loaded = auto.from_pretrained(
        location,
        config=config,
        use_safetensors=None if allow_pickle or "gguf_file" in asked else True,
        output_loading_info=True,
        **asked,
    )
    # A pooler may be missing from an encoder: nothing here reads it. What it has instead is random, and goes.
    if kind == "encoder" and any(key.startswith("pooler.") for key in loaded["missing_keys"]):
        model.pooler = None
    missing = sorted(key for key in loaded["missing_keys"] if "pooler" not in key)
    if missing or loaded["mismatched_keys"]:
        what = missing[0] if missing else sorted(map(str, loaded["mismatched_keys"]))[0]
        raise ModelError(
            f"{name} cannot be used as a {kind} model: its weights lack {what}"
            + (f" and {len(missing) - 1} more" if len(missing) > 1 else "")
            + ", and what is lacking would be random"
        )
    # Of a model that writes texts from texts, the part that reads.
    return model.get_encoder() if kind == "encoder" and model.config.is_encoder_decoder else model


def _tokenizer(location: str, config: Any, asked: dict[str, Any], name: str) -> Any:
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(location, use_fast=True, **asked)
    except Exception as error:  # anything that a broken file can set off
        raise ModelError(f"{name} has no tokenizer that can be read ({_first_line(error)})") from error
    # Where the files are missing, transformers makes an empty tokenizer up, and every word becomes unknown.
    if len(tokenizer) < config.vocab_size // 2:
        raise ModelError(
            f"{name} has no tokenizer that fits: it knows {len(tokenizer)} tokens and the model {config.vocab_size}"
        )
    return tokenizer


def _class_of(kind: Kind) -> Any:
    from counterpoise.models.causal import CausalLM
    from counterpoise.models.classifier import Classifier
    from counterpoise.models.encoder import Encoder
    from counterpoise.models.masked import MaskedLM

    return {"masked": MaskedLM, "causal": CausalLM, "encoder": Encoder, "classifier": Classifier}[kind]


def _device(wanted: str) -> Any:
    import torch

    if wanted == "auto":
        if torch.cuda.is_available():
            wanted = "cuda"
        else:
            wanted = "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        device = torch.device(wanted)
        torch.empty(0, device=device).cpu()  # a device that holds no numbers fails here
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise InputError(f"the device {wanted!r} cannot be used here: {_first_line(error)}") from error
    return device


def _torch_dtype(dtype: Dtype) -> Any:
    import torch

    return getattr(torch, {"tf32": "float32", "bf16": "bfloat16"}.get(dtype, dtype))


@contextlib.contextmanager
def _one_line_errors(name: str, offline: bool) -> Iterator[None]:
    """What transformers and the hub say in paragraphs, in a line."""
    try:
        yield
    except CounterpoiseError:
        raise
    except OSError as error:
        text = str(error)
        if offline or "connect" in text or "offline" in text:
            where = "in the local cache (offline)" if offline else "to be had"
            raise ModelError(
                f"{name!r} is no folder here and not {where}" if offline else _unreachable(name)
            ) from error
        raise ModelError(f"cannot load {name}: {_first_line(error)}") from error
    except Exception as error:  # anything that a broken checkpoint can set off
        if "trust_remote_code" in str(error):
            raise ModelError(
                f"{name} wants to run Python code that comes with it; "
                "pass trust_remote_code=True (--trust-remote-code) if you trust that code"
            ) from error
        raise ModelError(f"cannot load {name}: {_first_line(error)}") from error


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


@contextlib.contextmanager
def quiet_transformers() -> Iterator[None]:
    """Loading reports and progress bars of transformers would drown our one line."""
    import logging

    from transformers.utils import logging as transformers_logging

    bars = transformers_logging.is_progress_bar_enabled()
    level = transformers_logging.get_verbosity()
    hub = logging.getLogger("huggingface_hub")
    hub_level = hub.level
    transformers_logging.disable_progress_bar()
    transformers_logging.set_verbosity(transformers_logging.CRITICAL)
    hub.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        if bars:
            transformers_logging.enable_progress_bar()
        transformers_logging.set_verbosity(level)
        hub.setLevel(hub_level)
