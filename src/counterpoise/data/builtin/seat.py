"""Words in bland sentences (May et al. 2019): "This is a man.", "The men are here.", "It is math."."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import pandas as pd
from pydantic import Field, model_validator

from counterpoise.core.errors import DataError
from counterpoise.data.spec import Spec, Variant, check_variant, read_spec
from counterpoise.text.articles import article

_SLOT = re.compile(r"\{(a word|words|word)\}")
_OTHER = "mass"  # the templates of a word that the lexicon does not have


class SentenceSpec(Spec):
    kinds: dict[str, tuple[str, ...]]
    lexicon: dict[str, tuple[str, ...]]
    published: dict[str, tuple[str, ...]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _kinds_and_slots_are_known(self) -> SentenceSpec:
        for kind in (*self.lexicon, *self.published, _OTHER, "name"):
            if kind not in self.kinds:
                raise ValueError(f"there are no templates for words of kind {kind!r}")
        for template in (template for templates in self.kinds.values() for template in templates):
            if len(_SLOT.findall(template)) != 1:
                raise ValueError(
                    f"the template {template!r} needs one slot {{word}}, {{a word}} or {{words}}"
                )
        return self

    def kinds_of_words(self, variant: Variant) -> dict[str, tuple[str, str, str]]:
        """For each listed word, in the singular and in the plural, its kind and its two forms."""
        lists = [self.lexicon] + ([self.published] if variant == "published" else [])
        kinds = {}
        for kind, entries in (item for lexicon in lists for item in lexicon.items()):
            for entry in entries:
                singular, _, plural = entry.partition("/")
                plural = plural or f"{singular}s"
                kinds[singular] = kinds[plural] = (kind, singular, plural)
        return kinds


@cache
def sentence_spec() -> SentenceSpec:
    return read_spec("seat", SentenceSpec)


def seat_sentences(words: Sequence[str], variant: Variant = "corrected") -> pd.DataFrame:
    """The sentences of each word, one row each.

    Columns: `word`, as given; `form`, how it stands in the sentence; `kind` of word; `template`; `sentence`; and
    `listed`, whether the lexicon has the word or its kind was guessed.

    >>> seat_sentences(["men", "math"]).sentence.iloc[[0, 7, 12, 13]].tolist()
    ['This is a man.', 'These are men.', 'Men are people.', 'This is math.']
    """
    check_variant(variant)
    spec = sentence_spec()
    listed = spec.kinds_of_words(variant)
    rows = []
    for word in words:
        if not word.strip():
            raise DataError("an empty word cannot be put into sentences")
        guess = ("name" if word[0].isupper() else _OTHER, word, word)
        kind, singular, plural = listed.get(word, guess)
        for template in spec.kinds[kind]:
            form, sentence = _fill(template, singular, plural)
            rows.append((word, form, kind, template, sentence, word in listed or kind == "name"))
    return pd.DataFrame(rows, columns=["word", "form", "kind", "template", "sentence", "listed"])


def _fill(template: str, singular: str, plural: str) -> tuple[str, str]:
    """How the word stands in the sentence, and the sentence."""
    [slot] = _SLOT.findall(template)
    form = plural if slot == "words" else singular
    filler = f"{article(form)} {form}" if slot == "a word" else form
    sentence = template.replace(f"{{{slot}}}", filler)
    if template.startswith(f"{{{slot}}}"):
        sentence = sentence[0].upper() + sentence[1:]
        form = sentence[: len(form)] if slot != "a word" else form
    return form, sentence
