"""What decides whether a run goes on: its options, also those of runs that earlier versions wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import counterpoise as cp
import tiny
from counterpoise.audit.run_options import RunOptions, check_options, options_of
from counterpoise.core.errors import RunError

DETAILS = {"endpoint": "http://127.0.0.1/v1"}


def options(limit=None, details=DETAILS):
    about = {"model": "m", "fingerprint": "f", "precision": "float32", "measures": ("ppd",)}
    return RunOptions(
        **about, variant="corrected", seed=0, data=None, limit=limit, loading=dict(details)
    ).as_dict()


def early(limit, details=DETAILS):
    """As earlier versions wrote a limit: among the options of loading."""
    return {**options(details=details), "loading": {**details, "limit": limit}}


def test_a_limit_is_an_option_of_its_own():
    assert options(20)["limit"] == 20
    assert options(20)["loading"] == DETAILS
    assert "limit" not in options()


@pytest.mark.parametrize("details", [DETAILS, {}])
@pytest.mark.parametrize("saved", [options, early])
def test_a_run_goes_on_with_the_same_limit_only(saved, details):
    before = saved(20, details=details)
    check_options(Path("run"), before, options(20, details))
    for other in (30, None):
        with pytest.raises(RunError, match=f"run holds a run with limit 20, and this one has {other};"):
            check_options(Path("run"), before, options(other, details))
    with pytest.raises(RunError, match="limit None, and this one has 20"):
        check_options(Path("run"), options(details=details), options(20, details))


def test_comparisons_read_the_limit_of_either_version():
    of_early, of_new = (options_of({"options": saved}) for saved in (early(20), options(20)))
    assert of_early == of_new
    assert of_new["limit"] == 20


def test_an_early_run_is_resumed(tmp_path):
    lm = cp.load(tiny.save("gpt2", tmp_path / "model"))
    request = {"measures": ["sld"], "limit": 4, "out": tmp_path / "run"}
    cp.audit(lm, **request)
    path = tmp_path / "run" / "manifest.json"
    manifest = json.loads(path.read_text())
    assert manifest["options"].pop("limit") == 4
    manifest["options"].setdefault("loading", {})["limit"] = 4
    path.write_text(json.dumps(manifest))
    summary = (tmp_path / "run" / "summary.json").read_bytes()
    cp.audit(lm, **request)
    assert (tmp_path / "run" / "summary.json").read_bytes() == summary
