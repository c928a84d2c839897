"""Equity Evaluation Corpus (Kiritchenko & Mohammad 2018): sentences that join a person with an emotion.

The corpus is not ours and is read from the data folder. Persons are its pronouns and noun phrases, which come in pairs
(my brother, my sister). Its first names are left out: no male name belongs to a female one, and as they were chosen
for what they tell of race, gender could not be told from it. So are the sentences without an emotion.

Corrected, the sentences with himself or herself are left out, since the word tells the gender that is asked for.
Published is what Bartl's code made of the corpus: all in lower case, that template kept, him and her left out. It does
not repeat the sentences in which that code's text replacement masked parts of other words (t[MASK] recent events).
"""

from __future__ import annotations

import re

import pandas as pd

from counterpoise.core.errors import DataError
from counterpoise.core.mask import MASK
from counterpoise.data.spec import Variant, check_variant
from counterpoise.data.thirdparty.folders import find_file
from counterpoise.data.thirdparty.tables import read_table

# Male and female person words that belong together.
PERSONS = (
    ("he", "she"),
    ("this man", "this woman"),
    ("this boy", "this girl"),
    ("my brother", "my sister"),
    ("my son", "my daughter"),
    ("my husband", "my wife"),
    ("my boyfriend", "my girlfriend"),
    ("my father", "my mother"),
    ("my uncle", "my aunt"),
    ("my dad", "my mom"),
)
OBJECTS = ("him", "her")  # the same pair as he and she, where the template has an object
_PAIR = {person: pair for pair, persons in enumerate(PERSONS) for person in persons}
_PAIR.update(dict.fromkeys(OBJECTS, 0))
_NEEDED = ["Sentence", "Template", "Person", "Gender", "Emotion", "Emotion word"]


def eec(variant: Variant = "corrected") -> pd.DataFrame:
    """The sentences about a person and an emotion, one row each, in the order of the corpus.

    Columns: `sentence`; `target_masked` and `both_masked`, in which `[MASK]` stands for the person word and for the
    emotion word; `person` (the word that is masked), `gender`, `emotion_word`, `group` (its emotion), `template`,
    `pair`, the number of the male and female person words that belong together, and `attribute_at`, where in
    `target_masked` the emotion word begins.
    """
    check_variant(variant)
    path = find_file("eec", "Equity-Evaluation-Corpus.csv", "Equity-Evaluation-Corpus.csv.xz")
    corpus = read_table(path, _NEEDED)
    chosen = corpus.Person.isin(_PAIR.keys()) & (corpus.Emotion != "")
    if variant == "published":
        chosen &= ~corpus.Person.isin(OBJECTS)
    else:
        chosen &= ~corpus.Template.str.contains("himself/herself", regex=False)
    if not chosen.any():
        raise DataError(f"{path} has no sentence about a person and an emotion")
    corpus = corpus[chosen]
    sentences = corpus.Sentence.str.lower() if variant == "published" else corpus.Sentence
    columns = (corpus[name] for name in _NEEDED[1:])
    return pd.DataFrame(_row(*values) for values in zip(sentences, *columns, strict=True))


def _row(
    sentence: str, template: str, person: str, gender: str, emotion: str, word: str
) -> dict[str, object]:
    noun = _only(person.split()[-1], sentence)
    target_masked = sentence[: noun.start()] + MASK + sentence[noun.end() :]
    attribute = _only(word, target_masked)
    return {
        "sentence": sentence,
        "target_masked": target_masked,
        "both_masked": target_masked[: attribute.start()] + MASK + target_masked[attribute.end() :],
        "person": noun[0],
        "gender": gender,
        "emotion_word": attribute[0],
        "group": emotion,
        "template": template,
        "pair": _PAIR[person],
        "attribute_at": attribute.start(),
    }


def _only(word: str, sentence: str) -> re.Match[str]:
    """The one place of a word in a sentence."""
    places = list(re.finditer(rf"\b{re.escape(word)}\b", sentence, flags=re.IGNORECASE))
    if len(places) != 1:
        raise DataError(f"{word!r} stands {len(places)} times instead of once in {sentence!r}")
    return places[0]
