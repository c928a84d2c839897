"""Templates with a pronoun slot (Barza 2023): words in, sentences with a masked pronoun out."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from pydantic import Field, model_validator

from counterpoise.core.errors import DataError
from counterpoise.core.mask import MASK
from counterpoise.data.spec import Spec, Strict, UserSpec, Variant, Word, check_variant, read_spec
from counterpoise.text.articles import article

_SLOT = re.compile(r"\{([^{}]*)\}")
_WORD_SLOTS = ("word", "a word")
_VERB = re.compile(r"\{([\w'’]+)\|([\w'’]+)\}")  # in the singular and in the plural
_SHOWS_NUMBER = re.compile(r"(?:was|isn['’]t|wasn['’]t|hasn['’]t|doesn['’]t|\w*[^s\W]s)\b", re.IGNORECASE)


class Pronouns(Strict):
    male: str = Field(min_length=1)
    female: str = Field(min_length=1)
    neutral: str = Field(min_length=1)

    @model_validator(mode="after")
    def _differ(self) -> Pronouns:
        if self.male == self.female:
            raise ValueError(f"the male and the female pronoun are both {self.male!r}")
        return self


SLOTS = {
    "subject": Pronouns(male="he", female="she", neutral="they"),
    "possessive": Pronouns(male="his", female="her", neutral="their"),
    "object": Pronouns(male="him", female="her", neutral="them"),
}


class TemplateSet(Strict):
    """Words and the templates that each of them is put into; without words each template is a sentence of its own."""

    category: str
    words: tuple[Word, ...] = ()
    templates: tuple[Word, ...]
    gendered: bool = False  # words bound to one gender, where no lean at all would be wrong

    @model_validator(mode="after")
    def _gender_is_said(self) -> TemplateSet:
        if self.gendered and not self.words:
            raise ValueError(f"{self.category!r} is gendered and has no words that could say their gender")
        for word in self.words:
            if self.gendered and word.gender is None and word.text.strip():
                raise ValueError(f"{word.text!r} is in a gendered set and does not say its gender")
        return self


class TemplateSpec(Spec):
    slots: dict[str, Pronouns]
    sets: tuple[TemplateSet, ...]


class OwnTemplateSpec(UserSpec, TemplateSpec):
    """A user's file: only `sets` are needed."""

    name: str = ""
    title: str = "own templates"
    cite: str = "barza2023"
    slots: dict[str, Pronouns] = SLOTS


class Fault(NamedTuple):
    """A template, word, sentence or category that cannot be used, and why."""

    item: str
    reason: str


@dataclass(frozen=True)
class Templates:
    """A spec of templates in one of its variants."""

    spec: TemplateSpec
    variant: Variant = "corrected"

    @property
    def name(self) -> str:
        return self.spec.name

    def fill(self) -> pd.DataFrame:
        """One row per template and word; what has a fault is left out, and nothing left is an error.

        Columns: `text` with `[MASK]` for the pronoun; `male`, `female` and `neutral`, the pronouns that fit the slot;
        `text_neutral`, the text with its verbs as they agree with the neutral pronoun, None where that is not known;
        `category`, `word` (of a set without words the template itself), `template`, `slot`; `word_before`, whether the
        word stands before the pronoun; `gendered`, and `gender`, the word's own gender if it has one.
        """
        rows, faults = self._filled()
        if not rows and faults:
            first = faults[0]
            raise DataError(f"{self.name}: no template can be used: {first.item!r:.80}: {first.reason}")
        if not rows:
            raise DataError(f"{self.name} has no sentence in its {self.variant} variant")
        return pd.DataFrame(rows)

    def head(self, n: int) -> Templates:
        """The same words with the first n templates of each set; sets without words are kept whole.

        >>> len(pronoun_templates().head(1).fill()) < len(pronoun_templates().fill())
        True
        """
        sets = tuple(
            group.model_copy(update={"templates": group.templates[:n]}) if group.words else group
            for group in self.spec.sets
        )
        return replace(self, spec=self.spec.model_copy(update={"sets": sets}))

    def faults(self) -> list[Fault]:
        """Templates and words that `fill` leaves out, sentences that are there already, categories without any.

        >>> Templates.of("{subject} is a nurse.", "someone is a nurse.").faults()[0].item
        'someone is a nurse.'
        """
        return self._filled()[1]

    def _filled(self) -> tuple[list[dict[str, object]], list[Fault]]:
        rows: dict[tuple[str, str, str], dict[str, object]] = {}
        faults = []
        for group in self.spec.sets:
            words, faulty = self._words(group)
            faults += faulty
            templates = [text for entry in group.templates if (text := entry.of(self.variant)) is not None]
            for there, what in ((words or faulty or not group.words, "words"), (templates, "templates")):
                if not there:
                    reason = f"the category has no {what} in its {self.variant} variant"
                    faults.append(Fault(group.category, reason))
            good = []
            for template in templates:
                with_he = _VERB.sub(r"\1", template)
                if problem := self._fault(with_he, len(words), bool(group.words)):
                    faults.append(Fault(with_he.strip() or group.category, problem))
                else:
                    good.append((with_he, self._with_they(template)))
            if not group.words:
                filled = [self._row(group, template, template[0], None) for template in good]
            else:
                filled = [self._row(group, template, *word) for word in words for template in good]
            for row in filled:
                key = (group.category, str(row["word"]), str(row["text"]))
                if key in rows:
                    faults.append(Fault(key[-1], "the sentence is there already"))
                else:
                    rows[key] = row
        return list(rows.values()), faults

    def _words(self, group: TemplateSet) -> tuple[list[tuple[str, str | None]], list[Fault]]:
        """The words of a set with their gender, and those that cannot be used."""
        words: list[tuple[str, str | None]] = []
        faults = []
        for entry in group.words:
            if (text := entry.of(self.variant)) is None:
                continue
            if not text.strip():
                faults.append(Fault(group.category, "there is an empty word in the category"))
            elif MASK in text or re.search(r"[{}]", text):
                faults.append(Fault(text, "the word has a mask or a brace in it"))
            else:
                words.append((text, entry.gender))
        return words, faults

    def _fault(self, template: str, words: int, has_words: bool) -> str | None:
        """Why a template cannot be used in a set with so many words, or None."""
        if not template.strip():
            return "there is an empty template in the category"
        slots = _SLOT.findall(template)
        pronouns = " or ".join(f"{{{slot}}}" for slot in self.spec.slots)
        unknown = [slot for slot in slots if slot not in (*self.spec.slots, *_WORD_SLOTS)]
        names_word = any(slot in _WORD_SLOTS for slot in slots)
        if unknown:
            return f"the template has an unknown slot {{{unknown[0]:.40}}}; a pronoun's place is {pronouns}"
        if sum(slot in self.spec.slots for slot in slots) != 1:
            return f"the template needs exactly one slot {pronouns}"
        if MASK in template or re.search(r"[{}]", _SLOT.sub("", template)):
            return "the template has a mask or a brace beside its slots"
        place = rf"\{{({'|'.join(map(re.escape, self.spec.slots))})\}}"
        if re.search(rf"\w{place}|{place}\w", template):
            return "the pronoun's slot is a part of a longer word"
        if names_word and not has_words:
            return "the template has a place for a word, and its category has no words"
        # What was published is asked as it was printed ("the profession is keeping [MASK] days off").
        if words > 1 and not names_word and self.variant == "corrected":
            return "the word is missing: without {word} or {a word} all words have the same sentence"
        return None

    def _with_they(self, template: str) -> str | None:
        """The template with its verbs in the plural where the neutral pronoun is they; None if they are not known."""
        with_he = _VERB.sub(r"\1", template)
        [slot] = [slot for slot in self.spec.slots if f"{{{slot}}}" in with_he]
        if self.spec.slots[slot].neutral.lower() != "they":
            return with_he
        if _VERB.search(template):
            return _VERB.sub(r"\2", template)
        following = with_he.partition(f"{{{slot}}}")[2].lstrip()
        return None if _SHOWS_NUMBER.match(following) else with_he

    def _row(
        self, group: TemplateSet, versions: tuple[str, str | None], word: str, gender: str | None
    ) -> dict[str, object]:
        template, with_they = versions
        [slot] = [slot for slot in self.spec.slots if f"{{{slot}}}" in template]
        pronouns = self.spec.slots[slot]
        text = self._text(template, word, slot)
        male, female, neutral = pronouns.male, pronouns.female, pronouns.neutral
        if self.variant == "corrected" and text.startswith(MASK):
            male, female, neutral = male.capitalize(), female.capitalize(), neutral.capitalize()
        before = text.partition(MASK)[0]
        return {
            "text": text,
            "male": male,
            "female": female,
            "neutral": neutral,
            "category": group.category,
            "word": word,
            "template": template,
            "slot": slot,
            "word_before": _begins_in(word, before) if group.words else bool(before.strip()),
            "gendered": group.gendered,
            "gender": gender,
            "text_neutral": None if with_they is None else self._text(with_they, word, slot),
        }

    def _text(self, template: str, word: str, slot: str) -> str:
        text = _with_word(template, word, self.variant).replace(f"{{{slot}}}", MASK)
        return text[:1].upper() + text[1:] if self.variant == "corrected" else text

    @classmethod
    def of(cls, *texts: str, variant: Variant = "corrected") -> Templates:
        """Templates written on the spot, with `{subject}`, `{possessive}` or `{object}` for the pronoun.

        >>> Templates.of("{subject} is a chemist.").fill().text[0]
        '[MASK] is a chemist.'
        """
        own = TemplateSet(category="own", templates=tuple(Word(text=text) for text in texts))
        return cls(OwnTemplateSpec(name="own", sets=(own,)), variant)


def pronoun_templates(variant: Variant = "corrected") -> Templates:
    """The template-based data of the thesis: ten categories of words, templates with a pronoun slot."""
    check_variant(variant)
    return Templates(read_spec("pronoun_templates", TemplateSpec), variant)


def read_templates(path: str | Path, variant: Variant = "corrected") -> Templates:
    """A user's own templates, in a YAML file (docs/templates.md); one without any usable template is an error."""
    check_variant(variant)
    path = Path(path)
    spec = read_spec(path, OwnTemplateSpec)
    templates = Templates(spec if spec.name else spec.model_copy(update={"name": path.name}), variant)
    try:
        templates.fill()
    except DataError as error:
        raise DataError(f"{path}: {error}") from error
    return templates


def _begins_in(word: str, text: str) -> bool:
    """Whether a word of the text begins so: breastfeed in "after breastfeeding", but not host in "the ghost"."""
    return re.search(rf"\b{re.escape(word)}", text, flags=re.IGNORECASE) is not None


def _with_word(template: str, word: str, variant: Variant) -> str:
    a = "a" if variant == "published" else article(word)
    return template.replace("{a word}", f"{a} {word}").replace("{word}", word)
