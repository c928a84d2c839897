"""What `import counterpoise` offers, and that no module plays tricks on Python's import system."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import counterpoise as cp
from counterpoise.audit.run import Run

PACKAGE = Path(cp.__file__).parent
SUBMODULES = sorted(path.stem for path in (PACKAGE / "audit").glob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("first", ["counterpoise", "counterpoise.audit", "counterpoise.audit.request"])
def test_audit_is_the_function_whatever_was_imported(first):
    """Importing a submodule must not put the package in the place of the function of the same name."""
    code = [
        f"import {first}",
        *(f"import counterpoise.audit.{name}" for name in SUBMODULES),
        "import inspect",
        "assert inspect.isfunction(counterpoise.audit), counterpoise.audit",
    ]
    done = subprocess.run([sys.executable, "-c", "\n".join(code)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_audit_is_typed_and_documented():
    signature = inspect.signature(cp.audit)
    assert list(signature.parameters)[:6] == ["model", "measures", "suite", "out", "data", "seed"]
    assert signature.return_annotation == "Audit"
    assert all(
        parameter.annotation is not inspect.Parameter.empty for parameter in signature.parameters.values()
    )
    assert "Parameters" in (inspect.getdoc(cp.audit) or "")


def test_every_public_name_is_there():
    for name in cp.__all__:
        assert getattr(cp, name) is not None
    assert cp.Run is Run
    assert dir(cp) == sorted(cp.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = cp.nothing


def test_importing_the_package_is_light():
    code = "import counterpoise, sys; assert not {'torch', 'transformers', 'pandas', 'numpy'} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=30)


def test_no_module_replaces_itself():
    """Nothing assigns to `sys.modules` or to a `__class__`."""
    offenders = [
        f"{path.relative_to(PACKAGE)}:{target.lineno}"
        for path in PACKAGE.rglob("*.py")
        for target in _assigned(ast.parse(path.read_text(encoding="utf-8")))
        if "sys.modules" in ast.unparse(target) or ast.unparse(target).endswith("__class__")
    ]
    assert not offenders


def _assigned(tree: ast.Module) -> list[ast.expr]:
    targets: list[ast.expr] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            targets += node.targets
        elif isinstance(node, ast.AugAssign | ast.AnnAssign):
            targets.append(node.target)
    return targets
