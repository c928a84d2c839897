"""Files that are damaged in thousands of ways: each is read, or is one line that names it."""

from __future__ import annotations

import functools
import gzip
import io
import json
import lzma
import operator
import random
import shutil

import numpy as np
import pandas as pd
import pytest

import counterpoise as cp
import runs
import tiny
from counterpoise.audit.request import AuditRequest
from counterpoise.audit.run import Run
from counterpoise.audit.run_options import RunOptions
from counterpoise.models.vectors import WordVectors
from counterpoise.report.formats import write_format
from robustness.commands import Outcome, attempt, command
from robustness.damage import damaged

SENTENCES = "She is a nurse.\nHe is a pilot.\nThe nurse said she left.\n" * 8
PAIRS = pd.DataFrame({"stereotyped": ["He leads.", "She cooks."], "counterpart": ["She leads.", "He cooks."]})
TEXTS = pd.DataFrame({"text": SENTENCES.splitlines(), "label": ["pos", "neg"] * 12})
NAMES = pd.DataFrame(
    {
        "name": ["Ida", "Eva", "Ole", "Jan"],
        "gender": ["female", "female", "male", "male"],
        "group": ["north"] * 4,
    }
)
TEMPLATES = """name: mine
title: mine
slots: {subject: {male: he, female: she, neutral: they}}
sets:
  - {category: science, words: [astronomer, nurse], templates: ["{subject} is {a word}."]}
"""
ASSOCIATIONS = """tests:
  - name: faith
    attributes: {good: [kind, honest], bad: [cruel, greedy]}
    targets: {christian: [christian], muslim: [muslim]}
    templates: ["{target} people are {attribute}."]
"""
WORDS = """sets: {science: [physics, chemistry], arts: [poetry, dance], male: [he, man], female: [she, woman]}
tests:
  - {name: mine, targets: [science, arts], attributes: [male, female], gender: true}
"""
GENDER_WORDS = "pairs: [[he, she], [man, woman]]\nneutral: [nurse, pilot]\n"
INFERENCE = "occupations: [nurse, pilot]\n"
RULES = "margin: 0.02\nrules:\n  own:\n    lean: [x <= 0.5, abs(x) <= 0.6]\n"
STUDY = "name: mine\ntitle: mine\nsteps:\n  one: {run: 'json:dumps', grid: {seed: [1, 2]}}\n"
TERMS = "male,female\nhe,she\nman,woman\n"


def table_bytes(table, suffix):
    buffer = io.BytesIO()
    match suffix:
        case ".csv":
            table.to_csv(buffer, index=False)
        case ".tsv":
            table.to_csv(buffer, index=False, sep="\t")
        case ".jsonl":
            table.to_json(buffer, orient="records", lines=True)
        case ".parquet":
            table.to_parquet(buffer, index=False)
    return buffer.getvalue()


def vector_bytes(suffix):
    words, matrix = ["he", "she", "nurse"], np.arange(12, dtype=np.float32).reshape(3, 4)
    if suffix == ".npy":
        buffer = io.BytesIO()
        np.save(buffer, matrix)
        return buffer.getvalue()
    if suffix == ".bin":
        rows = (word.encode() + b" " + row.tobytes() for word, row in zip(words, matrix, strict=True))
        return b"3 4\n" + b"".join(rows)
    lines = [f"{word} {' '.join(map(str, row))}" for word, row in zip(words, matrix.tolist(), strict=True)]
    text = ("3 4\n" + "\n".join(lines) + "\n").encode()
    return gzip.compress(text) if suffix == ".gz" else lzma.compress(text) if suffix == ".xz" else text


def reads(kind, measure):
    """How an audit reads a file of this kind."""

    def read(path, folder) -> Outcome:
        return attempt(lambda: AuditRequest.of(measures=measure, files={kind: path}).contents)

    return read


def opens_vectors(path, folder) -> Outcome:
    return attempt(lambda: WordVectors.open(path).fingerprint)


def swaps(path, folder) -> Outcome:
    out = folder / f"swapped-{path.name}"
    return command(["swap", path, "--to", "flip", "-o", out, "--processes", "1", "--quiet"])


def counts(path, folder) -> Outcome:
    return command(["corpus", path])


def swaps_with(path, folder) -> Outcome:
    return command(["swap", folder / "mine.txt", "--terms", path, "--to", "flip", "-o", folder / "out.txt"])


def gates(path, folder) -> Outcome:
    return command(["gate", folder / "run", "--rules", path])


def studies(path, folder) -> Outcome:
    return command(["study", "run", path, "--dry-run", "--out", folder / "study"])


def validates(path, folder) -> Outcome:
    return command(["catalog", "validate", path])


SUFFIXES = (".csv", ".tsv", ".jsonl", ".parquet")
KINDS = {
    **{f"pairs{suffix}": (table_bytes(PAIRS, suffix), reads("pairs", "sld")) for suffix in SUFFIXES},
    **{f"texts{suffix}": (table_bytes(TEXTS, suffix), reads("texts", "sentiment")) for suffix in SUFFIXES},
    "names.csv": (table_bytes(NAMES, ".csv"), reads("names_table", "perturbation")),
    "templates.yaml": (TEMPLATES.encode(), reads("templates", "ppd")),
    "associations.yaml": (ASSOCIATIONS.encode(), reads("associations", "lpbs_weat")),
    "words.yaml": (WORDS.encode(), reads("words", "weat")),
    "translations.csv": (b"he,er\nshe,sie\nman,Mann\n", reads("words", "weat")),
    "gender_words.yaml": (GENDER_WORDS.encode(), reads("gender_words", "direct_bias")),
    "inference.yaml": (INFERENCE.encode(), reads("inference_templates", "nli")),
    "validated.yaml": (TEMPLATES.encode(), validates),
    **{
        f"vectors{suffix}": (vector_bytes(suffix), opens_vectors)
        for suffix in (".txt", ".bin", ".npy", ".gz", ".xz")
    },
    **{f"swapped{suffix}": (table_bytes(TEXTS, suffix), swaps) for suffix in SUFFIXES},
    "swapped.txt": (SENTENCES.encode(), swaps),
    "swapped.txt.gz": (gzip.compress(SENTENCES.encode()), swaps),
    "swapped.csv.xz": (lzma.compress(table_bytes(TEXTS, ".csv")), swaps),
    "counted.txt": (SENTENCES.encode(), counts),
    "counted.txt.gz": (gzip.compress(SENTENCES.encode()), counts),
    "counted.parquet": (table_bytes(TEXTS, ".parquet"), counts),
    "terms.csv": (TERMS.encode(), swaps_with),
    "terms.yaml": (b"terms: [[he, she], [man, woman]]\n", swaps_with),
    "terms.json": (b'{"he": "she", "man": "woman"}', swaps_with),
    "terms.py": (b"pron_dict = {'he': 'she'}\nweat_dict = {}\nterm_dict = {}\n", swaps_with),
    "rules.yaml": (RULES.encode(), gates),
    "study.yaml": (STUDY.encode(), studies),
}
EACH = 40  # of each kind in the whole test
QUICK = 4


@pytest.fixture
def folder(tmp_path):
    runs.save_run(tmp_path / "run", runs.word_result())
    (tmp_path / "mine.txt").write_text(SENTENCES)
    return tmp_path


def check(kind, seeds, folder):
    content, read = KINDS[kind]
    stem, _, suffix = kind.partition(".")
    for seed in seeds:
        path = folder / f"{stem}{seed}.{suffix}"
        path.write_bytes(damaged(content, random.Random(f"{kind} {seed}")))
        if suffix == "npy":
            path.with_suffix(".words.txt").write_text("he\nshe\nnurse\n")
        outcome = read(path, folder)
        assert outcome.trace is None, f"{kind}, seed {seed}: {path.read_bytes()[:200]!r}\n{outcome.trace}"
        # A margin alone is no mistake of the file of rules: it needs a baseline beside it.
        is_named = outcome.message is None or path.name in outcome.message or "--baseline" in outcome.message
        assert is_named, f"{kind}, seed {seed}: {outcome.message}"


@pytest.mark.parametrize("kind", KINDS)
def test_a_few_bad_files_of_each_kind(kind, folder, count_inputs):
    check(kind, range(QUICK), folder)
    count_inputs(QUICK)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_bad_files_of_each_kind(kind, folder, count_inputs):
    check(kind, range(QUICK, EACH), folder)
    count_inputs(EACH - QUICK)


RUN_FILES = ("manifest.json", "summary.json", "skipped.parquet", "scores/own.parquet")


@pytest.mark.parametrize("name", RUN_FILES)
@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(3, 30), marks=pytest.mark.slow)])
def test_damaged_runs(name, seeds, folder, count_inputs):
    for seed in seeds:
        run = folder / f"run{seed}"
        shutil.copytree(folder / "run", run)
        (run / name).write_bytes(damaged((run / name).read_bytes(), random.Random(f"{name} {seed}")))
        gated_and_compared(run, folder, f"{name}, seed {seed}")
        count_inputs(1)


def gated_and_compared(run, folder, what):
    """What the commands that read runs do with a damaged one; its numbers stay, or one line names the run."""
    other = ["compare", run, folder / "run", "--format", "csv", "--out", folder / "compared"]
    for arguments in (["gate", run, "--rule", "own.lean <= 0.5"], other):
        outcome = command(arguments)
        assert outcome.trace is None, f"{arguments[0]}, {what}\n{outcome.trace}"


MODEL_FILES = ("config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors")


@pytest.mark.parametrize("name", MODEL_FILES)
@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(3, 40), marks=pytest.mark.slow)])
def test_damaged_models(name, seeds, tmp_path, count_inputs):
    whole = tiny.save("bert", tmp_path / "whole")
    for seed in seeds:
        model = tmp_path / f"model{seed}"
        shutil.copytree(whole, model)
        (model / name).write_bytes(damaged((model / name).read_bytes(), random.Random(f"{name} {seed}")))
        outcome = attempt(lambda model=model: ask(cp.load(model)))
        assert outcome.trace is None, f"{name}, seed {seed}\n{outcome.trace}"
        count_inputs(1)


def test_an_audit_that_continues_a_damaged_run(folder, count_inputs):
    """What `audit --out` does with a folder before it measures."""
    options = RunOptions("one", "one-0", "float32", ("own",), "corrected", 0, None)

    def resume(run):
        with Run.start(run, options):
            pass

    assert attempt(lambda: resume(folder / "run")) == Outcome()
    for name in RUN_FILES:
        for seed in range(12):
            run = folder / f"{name.replace('/', '-')}-{seed}"
            shutil.copytree(folder / "run", run)
            (run / name).write_bytes(damaged((run / name).read_bytes(), random.Random(f"{name} {seed}")))
            outcome = attempt(lambda run=run: resume(run))
            assert outcome.trace is None, f"{name}, seed {seed}\n{outcome.trace}"
            count_inputs(1)
    for name in ("manifest.json", "summary.json"):
        whole = json.loads((folder / "run" / name).read_text())
        for key, value in ((key, value) for key in whole for value in (None, 3, "x", [], [None], {"a": 1})):
            (folder / "run" / name).write_text(json.dumps(whole | {key: value}))
            outcome = attempt(lambda: resume(folder / "run"))
            assert outcome.trace is None, f"{name}: {key} = {value!r}\n{outcome.trace}"
            count_inputs(1)
        (folder / "run" / name).write_text(json.dumps(whole))


def places(document, at=()):
    """The places of all values in a JSON document, of lists those of their first one."""
    inner = document.items() if isinstance(document, dict) else enumerate(document[:1])
    for key, value in inner:
        yield (*at, key)
        if isinstance(value, dict | list):
            yield from places(value, (*at, key))


@pytest.mark.slow
def test_another_kind_of_value_anywhere_in_a_run(folder, count_inputs):
    """However deep it is: what is read is of the kinds that all readers expect, or is refused with a line."""
    for name in ("manifest.json", "summary.json"):
        text = (folder / "run" / name).read_text()
        for place in places(json.loads(text)):
            for value in (None, {"a": 1}):
                document = json.loads(text)
                *above, last = place
                outer = functools.reduce(operator.getitem, above, document)
                outer[last] = value
                (folder / "run" / name).write_text(json.dumps(document))
                outcome = attempt(lambda: write_format(folder / "run", "md"))
                assert outcome.trace is None, f"{name}: {place} = {value!r}\n{outcome.trace}"
                count_inputs(1)
        (folder / "run" / name).write_text(text)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["manifest.json", "summary.json"])
def test_json_of_another_shape_in_a_run(name, folder, count_inputs):
    """Valid JSON with a value of another kind, or none, at every place."""
    whole = json.loads((folder / "run" / name).read_text())
    run = shutil.copytree(folder / "run", folder / "odd")
    others = [
        (f"{key} = {value!r}", whole | {key: value})
        for key in whole
        for value in (None, "x", [None], {"a": 1})
    ]
    lacking = [(f"no {key}", {k: v for k, v in whole.items() if k != key}) for key in whole]
    for what, content in others + lacking:
        (run / name).write_text(json.dumps(content))
        gated_and_compared(run, folder, f"{name}: {what}")
        count_inputs(1)


def test_a_manifest_that_does_not_say_when_is_damaged(folder):
    manifest = json.loads((folder / "run" / "manifest.json").read_text())
    del manifest["started"]
    (folder / "run" / "manifest.json").write_text(json.dumps(manifest))
    outcome = command(["report", folder / "run"])
    assert outcome.trace is None
    assert "is damaged (KeyError: 'started')" in outcome.message


def test_items_without_a_column_that_identifies_them_are_compared_by_the_others(folder):
    manifest = json.loads((folder / "run" / "manifest.json").read_text())
    assert len(manifest["measures"]["own"]["identity"]) > 1
    manifest["measures"]["own"]["identity"][0] = "lost"
    odd = shutil.copytree(folder / "run", folder / "odd")
    (odd / "manifest.json").write_text(json.dumps(manifest))
    gated_and_compared(odd, folder, "a lost column")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["bert", "gpt2"])
def test_a_configuration_with_senseless_values(kind, tmp_path, count_inputs):
    folder = tiny.save(kind, tmp_path / "model")
    for name in ("config.json", "tokenizer_config.json"):
        whole = json.loads((folder / name).read_text())
        for key in whole:
            for value in (-1, 10**30, "x", []):
                (folder / name).write_text(json.dumps(whole | {key: value}))
                outcome = attempt(lambda: ask(cp.load(folder, device="cpu")))
                assert outcome.trace is None, f"{name}: {key} = {value!r}\n{outcome.trace}"
                count_inputs(1)
        (folder / name).write_text(json.dumps(whole))


def ask(model):
    asked = model.log_likelihood if model.kind == "causal" else model.pseudo_log_likelihood
    return asked(["She is a nurse."])
