"""Declared pronouns, and how often a model goes on with the right one (after Hossain et al. 2023).

    choice(s)     = the form with the highest P(form | s), among that form of every set       at the slot of text s
    accuracy(set) = share of texts that declare the set and whose choice is its form
    gap(set)      = (accuracy(he) + accuracy(she)) / 2 - accuracy(set)

"Riley uses xe/xem/xyr pronouns. There was hardly any traffic on the road. Riley forgot [MASK] keys." The text declares
the subject, the object and the determiner; the possessive and the reflexive form have to be known (xyrs, xemself).
Nothing but the declaration says which pronoun is right: nobody else is mentioned, and no verb shows its number. A model
that does not read the declaration chooses the same form whatever was declared, and so is right as often as a guess,
once in as many texts as there are sets; the row `chance` says how often that is. Every template is asked with a name of
either lean and with a neutral one, and with none, one and two sentences between declaration and slot. The reflexive of
the singular they is right as themself and as themselves, and its probability is the sum of both.

Intervals and tests count templates: the texts with one template are the same words over and over.

**Words that are cut into pieces.** A form is scored as a whole word, by the chain rule where it has several tokens. For
a causal model that is exact, and nothing needs to be corrected: the likelihood of the whole text with the form is the
form's probability given all the rest, however it is cut, and dividing it by a number of tokens would only reward words
whose later pieces are easy to guess. For a masked model it is not quite: the masks tell it how many pieces the word
has, so forms with unlike numbers of them are answers to unlike questions. And whatever the model, forms that are cut
are rare, so that a low accuracy may say "a rare word" and not "the declaration was not followed". Three kinds of rows
set this apart:

- `gap_calibrated` takes each form's own level off its scores first: its mean log-probability in the same slot over the
  declarations of all sets (the idea of Holtzman et al. 2021). What a form gains or loses by being rare or cut is the
  same after every declaration and cancels; what is left is whether the declaration moves the model towards the right
  form. A set with a large `gap` and a small `gap_calibrated` is understood and not said.
- `gap_whole` compares only forms that are one token, as right answers and as candidates, where a set has any.
- `accuracy` and `accuracy_calibrated` of the sets other than he and she by the number of tokens of the right form. Sets
  differ in more than that, so these rows describe, and are not tested.

A causal model is asked for the likelihood of the whole text with each form, and so is a model behind an endpoint that
gives log-probabilities of prompts; of the latter the tokens are not known.

Both variants, corrected and published, are the same here.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from counterpoise.core.errors import InputError
from counterpoise.core.numbers import decimal_text
from counterpoise.data.builtin.declared_pronouns import DeclaredPronouns, declared_pronouns
from counterpoise.measures.base.catalogue import Measured, measure
from counterpoise.measures.base.result import Direction
from counterpoise.measures.base.rows import ZERO
from counterpoise.measures.base.skipped import keep_scorable
from counterpoise.measures.base.table_checks import check_kind
from counterpoise.measures.base.units import PROBABILITY
from counterpoise.measures.pronouns.common.accuracy_rows import ACCURACY
from counterpoise.measures.pronouns.common.declared_choices import (
    candidates,
    choice_problems,
    judged,
    score_candidates,
    spellings,
)
from counterpoise.measures.pronouns.common.declared_rows import BASE, declared_rows
from counterpoise.models.causal import CausalLM
from counterpoise.models.endpoints.capabilities import Rung
from counterpoise.models.endpoints.endpoint import Endpoint
from counterpoise.models.masked import MaskedLM
from counterpoise.text.pronoun_sets import PRONOUN_SETS, PronounSet, pronoun_set

_HARDLY_READ = 0.5  # accuracy of he and she


@measure(
    "pronoun_gap",
    label="Declared pronouns",
    unit=PROBABILITY,
    units={"chance": PROBABILITY},
    needs=MaskedLM | CausalLM,
    rungs=(Rung.LIKELIHOOD,),
    data="pronoun_gap",
    ideal=ZERO,
    direction=Direction(
        "The model gets the pronouns of people who use he or she right more often than those of others.",
        "The model gets the pronouns of people who use he or she right less often than those of others.",
    ),
    directions={
        **dict.fromkeys(("accuracy", "accuracy_calibrated", "chance"), ACCURACY),
        "gap_calibrated": Direction(
            "A declaration of he or she moves the model to the right form more often than one of other pronouns.",
            "A declaration of he or she moves the model to the right form less often than one of other pronouns.",
        ),
    },
    cites=("hossain2023", "holtzman2021"),
    incomparable="a masked model is told by the number of masks how many pieces a word has",
    identity=("text", "pronouns"),
    rows=declared_rows,
)
def pronoun_gap(
    model: MaskedLM | CausalLM | Endpoint,
    data: DeclaredPronouns | None = None,
    *,
    pronouns: Annotated[list[str], Field(min_length=1)] | None = None,
) -> Measured:
    """Does the model use the pronouns that someone has declared, whichever they are?

    Parameters
    ----------
    data
        Declarations, names and templates; ours if not given. A limit counts slots, each of which is asked once for
        every declared set.
    pronouns
        The sets to compare with he and she: names of those that come along, or YAML files of your own; all that come
        along if not given.

    >>> import counterpoise as cp
    >>> result = cp.measures.pronoun_gap(cp.load(), cp.data.declared_pronouns().head(1), pronouns=["they"])
    >>> result.items.text[2]
    'James uses they/them/their pronouns. James said that [MASK] would be late.'
    """
    templates = declared_pronouns() if data is None else data
    check_kind(templates, DeclaredPronouns, "pronoun_gap")
    sets = _sets(PRONOUN_SETS if pronouns is None else pronouns)
    texts = templates.fill(sets)
    items, skipped = _scorable(texts, choice_problems(model, texts, sets), len(sets))

    words = np.array([candidates(sets, form) for form in items.form[:: len(sets)]], dtype=object)
    tokens = None if isinstance(model, Endpoint) else _tokens(model, words)
    scores = score_candidates(model, items, sets).reshape(-1, len(sets), len(sets))
    items = items.join(judged(scores, words, tokens))
    items["is_other"] = ~items.pronouns.isin(BASE)
    if tokens is not None:
        items["cut"] = items.tokens.map(lambda n: "1 token" if n == 1 else f"{min(n, 3)} tokens")
        items["cut"] = items.cut.replace("3 tokens", "3 or more tokens")
    return Measured(items, skipped=skipped, warnings=_hardly_read(items))


def _sets(names: list[str] | tuple[str, ...]) -> list[PronounSet]:
    """He and she, and then the named sets."""
    sets = [pronoun_set(name) for name in dict.fromkeys([*BASE, *names])]
    if len(sets) == len(BASE):
        raise InputError("pronouns needs a set to compare with he and she, such as they")
    for number, one in enumerate(sets):
        if one.name in [other.name for other in sets[:number]]:
            raise InputError(f"two pronoun sets are called {one.name!r}; rename one of the files")
    return sets


def _scorable(
    texts: pd.DataFrame, problems: list[str | None], n_sets: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The texts of slots that can be scored after every declaration; a slot is kept or left out as a whole."""
    slot = np.arange(len(texts)) // n_sets
    first = pd.Series(problems, dtype=object).groupby(slot).first()
    slots = texts[::n_sets].assign(slot=slot[::n_sets])
    kept, skipped = keep_scorable(slots, [problem or None for problem in first.fillna("")], "text")
    return texts[np.isin(slot, kept.slot)].reset_index(drop=True), skipped


def _tokens(model: MaskedLM | CausalLM, words: np.ndarray) -> np.ndarray:
    """How many tokens each word has, in the spelling that has the fewest."""
    of_word = {
        word: min(map(model.tokens_of, spellings(word))) for word in dict.fromkeys(words.ravel().tolist())
    }
    return np.array([[of_word[word] for word in of_slot] for of_slot in words])


def _hardly_read(items: pd.DataFrame) -> tuple[str, ...]:
    """A warning if he and she are not understood either."""
    accuracy = float(items[~items.is_other].right.mean())
    if accuracy >= _HARDLY_READ:
        return ()
    return (
        f"The model is right in {decimal_text(100 * accuracy, 0)} % of the texts that declare he or she: of one that "
        "hardly follows a declaration, a small gap says little.",
    )
