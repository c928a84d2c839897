"""Which module a study's function comes from."""

from __future__ import annotations

import sys

import pytest

from counterpoise.studies.engine.execution import find_function


@pytest.fixture
def studies(tmp_path, monkeypatch):
    """Two folders, each with a module and a package of the same names."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    for study in ("first", "second"):
        (tmp_path / study / "same_package").mkdir(parents=True)
        for file in ("same_cells.py", "same_package/__init__.py", "same_package/cells.py"):
            (tmp_path / study / file).write_text(f"def which():\n    return {study!r}\n")
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith(("same_cells", "same_package"))]:
        del sys.modules[name]


@pytest.mark.parametrize("module", ["same_cells", "same_package", "same_package.cells"])
def test_each_study_has_the_module_beside_it(module, studies):
    for study in ("first", "second", "first"):
        assert find_function(f"{module}:which", studies / study)() == study
        assert sys.path.count(str(studies / study)) == 1


def test_a_module_is_imported_once(studies):
    first = find_function("same_cells:which", studies / "first")
    assert find_function("same_cells:which", studies / "first") is first


def test_what_is_installed_is_not_imported_again(studies):
    import json

    assert find_function("json:dumps", studies / "first") is json.dumps
