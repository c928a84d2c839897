"""`counterpoise catalog validate`: is a file of one's own as a measure needs it?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

_LONGEST_ENTRY = 3  # words of an entry of a lexicon


def validate(
    file: Annotated[
        Path,
        typer.Argument(
            help="A YAML file of templates (for ppd, nli or decisions), association tests, word sets, gendered "
            "words or a pronoun set; a CSV, TSV, JSONL or Parquet file of sentence pairs, of names by gender and "
            "group, of prompts or of a lexicon; or a .txt file of prompts or of a lexicon."
        ),
    ],
) -> None:
    """Check a file of your own before you measure on it.

    \b
    Examples:
      counterpoise catalog validate my-templates.yaml
      counterpoise catalog validate my-pairs.csv
    """
    from counterpoise.io.user_tables import TABLE_SUFFIXES

    suffix = file.suffix.lower()
    is_list = suffix == ".txt"
    check = _list_in if is_list else _table_in if suffix in TABLE_SUFFIXES else _check_for(file)
    typer.echo(f"{file}: {check(file)}")


def _check_for(file: Path) -> Callable[[Path], str]:
    """What a YAML file is meant to be, told by its keys."""
    from counterpoise.data.spec import top_level_keys
    from counterpoise.text.pronoun_sets import FORMS

    keys = top_level_keys(file)
    if keys & set(FORMS):
        return _pronoun_set_in
    if "tests" in keys:
        return _word_sets_in if "sets" in keys else _associations_in
    if keys & {"templates", "gendered", "occupations"}:
        return _inference_templates_in
    if "domains" in keys:
        return _decision_templates_in
    return _gender_words_in if "pairs" in keys else _templates_in


def _pronoun_set_in(file: Path) -> str:
    from counterpoise.text.pronoun_sets import pronoun_set

    pronouns = pronoun_set(file)
    verb = "are" if pronouns.plural else "is"
    return f"pronoun set {pronouns.name}: {', '.join(pronouns.forms.values())} ({pronouns.subject} {verb})"


def _associations_in(file: Path) -> str:
    from counterpoise.data.builtin.associations import read_associations

    associations = read_associations(file)
    sentences = associations.fill()
    lines = [f"{sentences.test.nunique()} association tests, {len(sentences)} sentences"]
    lines += [f"  {item!r} will be skipped: {problem}" for item, problem in associations.problems()]
    return "\n".join(lines)


def _word_sets_in(file: Path) -> str:
    from counterpoise.data.builtin.wordsets import read_word_sets

    tests = read_word_sets(file).tests
    words = {word for test in tests for group in test.sets for word in group.words}
    return f"{len(tests)} tests, {len(words)} words"


def _gender_words_in(file: Path) -> str:
    from counterpoise.data.builtin.gender_words import read_gender_words

    words = read_gender_words(file)
    return f"{len(words.pairs)} pairs, {sum(len(group.words) for group in words.neutral)} neutral words"


def _inference_templates_in(file: Path) -> str:
    from counterpoise.data.builtin.inference import read_inference_templates

    pairs = read_inference_templates(file).fill()
    return (
        f"{pairs.premise.nunique()} premises, {pairs.occupation.nunique()} occupations, e.g. {pairs.premise[0]!r} "
        f"with {pairs.hypothesis_male[0]!r} and {pairs.hypothesis_female[0]!r}"
    )


def _decision_templates_in(file: Path) -> str:
    from counterpoise.data.builtin.decisions import read_decision_templates

    templates = read_decision_templates(file)
    table, filled = templates.table(), templates.fill(n_names=1)
    favourable = table.favourable.value_counts()
    return (
        f"{len(table)} templates in {table.domain.nunique()} domains, {favourable.get('yes', 0)} where yes is "
        f"favourable and {favourable.get('no', 0)} where no is, e.g. {filled.text[0]!r}"
    )


def _templates_in(file: Path) -> str:
    """Says how many sentences can be measured, and what is wrong with the other templates."""
    from counterpoise.data.builtin.templates import read_templates

    templates = read_templates(file)
    sentences = templates.fill()
    lines = [f"{len(sentences)} sentences, {sentences.word.nunique()} words, e.g. {sentences.text[0]!r}"]
    lines += [f"  {fault.item!r} will be skipped: {fault.reason}" for fault in templates.faults()]
    return "\n".join(lines)


def _table_in(file: Path) -> str:
    """A table is one of names, prompts or a lexicon if it has their columns, else one of pairs."""
    from counterpoise.data.user.lexicons import WORD_COLUMNS
    from counterpoise.data.user.name_tables import COLUMNS
    from counterpoise.io.user_tables import read_user_table

    columns = set(read_user_table(file, "pairs"))
    if "prompt" in columns:
        return _prompts_in(file)
    if columns & set(WORD_COLUMNS):
        return _lexicon_in(file)
    return _names_in(file) if set(COLUMNS) <= columns else _pairs_in(file)


def _list_in(file: Path) -> str:
    """A list is a lexicon where no line is longer than an entry or has the marks of a sentence."""
    from counterpoise.core.documents import read_text
    from counterpoise.core.limits import TABLE

    lines = [line for line in read_text(file, limit=TABLE).splitlines() if not line.startswith("#")]
    is_lexicon = all(len(line.split()) <= _LONGEST_ENTRY and not set(line) & set(".?!:{") for line in lines)
    return _lexicon_in(file) if is_lexicon else _prompts_in(file)


def _lexicon_in(file: Path) -> str:
    from counterpoise.core.plurals import count_text
    from counterpoise.data.user.lexicons import read_lexicon

    words = read_lexicon(file).folded
    categories = sorted({category for category in words.values() if category})
    of_categories = f", categories: {', '.join(categories)}" if categories else ""
    return f"taken for a lexicon: {count_text(len(words), 'word')}, e.g. {next(iter(words))!r}{of_categories}"


def _prompts_in(file: Path) -> str:
    """Says how many prompts have a male and a female version, and what is wrong with the others."""
    from counterpoise.core.errors import DataError
    from counterpoise.core.plurals import count_text
    from counterpoise.data.builtin.prompts import read_prompts
    from counterpoise.measures.base.version_names import GENDERED
    from counterpoise.measures.generation.common.prompt_versions import prompt_problems, versions_of

    table = read_prompts(file).table
    versions = versions_of(GENDERED)
    problems = prompt_problems(table, versions)
    good = [prompt for prompt, problem in zip(table.prompt, problems, strict=True) if problem is None]
    if not good:
        raise DataError(f"{file}: none of the {len(table)} prompts can be asked ({problems[0]})")
    male, female = versions.make(good[0])
    lines = [f"taken for prompts: {count_text(len(good), 'prompt')}, e.g. {male!r} and {female!r}"]
    lines += [
        f"  row {row} will be skipped: {problem}" for row, problem in enumerate(problems, start=1) if problem
    ]
    return "\n".join(lines)


def _names_in(file: Path) -> str:
    from counterpoise.core.plurals import count_text
    from counterpoise.data.user.name_tables import read_names_table

    names = read_names_table(file)
    return (
        f"{len(names.names)} names, {', '.join(names.genders)}, of {count_text(len(names.groups), 'group')}"
    )


def _pairs_in(file: Path) -> str:
    """Says how many pairs can be measured, and what is wrong with the others."""
    from counterpoise.core.errors import DataError
    from counterpoise.data.builtin.pairs import read_pairs

    pairs = read_pairs(file)
    good = [problem is None for problem in pairs.problems()]
    if not any(good):
        raise DataError(f"{file}: none of the {len(good)} pairs can be measured ({pairs.problems()[0]})")
    table = pairs.table[good].reset_index(drop=True)
    lines = [
        f"{len(table)} pairs, {table.category.nunique()} categories, "
        f"e.g. {table.stereotyped[0]!r} and {table.counterpart[0]!r}"
    ]
    lines += [
        f"  pair {number} will be skipped: {problem}"
        for number, problem in enumerate(pairs.problems(), start=1)
        if problem
    ]
    return "\n".join(lines)
