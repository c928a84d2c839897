"""Former names of datasets. They are accepted wherever the name of a dataset is, and read in older run folders."""

from __future__ import annotations

ALIASES = {"tbd": "pronoun_templates", "tgb": "stereotype_pairs"}


def dataset_name(name: str) -> str:
    """The name of a dataset, whichever of its names is given.

    >>> dataset_name("tbd"), dataset_name("pronoun_templates"), dataset_name("mine.csv")
    ('pronoun_templates', 'pronoun_templates', 'mine.csv')
    """
    return ALIASES.get(name, name)


def former_names(name: str) -> tuple[str, ...]:
    """What a dataset was called before.

    >>> former_names("stereotype_pairs"), former_names("becpro")
    (('tgb',), ())
    """
    return tuple(former for former, today in ALIASES.items() if today == name)
