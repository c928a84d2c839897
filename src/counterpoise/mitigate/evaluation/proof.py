"""The proof of a debiased model: before and after, gain and damage, and what is due to swapping.

Gain is the mean |male - female association| of the professions of BEC-Pro (Bartl et al. 2020) and the mean |APPD| of
the professions in eight fields of work (Barza 2023), each against the model before and, where there is one, against a
control that was trained on the same text unswapped. Damage is what was right and got lost: the lean of words that are
bound to one gender (pregnant, waitress), and how well the model guesses masked words of held-out text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from counterpoise.core.errors import InputError, RunError
from counterpoise.core.shown import Shown
from counterpoise.mitigate.evaluation.fills import compare_fills
from counterpoise.mitigate.evaluation.generalisation import Generalisation, generalise, words_in
from counterpoise.mitigate.evaluation.held_out import Neutral
from counterpoise.mitigate.evaluation.net_effect import word_leans
from counterpoise.mitigate.evaluation.proof_rows import (
    ALL_LEANS,
    COLUMNS,
    by_word,
    gain_rows,
    held_out_rows,
    lean_rows,
    net_rows,
    wide_items,
)
from counterpoise.mitigate.evaluation.scores import APPD, ModelScores, score, table_from_dict, table_to_dict
from counterpoise.mitigate.evaluation.verdict import verdict
from counterpoise.models.causal import CausalLM
from counterpoise.models.masked import MaskedLM

SCHEMA = 1

Scored = MaskedLM | CausalLM | ModelScores


@dataclass(frozen=True, repr=False)
class Proof(Shown):
    """What debiasing did to a model.

    `summary` has the rows to report, in the columns kind (gain, net, lean, damage), quantity, group, before, control,
    after, change with `ci_low` and `ci_high` in `unit`, ideal, kept, n and note; `items` the lean of each word, `fills`
    the most probable words of a fixed list. `verdict` says it in sentences. `seed` is that of masks and samples; where
    `debias` made the proof, that of the training.
    """

    before: str
    after: str
    control: str | None
    neutral: str
    seed: int
    summary: pd.DataFrame
    items: pd.DataFrame
    fills: pd.DataFrame
    generalisation: Generalisation
    verdict: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Proof of {self.after} against {self.before}>"

    def to_frame(self) -> pd.DataFrame:
        """The rows of the summary."""
        return self.summary

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; `from_dict` gives the proof back."""
        generalisation = self.generalisation
        return {
            "schema": SCHEMA,
            **{name: getattr(self, name) for name in ("before", "after", "control", "neutral", "seed")},
            **{name: table_to_dict(getattr(self, name)) for name in ("summary", "items", "fills")},
            "generalisation": {
                "points": table_to_dict(generalisation.points),
                "fits": table_to_dict(generalisation.fits),
                "answer": generalisation.answer,
            },
            "verdict": list(self.verdict),
            "notes": list(self.notes),
        }

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> Proof:
        """The proof that `to_dict` gave."""
        try:
            values = {name: value for name, value in saved.items() if name != "schema"}
            for name in ("summary", "items", "fills"):
                values[name] = table_from_dict(values[name])
            lines = values["generalisation"]
            values["generalisation"] = Generalisation(
                table_from_dict(lines["points"]), table_from_dict(lines["fits"]), lines["answer"]
            )
            values["verdict"], values["notes"] = tuple(values["verdict"]), tuple(values["notes"])
            return cls(**values)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise RunError(f"this is no saved proof: {error!r:.120}") from error


def prove(
    before: Scored,
    after: Scored,
    *,
    control: Scored | None = None,
    corpus: Iterable[str] = (),
    neutral: Neutral | None = None,
    seed: int = 0,
) -> Proof:
    """What did debiasing gain, and what did it break?

    Parameters
    ----------
    before, after, control
        Models, or what `score` kept of them, all with the same held-out text and seed. The control was trained as
        `after` was, on the unswapped text.
    corpus
        The texts that `after` was trained on, to tell professions that it has seen there from others.
    neutral
        Held-out text for models that are not scored yet; see `score`.

    >>> import counterpoise as cp
    >>> lm = score(cp.load(), neutral=["The rain stopped just before noon.", "The bread was gone."])
    >>> prove(lm, lm).verdict[0]
    'The association between profession and person did not change, 0.547.'
    """
    first, last = _scored(before, neutral, seed), _scored(after, neutral, seed)
    middle = None if control is None else _scored(control, neutral, seed)
    for scores in (last, *([middle] if middle is not None else [])):
        _check_comparable(first, scores)
    items = wide_items(first, middle, last)
    words = by_word(items)
    rows = [
        *gain_rows(words, seed),
        *(net_rows(first, middle, last) if middle is not None else ()),
        *lean_rows(items, seed),
        *held_out_rows(first, middle, last, seed),
    ]
    summary = pd.DataFrame(rows).reindex(columns=COLUMNS)
    summary["note"] = summary.note.fillna("")
    summary["unit"] = summary.unit.fillna("")
    texts = list(corpus)
    together = summary.kept[summary.group == ALL_LEANS]
    generalisation = generalise(
        word_leans(first, APPD),
        word_leans(last, APPD),
        texts,
        kept=float(together.iloc[0]) if len(together) else math.nan,
        seed=seed,
    )
    points = generalisation.points
    seen = {*points.word[points.seen], *words_in(texts, set(words.word) - set(points.word))}
    fills = compare_fills(first.fills, last.fills)
    return Proof(
        before=first.model,
        after=last.model,
        control=None if middle is None else middle.model,
        neutral=first.neutral,
        seed=seed,
        summary=summary,
        items=words.assign(seen=words.word.isin(seen)),
        fills=fills,
        generalisation=generalisation,
        verdict=tuple(verdict(summary, words, fills, generalisation.answer)),
        notes=tuple(dict.fromkeys((*first.notes, *last.notes))),
    )


def _scored(model: Scored, neutral: Neutral | None, seed: int) -> ModelScores:
    return model if isinstance(model, ModelScores) else score(model, neutral=neutral, seed=seed)


_SAME = {
    "kind": "are of one kind",
    "neutral": "have read the same held-out text",
    "seed": "have the same seed",
    "scope": "were asked the same questions",
}


def _check_comparable(first: ModelScores, other: ModelScores) -> None:
    for name, condition in _SAME.items():
        ours, theirs = getattr(first, name), getattr(other, name)
        if ours != theirs:
            raise InputError(
                f"a proof compares models that {condition}: {first.model} has {ours}, {other.model} {theirs}"
            )
