"""Coreference systems: functions, objects that answer in the form of other packages, and answers that are none."""

from __future__ import annotations

import json
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.core.errors import FunctionError, InputError, ModelError
from counterpoise.models import CoreferenceSystem

TEXTS = ["The cook met Ann, and she left.", "The guard said that he was late."]
FIRST = [[[(13, 16), (22, 25)]], [[(0, 9), (20, 22)]]]  # Ann - she, The guard - he


def words(text, clusters):
    return [[text[start:end] for start, end in cluster] for cluster in clusters]


class Fastcoref:
    """In the form of fastcoref 2.1.6: `predict(texts=[...])` gives results with `get_clusters(as_strings=False)`.

    There a mention whose tokens have no characters is None.
    """

    model_name_or_path = "biu-nlp/f-coref"

    def predict(self, texts, is_split_into_words=False, max_tokens_in_batch=10000, output_file=None):
        assert isinstance(texts, list)
        answers = dict(zip(TEXTS, FIRST, strict=True))
        return [
            SimpleNamespace(get_clusters=lambda as_strings, text=text: [[*answers[text][0], None]])
            for text in texts
        ]


class Spacy:
    """In the form of a spaCy pipeline with spacy-experimental 0.6.4: groups of spans under coref_clusters_1 and so on.

    The groups of head words and those of other components are none of ours.
    """

    meta = {"lang": "en", "name": "coreference_web_trf"}  # noqa: RUF012
    pipe_names = ("transformer", "coref", "span_resolver")
    pipe_factories = {"coref": "experimental_coref"}  # noqa: RUF012

    def pipe(self, texts):
        answers = dict(zip(TEXTS, FIRST, strict=True))
        for text in texts:
            spans = [SimpleNamespace(start_char=start, end_char=end) for start, end in answers[text][0]]
            groups = {"coref_head_clusters_1": spans[:1], "coref_clusters_1": spans, "sc": spans[:1]}
            yield SimpleNamespace(spans=groups)


class FastcorefInSpacy(Spacy):
    """In the form of fastcoref's component: character spans in an attribute of the document's own."""

    pipe_names = ("fastcoref",)

    def pipe(self, texts):
        answers = dict(zip(TEXTS, FIRST, strict=True))
        for text in texts:
            yield SimpleNamespace(spans={}, _=SimpleNamespace(coref_clusters=answers[text]))


def function(texts):
    answers = dict(zip(TEXTS, FIRST, strict=True))
    return [answers[text] for text in texts]


@pytest.mark.parametrize(
    ("system", "name"),
    [
        (function, "function"),
        (Fastcoref(), "biu-nlp/f-coref"),
        (Spacy(), "en_coreference_web_trf"),
        (FastcorefInSpacy(), "en_coreference_web_trf"),
    ],
)
def test_systems_of_all_kinds_give_the_same_clusters(system, name):
    adopted = cp.load(system, kind="coreference")
    assert isinstance(adopted, CoreferenceSystem)
    assert (adopted.name, adopted.kind) == (name, "coreference")
    found = adopted.clusters([TEXTS[1], TEXTS[0], TEXTS[1]])  # in the order in which they are asked
    assert words(TEXTS[1], found[0]) == [["The guard", "he"]]
    assert words(TEXTS[0], found[1]) == [["Ann", "she"]]
    assert found[2] == found[0]


def test_equal_texts_are_passed_once_and_many_in_chunks():
    calls = []

    def counting(texts):
        calls.append(len(texts))
        return [[] for _ in texts]

    system = CoreferenceSystem.of(counting)
    assert system.clusters([f"Text {i % 300}." for i in range(600)]) == [[]] * 600
    assert calls == [256, 44]


def test_a_system_is_itself_and_known_by_its_code():
    system = CoreferenceSystem.of(function)
    assert CoreferenceSystem.of(system) is system
    assert cp.load(system) is system
    assert CoreferenceSystem.of(function).fingerprint == system.fingerprint
    assert (
        CoreferenceSystem.of(lambda texts: [[] for _ in texts], "function").fingerprint != system.fingerprint
    )


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (None, "must return a list with the clusters of each text, not None"),
        ("clusters", "must return a list with the clusters of each text, not 'clusters'"),
        ([[]], "was given 2 texts and returned 1 answers"),
        ([[], 5], r"must return a list of clusters for 'The guard said that he was late.', not 5"),
        (
            [[], ["he"]],
            r"must return a cluster, a list of spans \(start, end\), for 'The guard .*', not 'he'",
        ),
        ([[], [[3]]], r"must return a span of two whole numbers \(start, end\) for 'The guard .*', not 3"),
        ([[], [[(0, 1, 2)]]], r"must return a span of two whole numbers .*, not \(0, 1, 2\)"),
        ([[], [[(0.0, 1.5)]]], r"must return a span of two whole numbers .*, not \(0.0, 1.5\)"),
        ([[], [[("0", "1")]]], r"must return a span of two whole numbers .*"),
        (
            [[], [[(0, 99)]]],
            r"gives the span \(0, 99\), which is not inside the text of 32 characters 'The guard",
        ),
        ([[], [[(-3, 2)]]], r"gives the span \(-3, 2\), which is not inside the text"),
        ([[], [[(4, 4)]]], r"gives the span \(4, 4\), which is not inside the text"),
    ],
)
def test_answers_that_are_no_clusters(answer, line):
    with pytest.raises(ModelError, match=f"^odd {line}") as error:
        CoreferenceSystem.of(lambda texts: answer, name="odd").clusters(TEXTS)
    assert "\n" not in str(error.value)


def test_spans_may_be_numbers_of_numpy():
    system = CoreferenceSystem.of(lambda texts: [[[tuple(np.array([0, 3]))]] for _ in texts])
    assert system.clusters(["Ann left."]) == [[[(0, 3)]]]


def test_what_is_no_system():
    with pytest.raises(FunctionError, match="moody raised an error: KeyError: 'mood'"):
        CoreferenceSystem.of(lambda texts: {}["mood"], name="moody").clusters(TEXTS)
    with pytest.raises(InputError, match="CoreferenceSystem is a class; give an object of it"):
        CoreferenceSystem.of(CoreferenceSystem)
    pipeline = SimpleNamespace(pipe_names=["tagger", "ner"], pipe=None, meta={"lang": "en", "name": "core"})
    with pytest.raises(InputError, match="has no coreference component; its components: tagger, ner"):
        CoreferenceSystem.of(pipeline)
    with pytest.raises(InputError, match="positive is for classifiers"):
        cp.load(function, kind="coreference", positive="joy")
    with pytest.raises(InputError, match="function is loaded as coreference, not as classifier"):
        cp.load(CoreferenceSystem.of(function), kind="classifier")
    with pytest.raises(
        InputError, match="a coreference system is a Python object, and 'biu-nlp/f-coref' is a name"
    ):
        cp.load("biu-nlp/f-coref", kind="coreference")
    with pytest.raises(
        InputError, match=r"there is no kind of model 'corefrence'.*did you mean 'coreference'"
    ):
        cp.load(function, kind="corefrence")
    with pytest.raises(InputError, match="a text is empty"):
        CoreferenceSystem.of(function).clusters([" "])


MODULE = """
import re

def first(texts):
    '''Links every pronoun to the first word after "the".'''
    return [[[next(re.finditer(r"(?i)the \\\\w+", text)).span(), pronoun.span()]
             for pronoun in re.finditer(r"\\\\b(he|she|him|her|his|they|them|their)\\\\b", text)] for text in texts]

def outside(texts):
    return [[[(0, 999)]] for text in texts]
""".replace("\\\\", "\\")


def counterpoise(folder, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "counterpoise", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_the_command_audits_a_system(tmp_path, data_file):
    data_file("winogender/all_sentences.tsv")
    (tmp_path / "mine.py").write_text(MODULE)
    common = ("--kind", "coreference", "--measures", "coreference_winogender", "--out", "run")
    done = counterpoise(tmp_path, "audit", "mine:first", *common)
    assert done.returncode == 0, done.stderr
    document = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert document["model"] == "mine:first"
    values = {row["key"]: row["value"] for row in document["results"]}
    assert values["gender_gap"] == values["gotcha_gap"] == values["switched"] == 0
    assert (tmp_path / "run" / "report.html").exists()
    done = counterpoise(tmp_path, "audit", "mine:outside", *common[:-1], "broken")
    assert done.returncode == 2
    assert done.stderr.startswith(
        "counterpoise: mine:outside gives the span (0, 999), which is not inside the text"
    )
    assert len(done.stderr.splitlines()) == 1
    done = counterpoise(tmp_path, "audit", "mine:first", "--measures", "coreference")
    assert done.returncode == 2
    assert "coreference needs a coreference system; mine:first is a classifier" in done.stderr
    assert "--kind coreference" in done.stderr
