"""Audits of many models as a study: one step, with a cell for each model.

A cell keeps its run in DIR/NAME, a run folder like any other, and is done when that is complete. What was asked of the
models is in the settings of the study, where all of a request is but its model and its folder.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from counterpoise.audit.request import AuditRequest
from counterpoise.core.errors import InputError, RunError
from counterpoise.core.hashing import hash_file
from counterpoise.core.version import __version__
from counterpoise.measures.base.result import Result
from counterpoise.studies.audits.models import NamedModel
from counterpoise.studies.engine.cells import Cell
from counterpoise.studies.engine.store import Store
from counterpoise.studies.engine.study import Study, check_study

NAME, STEP, FACTOR = "audits", "audit", "model"

_ROW = ["measure", "group", "statistic", "key", "value", "ci_low", "ci_high", "p_value", "p_adjusted", "n"]
# A run folder tells whether how a model is loaded makes a difference; these are refused before any model is loaded.
_DECISIVE = ("suite", "seed", "variant", "hashes", "columns", "settings", "limit", "data")


def study_of(models: Sequence[NamedModel], request: AuditRequest) -> Study:
    """The study with a cell for each model; `request` says what they are asked."""
    for name, given in request.files.items():
        if not isinstance(given, Path):
            raise InputError(f"many models are audited in processes of their own: give {name} as a file")
    files = {name: path.resolve() for name, path in request.files.items()}
    settings = request.model_dump(
        mode="json", include={"suite", "seed", "variant", "columns", "settings", "cache", "limit"}
    ) | {
        "measures": None if request.measures is None else list(request.measures),
        "load": request.load.model_dump(mode="json"),
        "data": None if request.data is None else str(request.data.resolve()),
        "files": {name: str(path) for name, path in files.items()},
        "hashes": {name: hash_file(path) for name, path in files.items()},
    }
    step = {"run": f"{__name__}:audit_model", "over": [FACTOR], "gpus": 1 if needs_gpu(request) else 0}
    content = {
        "name": NAME,
        "title": "Audits of many models",
        "factors": {FACTOR: [model.cell_value for model in models]},
        "settings": settings,
        "steps": {STEP: step},
    }
    return check_study(content, "the audits")


def needs_gpu(request: AuditRequest) -> bool:
    """Does each model get a GPU of its own, where there are any? One that was told where to go does not."""
    return request.load.device in ("auto", "cuda") and request.load.device_map is None


def audit_model(cell: Cell) -> Mapping[str, Any]:
    """Audits the model of a cell, or goes on with its run."""
    from counterpoise.audit.auditing import run_audit

    model = NamedModel.of_cell(cell.factors[FACTOR])
    asked = {name: value for name, value in cell.settings.items() if name != "hashes"}
    # For the manifest: the command of a worker tells nothing.
    sys.argv = ["counterpoise", "audit", model.source, "(one of many; its options are in ../study.json)"]
    audited = run_audit(
        AuditRequest.of(**asked, model=model.source, out=cell.study_folder.absolute() / model.name)
    )
    audited.report()
    return {"rows": [row for result in audited.results.values() for row in _headlines(result)]}


def _headlines(result: Result) -> list[dict[str, Any]]:
    return [
        {str(name): value for name, value in row.items()} for row in result.headlines[_ROW].to_dict("records")
    ]


def check_folder(folder: Path, study: Study) -> None:
    """Refuses a folder with runs that were asked something else, before any model is loaded."""
    if not (folder / "study.json").is_file():
        return
    store = Store.read(folder)
    if store.study.name != NAME:
        raise RunError(f"{folder} holds a study, {store.study.name!r}; choose another folder with --out")
    if store.version != __version__:
        raise RunError(
            f"{folder} holds audits by Counterpoise {store.version}, and this is {__version__}; choose another folder "
            "with --out"
        )
    before, now = store.study.settings, study.settings
    for name in _DECISIVE:
        if before.get(name) != now[name]:
            raise RunError(
                f"{folder} holds audits with {name} {before.get(name)}, and these have {now[name]}; choose another "
                "folder with --out"
            )
    named, wanted = (settings.get("measures") for settings in (before, now))
    if named != wanted and not (
        isinstance(named, list) and isinstance(wanted, list) and set(named) <= set(wanted)
    ):
        shown = [
            ",".join(map(str, names)) if isinstance(names, list) else "of the suite"
            for names in (named, wanted)
        ]
        raise RunError(
            f"{folder} holds audits with the measures {shown[0]}, and these have {shown[1]}; choose another folder "
            "with --out"
        )


def forget_lost(folder: Path, study: Study) -> None:
    """Has the models audited again whose runs were deleted since."""
    store = Store.preview(folder, study, accept_changes=True)
    for cell in store.plan().values():
        run = folder / NamedModel.of_cell(str(cell.factors[FACTOR])).name
        if not (run / "manifest.json").is_file():
            (store.place(cell) / "cell.json").unlink(missing_ok=True)
