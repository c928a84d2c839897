"""Fingerprints of functions: a run resumes with the same function only, and never with another one's results.

Beside a function's code counts what it brings along: default arguments, what it closes over, the arguments of a
`functools.partial`, and of a callable object its class and its attributes. What it reads elsewhere, such as the globals
of its module, is not part of it.
"""

from __future__ import annotations

import copyreg
import functools
import hashlib
import secrets
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
import pandas as pd

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), type(NotImplemented))
_UNTOLD = {"torch", "tensorflow", "jax", "jaxlib", "keras"}  # what is made of them may change in place
_OWN_NAMES: dict[int, tuple[weakref.ref[Any], str]] = {}


def function_fingerprint(function: Callable[..., Any], name: str) -> str:
    """A hash of the name, the code and what the function brings along, the same in every process.

    Where something of it looks different in every process (a neural network, an open file), only the very same object
    in the same process has the same fingerprint: such a run is not resumed, since nobody can tell what would go on.
    """
    code = getattr(function, "__code__", None)
    parts: tuple[Any, ...] = (name, _parts_of(code)) if isinstance(code, CodeType) else (name,)
    if not isinstance(function, FunctionType) or _brings_along(function):
        parts = (*parts, _Description().of(function))
    return hashlib.blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _own_name(value: Any) -> str:
    """What only this object is called, and only in this process."""
    known = _OWN_NAMES.get(id(value))
    if known is not None and known[0]() is value:
        return known[1]
    name = secrets.token_hex(16)
    # What no reference can watch gets another name each time: later another object may be in its place.
    with suppress(TypeError):
        _OWN_NAMES[id(value)] = weakref.ref(value), name
    return name


def _brings_along(function: FunctionType) -> bool:
    return any((function.__defaults__, function.__kwdefaults__, function.__closure__, vars(function)))


class _Description:
    """Hashes of values by what they hold; where that cannot be told, by a name that only the object has."""

    def __init__(self) -> None:
        self._hashes: dict[int, str] = {}  # by id; of those that are being described, their number
        self._kept: list[Any] = []  # so that no id is used twice

    def of(self, value: Any) -> str:
        if isinstance(value, _PLAIN) and type(value) in _PLAIN:
            return _hash(type(value).__name__, repr(value))
        if id(value) not in self._hashes:
            self._hashes[id(value)] = f"number {len(self._kept)}"
            self._kept.append(value)
            try:
                self._hashes[id(value)] = _hash(*self._parts(value))
            except Exception:  # whatever somebody else's objects can raise when they are looked at
                self._hashes[id(value)] = _own_name(value)
        return self._hashes[id(value)]

    def _parts(self, value: Any) -> Iterator[str]:
        yield type(value).__qualname__
        if isinstance(value, CodeType):
            yield repr(_parts_of(value))
        elif isinstance(value, FunctionType):
            yield repr(_parts_of(value.__code__))
            brought = (value.__defaults__, value.__kwdefaults__, value.__closure__, vars(value))
            yield from map(self.of, brought)
        elif isinstance(value, CellType):
            yield self.of(value.cell_contents) if value != CellType() else "empty"
        elif isinstance(value, MethodType):
            yield from map(self.of, (value.__func__, value.__self__))
        elif isinstance(value, functools.partial):
            yield from map(self.of, (value.func, value.args, value.keywords, vars(value)))
        elif isinstance(value, staticmethod | classmethod):
            yield self.of(value.__func__)
        elif isinstance(value, property):
            yield self.of(value.fget)
        elif isinstance(value, type):
            yield from self._parts_of_class(value)
        elif isinstance(value, ModuleType):
            yield value.__name__
        elif isinstance(value, BuiltinFunctionType):
            yield value.__qualname__
            yield self.of(value.__self__)
        elif type(value) in (list, tuple):
            yield from map(self.of, value)
        elif type(value) in (set, frozenset):
            yield from sorted(map(self.of, value))
        elif type(value) is dict:
            yield from (self.of(part) for item in value.items() for part in item)
        elif type(value) is np.ndarray and not value.dtype.hasobject:
            yield f"{value.dtype.str} {value.dtype.descr} {value.shape}"
            yield hashlib.blake2b(np.ascontiguousarray(value).tobytes(), digest_size=16).hexdigest()
        elif type(value) is np.ndarray:
            yield from map(self.of, (value.shape, value.ravel().tolist()))
        elif type(value) in (pd.DataFrame, pd.Series):
            yield self.of(pd.DataFrame(value).to_dict("tight"))
        else:
            yield from self._parts_of_object(value)

    def _parts_of_class(self, cls: type) -> Iterator[str]:
        """Its name, code and plain attributes, and those of the classes that it inherits from."""
        for one in cls.__mro__:
            yield f"{one.__module__}.{one.__qualname__}"
            for name, attribute in vars(one).items():
                is_code = isinstance(attribute, FunctionType | staticmethod | classmethod | property)
                is_special = name.startswith("__") and name.endswith("__")
                if is_code or (type(attribute) in _PLAIN and not is_special):
                    yield name
                    yield self.of(attribute)

    def _parts_of_object(self, value: Any) -> Iterator[str]:
        """Its class and what a copy of it would be made from; its attributes also where a copy would do without."""
        roots = {one.__module__.partition(".")[0] for one in type(value).__mro__}
        if roots & _UNTOLD:
            raise TypeError(f"{type(value).__name__} may look different in every process")
        yield self.of(type(value))
        attributes = getattr(value, "__dict__", None)
        if isinstance(attributes, Mapping):
            yield self.of(dict(attributes))
        if hasattr(value, "__wrapped__"):  # such as the cache around a function
            yield self.of(value.__wrapped__)
        reduce = copyreg.dispatch_table.get(type(value))
        # An error where it cannot be copied, such as an open file.
        made_from = reduce(value) if reduce else value.__reduce_ex__(4)
        if isinstance(made_from, str):
            yield made_from
            return
        for part in made_from:
            yield self.of(list(part) if isinstance(part, Iterator) else part)


def _hash(*parts: str) -> str:
    return hashlib.blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _parts_of(constant: Any) -> Any:
    """What stands for a constant, the same in every process: code shows its address, and sets have no order."""
    if isinstance(constant, CodeType):
        return constant.co_code, constant.co_names, [_parts_of(part) for part in constant.co_consts]
    if isinstance(constant, frozenset):
        return sorted(map(repr, constant))
    return [_parts_of(part) for part in constant] if isinstance(constant, tuple) else repr(constant)
