"""What is done to vectors once a direction is known: taken out, taken out and pairs equalised, or turned away from.

A projection changes arrays of vectors (`transform`), is saved as NAME.npz with NAME.json, and is loaded from them. It
is applied to word vectors and encoders in `applying`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from counterpoise.core.checked_files import read_arrays
from counterpoise.core.errors import DataError, InputError
from counterpoise.core.files import check_output, read_json, write_aside, write_json
from counterpoise.stats.inputs import FloatArray, finite_values
from counterpoise.stats.vector_association import unit_rows

_SCHEMA = 1
_ORTHONORMAL = 1e-6


@dataclass(frozen=True)
class LinearProjection:
    """Takes the directions of a basis out of vectors: v - sum of <v, b> b over its rows.

    >>> LinearProjection(np.array([[1.0, 0.0]])).transform([[3, 4]]).tolist()
    [[0.0, 4.0]]
    """

    kind: ClassVar[str] = "linear"

    basis: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "basis", _checked_basis(self.basis))

    def transform(self, vectors: ArrayLike) -> FloatArray:
        vectors = _of_width(vectors, self.basis.shape[1])
        changed: FloatArray = vectors - (vectors @ self.basis.T) @ self.basis
        return changed

    def save(self, path: str | Path) -> None:
        _save(path, self.kind, {"basis": self.basis})


@dataclass(frozen=True)
class HardDebias:
    """Bolukbasi's hard debiasing: neutral words lose the gender subspace, pairs differ in nothing else.

    All vectors get length 1. `specific` words (in lower case) keep their gender, others lose it (`neutralise`), and the
    two words of each of the `equalised` pairs become mirror images of each other, equally far from any neutral word
    (`equalise`). `transform`, which knows no words, takes every vector for neutral.
    """

    kind: ClassVar[str] = "hard"

    basis: FloatArray
    specific: frozenset[str] = frozenset()
    equalised: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "basis", _checked_basis(self.basis))

    def transform(self, vectors: ArrayLike) -> FloatArray:
        return _unit_or_zero(
            LinearProjection(self.basis).transform(_unit_or_zero(finite_values(vectors, ndim=2)))
        )

    def equalise(self, first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Two rows of length 1 that share what is not gender, and whose gender is equal and opposite."""
        mean = (first + second) / 2
        shared = mean - (mean @ self.basis.T) @ self.basis
        towards = ((first - second) / 2 @ self.basis.T) @ self.basis
        size = np.linalg.norm(towards)
        if size < 1e-12:
            raise InputError("the words of a pair do not differ in gender, so they cannot be equalised")
        height = np.sqrt(max(0.0, 1.0 - float(shared @ shared)))
        return shared + height * towards / size, shared - height * towards / size

    def neutralise(self, words: Sequence[str], vectors: ArrayLike) -> FloatArray:
        """Rows of length 1 for these words: without gender, unless it is theirs."""
        rows = _unit_or_zero(_of_width(vectors, self.basis.shape[1]))
        keeps = np.array([word.lower() in self.specific for word in words], dtype=bool)
        kept: FloatArray = np.where(keeps[:, None], rows, self.transform(rows))
        return kept

    def save(self, path: str | Path) -> None:
        words = {"specific": sorted(self.specific), "equalised": [list(pair) for pair in self.equalised]}
        _save(path, self.kind, {"basis": self.basis}, words)


@dataclass(frozen=True)
class Rotation:
    """Turns the plane of two directions so that they become orthogonal, as OSCaR does (Dev et al. 2021).

    The first stays where it is, the second is turned to a right angle with it, and what lies between is turned in
    proportion; what is outside the plane, and the length of every vector, stays as it is. Unlike a projection nothing
    is lost: gender is still there, only no longer along professions.

    >>> turned = Rotation(np.array([1.0, 0.0]), np.array([1.0, 1.0])).transform([[2, 0], [1, 1]])
    >>> turned.round(3).tolist()
    [[2.0, 0.0], [0.0, 1.414]]
    """

    kind: ClassVar[str] = "rotation"

    first: FloatArray
    second: FloatArray

    def __post_init__(self) -> None:
        first, second = (
            unit_rows(finite_values(direction, name)[None, :], name)[0]
            for name, direction in (("first", self.first), ("second", self.second))
        )
        if len(first) != len(second):
            raise InputError(f"the two directions have {len(first)} and {len(second)} numbers")
        if 1 - abs(float(first @ second)) < 1e-10:
            raise InputError("the two directions are one, and cannot be made orthogonal")
        object.__setattr__(self, "first", first)
        object.__setattr__(self, "second", second)

    def transform(self, vectors: ArrayLike) -> FloatArray:
        vectors = _of_width(vectors, len(self.first))
        across = self.second - (self.second @ self.first) * self.first
        across = across / np.linalg.norm(across)
        between = float(
            np.arccos(np.clip(self.first @ self.second, -1, 1))
        )  # the angle that is to be a right one
        along, beside = vectors @ self.first, vectors @ across
        angles = np.arctan2(beside, along)
        quarter = np.pi / 2
        turned = np.interp(
            angles,
            [-np.pi, between - np.pi, 0.0, between, np.pi],
            [-np.pi, -quarter, 0.0, quarter, np.pi],
        )
        length = np.hypot(along, beside)
        changed: FloatArray = (
            vectors
            + np.outer(length * np.cos(turned) - along, self.first)
            + np.outer(length * np.sin(turned) - beside, across)
        )
        return changed

    def save(self, path: str | Path) -> None:
        _save(path, self.kind, {"first": self.first, "second": self.second})


Projection = LinearProjection | HardDebias | Rotation


def load_projection(path: str | Path) -> Projection:
    """A projection that was saved; NAME.npz and NAME.json belong together."""
    path = Path(path).with_suffix(".npz")
    about = read_json(path.with_suffix(".json"))
    arrays = read_arrays(path, DataError)
    try:
        if about["schema"] > _SCHEMA:
            raise DataError(f"{path} is of a later version of Counterpoise: update it")
        if about["kind"] == LinearProjection.kind:
            return LinearProjection(arrays["basis"])
        if about["kind"] == HardDebias.kind:
            pairs = tuple((first, second) for first, second in about["equalised"])
            return HardDebias(arrays["basis"], frozenset(about["specific"]), pairs)
        if about["kind"] == Rotation.kind:
            return Rotation(arrays["first"], arrays["second"])
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"cannot read {path} as a projection: {str(error).splitlines()[0]}") from error
    raise DataError(f"{path.with_suffix('.json')} names no kind of projection: {about['kind']!r}")


def _save(
    path: str | Path, kind: str, arrays: dict[str, FloatArray], about: dict[str, Any] | None = None
) -> None:
    path = Path(path).with_suffix(".npz")
    check_output(path)
    with write_aside(path) as aside, aside.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]
    write_json(path.with_suffix(".json"), {"schema": _SCHEMA, "kind": kind, **(about or {})})


def _checked_basis(basis: ArrayLike) -> FloatArray:
    rows = finite_values(basis, "basis", ndim=2)
    if np.abs(rows @ rows.T - np.eye(len(rows))).max() > _ORTHONORMAL:
        raise InputError("the rows of a basis must be orthogonal and of length 1")
    return rows


def _of_width(vectors: ArrayLike, width: int) -> FloatArray:
    vectors = finite_values(vectors, "vectors", ndim=2)
    if vectors.shape[1] != width:
        raise InputError(f"the projection is for vectors of {width} numbers, found {vectors.shape[1]}")
    return vectors


def _unit_or_zero(vectors: FloatArray) -> FloatArray:
    """Length 1; a vector of zeros, or one that was nothing but gender, stays zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: FloatArray = np.where(lengths > 1e-12, vectors / np.maximum(lengths, 1e-12), 0.0)
    return scaled
