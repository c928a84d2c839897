"""Masked and causal models stand side by side only in measures that ask both for the same quantity."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

import counterpoise as cp
import tiny
from counterpoise.audit.auditing import run_audit
from counterpoise.audit.comparable import comparable_pairs
from counterpoise.audit.request import AuditRequest
from counterpoise.core.errors import RunError
from counterpoise.models import Rung


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
    assert [note.split()[0] for note in comparison.notes if "asked the models differently" in note] == [
        "winogender"
    ]
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


ASKED = {
    "masked": "masked language model",
    "causal": "causal language model, after <s>",
    "likelihoods": f"model behind an endpoint, {Rung.LIKELIHOOD.value}",
    "next words": f"model behind an endpoint, {Rung.NEXT_WORD.value}",
    "choices": f"model behind an endpoint, {Rung.FORCED_CHOICE.value}",
    "samples": f"model behind an endpoint, {Rung.SAMPLES.value}",
    "answers": "causal language model, answers in its chat template, 5 answers to each prompt",
    "server's answers": f"model behind an endpoint, {Rung.ANSWERS.value}, 5 answers to each prompt",
    "function": "function that answers prompts, 5 answers to each prompt",
    "old": "",
}


@pytest.mark.parametrize(
    ("runs", "compared", "said"),
    [
        (["causal", "likelihoods", "next words"], 3, None),
        (
            ["masked", "likelihoods"],
            0,
            "on different scales: masked (a masked language model), likelihoods (a causal",
        ),
        (
            ["causal", "choices", "samples"],
            1,
            "kinds of model: choices between two sentences are no likelihoods: causal",
        ),
        (
            ["masked", "causal", "choices"],
            0,
            "on different scales; choices between two sentences are no likelihoods",
        ),
        (["answers", "server's answers", "function"], 3, None),
        (
            ["causal", "likelihoods", "answers", "function"],
            2,
            "answers that a model writes are no likelihoods: causal (a causal language model)",
        ),
        (
            ["choices", "function"],
            0,
            "no likelihoods; answers that a model writes are no likelihoods",
        ),
        (["causal", "old"], 1, None),
    ],
)
def test_an_endpoint_is_compared_as_what_it_was_asked_as(builtin, runs, compared, said):
    result = cp.measures.sld(builtin, cp.data.Pairs.of(("He left.", "She left.")))
    results = {name: {"sld": replace(result, asked=ASKED[name])} for name in runs}
    found = comparable_pairs(results, {"sld": runs})
    assert len(found.pairs["sld"]) == compared
    assert (said is None and not found.kept_apart) or said in found.kept_apart["sld"]


@pytest.mark.parametrize(
    ("runs", "notes"),
    [
        (["masked", "causal"], 1),
        (["masked", "likelihoods"], 1),
        (["causal", "likelihoods"], 0),
        (["masked", "old"], 0),
    ],
)
def test_what_kinds_of_model_are_asked_differently_all_the_same_is_said(builtin, runs, notes):
    results = {name: {"winobias": replace(winobias(builtin), asked=ASKED[name])} for name in runs}
    found = comparable_pairs(results, {"winobias": runs})
    assert (len(found.pairs["winobias"]), found.kept_apart) == (1, {})
    assert len(found.caveats) == notes
    assert all("winobias compares kinds of model: where several pronouns" in note for note in found.caveats)


def test_a_comparison_has_the_caveat(builtin, tmp_path):
    causal = cp.load(tiny.save("gpt2", tmp_path / "gpt2"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("counterpoise.measures.pronouns.winobias.read_winobias", lambda *_: about_nurses())
        runs = [audited(model, ["winobias"], tmp_path / model.kind) for model in (builtin, causal)]
    comparison = cp.compare(*runs)
    assert any(note.startswith("winobias compares kinds of model") for note in comparison.notes)


def winobias(model):
    return cp.measures.winobias(model, about_nurses())


def about_nurses():
    shared = {"pro": "her", "anti": "him", "type": 2, "women": 90.0, "stereotype": "female", "problem": None}
    return pd.DataFrame(
        [
            shared
            | {
                "occupation": "nurse",
                "sentence": f"The {other} met the nurse and thanked her.",
                "text": f"The {other} met the nurse and thanked [MASK].",
            }
            for other in ("guard", "cook", "mason")
        ]
    )


def test_likelihoods_and_answers_of_one_model_are_kept_apart(tmp_path):
    lm = cp.load(tiny.save("gpt2", tmp_path / "gpt2", n_positions=128), device="cpu")
    lm.tokenizer.model_max_length = 128
    cases = [("{Person} asks. Is {they} in?", "yes"), ("{Person} is late. Is {they} out?", "no")]
    own = tmp_path / "own.yaml"
    own.write_text(
        "domains: {work: ["
        + ", ".join(f'{{text: "{text}", favourable: "{answer}"}}' for text, answer in cases)
        + "]}"
    )
    for name, by, temperature in (
        ("likelihood", "likelihood", 1.0),
        ("samples", "samples", 1.0),
        ("cooler", "samples", 0.5),
    ):
        settings = {"by": by, "n_names": 2, "n_answers": 2, "max_tokens": 2, "temperature": temperature}
        request = {"files": {"decision_templates": own}, "settings": settings, "out": tmp_path / name}
        run_audit(AuditRequest.of(model=lm, measures=["decisions"], **request))
    with pytest.raises(
        RunError, match="decisions is not compared between kinds of model: answers that a model"
    ):
        cp.compare(tmp_path / "likelihood", tmp_path / "samples")
    comparison = cp.compare(tmp_path / "likelihood", tmp_path / "samples", tmp_path / "cooler")
    assert set(zip(comparison.rows["first"], comparison.rows["second"], strict=True)) == {
        ("samples", "cooler")
    }
    assert "decisions" not in set(comparison.ranking.measure)
    assert any("asked the models differently" in note for note in comparison.notes)  # another temperature


def test_nothing_comparable_is_an_error(builtin, tmp_path, few_questions):
    masked = audited(builtin, ["sld"], tmp_path / "masked")
    causal = audited(cp.load(tiny.save("gpt2", tmp_path / "gpt2")), ["sld"], tmp_path / "causal")
    with pytest.raises(RunError, match="sld is not compared between kinds of model: a pseudo-log-likelihood"):
        cp.compare(masked, causal)
