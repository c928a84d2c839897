"""LoRA adapters and their like, as PEFT saves them: found, checked against their base model, and put into it.

The layers of an adapter stay beside those of the base and are not merged into them, so that the numbers are exactly
those of a `PeftModel`, also where the base is quantised.
"""

from __future__ import annotations

import contextlib
import filecmp
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterpoise.core.errors import CounterpoiseError, ModelError
from counterpoise.core.files import read_json
from counterpoise.core.hub import HUB_NAME
from counterpoise.models.extras import need
from counterpoise.models.pretrained import Kind, read_adapter, read_tokenizer
from counterpoise.models.sources import check_hub_name, first_line
from counterpoise.models.transformer import vocabulary_size
from counterpoise.models.unfinished import ADAPTER_CONFIG, is_adapter, quoted

# Methods that add to the layers of a model; others change its inputs, or how it is called.
METHODS = ("LORA", "IA3", "LOHA", "LOKR")
_SAFE_WEIGHTS, _PICKLED_WEIGHTS = "adapter_model.safetensors", "adapter_model.bin"
_HEADS = {"SEQ_CLS": ("classifier", "nli"), "TOKEN_CLS": (), "QUESTION_ANS": ()}
# What a folder of the hub is downloaded for; "*.bin" only where pickles are allowed.
_FILES = ["adapter_config.json", _SAFE_WEIGHTS, "tokenizer*", "special_tokens_map.json", "added_tokens.json"]
_FILES += ["vocab.*", "merges.txt", "chat_template*"]


@dataclass(frozen=True)
class Adapter:
    """An adapter on this machine, with what its configuration says."""

    name: str  # as it was given
    folder: Path
    config: Mapping[str, Any]

    @property
    def base(self) -> str:
        """The base model that the adapter names; an error if it names none."""
        base = self.config.get("base_model_name_or_path")
        if not quoted(base):
            raise ModelError(
                f"{self.name} is an adapter whose {ADAPTER_CONFIG} names no base model; name it: "
                f"counterpoise audit BASE --adapter {self.name}"
            )
        return str(base)

    @property
    def base_revision(self) -> str | None:
        revision = self.config.get("revision")
        return revision if isinstance(revision, str) else None

    def names(self, base: str) -> bool:
        """Whether this is the name of the base model in its configuration."""
        return bool(base == self.config.get("base_model_name_or_path"))

    @property
    def commit(self) -> str | None:
        """The commit of a hub adapter."""
        return None if Path(self.name).expanduser().is_dir() else self.folder.name

    def tokenizer(self, config: Any) -> Any:
        """The adapter's own tokenizer, or None if it has none that fits the base model."""
        if not any((self.folder / name).is_file() for name in ("tokenizer.json", "tokenizer_config.json")):
            return None
        try:
            own = read_tokenizer(str(self.folder), config, {"trust_remote_code": False}, self.name)
        except ModelError:
            return None
        return own if own.vocab_size <= vocabulary_size(config) else None

    def check_base_name(self, base: str) -> None:
        """Raises an error if the adapter names a folder that is not here; what its file says is not to be trusted."""
        if self.names(base) and not _is_hub_name(base):
            raise ModelError(
                f"{self.name} is an adapter of {quoted(base)}, which is not at hand; name the base where it is: "
                f"counterpoise audit BASE --adapter {self.name}"
            )

    def check_base(self, given: str) -> None:
        """Raises an error if a base model is surely another than the one that the adapter was trained on."""
        named = self.config.get("base_model_name_or_path")
        if not isinstance(named, str) or not named.strip():
            return
        if _is_same(Path(given).expanduser(), Path(named).expanduser(), given, named):
            return
        raise ModelError(
            f"{self.name} is an adapter of {quoted(named)}, and {given} is another model; give that one, or change "
            f"base_model_name_or_path in {ADAPTER_CONFIG} if the two are the same"
        )

    def check_kind(self, kind: Kind, base: str) -> None:
        """Raises an error if the adapter has a head of its own that the base has not."""
        task = str(self.config.get("task_type"))
        if task in _HEADS and kind not in _HEADS[task]:
            raise ModelError(
                f"{self.name} is an adapter with a head of its own ({task}), and {base} is loaded as {kind}; merge the "
                "two with peft (merge_and_unload), save the result with its tokenizer, and audit that"
            )

    def put_into(self, model: Any, base: str, options: Mapping[str, Any], tokens: int = 0) -> Any:
        """The base model with the adapter's layers in it; an error if they do not fit.

        tokens: how many the adapter's own tokenizer has, if it has one; some may have been added to those of the base.
        """
        from peft.utils import get_peft_model_state_dict, load_peft_weights

        try:
            weights = load_peft_weights(str(self.folder), device="cpu")
            self._make_room(model, weights, tokens)
            adapted = read_adapter(model, self.folder, _dispatch(options))
            saved = set(weights)
            wanted = set(get_peft_model_state_dict(adapted, save_embedding_layers=False))
        except CounterpoiseError:
            raise
        except Exception as error:  # whatever a misfit or a damaged file can raise
            reason = first_line(error).partition(". ")[0]
            detail = next(
                (line.strip() for line in str(error).splitlines() if "size mismatch" in line), reason
            )
            raise ModelError(f"the adapter {self.name} does not fit {base}: {detail}") from error
        missing, unknown = sorted(wanted - saved), sorted(saved - wanted - set(adapted.state_dict()))
        if missing or unknown:
            what = f"has no weights for {missing[0]}" if missing else f"has weights for {unknown[0]}"
            raise ModelError(f"the adapter {self.name} does not fit {base}: it {what}")
        return adapted.get_base_model()

    def _make_room(self, model: Any, weights: Mapping[str, Any], tokens: int) -> None:
        """Gives the base rows for tokens that were added before training, if the adapter has their weights."""
        known = vocabulary_size(model.config)
        if tokens <= known:
            return
        layers = [model.get_input_embeddings(), model.get_output_embeddings()]
        rows = [_saved_rows(model, layer, weights) for layer in layers if layer is not None]
        if tokens > rows[0]:
            return
        if len(set(rows)) > 1:
            raise ModelError(
                f"the adapter {self.name} has weights of {rows[0] - known} new tokens for the input layer and none for "
                "the output layer, and what is lacking would be random"
            )
        model.resize_token_embeddings(rows[0], mean_resizing=False)


def find_adapter(name: str, hub_options: Mapping[str, Any], allow_pickle: bool) -> Adapter | None:
    """The adapter of a folder or hub name, or None if what has this name is a whole model or nothing at all."""
    folder = Path(name).expanduser()
    if folder.is_dir():
        found = is_adapter(folder) or (_weights_in(folder) and not (folder / "config.json").is_file())
        return open_adapter(name, hub_options, allow_pickle) if found else None
    return open_adapter(name, hub_options, allow_pickle) if _is_hub_adapter(name, hub_options) else None


def open_adapter(name: str, hub_options: Mapping[str, Any], allow_pickle: bool) -> Adapter:
    """The adapter of a folder or hub name; an error if it cannot be put into a model."""
    folder = Path(name).expanduser()
    if not folder.exists():
        check_hub_name(name, bool(hub_options["local_files_only"]))
        folder = _download(name, hub_options, allow_pickle)
    weights = _weights_in(folder)
    if not (folder / ADAPTER_CONFIG).is_file():
        what = "the weights of an adapter but no" if weights else "no"
        raise ModelError(f"{name} has {what} {ADAPTER_CONFIG}, so it is no adapter that can be loaded")
    config = read_json(folder / ADAPTER_CONFIG)
    if not isinstance(config, dict):
        raise ModelError(f"{folder / ADAPTER_CONFIG} is damaged: it holds no settings")
    if not weights:
        raise ModelError(f"{name} is an adapter without weights ({_SAFE_WEIGHTS})")
    if weights == _PICKLED_WEIGHTS and not allow_pickle:
        raise ModelError(
            f"{name} has only pickled weights, which can run code when they are read; convert them to safetensors, or "
            "pass allow_pickle=True (--allow-pickle) if you trust them"
        )
    _check_method(name, config)
    need("peft", f"{name}, an adapter,")
    return Adapter(name, folder, config)


def _check_method(name: str, config: Mapping[str, Any]) -> None:
    method = config.get("peft_type")
    if method not in METHODS:
        raise ModelError(
            f"{name} is an adapter of the method {quoted(method) or 'unknown'}; those that can be loaded are "
            f"{', '.join(METHODS)}, since they change the layers of a model and nothing else"
        )
    if config.get("megatron_config"):
        raise ModelError(f"{name} is an adapter of a Megatron model, which cannot be loaded")


def _saved_rows(model: Any, layer: Any, weights: Mapping[str, Any]) -> int:
    """How many rows an adapter has for a layer of the model; 0 if it has none."""
    name = next(name for name, module in model.named_modules() if module is layer)
    prefix = f"base_model.model.{name}."
    found = (weights.get(prefix + end) for end in ("weight", "base_layer.weight"))
    return next((len(rows) for rows in found if rows is not None), 0)


def _weights_in(folder: Path) -> str | None:
    """The name of the file with the weights; safetensors where there are both."""
    return next((name for name in (_SAFE_WEIGHTS, _PICKLED_WEIGHTS) if (folder / name).is_file()), None)


def _is_same(given: Path, named: Path, given_name: str, named_name: str) -> bool:
    """Whether two bases are one model, as far as that can be told; a folder and a hub name may be."""
    if given.is_dir() and named.is_dir():
        return given.resolve() == named.resolve() or _same_files(given, named)
    if not given.exists() and not named.exists() and _is_hub_name(given_name) and _is_hub_name(named_name):
        return given_name.casefold() == named_name.casefold()
    return True


def _same_files(one: Path, other: Path) -> bool:
    """Whether two folders hold the same configuration and weights."""
    ignored = ("_name_or_path", "transformers_version", "dtype", "torch_dtype")
    configs = []
    for folder in (one, other):
        config = read_json(folder / "config.json") if (folder / "config.json").is_file() else {}
        configs.append({name: value for name, value in config.items() if name not in ignored})
    names = [sorted(path.name for path in folder.glob("*.safetensors")) for folder in (one, other)]
    return (
        configs[0] == configs[1]
        and names[0] == names[1]
        and all(filecmp.cmp(one / name, other / name, shallow=False) for name in names[0])
    )


def _is_hub_name(name: str) -> bool:
    return HUB_NAME.fullmatch(name) is not None and not name.startswith(".")


def _is_hub_adapter(name: str, hub_options: Mapping[str, Any]) -> bool:
    """Whether a repository of the hub has an adapter and not a whole model."""
    from huggingface_hub import hf_hub_download, list_repo_files

    where = {"revision": hub_options["revision"]}
    offline = bool(hub_options["local_files_only"])
    with contextlib.suppress(Exception):  # what is wrong with the name is said when its configuration is read
        config = hf_hub_download(name, ADAPTER_CONFIG, local_files_only=offline, **where)
        files = set() if offline else set(list_repo_files(name, **where))
        whole = ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin")
        return is_adapter(Path(config).parent) and not files.intersection(whole)
    return False


def _download(name: str, hub_options: Mapping[str, Any], allow_pickle: bool) -> Path:
    from huggingface_hub import snapshot_download

    try:
        folder = snapshot_download(
            name,
            revision=hub_options["revision"],
            local_files_only=bool(hub_options["local_files_only"]),
            allow_patterns=[*_FILES, *([_PICKLED_WEIGHTS] if allow_pickle else [])],
        )
    except Exception as error:  # no such name, no access, no network
        raise ModelError(f"the adapter {name!r} cannot be had: {first_line(error)}") from error
    return Path(folder)


def _dispatch(options: Mapping[str, Any]) -> dict[str, Any]:
    """Where the layers go when PEFT places a model on several devices again, under the names that it gives them."""
    device_map = options.get("device_map")
    if device_map is None:
        return {}
    if not isinstance(device_map, str):
        device_map = {f"base_model.model.{name}".rstrip("."): device for name, device in device_map.items()}
    return {"device_map": device_map, "offload_folder": options.get("offload_folder")}
