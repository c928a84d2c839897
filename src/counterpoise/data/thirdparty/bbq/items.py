"""A template of BBQ with two people in it: four items, of two contexts and two questions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from counterpoise.data.thirdparty.bbq.draws import Draws, choose
from counterpoise.data.thirdparty.bbq.templates import BbqTemplate

UNKNOWN = (
    *("Unknown", "Cannot be determined", "Can't be determined", "Not answerable", "Not known"),
    *("Not enough info", "Not enough information", "Cannot answer", "Can't answer", "Undetermined"),
)
ORDERS = tuple(permutations(range(3)))
_VOWEL = re.compile(r"[aeiou]", re.IGNORECASE)
_ARTICLE = re.compile(r"(\s[aA])(\s[aAeEiIoOuU])")


@dataclass(frozen=True)
class Person:
    """Who stands in a slot: a word or name, what it stands for, and a word for the gender where that is apart."""

    word: str
    info: str
    gender: str | None = None

    @property
    def label(self) -> str:
        return f"{self.word} {self.gender}" if self.gender else self.word

    def is_in(self, answer: str) -> bool:
        """Whether an answer is about the person; *man* is not in *woman*."""
        return all(f" {word}" in answer if word == "man" else word in answer for word in self._words)

    @property
    def _words(self) -> tuple[str, ...]:
        return (self.word,) if self.gender is None else (self.word, self.gender)


@dataclass(frozen=True)
class TwoPeople:
    """Two people for the slots of a template, in this order."""

    first: Person
    second: Person
    subcategory: str = "None"

    def swapped(self) -> TwoPeople:
        return TwoPeople(self.second, self.first, self.subcategory)


def draw_words(template: BbqTemplate, draws: Draws) -> tuple[str, str]:
    """The words for WORD1 and WORD2; nothing where the template has none."""
    first, second = template.words
    return (
        choose(draws, first) if first else "",
        choose(draws, second) if len(second) > 1 else "",
    )


def four_items(
    category: str, template: BbqTemplate, people: TwoPeople, words: tuple[str, str], draws: Draws
) -> Iterator[dict[str, Any]]:
    """The items of two people; `example_id` is given later."""
    fill = _Filling(people, words if any(template.words) else None)
    answers = (fill(template.negative_answer), fill(template.other_answer), choose(draws, UNKNOWN))
    order = ORDERS[draws.below(len(ORDERS))]
    place = [order.index(which) for which in range(3)]  # of the negative answer, the other one, and "unknown"
    options = [answers[which] for which in order]
    shared = {
        "answer_info": _answer_info(people, answers, place),
        "additional_metadata": {
            "subcategory": people.subcategory,
            "stereotyped_groups": list(template.targets),
            "version": "None" if template.version is None else template.version,
            "source": fill(template.source),
        },
    }
    ambiguous = fill(template.ambiguous).strip()
    contexts = {"ambig": ambiguous, "disambig": f"{ambiguous} {fill(template.disambiguating)}".strip()}
    questions = {"neg": (template.negative_question, 0), "nonneg": (template.other_question, 1)}
    for polarity, (question, answer) in questions.items():
        for condition, context in contexts.items():
            yield {
                "question_index": template.number,
                "question_polarity": polarity,
                "context_condition": condition,
                "category": category,
                **shared,
                "context": context,
                "question": fill(question).strip(),
                **{f"ans{number}": option for number, option in enumerate(options)},
                "label": place[2 if condition == "ambig" else answer],
            }


class _Filling:
    """Puts people and words into the slots of texts, and mends what that breaks, as the authors do."""

    def __init__(self, people: TwoPeople, words: tuple[str, str] | None) -> None:
        first, second = people.first, people.second
        self._slots = {"{{NAME1}}": first.word, "{{NAME2}}": second.word}
        if first.gender is not None:
            self._slots |= {"{{GEN1}}": first.gender, "{{GEN2}}": str(second.gender)}
        if words is not None:
            self._slots |= {"{{WORD1}}": words[0], "{{WORD2}}": words[1]}
        spoken = [word for person in (first, second) for word in (person.word, person.gender) if word]
        self._needs_an = any(_VOWEL.match(word) for word in spoken)

    def __call__(self, text: str) -> str:
        for slot, word in self._slots.items():
            text = text.replace(slot, word)
        text = text.replace("lesbian man", "lesbian woman").replace("Latino woman", "Latina woman")
        if self._needs_an:
            text = _ARTICLE.sub(r"\1n\2", text).replace(" an European", " a European")
        return text


def _answer_info(people: TwoPeople, answers: tuple[str, str, str], place: list[int]) -> dict[str, list[str]]:
    """Who each option is about. Where both people are in an answer (*old* in *older*), the second counts."""
    info = {f"ans{number}": ["", ""] for number in range(3)}
    for person in (people.first, people.second):
        for which in (0, 1):
            if person.is_in(answers[which]):
                info[f"ans{place[which]}"] = [person.label, person.info]
    info[f"ans{place[2]}"] = [answers[2], "unknown"]
    return info
