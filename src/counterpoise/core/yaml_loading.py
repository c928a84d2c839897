"""YAML that cannot take minutes or gigabytes: depth and size are known before anything is made of it."""

from __future__ import annotations

from typing import Any

import yaml

_MOST_VALUES = 200_000  # some seconds
_LONGEST_NUMBER = 1000  # characters; YAML's 1:30:00 is worked out in a time that grows with their square
_Base: Any = getattr(
    yaml, "CSafeLoader", yaml.SafeLoader
)  # which is there with libyaml, and ten times as fast


class TooLarge(Exception):
    """A YAML text is nested too deeply or has too many values."""


def load_yaml(text: str, deepest: int) -> Any:
    """What a YAML text holds, as `yaml.safe_load` reads it; `TooLarge`, or what PyYAML raises.

    >>> load_yaml("a: &a {x: 1}\\nb: {<<: *a, y: 1.5}", 10)
    {'a': {'x': 1}, 'b': {'x': 1, 'y': 1.5}}
    >>> load_yaml("[[1]]", 1)
    Traceback (most recent call last):
    counterpoise.core.yaml_loading.TooLarge: is nested too deeply: more than 1 levels
    """
    _check_size(text, deepest)
    return yaml.load(text, Loader=_Loader)


def _check_size(text: str, deepest: int) -> None:
    values = depth = 0
    for event in yaml.parse(text, Loader=_Base):
        if isinstance(event, yaml.NodeEvent):
            values += 1
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > deepest:
            raise TooLarge(f"is nested too deeply: more than {deepest} levels")
        if values > _MOST_VALUES:
            raise TooLarge(f"has more than {_MOST_VALUES:,} values")


class _Loader(_Base):  # type: ignore[misc]
    """PyYAML's safe loader with bounds on what a few characters can be made to stand for."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._merged = 0

    def flatten_mapping(self, node: Any) -> None:
        own = len(node.value)
        super().flatten_mapping(node)
        if len(node.value) > own:  # it had `<<`, whose mappings may have it too
            self._merged += len(node.value)
            if self._merged > _MOST_VALUES:
                raise TooLarge(f"has more than {_MOST_VALUES:,} values, with << written out")

    def number(self, node: Any) -> int | float:
        if len(node.value) > _LONGEST_NUMBER:
            raise TooLarge(
                f"has a number of {len(node.value):,} characters (line {node.start_mark.line + 1})"
            )
        kind = node.tag.rpartition(":")[2]
        number: int | float = (
            self.construct_yaml_int(node) if kind == "int" else self.construct_yaml_float(node)
        )
        return number


_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.number)
_Loader.add_constructor("tag:yaml.org,2002:float", _Loader.number)
