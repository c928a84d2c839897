"""The structure that docs/architecture.md promises, as far as import-linter does not check it."""

from __future__ import annotations

import ast
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest

SOURCE = Path(__file__).parents[2] / "src" / "counterpoise"


def test_no_module_imports_itself_through_others_not_even_late_or_for_types():
    graph = grimp.build_graph("counterpoise", cache_dir=None)
    # The top package names its subpackages to users' type checkers, and imports them when they are used.
    modules = graph.modules - {"counterpoise"}
    order = TopologicalSorter(
        {module: graph.find_modules_directly_imported_by(module) & modules for module in modules}
    )
    try:
        order.prepare()
    except CycleError as error:
        pytest.fail(f"import cycle: {' -> '.join(error.args[1])}")


def test_only_the_program_asks_the_top_package_for_anything():
    """A module that imports from `counterpoise` itself depends on everything that is named there."""
    graph = grimp.build_graph("counterpoise", cache_dir=None)
    assert graph.find_modules_that_directly_import("counterpoise") == set()


def test_no_two_public_classes_share_a_name():
    places = defaultdict(list)
    for path in SOURCE.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(SOURCE)))
    assert {name: files for name, files in places.items() if len(files) > 1} == {}
