"""The model that learns from a corpus: debiased first, so that what it says later comes from the corpus."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from counterpoise.core.cache import artifact_folder
from counterpoise.core.checked_files import write_checksums
from counterpoise.core.hashing import hash_texts
from counterpoise.core.version import __version__
from counterpoise.data.builtin.neutral import neutral_texts
from counterpoise.data.corpus import Corpus
from counterpoise.data.thirdparty.folders import at_hand
from counterpoise.mitigate.finetune.debiasing import debias, is_kept
from counterpoise.mitigate.finetune.recipes import Recipe, preset_recipe
from counterpoise.mitigate.finetune.training_texts import training_corpus
from counterpoise.models.loading import BUILTIN
from counterpoise.tuning.language_model import load_to_train


@dataclass(frozen=True)
class Reference:
    """A model to start from; `note` is what a reader must know about it."""

    location: str
    name: str
    fingerprint: str
    note: str = ""


def make_reference(
    reference: str | Path | None = None,
    *,
    corpus: str | Path | Corpus = "gap",
    base: str | Path = BUILTIN,
    how: Recipe | None = None,
    device: str = "auto",
) -> Reference:
    """The model given, as it is; if none is given, the base model debiased on the corpus, or its copy in the cache.

    If GAP is not at hand the base model is taken as it is, and the note says so.
    """
    if reference is not None:
        return _as_it_is(reference, "")
    if corpus == "gap" and not at_hand().get("gap"):
        return _as_it_is(
            base, f"GAP is not at hand, so that {base} was not debiased first (see docs/data.md)"
        )
    source = training_corpus(corpus)
    chosen = how or preset_recipe()
    fingerprint = load_to_train(base).fingerprint
    key = hash_texts([__version__, fingerprint, repr(chosen), hash_texts(source.texts)])
    folder = artifact_folder("references") / key
    if not is_kept(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        # The proof is not read here: on our own sentences it is quick, and a control would be trained for nothing.
        debias(base, source, folder, preset=chosen, control=False, neutral=neutral_texts(), device=device)
        write_checksums(folder)
    name = f"{base}, debiased on {source.name} ({chosen.method})"
    return replace(_as_it_is(folder, ""), name=name)


def _as_it_is(location: str | Path, note: str) -> Reference:
    return Reference(str(location), str(location), load_to_train(location).fingerprint, note)
