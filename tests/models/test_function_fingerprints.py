"""Functions that differ in what they bring along are told apart, and the same one is the same in every process."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import pytest
import torch

import counterpoise as cp
from counterpoise.core.errors import RunError
from counterpoise.models.function_fingerprints import function_fingerprint


class Leaning:
    def __init__(self, value):
        self.value = value

    def __call__(self, prompt):
        return "Yes." if self.value > 0.5 else "No."

    def answer(self, prompt):
        return self(prompt)


class Other(Leaning):
    def __call__(self, prompt):
        return "Maybe."


def shared(prompt, value, *, scale=1):
    return str(value)


def closing_over(value):
    return lambda prompt: str(value)


def with_default(value):
    def rate(prompt, value=value):
        return str(value)

    return rate


def with_keyword(value):
    def rate(prompt, *, value=value):
        return str(value)

    return rate


def decorated(value):
    @functools.wraps(shared)
    def rate(prompt):
        return shared(prompt, value)

    return rate


def of_class(value):
    class Rater:
        bias = value

        def __call__(self, prompt):
            return str(self.bias)

    return Rater()


WAYS = {
    "object": Leaning,
    "method": lambda value: Leaning(value).answer,
    "class attribute": of_class,
    "partial": lambda value: functools.partial(shared, value=value),
    "partial arguments": lambda value: functools.partial(shared, "", value),
    "partial of a partial": lambda value: functools.partial(functools.partial(shared, value=value), scale=2),
    "closure": closing_over,
    "closure over an object": lambda value: closing_over([Leaning(value)]),
    "closure over a function": lambda value: closing_over(with_default(value)),
    "default": with_default,
    "keyword default": with_keyword,
    "decorated": decorated,
    "cached": lambda value: functools.lru_cache(closing_over(value)),
    "array": lambda value: closing_over(np.arange(5000) * value),
    "array of objects": lambda value: closing_over(np.array([1, "a", value], dtype=object)),
    "table": lambda value: closing_over(pd.DataFrame({"weight": [1.0, value]})),
    "mapping": lambda value: closing_over({"weights": {"he": value}}),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_a_function_brings_along_counts(way):
    make = WAYS[way]
    assert function_fingerprint(make(0.9), "rate") == function_fingerprint(make(0.9), "rate")
    assert function_fingerprint(make(0.9), "rate") != function_fingerprint(make(0.1), "rate")


def test_so_do_the_class_and_the_function_of_a_partial():
    assert function_fingerprint(Leaning(1), "a") != function_fingerprint(Other(1), "a")
    assert function_fingerprint(functools.partial(shared, value=1), "a") != function_fingerprint(
        functools.partial(Leaning, value=1), "a"
    )


PROCESS = """
import functools, re, sys
import numpy as np
import pandas as pd
from counterpoise.models.function_fingerprints import function_fingerprint

class Base:
    def __init__(self, table):
        self.table, self.words, self.me = table, {"good", "fine", "great"}, self

class Rater(Base):
    def __init__(self, table):
        super().__init__(table)

    def __call__(self, texts):
        return [len(self.words & set(text.split())) for text in texts]

def rate(texts, words=frozenset({"good", "fine"}), pattern=re.compile("a+")):
    return [0 for text in texts]

def closing(array, rater):
    def recursive(texts):
        return recursive(array) if rater else [0]
    return recursive

rater = Rater({"he": 1, "she": {"a", "b"}})
functions = [rater, rater.__call__, rate, functools.partial(rate, words={"x", "y"}), len, str.isupper, np.exp,
             closing(np.arange(9.0), rater), closing(pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), None)]
print([function_fingerprint(function, "f") for function in functions])
"""


def test_fingerprints_are_the_same_in_every_process():
    def fingerprints(seed):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", PROCESS]
        return subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout

    first = fingerprints("1")
    assert fingerprints("2") == first
    assert len(set(first.split(","))) == 9


class Locked:
    """What it holds cannot be told."""

    def __init__(self):
        self.lock = threading.Lock()

    def __call__(self, prompt):
        return "Yes."


@pytest.mark.parametrize("make", [Locked, lambda: closing_over(torch.nn.Linear(2, 2))])
def test_what_cannot_be_told_is_only_itself(make):
    first, second = make(), make()
    assert function_fingerprint(first, "a") == function_fingerprint(first, "a")
    assert function_fingerprint(first, "a") != function_fingerprint(second, "a")


def test_an_object_of_the_same_class_does_not_get_the_results_of_another(tmp_path):
    options = {"measures": "decisions", "settings": {"n_answers": 1}, "limit": 8, "out": tmp_path}
    cp.audit(cp.load(Leaning(0.9), kind="answers"), **options)
    cp.audit(cp.load(Leaning(0.9), kind="answers"), **options)
    with pytest.raises(RunError, match="holds a run with fingerprint"):
        cp.audit(cp.load(Leaning(0.1), kind="answers"), **options)
