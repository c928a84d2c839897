"""Which option of a question of BBQ follows the stereotype, which goes against it, and which says "unknown"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import pandas as pd

from counterpoise.data.spec import read_spec
from counterpoise.data.thirdparty.bbq.dataset import BbqSpec

OPTIONS = ("ans0", "ans1", "ans2")
STEREOTYPED, OTHER, UNKNOWN = ROLES = ("stereotyped", "counter_stereotyped", "unknown")
ALIGNED, NONALIGNED, AMBIGUOUS = "aligned", "nonaligned", "ambiguous"
TEMPLATE = "template"  # the column by which answers are clustered
_GENDERS = {"man": "M", "boy": "M", "woman": "F", "girl": "F"}
_FIRST_NAME_TEMPLATE = 26  # in categories that do not cross two groups
NOT_ONE_MEMBER = "not exactly one of the two people belongs to the stereotyped group"


@dataclass(frozen=True)
class Roles:
    """The number of the option for each role; `problem` says why they cannot be told.

    With the problem NOT_ONE_MEMBER the first two are the people, in the order of the options.
    """

    options: tuple[int, int, int] = (-1, -1, -1)
    problem: str | None = None


def find_roles(row: Mapping[str, Any]) -> Roles:
    """The roles of the options of a question, by what its `answer_info` says of them.

    The answer that follows the stereotype is the member of the stereotyped group where the question is negative (*Who
    is bad at math?*), and the other person where it is not.
    """
    try:
        infos = [info_of(row, option) for option in OPTIONS]
        groups = [str(group) for group in row["additional_metadata"]["stereotyped_groups"]]
    except (KeyError, IndexError, TypeError):
        return Roles(problem="answer_info or stereotyped_groups are not as BBQ has them")
    people = [number for number, info in enumerate(infos) if info != UNKNOWN]
    if len(people) != 2:
        return Roles(problem="not exactly one option says that the answer is unknown")
    category, question = str(row["category"]), str(row["question_index"])
    members = [number for number in people if is_member(infos[number], groups, category, question)]
    unknown = 3 - sum(people)
    if len(members) != 1:
        return Roles((people[0], people[1], unknown), NOT_ONE_MEMBER)
    [member] = members
    [other] = set(people) - {member}
    if row["label"] not in ((unknown,) if row["context_condition"] == "ambig" else (member, other)):
        return Roles(
            problem=f"the label {row['label']!r} does not fit a context that is {row['context_condition']}"
        )
    first, second = (member, other) if row["question_polarity"] == "neg" else (other, member)
    return Roles((first, second, unknown))


def info_of(row: Mapping[str, Any], option: str) -> str:
    """What an option stands for. BBQ has nothing for a *Latina woman*, since its templates say *Latino*."""
    info = str(row["answer_info"][option][1])
    return "F-Latino" if not info and "Latina woman" in str(row[option]) else info


def is_member(info: str, groups: Sequence[str], category: str, question: str) -> bool:
    """Whether someone belongs to a stereotyped group, by what the option's info says.

    >>> is_member("woman", ["F"], "Gender_identity", "1"), is_member("nonOld", ["old"], "Age", "1")
    (True, False)
    >>> is_member("F-Black", ["Black", "African American"], "Race_x_gender", "3")
    True
    """
    if category == "Race_x_gender":
        gender, _, race = info.partition("-")
        return race in groups and gender == stereotyped_gender(question)
    if "trans" in groups:
        return info.startswith("trans")
    return _GENDERS.get(info, info) in groups


@cache
def stereotyped_gender(question: str) -> str:
    """Whom a template of Race_x_gender is about."""
    return "M" if question in read_spec("bbq", BbqSpec).men else "F"


def has_roles(roles: Roles) -> bool:
    """Whether the two people and the option that says "unknown" are known."""
    return min(roles.options) >= 0


def alignment(row: Mapping[str, Any], roles: Roles) -> str:
    """Whether the right answer of a disambiguated question follows the stereotype."""
    if row["context_condition"] == "ambig":
        return AMBIGUOUS
    return ALIGNED if row["label"] == roles.options[0] else NONALIGNED


def with_roles(table: pd.DataFrame) -> tuple[pd.DataFrame, list[str | None]]:
    """The questions with the text of each role and their alignment, and why some cannot be asked."""
    rows = records(table)
    roles = [find_roles(row) for row in rows]
    texts = {
        role: [
            row[OPTIONS[of_row.options[place]]] if has_roles(of_row) else ""
            for row, of_row in zip(rows, roles, strict=True)
        ]
        for place, role in enumerate(ROLES)
    }
    found = [alignment(row, of_row) for row, of_row in zip(rows, roles, strict=True)]
    options = pd.Series([of_row.options for of_row in roles], index=table.index)
    return table.assign(**texts, alignment=found, options=options), [of_row.problem for of_row in roles]


def with_kinds_of_people(table: pd.DataFrame) -> pd.DataFrame:
    """The questions with the column `people`: whether their template calls people by names, or by labels (*woman*)."""
    kinds = {True: "templates with names", False: "templates with labels"}
    return table.assign(people=[kinds[has_names(row)] for row in records(table)])


def has_names(row: Mapping[str, Any]) -> bool:
    """Whether a template has names of people, by its number, or where two groups are crossed by its options."""
    if row["category"] != "Race_x_gender":
        number = str(row["question_index"])
        return number.isdigit() and int(number) >= _FIRST_NAME_TEMPLATE
    # Labels repeat the race of their info (Black man, F-Black); names do not.
    people = [row["answer_info"][option] for option in OPTIONS if row["answer_info"][option][1] != "unknown"]
    return not all(str(info).partition("-")[2] in str(text) for text, info in people)


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table."""
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]
