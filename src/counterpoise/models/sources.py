"""Where a model comes from: what is wrong with a folder or hub name, said in one line before anything is loaded."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from counterpoise.core.errors import CounterpoiseError, ModelError
from counterpoise.core.hub import HUB_NAME, hub_is_offline, hub_is_reachable
from counterpoise.models.unfinished import ADAPTER_CONFIG, about_adapter, about_training, is_adapter

_WEIGHTS = ("*.safetensors", "*.safetensors.index.json")
_PICKLES = ("pytorch_model*.bin", "*.pt", "*.pth", "*.ckpt")


def check_folder(folder: Path, allow_pickle: bool) -> None:
    """Raises an error if a folder holds no model, or only weights that may not be read."""
    if is_adapter(folder):
        raise ModelError(about_adapter(folder))
    if not (folder / "config.json").is_file():
        raise ModelError(about_training(folder) or f"{folder} is not a model: it has no config.json")
    if any(any(folder.glob(pattern)) for pattern in _WEIGHTS):
        return
    if not any(any(folder.glob(pattern)) for pattern in _PICKLES):
        raise ModelError(f"{folder} has a configuration but no weights (model.safetensors)")
    if not allow_pickle:
        raise ModelError(
            f"{folder} has only pickled weights, which can run code when they are read; "
            "convert them to safetensors, or pass allow_pickle=True (--allow-pickle) if you trust them"
        )


def check_hub_name(name: str, offline: bool, hint: str = "") -> None:
    """Raises at once the error that a hub client would raise after half a minute of retries."""
    if not HUB_NAME.fullmatch(name) or name.startswith("."):
        raise ModelError(f"there is no folder {name}, and it is no name of a model on the hub{hint}")
    if offline or hub_is_offline() or in_local_cache(name) or hub_is_reachable():
        return
    raise ModelError(_unreachable(name) + hint)


def in_local_cache(name: str) -> bool:
    """Whether a model of the hub was downloaded before."""
    from huggingface_hub import try_to_load_from_cache

    files = ("config.json", ADAPTER_CONFIG)
    return any(isinstance(try_to_load_from_cache(name, file), str) for file in files)


def commit_of(name: str, revision: str | None) -> str | None:
    """The commit of a model of the hub that was downloaded; its files lie in a folder of that name."""
    from huggingface_hub import try_to_load_from_cache

    config = try_to_load_from_cache(name, "config.json", revision=revision)
    return Path(config).parent.name if isinstance(config, str) else None


def _unreachable(name: str) -> str:
    return (
        f"{name!r} is no folder here, and the model hub cannot be reached to look for it; "
        "give a folder with a saved model, or use 'builtin'"
    )


@contextlib.contextmanager
def one_line_errors(name: str, offline: bool) -> Iterator[None]:
    """Turns the errors of transformers and the hub, which have paragraphs, into one line."""
    try:
        yield
    except CounterpoiseError:
        raise
    except OSError as error:
        text = str(error)
        if offline:
            raise ModelError(f"{name!r} is no folder here and not in the local cache (offline)") from error
        if "connect" in text or "offline" in text:
            raise ModelError(_unreachable(name)) from error
        raise ModelError(f"cannot load {name}: {first_line(error)}") from error
    except Exception as error:  # whatever a broken checkpoint can raise
        if "trust_remote_code" in str(error):
            raise ModelError(
                f"{name} wants to run Python code that comes with it; "
                "pass trust_remote_code=True (--trust-remote-code) if you trust that code"
            ) from error
        if "ignore_mismatched_sizes" in str(error):
            raise ModelError(
                f"cannot load {name}: its config.json and its weights have different sizes"
            ) from error
        raise ModelError(f"cannot load {name}: {first_line(error)}") from error


def first_line(error: BaseException) -> str:
    """The first line of an error's message, or the name of its class if it has none."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
