"""Every publication that is cited has a reference and a BibTeX entry that BibTeX can read."""

from __future__ import annotations

import re

import pytest

from counterpoise.core.errors import InputError
from counterpoise.data.citations import Citation, all_citations, bibtex, find_citation
from counterpoise.measures.base.catalogue import all_measures

ENTRY = re.compile(r"@(article|inproceedings|misc)\{([^\s,{}]+),\n((?:  \w+ = \{.*\},\n)+)\}\n")


def fields_of(entry):
    """The kind and the fields of an entry, read by its lines; it must be an entry and nothing else."""
    kind, key, lines = ENTRY.fullmatch(entry).groups()
    return kind, key, dict(re.findall(r"^  (\w+) = \{(.*)\},$", lines, re.MULTILINE))


@pytest.mark.parametrize("key", all_citations())
def test_every_entry_is_well_formed(key):
    entry = bibtex([key])
    kind, entry_key, fields = fields_of(entry)
    assert entry_key == key
    assert fields["author"]
    assert fields["title"].startswith("{")
    assert re.match(r"\d{4}", fields["year"])
    assert {"article": "journal", "inproceedings": "booktitle", "misc": "title"}[kind] in fields
    for text in (entry, *fields.values()):
        depth = 0
        for bracket in re.findall(r"(?<!\\)[{}]", text):
            depth += 1 if bracket == "{" else -1
            assert depth >= 0
        assert depth == 0
    assert entry.isascii()  # also the oldest BibTeX reads it
    assert not re.search(r"(?<!\\)[&%$#_]", entry)


@pytest.mark.parametrize("name", all_measures())
def test_what_a_measure_cites_can_be_cited(name):
    cites = all_measures()[name].cites
    assert bibtex(cites).count("@") == len(cites) > 0


def test_names_as_bibtex_reads_them():
    assert "Van Durme, Benjamin}" in bibtex(["rudinger2018"])
    assert r"Aur{\'e}lie N{\'e}v{\'e}ol" in bibtex(["neveol2022"])
    assert "author = {{US Bureau of Labor Statistics}}" in bibtex(["bls2020"])
    assert "author = {Joakim Nivre and others}" in bibtex(["nivre2020"])


@pytest.mark.parametrize(
    ("key", "reference"),
    [
        (
            "caliskan2017",
            "Aylin Caliskan, Joanna J. Bryson and Arvind Narayanan (2017). Semantics Derived Automatically from "
            "Language Corpora Contain Human-like Biases. Science 356(6334).",
        ),
        (
            "nivre2020",
            "Joakim Nivre et al. (2020). Universal Dependencies v2: An Evergrowing Multilingual Treebank Collection. "
            "LREC.",
        ),
        (
            "ssa2021",
            "US Social Security Administration (2021). Baby names from Social Security card applications, national "
            "data.",
        ),
        (
            "barza2023",
            "Kenny Gabriel Barza (2023). Towards a Robust Gender Bias Evaluation in NLP. Master's thesis.",
        ),
    ],
)
def test_references(key, reference):
    assert find_citation(key).reference == reference


def test_special_characters_are_escaped():
    paper = Citation(authors=("A & B_c",), year=2020, title="50 % {of} $x$ #1", howpublished="~x^y")
    entry = paper.bibtex("odd")
    assert r"author = {A \& B\_c}" in entry
    assert r"title = {{50 \% \{of\} \$x\$ \#1}}" in entry
    assert r"howpublished = {\textasciitilde{}x\textasciicircum{}y}" in entry


def test_keys_are_written_once_and_in_order():
    keys = re.findall(r"@\w+\{(\w+),", bibtex(["zhao2018", "barza2023", "zhao2018"]))
    assert keys == ["zhao2018", "barza2023"]
    assert bibtex([]) == ""


def test_an_unknown_key():
    with pytest.raises(InputError, match=r"there is no citation 'kurita2091'.*did you mean 'kurita2019'"):
        bibtex(["kurita2091"])


def test_authors_or_an_organization():
    with pytest.raises(ValueError, match="either authors or an organization"):
        Citation(year=2020, title="Nobody's")
