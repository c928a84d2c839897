"""Words in, words out: terms, names, pronouns, swap, augment. Knows no model."""

from counterpoise.text.augment import Augmented, augment
from counterpoise.text.balance import Balance, balance
from counterpoise.text.clean import clean
from counterpoise.text.conditions import CONDITIONS, Condition, apply_condition
from counterpoise.text.edits import Edit
from counterpoise.text.pronoun_sets import PRONOUN_SETS, PronounSet, pronoun_set
from counterpoise.text.pronoun_swap import Changes
from counterpoise.text.swap import Swapper
from counterpoise.text.term_sets import Term, TermSet

__all__ = [
    "CONDITIONS",
    "PRONOUN_SETS",
    "Augmented",
    "Balance",
    "Changes",
    "Condition",
    "Edit",
    "PronounSet",
    "Swapper",
    "Term",
    "TermSet",
    "apply_condition",
    "augment",
    "balance",
    "clean",
    "pronoun_set",
]
