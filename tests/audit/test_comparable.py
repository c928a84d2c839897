"""Masked and causal models stand side by side only in measures that ask both for the same quantity."""

from __future__ import annotations

import pandas as pd
import pytest

import counterpoise as cp
import tiny
from counterpoise.audit.auditing import run_audit
from counterpoise.audit.request import AuditRequest
from counterpoise.core.errors import RunError


@pytest.fixture(scope="module")
def runs(builtin, tmp_path_factory, few_questions):
    """Two causal models and a masked one, each asked three measures."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("counterpoise.measures.pronouns.winogender.read_winogender", sentences)
        found = {}
        for name, model in (("masked", builtin), ("gpt2", None), ("llama", None)):
            lm = model or cp.load(tiny.save(name, tmp_path_factory.mktemp(name) / name))
            out = tmp_path_factory.mktemp("run") / name
            found[name] = audited(lm, ["ppd", "sld", "winogender"], out)
    return found


def audited(model, measures, folder):
    """The run of an audit, without its report."""
    return run_audit(AuditRequest.of(model=model, measures=measures, out=folder)).run


def sentences():
    shared = {"male": "he", "female": "she", "neutral": "they", "neutral_fits": False, "women_bergsma": 50.0}
    return pd.DataFrame(
        [
            {
                "text": f"The {job} told the {other} that [MASK] was late.",
                "occupation": job,
                "women_bls": women,
            }
            | {"referent": referent, "template": f"{job}.{referent}"}
            | shared
            for job, women in (("nurse", 90.0), ("guard", 20.0), ("cook", 40.0), ("mason", 2.0))
            for other, referent in (("visitor", "occupation"), ("owner", "participant"))
        ]
    )


def test_only_what_is_comparable_is_compared(runs):
    comparison = cp.compare(runs["masked"], runs["gpt2"])
    assert comparison.measures == ["winogender"]
    assert set(comparison.ranking.measure) == {"winogender"}
    apart = [note for note in comparison.notes if "is not compared between kinds of model" in note]
    assert len(apart) == 2
    assert apart[0].startswith(
        "ppd is not compared between kinds of model: a causal model sees only what stands before the pronoun"
    )
    row = comparison.rows.set_index("key").loc["preference"]
    assert row.n == 8
    assert row.p_value == row.p_value
    assert "preference_before" not in set(comparison.rows.key)


def test_models_of_one_kind_are_still_compared(runs):
    comparison = cp.compare(runs["masked"], runs["gpt2"], runs["llama"])
    of_sld = comparison.rows[comparison.rows.measure == "sld"]
    assert set(zip(of_sld["first"], of_sld["second"], strict=True)) == {comparison.names[1:]}
    assert "sld" not in set(comparison.ranking.measure)
    assert set(comparison.rows[comparison.rows.measure == "winogender"]["first"]) == set(comparison.names[:2])


def test_nothing_comparable_is_an_error(builtin, tmp_path, few_questions):
    masked = audited(builtin, ["sld"], tmp_path / "masked")
    causal = audited(cp.load(tiny.save("gpt2", tmp_path / "gpt2")), ["sld"], tmp_path / "causal")
    with pytest.raises(RunError, match="sld is not compared between kinds of model: a pseudo-log-likelihood"):
        cp.compare(masked, causal)
