"""Reminders (Barza 2023, section 6.3): sentences that keep pregnant, breastfeed and the like with their gender.

Swapped text teaches a model that he and she are alike, and with it that he may be pregnant. Sentences in which such
words stand with their own gender, mixed into the training text unswapped, remind it. Ours are made from templates with
names, relatives and times; users give their own in a text file, one sentence a line.

Reminders of *pregnant* are sentences about women, and more sentences about women move a model towards *she* whatever
they say. The same sentences with a gender-neutral word in place of the bound one (*tired*) show how much of an effect
is due to that, and what is left is specific to the word: `control_reminders`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path

import numpy as np
from pydantic import Field, model_validator

from counterpoise.core import limits
from counterpoise.core.documents import read_text
from counterpoise.core.errors import DataError, InputError, unknown
from counterpoise.data.spec import Gender, Spec, Strict, read_spec
from counterpoise.mitigate.finetune.slots import PRONOUNS, SLOT, fill


class Persons(Strict):
    pronoun: str
    names: tuple[str, ...]
    kin: tuple[str, ...]


class ReminderWord(Strict):
    """A word, the gender that is its own, and sentences about it.

    neutral: for each form of the word in the templates, the gender-neutral word that takes its place in a control.
    """

    word: str
    gender: Gender
    templates: tuple[str, ...]
    neutral: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _has_pronouns(self) -> ReminderWord:
        for template in self.templates:
            if not {slot.lower() for slot in SLOT.findall(template)} & set(PRONOUNS["male"]):
                raise ValueError(f"the template has no pronoun of the word's gender: {template!r}")
            if self.neutral and not set(re.findall(r"\w+", template)) & set(self.neutral):
                raise ValueError(f"no word of the template has a neutral one: {template!r}")
        return self


class ReminderSpec(Spec):
    persons: dict[Gender, Persons]
    fillers: dict[str, tuple[str, ...]]
    words: tuple[ReminderWord, ...]


def reminders(n: int, seed: int = 0, words: Sequence[str] | None = None) -> list[str]:
    """n sentences, the words in turn and each as often as the others; the same for the same seed.

    Female and male words alternate. The first n of more are the same sentences, and none is there twice before all
    variations of its word are used up.

    Parameters
    ----------
    words
        Only reminders about these words, for example ["pregnant"]; all words of the spec if not given.

    >>> reminders(2, seed=1)[0]
    'She was pregnant with her fourth child last spring.'
    """
    if n < 0:
        raise InputError(f"the number of reminders cannot be {n}")
    spec = read_spec("reminders", ReminderSpec)
    chosen = [_entry(word, spec) for word in words] if words else list(spec.words)
    streams = [_sentences(entry, spec, np.random.default_rng([seed, i])) for i, entry in enumerate(chosen)]
    return [next(stream) for stream in islice(cycle(streams), n)]


def control_reminders(n: int, seed: int = 0, *, word: str) -> list[str]:
    """The reminders of a word, with a gender-neutral word wherever the word stands.

    >>> reminders(1, seed=1, words=["pregnant"]), control_reminders(1, seed=1, word="pregnant")
    (['She was pregnant with her fourth child last spring.'], ['She was tired with her fourth child last spring.'])
    """
    spec = read_spec("reminders", ReminderSpec)
    neutral = _entry(word, spec).neutral
    if not neutral:
        raise InputError(
            f"there is no neutral word in place of {word!r} (there is for: {', '.join(controlled_words())})"
        )
    forms = re.compile(rf"\b({'|'.join(map(re.escape, neutral))})\b")
    return [forms.sub(lambda found: neutral[found[1]], text) for text in reminders(n, seed, [word])]


def controlled_words() -> tuple[str, ...]:
    """The words that `control_reminders` has.

    >>> controlled_words()
    ('pregnant', 'testicle', 'breastfeed')
    """
    return tuple(entry.word for entry in read_spec("reminders", ReminderSpec).words if entry.neutral)


def load_reminders(
    source: int | str | Path | Sequence[str] | None, copies: int = 1, seed: int = 42
) -> list[str]:
    """Reminders: a number of our own, those of a file, or a list; each repeated `copies` times.

    >>> load_reminders(["She was pregnant."], copies=2)
    ['She was pregnant.', 'She was pregnant.']
    """
    if copies < 1:
        raise InputError(f"each reminder is needed once at least, not {copies} times")
    if source is None:
        return []
    if isinstance(source, str) and source.isdecimal():
        source = int(source)
    if isinstance(source, int):
        return reminders(source, seed) * copies
    return (read_reminders(source) if isinstance(source, str | Path) else list(source)) * copies


def read_reminders(path: str | Path) -> list[str]:
    """A user's own reminders from a text file, one sentence a line; empty lines and comments (#) are skipped.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "mine.txt"
    >>> _ = path.write_text("# mine\\nShe is expecting twins.\\n")
    >>> read_reminders(path)
    ['She is expecting twins.']
    """
    lines = read_text(path, limit=limits.YAML).splitlines()
    sentences = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if not sentences:
        raise DataError(f"{path} has no reminder; it should have one sentence a line")
    return sentences


def _entry(word: str, spec: ReminderSpec) -> ReminderWord:
    entries = {entry.word: entry for entry in spec.words}
    if word not in entries:
        raise unknown("word of reminders", word, entries)
    return entries[word]


def _sentences(word: ReminderWord, spec: ReminderSpec, rng: np.random.Generator) -> Iterator[str]:
    """Without end: each template in turn, filled by chance, never the same sentence again while there are others."""
    while True:
        used: set[str] = set()
        sizes = [_variations(template, spec, word.gender) for template in word.templates]
        orders = [iter(rng.permutation(size)) for size in sizes]
        for turn in range(max(sizes)):
            for template, size, order in zip(word.templates, sizes, orders, strict=True):
                if turn < size:
                    sentence = _filled(template, int(next(order)), spec, word.gender)
                    if sentence not in used:
                        used.add(sentence)
                        yield sentence


def _variations(template: str, spec: ReminderSpec, gender: Gender) -> int:
    return int(np.prod([len(options) for options in _options(template, spec, gender)], dtype=np.int64))


def _options(template: str, spec: ReminderSpec, gender: Gender) -> list[Sequence[str]]:
    """What may stand in each slot; a third of persons are pronouns, a third names, a third relatives."""
    who = spec.persons[gender]
    most = max(len(who.names), len(who.kin))
    persons = [
        person for i in range(most) for person in (who.pronoun, *who.names[i : i + 1], *who.kin[i : i + 1])
    ]
    options: list[Sequence[str]] = []
    for slot in SLOT.findall(template):
        if slot == "Person":
            options.append(persons)
        elif slot.lower() in spec.fillers:
            options.append(spec.fillers[slot.lower()])
        else:
            options.append((PRONOUNS[gender][slot.lower()],))
    return options


def _filled(template: str, number: int, spec: ReminderSpec, gender: Gender) -> str:
    """The variation of a template with this number."""
    options = _options(template, spec, gender)
    chosen = np.unravel_index(number, [len(words) for words in options])
    return fill(template, (words[int(i)] for words, i in zip(options, chosen, strict=True)))
