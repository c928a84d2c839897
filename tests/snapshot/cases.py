"""What the snapshot measures: every measure, comparisons, corpora and swaps, with fixed models, data and seeds."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

import counterpoise as cp
import tiny
from counterpoise.cli.main import app
from counterpoise.data.thirdparty.folders import find_file
from counterpoise.measures.base.result import Result

VARIANTS = ("corrected", "published")
MASKED = (
    "lpbs",
    "lpbs_eec",
    "lpbs_weat",
    "ppd",
    "sld",
    "crows",
    "aul",
    "aula",
    "stereoset",
    "winogender",
    "winobias",
)
CAUSAL = ("ppd", "sld", "crows", "stereoset")
ENCODER = ("seat", "cseat", "weat_contextual")
VECTORS = ("weat", "direct_bias", "ripa", "ect", "neighbours")
CLASSIFIER = ("sentiment", "eec_sentiment", "perturbation")
KIND_WORDS = ("great", "good", "well", "best", "worst", "bad", "waste", "boring")


@cache
def model(name: str) -> object:
    """The models by name; tiny ones are made anew from seed 0."""
    if name == "builtin":
        return cp.load()
    if name == "builtin encoder":
        return cp.load(kind="encoder")
    if name in ("glove_6B_50d", "word2vec_googlenews"):
        return cp.load(find_file("vectors", f"{name}_subset.txt.xz"))
    if name == "rates men higher":
        return cp.models.Classifier.of(_rate, name=name)
    if name == "rates all alike":
        return cp.models.Classifier.of(lambda texts: [_quality(text) for text in texts], name=name)
    folder = tiny.save(name, Path(tempfile.mkdtemp()) / name)
    return cp.load(folder, kind="encoder" if name == "encoder" else None)


def _quality(text: str) -> float:
    return 0.2 + 0.1 * sum(word in text for word in KIND_WORDS)


def _rate(texts: list[str]) -> list[float]:
    """Kind words count, and so does being about a man: .01 for each male pronoun, at most .05."""
    words = [text.lower().split() for text in texts]
    men = [min(5, sum(word in ("he", "his", "him") for word in some)) for some in words]
    return [min(1.0, _quality(text) + 0.01 * count) for text, count in zip(texts, men, strict=True)]


def measured() -> Iterator[tuple[str, Callable[[], Result]]]:
    """Each case with the call that measures it."""
    for variant in VARIANTS:
        for kind, measures in (("builtin", MASKED), ("gpt2", CAUSAL), ("german-roberta", ("lpbs_german",))):
            for name in measures:
                yield f"{name}/{kind}/{variant}", _call(name, kind, variant=variant)
        for name in ENCODER:
            yield f"{name}/encoder/{variant}", _call(name, "builtin encoder", variant=variant)
        yield (
            f"ceat/encoder/{variant}",
            _call("ceat", "builtin encoder", _sentences, variant=variant, samples=500, allow_lost=True),
        )
        for kind in ("glove_6B_50d", "word2vec_googlenews"):
            for name in VECTORS:
                yield f"{name}/{kind}/{variant}", _call(name, kind, variant=variant, allow_lost=True)
        for name in CLASSIFIER:
            data = None if name == "eec_sentiment" else _reviews
            yield f"{name}/function/{variant}", _call(name, "rates men higher", data, variant=variant)
    yield "sentiment/alone", _call("sentiment", "rates men higher", _reviews, alone=True, names=True)
    yield "perturbation/terms", _call("perturbation", "rates men higher", _reviews, over="terms")
    yield "sentiment/tiny", _call("sentiment", "classifier", _reviews)
    yield "tpr_gap/function", _call("tpr_gap", "rates men higher", _labelled)
    yield "sld/per token", _call("sld", "builtin", per_token=True, scoring="word_l2r")
    yield "crows/all categories", _call("crows", "gpt2", categories="all", per_token=True)
    yield "lpbs_weat/mean of targets", _call("lpbs_weat", "builtin", targets="mean")
    yield "weat/euclidean", _call("weat", "glove_6B_50d", metric="euclidean", ddof=0)


def _call(
    measure: str, kind: str, data: Callable[[], object] | None = None, **settings: object
) -> Callable[[], Result]:
    def run() -> Result:
        function = getattr(cp.measures, measure)
        return function(model(kind), None if data is None else data(), seed=0, **settings)

    return run


def _sentences() -> list[str]:
    pairs = cp.data.stereotype_pairs().table
    return [*pairs.stereotyped, *pairs.counterpart]


@cache
def _reviews() -> cp.data.Texts:
    return cp.data.imdb_texts("test").sample(120, seed=1)


def _labelled() -> cp.data.Texts:
    table = _reviews().table
    genders = ["male" if i % 3 else "female" for i in range(len(table))]
    return cp.data.Texts.of(table.text.tolist(), labels=table.label.tolist(), genders=genders)


COMPARED = {
    "masked": (("builtin", "bert"), MASKED),
    "causal": (("gpt2", "llama"), CAUSAL),
    "encoders": (("builtin encoder", "encoder"), ENCODER),
    "vectors": (("glove_6B_50d", "word2vec_googlenews"), VECTORS),
    "classifiers": (("rates men higher", "rates all alike"), CLASSIFIER),
}


def compared() -> Iterator[tuple[str, Callable[[], dict[str, pd.DataFrame]]]]:
    """Each comparison with the call that gives its tables."""
    for name in COMPARED:
        yield name, lambda name=name: _compare(name)


def _compare(name: str) -> dict[str, pd.DataFrame]:
    models, measures = COMPARED[name]
    folder = Path(tempfile.mkdtemp())
    settings = {"n": 60} if name == "classifiers" else {"allow_lost": True} if name == "vectors" else {}
    for kind in models:
        cp.audit(model(kind), list(measures), out=folder / kind, settings=settings, cache=False)
    found = cp.compare(*(folder / kind for kind in models))
    return {"rows": found.rows, "changes": found.changes, "ranking": found.ranking}


def corpora() -> Iterator[tuple[str, Callable[[], dict[str, pd.DataFrame]]]]:
    """The numbers of the corpus command, by counting; what models learn from text is in the study barza2023."""
    gap, mt_gender = find_file("gap", "gap-validation.tsv"), find_file("mt-gender", "en.txt")
    yield "counts", lambda: _corpus(gap, "--column", "Text")
    yield "two corpora", lambda: _corpus(mt_gender, gap, "--column", "Text", "--min-count", "5")


def _corpus(*arguments: object) -> dict[str, pd.DataFrame]:
    folder = Path(tempfile.mkdtemp()) / "corpus"
    command(["corpus", *map(str, arguments), "--out", str(folder)])
    tables: dict[str, pd.DataFrame] = {}
    for path in sorted(folder.rglob("*.parquet")):
        tables[path.relative_to(folder).as_posix()] = pd.read_parquet(path)
    for path in sorted(folder.rglob("*.csv")):
        tables[path.relative_to(folder).as_posix()] = pd.read_csv(path)
    for path in sorted(folder.rglob("summary.json")):
        tables[path.relative_to(folder).as_posix()] = pd.DataFrame(_json(path)["results"])
    return tables


def swaps() -> Iterator[tuple[str, Callable[[], dict[str, pd.DataFrame]]]]:
    """Real text, turned in every way."""
    texts = pd.read_csv(find_file("gap", "gap-validation.tsv"), sep="\t").Text.tolist()[:200]
    for variant in VARIANTS:
        for to in ("male", "female", "remove" if variant == "published" else "flip"):
            for names in (False, True) if variant == "corrected" else (False,):
                swapper = cp.text.Swapper(names=names, variant=variant)
                yield (
                    f"{to}/{'names/' if names else ''}{variant}",
                    lambda swapper=swapper, to=to: {
                        "texts": pd.DataFrame({"text": [swapper.swap(text, to=to) for text in texts]})
                    },
                )
    for method in ("cda", "cds", "mix"):
        yield f"augment/{method}", lambda method=method: {"texts": _augmented(texts, method)}


def _augmented(texts: list[str], method: str) -> pd.DataFrame:
    made, _, sources = cp.text.augment(texts, method=method, seed=0)
    return pd.DataFrame({"text": made, "source": np.asarray(sources)})


def studies(folder: Path) -> Iterator[tuple[str, Callable[[], dict[str, pd.DataFrame]]]]:
    """The tables of the four studies at smoke scale, run into `folder` where they are not there yet."""
    for name in ("jentzsch2022", "bartl2020", "kurita2019", "barza2023"):
        yield name, lambda name=name: _study(name, folder / name)


def _study(name: str, folder: Path) -> dict[str, pd.DataFrame]:
    command(["study", name, "--scale", "smoke", "--out", str(folder)])
    tables = [path for path in sorted(folder.rglob("*.csv")) if "cells" not in path.parts]
    return {path.relative_to(folder).as_posix(): pd.read_csv(path) for path in tables}


def command(arguments: list[str]) -> None:
    """The command as a user types it, in this process."""
    from typer.testing import CliRunner

    done = CliRunner().invoke(app, arguments)
    if done.exit_code != 0:
        raise RuntimeError(f"counterpoise {' '.join(arguments)}: {done.output}") from done.exception


def _json(path: Path) -> dict:
    import json

    return json.loads(path.read_text(encoding="utf-8"))
