"""What kind of folder a manifest.json belongs to."""

from __future__ import annotations

from typing import Any

CORPUS = "corpus"


def is_corpus_manifest(manifest: Any) -> bool:
    """Whether a manifest is that of a measured corpus, not of an audit.

    >>> is_corpus_manifest({"schema": 1, "kind": "corpus", "corpora": ["gap"]}), is_corpus_manifest({"options": {}})
    (True, False)
    """
    return isinstance(manifest, dict) and (
        manifest.get("kind") == CORPUS or {"corpora", "method", "settings"} <= manifest.keys()
    )
