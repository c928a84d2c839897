"""The publications that measures, specs and sources cite: as a reference for readers, and as BibTeX."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import resources

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from counterpoise.core.errors import DataError, unknown
from counterpoise.core.latex import escape_latex

_OTHERS = "others"  # the last of the authors, where BibTeX and readers are told "et al."


class Citation(BaseModel):
    """A publication; in a journal, in proceedings, or published otherwise.

    authors: as "First Last", or as "Last, First" where the last name has several words; "others" stands for more.

    >>> paper = Citation(authors=("Ada Lovelace", "Van Durme, Benjamin"), year=1843, title="Notes", journal="Memoirs",
    ...                  volume=3)
    >>> paper.reference
    'Ada Lovelace and Benjamin Van Durme (1843). Notes. Memoirs 3.'
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    authors: tuple[str, ...] = ()
    organization: str | None = None  # instead of authors
    year: int | str
    title: str
    journal: str | None = None
    volume: int | None = None
    number: int | None = None
    booktitle: str | None = None
    howpublished: str | None = None

    @model_validator(mode="after")
    def _has_one_author_field(self) -> Citation:
        if bool(self.authors) == bool(self.organization):
            raise ValueError("a publication has either authors or an organization")
        return self

    @property
    def reference(self) -> str:
        """The reference in one line, for readers."""
        issue = f" {self.volume}" if self.volume is not None else ""
        issue += f"({self.number})" if self.number is not None else ""
        where = f"{self.journal}{issue}" if self.journal else self.booktitle or self.howpublished
        return f"{self._names()} ({self.year}). {self.title}.{f' {where}.' if where else ''}"

    def bibtex(self, key: str) -> str:
        """The BibTeX entry; the title keeps its capitals in every bibliography style."""
        kind = "article" if self.journal else "inproceedings" if self.booktitle else "misc"
        # In braces an organization is not taken for first and last names.
        author = escape_latex(" and ".join(self.authors)) or f"{{{escape_latex(self.organization)}}}"
        fields = {
            "author": author,
            "title": f"{{{escape_latex(self.title)}}}",
        }
        for name in ("year", "journal", "volume", "number", "booktitle", "howpublished"):
            value = getattr(self, name)
            if value is not None:
                fields[name] = escape_latex(value)
        lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
        return "\n".join([f"@{kind}{{{key},", *lines, "}"])

    def _names(self) -> str:
        if self.organization:
            return self.organization
        names = [" ".join(reversed(name.split(", "))) for name in self.authors]
        if names[-1] == _OTHERS:
            return f"{', '.join(names[:-1])} et al."
        return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


@cache
def all_citations() -> dict[str, Citation]:
    """Every publication of `citations.yaml` by its key."""
    text = resources.files("counterpoise.data").joinpath("citations.yaml").read_text(encoding="utf-8")
    found = {}
    for key, fields in yaml.safe_load(text).items():
        try:
            found[key] = Citation.model_validate(fields)
        except ValidationError as error:
            [first, *_] = error.errors()
            place = ".".join(map(str, first["loc"]))
            raise DataError(f"citations.yaml, {key}{place and f', {place}'}: {first['msg']}") from error
    return found


def find_citation(key: str) -> Citation:
    """The publication that a key such as "bartl2020" stands for."""
    citations = all_citations()
    if key not in citations:
        raise unknown("citation", key, citations)
    return citations[key]


def bibtex(keys: Iterable[str]) -> str:
    """The BibTeX entries of these keys, each once and in this order.

    >>> print(bibtex(["rudinger2018"]))
    @inproceedings{rudinger2018,
      author = {Rachel Rudinger and Jason Naradowsky and Brian Leonard and Van Durme, Benjamin},
      title = {{Gender Bias in Coreference Resolution}},
      year = {2018},
      booktitle = {Proceedings of NAACL-HLT 2018},
    }
    <BLANKLINE>
    """
    return "\n".join(f"{find_citation(key).bibtex(key)}\n" for key in dict.fromkeys(keys))
