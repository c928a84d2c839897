"""Coreference systems of other packages, as functions from texts to clusters of character spans.

Neither package is imported: an object is recognised by what it offers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from counterpoise.core.errors import InputError

# What spacy-experimental calls the groups of whole mentions; `coref_head_clusters_1` holds single head words.
_SPACY_CLUSTER = re.compile(r"coref_clusters_\d+")


@dataclass(frozen=True)
class CoreferenceAdapter:
    """A function from texts to clusters, and the name of what it asks."""

    name: str
    function: Callable[[list[str]], list[Any]]


def adapter_of(system: Any) -> CoreferenceAdapter | None:
    """The adapter of a spaCy pipeline or a fastcoref model; None for anything else."""
    if hasattr(system, "pipe_names") and hasattr(system, "pipe"):
        return _spacy(system)
    if callable(getattr(system, "predict", None)):
        return _fastcoref(system)
    return None


def _fastcoref(model: Any) -> CoreferenceAdapter:
    """`FCoref` and `LingMessCoref`; where a span of tokens has no characters their answer holds None."""

    def clusters(texts: list[str]) -> list[Any]:
        return [
            [
                [span for span in cluster if span is not None]
                for cluster in result.get_clusters(as_strings=False)
            ]
            for result in model.predict(texts=texts)
        ]

    return CoreferenceAdapter(str(getattr(model, "model_name_or_path", type(model).__name__)), clusters)


def _spacy(pipeline: Any) -> CoreferenceAdapter:
    """A pipeline with spacy-experimental's components, or with fastcoref's, which has an attribute of its own."""
    meta = getattr(pipeline, "meta", {})
    name = "_".join(str(meta[part]) for part in ("lang", "name") if meta.get(part)) or "spacy"
    factories = getattr(pipeline, "pipe_factories", {})
    if not any("coref" in component for component in (*pipeline.pipe_names, *factories.values())):
        there = ", ".join(pipeline.pipe_names) or "none"
        raise InputError(f"the spaCy pipeline {name} has no coreference component; its components: {there}")

    def clusters(texts: list[str]) -> list[Any]:
        return [_of_document(document) for document in pipeline.pipe(texts)]

    return CoreferenceAdapter(name, clusters)


def _of_document(document: Any) -> list[Any]:
    extension = getattr(getattr(document, "_", None), "coref_clusters", None)
    if extension is not None:
        return [list(cluster) for cluster in extension]
    return [
        [(span.start_char, span.end_char) for span in group]
        for key, group in document.spans.items()
        if _SPACY_CLUSTER.fullmatch(key)
    ]
