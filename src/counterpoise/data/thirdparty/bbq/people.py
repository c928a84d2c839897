"""Which two people stand in a template of BBQ: labels of the category, words of the template's own, or names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from counterpoise.core.errors import DataError
from counterpoise.data.thirdparty.bbq.draws import Draws, sample
from counterpoise.data.thirdparty.bbq.items import Person, TwoPeople
from counterpoise.data.thirdparty.bbq.templates import BbqTemplate, BbqVocabulary, as_list, listed

_AT_MOST = 5  # words or names of one kind that are drawn
# In these one of the two belongs to a group that the stereotype is about, and the other one to none of them.
AGAINST_TARGETS = ("Religion", "Sexual_orientation")
INTERSECTIONS = ("Race_x_gender",)
_OTHER = {"M": "F", "F": "M"}


def comparisons(
    category: str, template: BbqTemplate, vocabulary: BbqVocabulary, draws: Draws
) -> Iterator[list[TwoPeople]]:
    """The comparisons of a template; those of one list share the words for WORD1 and WORD2."""
    if category in INTERSECTIONS:
        intersections = _intersecting_names if template.proper_names else _intersecting_groups
        yield from intersections(template, vocabulary, draws)
    elif template.proper_names:
        yield from _names(template, vocabulary, draws)
    elif template.names:
        yield from _pairs(template, *listed(template.names))
    elif category in AGAINST_TARGETS:
        yield from _against_targets(template, vocabulary.of(category), draws)
    else:
        yield from _labels(template, vocabulary.of(category, template.subcategory or ""), draws)


def _comparison(template: BbqTemplate, first: str, second: str) -> TwoPeople:
    infos = template.infos if template.infos and template.infos[0] else (first, second)
    people = Person(first, infos[0]), Person(second, infos[1])
    return TwoPeople(*people, template.subcategory or "None")


def _pairs(template: BbqTemplate, firsts: Sequence[str], seconds: Sequence[str]) -> Iterator[list[TwoPeople]]:
    for first in firsts:
        for second in seconds:
            yield [_comparison(template, first, second)]


def _labels(template: BbqTemplate, words: list[str], draws: Draws) -> Iterator[list[TwoPeople]]:
    """Every two labels, in both orders."""
    if len(words) > _AT_MOST:
        words = sample(draws, words, _AT_MOST)
    for first in words:
        yield from _pairs(template, [first], [word for word in words if word != first])


def _against_targets(template: BbqTemplate, words: list[str], draws: Draws) -> Iterator[list[TwoPeople]]:
    others = [word for word in words if word not in template.targets]
    for target in (word for word in words if word in template.targets):
        drawn = sample(draws, others, _AT_MOST) if len(others) >= _AT_MOST else others
        for other in drawn:
            comparison = _comparison(template, target, other)
            yield [comparison, comparison.swapped()]


def _names(template: BbqTemplate, vocabulary: BbqVocabulary, draws: Draws) -> Iterator[list[TwoPeople]]:
    """Women's names against men's, none of which says much of ethnicity."""
    names = vocabulary.names[vocabulary.names.First_last == "first_only"]
    prefixes = [f"{info}_" if info else "" for info in template.infos or ("", "")]
    men = list(names[names.gender == "M"]["Name"].unique())
    for woman in sample(draws, list(names[names.gender == "F"]["Name"]), _AT_MOST):
        for man in sample(draws, men, _AT_MOST):
            first, second = Person(woman, f"{prefixes[0]}F"), Person(man, f"{prefixes[1]}M")
            comparison = TwoPeople(first, second, template.subcategory or "None")
            yield [comparison, comparison.swapped()]


def _intersecting_groups(
    template: BbqTemplate, vocabulary: BbqVocabulary, draws: Draws
) -> Iterator[list[TwoPeople]]:
    """The target's race and gender against (a) another gender, (b) another race, (c) both."""
    target, gender = template.target_gender or "", _gender_words(template)
    other = _OTHER[target]
    races = vocabulary.of("Race_ethnicity")
    targets = [race for race in races if race in template.targets]
    others = [race for race in races if race not in targets]
    for race in targets:
        person = Person(race, f"{target}-{race}", gender[target])
        for second in sample(draws, others, _AT_MOST):
            yield _three_kinds(
                person,
                Person(race, f"{other}-{race}", gender[other]),
                Person(second, f"{target}-{second}", gender[target]),
                Person(second, f"{other}-{second}", gender[other]),
            )


def _gender_words(template: BbqTemplate) -> dict[str, str]:
    """What a template calls men (M) and women (F)."""
    try:
        gender = dict(zip(as_list(template.genders or "[]"), as_list(template.names or "[]"), strict=True))
    except (ValueError, SyntaxError):
        gender = {}
    if set(gender) != set(_OTHER) or template.target_gender not in gender:
        raise DataError(f"the template with Q_id {template.number} does not say what it calls men and women")
    return gender


def _intersecting_names(
    template: BbqTemplate, vocabulary: BbqVocabulary, draws: Draws
) -> Iterator[list[TwoPeople]]:
    firsts = vocabulary.first_names()
    gender = template.target_gender
    targets = firsts[firsts.ethnicity.isin(template.targets) & (firsts.gender == gender)]
    for name in sample(draws, list(targets["Name"]), _AT_MOST):
        ethnicity = targets[targets["Name"] == name].ethnicity.iloc[0]
        person = _full_name(name, str(gender), ethnicity, vocabulary, draws)
        same_race, same_gender = firsts.ethnicity == ethnicity, firsts.gender == gender
        drawn = [
            _drawn(firsts[kind], draws)
            for kind in (same_race & ~same_gender, ~same_race & same_gender, ~same_race & ~same_gender)
        ]
        for three in zip(*drawn, strict=True):
            others = [_full_name(first, of, race, vocabulary, draws) for first, of, race in three]
            yield _three_kinds(person, *others)


def _drawn(names: pd.DataFrame, draws: Draws) -> list[tuple[str, str, str]]:
    columns = (names[column].tolist() for column in ("Name", "gender", "ethnicity"))
    return sample(draws, list(zip(*columns, strict=True)), _AT_MOST)


def _full_name(name: str, gender: str, ethnicity: str, vocabulary: BbqVocabulary, draws: Draws) -> Person:
    last = sample(draws, vocabulary.last_names(ethnicity), 1)[0]
    return Person(f"{name} {last}", f"{gender}-{ethnicity}")


def _three_kinds(target: Person, *others: Person) -> list[TwoPeople]:
    kinds = [
        TwoPeople(target, other, f"intersectional_{kind}") for kind, other in zip("abc", others, strict=True)
    ]
    return [*kinds, *(kind.swapped() for kind in kinds)]
