"""What the files of a sentence-transformers model say: where its transformer is, and how it pools.

    modules.json                        the steps: Transformer, Pooling, Normalize
    1_Pooling/config.json               which poolings
    sentence_bert_config.json           longest text, lower case
    config_sentence_transformers.json   the prompt that goes before every text

The files are read here; the package sentence-transformers is not needed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from counterpoise.core.documents import read_json_file
from counterpoise.core.errors import ModelError
from counterpoise.models.scoring.pooling import POOLINGS, Pooling, SentencePooling

MODULES = "modules.json"


def transformer_folder(folder: Path) -> Path:
    """Where the transformer's own files are: in the folder itself or, as older versions save it, in one inside it."""
    if not (folder / MODULES).is_file():
        return folder
    modules = _modules(str(folder), {})
    return folder / next((path for step, path in modules if step == "Transformer"), "")


def own_pooling(
    location: str, hub_options: dict[str, Any], name: str, instead: Pooling | None = None
) -> SentencePooling | None:
    """The pooling that comes with a model, or None if it is no sentence-transformers model.

    `instead` replaces that pooling and the steps around it; lower case and length stay those of the model.
    """
    modules = _modules(location, hub_options)
    if not modules:
        return None
    poolings: tuple[Pooling, ...] = (instead or "mean",)
    normalize, subfolder = False, ""
    for step, path in modules:
        if step == "Transformer":
            subfolder = path
        elif instead is not None:
            continue
        elif step == "Pooling":
            poolings = _poolings(_settings(location, f"{path}/config.json", hub_options), name)
        elif step == "Normalize":
            normalize = True
        else:
            raise ModelError(
                f"{name} makes its vectors with a step that is not known here ({step}); "
                "pass pooling='mean' (--pooling mean) or another one to read its transformer alone"
            )
    settings = _settings(location, f"{subfolder}/sentence_bert_config.json".lstrip("/"), hub_options)
    prompts = _settings(location, "config_sentence_transformers.json", hub_options)
    max_length = settings.get("max_seq_length")
    if max_length is not None and (not isinstance(max_length, int) or max_length < 1):
        raise ModelError(f"{name} says that its texts have at most {max_length!r} tokens")
    return SentencePooling(
        poolings=poolings,
        normalize=normalize,
        lower_case=bool(settings.get("do_lower_case", False)),
        prompt="" if instead else _default_prompt(prompts, name),
        max_length=max_length,
    )


def _default_prompt(config: dict[str, Any], name: str) -> str:
    prompts, chosen = config.get("prompts") or {}, config.get("default_prompt_name") or ""
    if not isinstance(prompts, dict) or not isinstance(chosen, str):
        raise ModelError(f"the prompts of {name} are not texts under a name")
    return str(prompts.get(chosen, ""))


def _modules(location: str, hub_options: dict[str, Any]) -> list[tuple[str, str]]:
    """The steps in their order: the class, whose package differs between versions, and the folder."""
    modules = _read(location, MODULES, hub_options) or []
    try:
        return [(module["type"].rpartition(".")[2], str(module["path"] or "")) for module in modules]
    except (TypeError, KeyError, AttributeError):
        raise ModelError(f"{location}/{MODULES} is not a list of steps with type and path") from None


def _poolings(config: dict[str, Any], name: str) -> tuple[Pooling, ...]:
    named = config.get("pooling_mode", [])  # newer versions name them; older ones have a switch for each
    chosen = named if isinstance(named, list) else [named]
    switches = {
        "cls": "cls_token",
        "max": "max_tokens",
        "mean": "mean_tokens",
        "mean_sqrt_len": "mean_sqrt_len_tokens",
        "weightedmean": "weightedmean_tokens",
        "lasttoken": "lasttoken",
    }
    poolings = [p for p in POOLINGS if p in chosen or config.get(f"pooling_mode_{switches[p]}", False)]
    if not poolings or len(poolings) < len(chosen):
        raise ModelError(f"{name} does not say how it pools, or in a way not known here: {config}")
    if config.get("include_prompt", True) is False:
        raise ModelError(
            f"{name} leaves its prompt out when it pools, which is not done here; "
            "pass pooling='mean' (--pooling mean)"
        )
    return tuple(poolings)


def _settings(location: str, file: str, hub_options: dict[str, Any]) -> dict[str, Any]:
    """The settings in a file; none if there is no such file."""
    settings = _read(location, file, hub_options)
    if not isinstance(settings, dict | None):
        raise ModelError(f"{location}/{file} does not hold settings by name")
    return settings or {}


def _read(location: str, file: str, hub_options: dict[str, Any]) -> Any:
    """A JSON file of a folder or hub model, or None if it has none."""
    from transformers.utils import cached_file

    where = {key: hub_options[key] for key in ("revision", "local_files_only") if key in hub_options}
    path = cached_file(
        location,
        file,
        **where,
        _raise_exceptions_for_missing_entries=False,
        _raise_exceptions_for_connection_errors=False,
    )
    if path is None:
        return None
    return read_json_file(path, ModelError)
