"""Third-party datasets that are read as plain texts: the names that a corpus may have instead of a path."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from counterpoise.core.errors import DataError, unknown
from counterpoise.data.thirdparty.gap import gap
from counterpoise.data.thirdparty.imdb import imdb
from counterpoise.data.thirdparty.jigsaw import JIGSAW_LABELS, jigsaw
from counterpoise.data.thirdparty.mt_gender import mt_gender

JIGSAW = "jigsaw:"  # followed by a label
_GAP_SPLITS = ("development", "test", "validation")


def _gap_texts() -> Iterable[str]:
    return (text for split in _GAP_SPLITS for text in gap(split).text)


_DATASETS: dict[str, Callable[[], Iterable[str]]] = {
    "gap": _gap_texts,
    "mt-gender": lambda: mt_gender().sentence,
    "imdb": lambda: imdb("train").review,
}
CORPUS_NAMES = (*_DATASETS, f"{JIGSAW}LABEL")


def is_corpus_name(name: str) -> bool:
    """Whether a dataset has this name.

    >>> is_corpus_name("gap"), is_corpus_name("jigsaw:toxic"), is_corpus_name("gap.txt")
    (True, True, False)
    """
    return name in _DATASETS or name.startswith(JIGSAW)


def named_texts(name: str) -> tuple[str, ...]:
    """The texts of a dataset: "gap", "mt-gender", "imdb" (its training reviews) or "jigsaw:LABEL"."""
    if name.startswith(JIGSAW):
        return jigsaw_texts(name.removeprefix(JIGSAW))
    return tuple(_DATASETS[name]())


def jigsaw_texts(label: str) -> tuple[str, ...]:
    """The comments of Jigsaw with a label, such as `toxic` or `severe_toxic`."""
    if label not in JIGSAW_LABELS:
        raise unknown("label of Jigsaw's comments", label, JIGSAW_LABELS)
    table = jigsaw()
    texts = tuple(table.comment_text[table[label]])
    if not texts:
        raise DataError(f"Jigsaw's comments hold none that is labelled {label}")
    return texts


def swapped_gap() -> list[str]:
    """GAP as the authors of Bartl et al. (2020) inverted it, in the order of the corpus "gap"."""
    swapped = gap("swapped").set_index("id").text
    return [text for split in _GAP_SPLITS for text in swapped.loc[gap(split).id]]
