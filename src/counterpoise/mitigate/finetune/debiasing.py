"""Debiasing by further training on swapped text, which always ends with the proof: gain, damage, and the net effect.

A model that is trained on any text loses some of its associations. So the same training is done on the unswapped text
(the control, kept in the cache folder), and what the swap itself did is the difference between the two.

The trained model stays in the folder of its training until the proof is done and its card written. Whatever stops the
command, the same call goes on from there: a model that is trained is not trained again, and where all is done the same
call returns it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from counterpoise.core.cache import artifact_folder
from counterpoise.core.checked_files import is_intact, read_checked_json, write_checked_json, write_checksums
from counterpoise.core.errors import RunError
from counterpoise.core.files import read_json
from counterpoise.core.hashing import hash_texts
from counterpoise.core.notices import notice
from counterpoise.core.shown import Shown
from counterpoise.core.version import __version__
from counterpoise.data.corpus import Corpus
from counterpoise.data.texts import Texts
from counterpoise.mitigate.evaluation.held_out import Neutral, held_out_texts
from counterpoise.mitigate.evaluation.proof import Proof, prove
from counterpoise.mitigate.evaluation.scores import QUICK, ModelScores, Scope, check_scope, score
from counterpoise.mitigate.finetune.at_work import at_work
from counterpoise.mitigate.finetune.card import RECORD, write_debias_card
from counterpoise.mitigate.finetune.recipes import Method, Recipe, preset_recipe
from counterpoise.mitigate.finetune.reminders import load_reminders
from counterpoise.mitigate.finetune.training_texts import (
    neutral_sentences,
    swap_texts,
    training_corpus,
)
from counterpoise.models.loading import BUILTIN, load
from counterpoise.tuning.devices import training_device
from counterpoise.tuning.folders import refuse_existing
from counterpoise.tuning.language_model import load_to_train, train_language_model
from counterpoise.tuning.settings import Settings
from counterpoise.tuning.training import Trained

_PROOF_SEED = 0  # of masks and samples: the same for every training, so that scores are comparable


@dataclass(frozen=True, repr=False)
class Debiased(Shown):
    """A debiased model: its folder, how it was trained, its control, and what became better and worse."""

    folder: Path
    trained: Trained
    control: Path | None
    proof: Proof

    def __repr__(self) -> str:
        return f"<Debiased {str(self.folder)!r}>"

    def to_frame(self) -> pd.DataFrame:
        """The rows of the proof's summary."""
        return self.proof.summary


def debias(
    model: str | Path = BUILTIN,
    corpus: str | Path | Sequence[str] | Corpus = "gap",
    out: str | Path = "debiased",
    *,
    method: Method | None = None,
    names: bool | None = None,
    terms: str = "all",
    reminders: int | str | Path | Sequence[str] | None = None,
    reminder_copies: int = 1,
    keep: str | Path | Sequence[str] | None = None,
    preset: str | Recipe = "default",
    settings: Settings | None = None,
    control: bool = True,
    neutral: Neutral | None = None,
    column: str = "text",
    seed: int | None = None,
    device: str = "auto",
    callbacks: Sequence[Any] = (),
    scope: Scope = "full",
) -> Debiased:
    """Trains a language model on swapped text, proves what that did, and writes it to a folder.

    Parameters
    ----------
    model
        "builtin", a hub name, or a folder: a masked or causal language model.
    corpus
        A dataset ("gap", "mt-gender", "imdb", "jigsaw:LABEL"), a file that `counterpoise swap` reads, a folder of such
        files, a list of texts, or a `counterpoise.data.Corpus`.
    method
        What is done to the texts: "cds" (each or its flipped version), "cda" (both), "flip", "none"; the preset's if
        not given. So are `names` (swap first names too) and `settings`.
    reminders
        Sentences that keep pregnant and the like with their gender, each trained on `reminder_copies` times: a number
        of our own, a file with one a line, or a list; as many of our own as the preset has if not given. They are not
        swapped.
    keep
        Neutral text on which predictions are to stay where they were: a corpus as above, of which the sentences
        without a gendered word are taken. If not given and the preset wants some, those of the corpus itself.
    preset
        "default", "plain", "paper" or "published" (see `counterpoise.mitigate.RECIPES`), or a recipe of your own.
    control
        Also train on the unswapped text, or take that model from the cache, to report the net effect of swapping.
    neutral
        Held-out text for the damage report (see `counterpoise.mitigate.prove`).
    seed
        Of all that is drawn at random: the coin of cds, hidden words, the order of texts, reminders; 42 if not given.
    device
        What to train and measure on: "auto" (a GPU if there is one), "cpu", "cuda" or "mps".
    scope
        Of the proof: "full", or "quick" with fewer questions, in about a quarter of the time.

    If it is stopped, at whatever point, the same call resumes it.
    """
    recipe = _changed_recipe(preset, method, names, settings, seed, terms)
    training_device(device, recipe.settings.precision)
    check_scope(scope)
    out = Path(out).expanduser()
    if not (out / RECORD).is_file():  # else this very call may have been killed just after it was done
        refuse_existing(out)
    seed = recipe.settings.seed
    source = training_corpus(corpus, column)
    swapped = swap_texts(source, recipe, terms, seed)
    people_at_work = at_work(recipe.at_work if recipe.method != "none" else 0, seed)
    reminded = load_reminders(recipe.reminders if reminders is None else reminders, reminder_copies, seed)
    kept = _kept_sentences(recipe, source, keep, column)
    held_out = held_out_texts(neutral, _PROOF_SEED)
    fingerprint = load_to_train(model).fingerprint

    training = _Training(fingerprint, str(model), recipe, tuple(reminded), kept, device)
    texts = [*swapped.texts, *people_at_work]
    trained = training.run(texts, out, title="training", callbacks=callbacks, publish=False)
    is_controlled = control and recipe.method != "none"
    if trained.is_published:
        return Debiased(trained.folder, trained, None, _saved_proof(trained.folder, is_controlled, scope))
    control_folder = training.control(swapped.originals) if is_controlled else None
    proof = prove(
        _score(model, _short(model), held_out, device, scope),
        _score(trained.unpublished, out.name, held_out, device, scope),
        control=None
        if control_folder is None
        else _score(control_folder, "control", held_out, device, scope),
        corpus=texts,
        seed=_PROOF_SEED,
    )
    proof = replace(proof, seed=seed)
    made_from = {
        "base": str(model),
        "base fingerprint": fingerprint,
        "corpus": source.name,
        "corpus hash": hash_texts(source.texts),
        "texts": len(swapped.texts),
        "texts that the swap changed": swapped.changed,
        "texts that it left alone as absurd": swapped.guarded,
        "method": recipe.method,
        "names": recipe.names,
        "terms": terms,
        "sentences about people at work": len(people_at_work),
        "reminders": len(reminded),
        "neutral sentences": len(kept),
        "seed": seed,
    }
    with trained.publishing() as folder:
        write_debias_card(
            folder, out.name, made_from, recipe, trained, proof, controlled=control_folder is not None
        )
    return Debiased(trained.folder, trained, control_folder, proof)


def _saved_proof(folder: Path, is_controlled: bool, scope: Scope) -> Proof:
    """The proof of a model that is in its folder; an error if another one is asked for now."""
    saved = read_json(folder / RECORD)
    proof = Proof.from_dict(saved.get("proof") if isinstance(saved, dict) else None)  # type: ignore[arg-type]
    if (proof.control is not None) != is_controlled or (QUICK in proof.notes) != (scope == "quick"):
        refuse_existing(folder)
    return proof


@dataclass(frozen=True)
class _Training:
    """What the training and its control have in common."""

    fingerprint: str
    base: str
    recipe: Recipe
    reminders: tuple[str, ...]
    kept: tuple[str, ...]  # neutral sentences
    device: str

    def run(self, texts: Sequence[str], out: Path, **options: Any) -> Trained:
        return train_language_model(
            [*texts, *self.reminders],
            out,
            base=self.base,
            settings=self.recipe.settings,
            masking=self.recipe.masking,
            keep=self.kept,
            keep_weight=self.recipe.keep_weight,
            device=self.device,
            **options,
        )

    def control(self, texts: Sequence[str]) -> Path:
        """The model trained on the unswapped texts: from the cache, where everything that decides it is its key."""
        settings = json.dumps(
            [asdict(self.recipe.settings), asdict(self.recipe.masking), self.recipe.keep_weight]
        )
        parts = (hash_texts(part) for part in (texts, self.reminders, self.kept))
        folder = artifact_folder("controls") / hash_texts([self.fingerprint, settings, *parts])
        if not is_kept(folder):
            self.run(texts, folder, title="training the control")
            write_checksums(folder)
        return folder


def is_kept(folder: Path) -> bool:
    """Whether a folder of the cache has a model with all its bytes; one that is damaged is removed."""
    if not folder.is_dir():
        return False
    if is_intact(folder):
        return True
    notice(f"{folder} is damaged or of an earlier version; its model is trained again")
    shutil.rmtree(folder)
    return False


def _changed_recipe(
    preset: str | Recipe,
    method: Method | None,
    names: bool | None,
    settings: Settings | None,
    seed: int | None,
    terms: str = "all",
) -> Recipe:
    """The preset's recipe, with whatever was given in its place."""
    recipe = preset_recipe(preset) if isinstance(preset, str) else preset
    recipe = replace(
        recipe, settings=settings or recipe.settings, masking=replace(recipe.masking, terms=terms)
    )
    if method is not None:
        recipe = replace(recipe, method=method)
    if names is not None:
        recipe = replace(recipe, names=names)
    return recipe if seed is None else replace(recipe, settings=replace(recipe.settings, seed=seed))


def _kept_sentences(
    recipe: Recipe, source: Corpus, keep: str | Path | Sequence[str] | None, column: str
) -> tuple[str, ...]:
    """The neutral sentences: as many as the recipe says, or as the corpus has if it does not say."""
    if keep is None and not recipe.keep:
        return ()
    corpus = source if keep is None else training_corpus(keep, column)
    n = recipe.keep or source.count_sentences()
    return tuple(neutral_sentences(corpus, n, recipe.settings.seed))


def _short(model: str | Path) -> str:
    """A folder by its last part, for titles; a hub name as it is."""
    return Path(model).expanduser().resolve().name if Path(model).expanduser().is_dir() else str(model)


def _score(location: str | Path, name: str, held_out: Texts, device: str, scope: Scope) -> ModelScores:
    """A model's scores, from the cache if it was scored before."""
    model = load(location, device=device, dtype="float32")  # as it was trained
    model.name = name
    key = hash_texts([model.fingerprint, __version__, str(_PROOF_SEED), scope, *held_out.table.text])
    path = artifact_folder("proofs") / f"{key}.json"
    if (kept := _kept_scores(path)) is not None:
        return replace(kept, model=name)
    scores = score(model, neutral=held_out, seed=_PROOF_SEED, scope=scope)  # type: ignore[arg-type]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_checked_json(path, scores.to_dict())
    return scores


def _kept_scores(path: Path) -> ModelScores | None:
    """The scores that a file keeps; None if there is none, or it is damaged."""
    if not path.is_file():
        return None
    try:
        return ModelScores.from_dict(read_checked_json(path))
    except RunError as error:
        notice(f"{error}; the model is asked again")
        return None
