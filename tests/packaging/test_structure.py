"""The structure that docs/architecture.md promises, as far as import-linter does not check it."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import grimp

SOURCE = Path(__file__).parents[2] / "src" / "counterpoise"


def test_no_module_depends_on_everything():
    """The top package names all subpackages, so a module that imports from it would be in a cycle with them."""
    graph = grimp.build_graph("counterpoise", cache_dir=None)
    assert graph.find_modules_that_directly_import("counterpoise") == set()


def test_no_two_public_classes_share_a_name():
    places = defaultdict(list)
    for path in SOURCE.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(SOURCE)))
    assert {name: files for name, files in places.items() if len(files) > 1} == {}
