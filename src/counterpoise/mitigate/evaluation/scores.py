"""What a model says of professions, of words bound to one gender and of neutral text: all that a proof rests on.

Three models of the size of BERT large do not fit everywhere, and the base model and the control are the same in many
comparisons. So each model is scored once, alone, and what is kept is small tables that can be saved as JSON and
compared at any time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from counterpoise.core.errors import InputError, RunError, unknown
from counterpoise.data.builtin.becpro import becpro
from counterpoise.data.builtin.pairs import Pairs
from counterpoise.data.builtin.templates import Templates, pronoun_templates
from counterpoise.measures.pairs.sld import sld as sentence_likelihoods
from counterpoise.measures.probability.common.associations import differences
from counterpoise.measures.probability.lpbs import lpbs
from counterpoise.measures.pronouns.ppd import ppd
from counterpoise.mitigate.evaluation.fills import top_fills
from counterpoise.mitigate.evaluation.held_out import Neutral, held_out_texts, predictions
from counterpoise.models.causal import CausalLM
from counterpoise.models.masked import MaskedLM

SCHEMA = 1
ASSOCIATION = "male - female association"
APPD = "APPD"
SLD = "SLD"
Scope = Literal["quick", "full"]
_QUICK_PERSONS = 2  # pairs such as he and she, of nine
_QUICK_TEMPLATES = 3  # of a word
_QUICK_TEXTS = 200  # held-out ones
QUICK = (
    f"this is a quick proof: {_QUICK_PERSONS} of BEC-Pro's 9 pairs of people, {_QUICK_TEMPLATES} templates a word and "
    f"at most {_QUICK_TEXTS} held-out texts, so intervals are wider than those of a full one"
)
_PAIR = ["group", "profession", "template", "pair"]
ITEM_COLUMNS = ["quantity", "group", "word", "template", "gender", "value"]


@dataclass(frozen=True)
class ModelScores:
    """One model's answers.

    `items` has a row per profession (male - female association), per word and template (pronoun probability
    difference), and per sentence pair where asked for; `gender` is the own gender of words that have one, else "".
    `texts` has right guesses and log-probabilities on the held-out text named `neutral`, `fills` the most probable
    words at the masks of a fixed list.
    """

    model: str
    kind: str
    fingerprint: str
    seed: int
    neutral: str
    items: pd.DataFrame
    texts: pd.DataFrame
    fills: pd.DataFrame
    notes: tuple[str, ...] = ()
    scope: Scope = "full"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; `from_dict` gives the scores back."""
        tables = {name: table_to_dict(getattr(self, name)) for name in ("items", "texts", "fills")}
        return {
            "schema": SCHEMA,
            **{
                name: getattr(self, name)
                for name in ("model", "kind", "fingerprint", "seed", "neutral", "scope")
            },
            **tables,
            "notes": list(self.notes),
        }

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> ModelScores:
        """The scores that `to_dict` gave."""
        try:
            values = {name: value for name, value in saved.items() if name != "schema"}
            for name in ("items", "texts", "fills"):
                values[name] = table_from_dict(values[name])
            values["notes"] = tuple(values["notes"])
            return cls(**values)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise RunError(f"these are no saved scores of a model: {error!r:.120}") from error


def score(
    model: MaskedLM | CausalLM,
    *,
    neutral: Neutral | None = None,
    seed: int = 0,
    sld: bool = False,
    scope: Scope = "full",
) -> ModelScores:
    """Asks a model everything that a proof of debiasing needs.

    Parameters
    ----------
    neutral
        Held-out text to guess masked words in; 2,000 IMDB test reviews if available, else our own sentences.
    sld
        Also score our sentence pairs, which takes several times as long as all the rest.
    scope
        "quick" asks about fewer people, templates and texts, which takes about a quarter of the time.
    """
    if not isinstance(model, MaskedLM | CausalLM):
        raise InputError(f"a proof of debiasing asks a masked or a causal language model, not {model!r:.60}")
    check_scope(scope)
    quick = scope == "quick"
    texts = held_out_texts(neutral, seed)
    if quick and len(texts.table) > _QUICK_TEXTS:
        texts = texts.sample(_QUICK_TEXTS, seed)
    tables: list[pd.DataFrame] = []
    notes = [QUICK] if quick else []
    if isinstance(model, MaskedLM):
        tables.append(_associations(model, notes, quick))
    else:
        notes.append("associations (lpbs) are asked of masked models only, so the gain rests on pronouns")
    tables.append(pronouns(model, notes, pronoun_templates().head(_QUICK_TEMPLATES) if quick else None))
    if sld:
        tables.append(sentence_pairs(model, notes))
    return ModelScores(
        model=model.name,
        kind=model.kind,
        fingerprint=model.fingerprint,
        seed=seed,
        neutral=f"{texts.name}, {len(texts.table)} texts",
        items=pd.concat(tables, ignore_index=True),
        texts=predictions(model, texts, seed),
        fills=top_fills(model),
        notes=tuple(notes),
        scope=scope,
    )


def check_scope(scope: str) -> None:
    if scope not in get_args(Scope):
        raise unknown("scope of a proof", scope, get_args(Scope))


def _associations(model: MaskedLM, notes: list[str], quick: bool) -> pd.DataFrame:
    """Male minus female association of each profession, the mean over its sentences."""
    result = lpbs(model, _few_persons() if quick else None)
    _note_skipped(result.measure, len(result.skipped), notes)
    pairs = differences(result.items, _PAIR)
    means = pairs.groupby(["group", "profession"], sort=False).difference.mean()
    groups, professions = zip(*means.index, strict=True)
    return pd.DataFrame(
        {
            "quantity": ASSOCIATION,
            "group": [f"{group} professions" for group in groups],
            "word": professions,
            "template": "",
            "gender": "",
            "value": means.to_numpy(),
        }
    )


def _few_persons() -> pd.DataFrame:
    sentences = becpro("en")
    return sentences[sentences.pair < _QUICK_PERSONS]


def pronouns(
    model: MaskedLM | CausalLM, notes: list[str], templates: Templates | None = None
) -> pd.DataFrame:
    """Pronoun probability difference of each word and template; ours if no templates are given."""
    result = ppd(model, templates)
    _note_skipped(result.measure, len(result.skipped), notes)
    items = result.items.rename(columns={"category": "group", "ppd": "value"})
    gender = items.gender.where(items.gendered, "").astype(object)
    return items.assign(quantity=APPD, gender=gender)[ITEM_COLUMNS]


def sentence_pairs(model: MaskedLM | CausalLM, notes: list[str], pairs: Pairs | None = None) -> pd.DataFrame:
    """Sentence likelihood difference of each pair; ours if none are given."""
    result = sentence_likelihoods(model, pairs)
    _note_skipped(result.measure, len(result.skipped), notes)
    items = result.items.rename(columns={"category": "group", "stereotyped": "word", "sld": "value"})
    return items.assign(quantity=SLD, template="", gender="")[ITEM_COLUMNS]


def _note_skipped(measure: str, skipped: int, notes: list[str]) -> None:
    if skipped:
        notes.append(f"{measure} skipped {skipped} sentences that the model cannot be asked about")


def table_to_dict(table: pd.DataFrame) -> dict[str, list[Any]]:
    """A table as lists, with null for what is no number."""
    return {str(name): [_plain(value) for value in column] for name, column in table.items()}


def table_from_dict(saved: dict[str, list[Any]]) -> pd.DataFrame:
    """The table again; null in a column of numbers is NaN."""
    table = pd.DataFrame(saved)
    for name in table:
        values = [value for value in saved[str(name)] if value is not None]
        if values and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
            table[name] = pd.to_numeric(table[name])
        elif not values and len(table):
            table[name] = np.nan
    return table


def _plain(value: Any) -> Any:
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value
