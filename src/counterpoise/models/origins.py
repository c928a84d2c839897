"""What the name of a model stands for: a folder, a file, a repository of the hub, or an adapter with its base."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterpoise.core.errors import did_you_mean
from counterpoise.models.adapters import Adapter, find_adapter, open_adapter
from counterpoise.models.gguf import check_gguf, is_gguf
from counterpoise.models.pretrained import Kind
from counterpoise.models.sentence_transformers import transformer_folder
from counterpoise.models.sources import check_folder, check_hub_name, commit_of

BUILTIN = "builtin"
BUILTIN_FOLDER = Path(__file__).parent / "builtin"


@dataclass(frozen=True)
class Origin:
    """Where the weights of a model come from, and what is added to them."""

    name: str  # of the model that is loaded
    base: str  # of its weights: another name if it is an adapter
    path: Path  # of the weights, if they are a folder or file
    hub_options: dict[str, Any]
    adapter: Adapter | None = None

    @property
    def is_gguf(self) -> bool:
        return is_gguf(self.path)

    @property
    def location(self) -> str:
        """What transformers calls it."""
        if self.is_gguf:
            return str(self.path.parent)
        return str(transformer_folder(self.path)) if self.path.is_dir() else self.base

    @property
    def home(self) -> str:
        """The folder or repository itself, which of a sentence-transformers model is above its transformer."""
        return str(self.path) if self.path.is_dir() else self.location

    def check(self, allow_pickle: bool) -> None:
        """Raises an error if there is no transformers model there, or one whose weights may not be read."""
        if self.is_gguf:
            check_gguf(self.path)
        elif self.path.is_dir():
            check_folder(Path(self.location), allow_pickle)
        else:
            if self.adapter is not None:
                self.adapter.check_base_name(self.base)
            check_hub_name(
                self.base,
                bool(self.hub_options["local_files_only"]),
                did_you_mean(self.base, [BUILTIN, *fetched_models()]),
            )
        if self.adapter is not None:
            self.adapter.check_base(str(self.path) if self.path.exists() else self.base)

    def details(self) -> dict[str, Any]:
        """What a manifest says of it: the revision of a hub model, the base of an adapter."""
        found = {
            "revision": self.hub_options["revision"],
            "commit": None if self.path.exists() else commit_of(self.base, self.hub_options["revision"]),
            "base": self.base if self.adapter else None,
            "adapter": self.adapter.name if self.adapter else None,
            "adapter_commit": self.adapter.commit if self.adapter else None,
        }
        return {name: value for name, value in found.items() if value is not None}


def find_origin(
    name: str, kind: Kind | None, adapter: str | None, hub_options: dict[str, Any], allow_pickle: bool
) -> Origin:
    """What a name stands for; with an adapter, the base that it names or that was named beside it."""
    if adapter is not None:
        # A revision is that of the base, which was named; if there is none, the one that the adapter was trained on.
        added = open_adapter(adapter, {**hub_options, "revision": None}, allow_pickle)
        revision = hub_options["revision"] or (added.base_revision if added.names(name) else None)
        return _origin(adapter, name, {**hub_options, "revision": revision}, added)
    whole = _origin(name, name, hub_options)
    if name == BUILTIN or kind == "vectors" or whole.path.is_file():
        return whole
    if not whole.path.exists():
        whole.check(allow_pickle)
    found = find_adapter(name, hub_options, allow_pickle)
    if found is None:
        return whole
    return _origin(name, found.base, {**hub_options, "revision": found.base_revision}, found)


def _path_of(name: str) -> Path:
    """The folder or file of a name; that of no model on this machine if it is a name on the hub."""
    if name == BUILTIN:
        return BUILTIN_FOLDER
    path = Path(name).expanduser()
    if path.exists() or name not in fetched_models():
        return path
    from counterpoise.data.thirdparty.folders import find_file

    return find_file(name, fetched_models()[name])


def fetched_models() -> dict[str, str]:
    """The models that `counterpoise catalog fetch` can get, and their files.

    >>> fetched_models()
    {'smollm2': 'SmolLM2-135M-Instruct.Q4_1.gguf'}
    """
    # Imported here: it needs pydantic, and a model in a folder can be loaded without that.
    from counterpoise.data.thirdparty.sources import sources

    return {name: source.files[0].name for name, source in sources().items() if source.kind == "model"}


def _origin(name: str, base: str, hub_options: dict[str, Any], adapter: Adapter | None = None) -> Origin:
    path = _path_of(base)
    if is_gguf(path):
        hub_options = {**hub_options, "gguf_file": path.name}
    return Origin(name, base, path, hub_options, adapter)
