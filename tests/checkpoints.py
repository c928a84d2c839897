"""Checkpoints for tests: tiny models whose weights move in a known direction, and runs with known numbers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
import transformers

import runs
import tiny
from counterpoise.audit.run import Run
from counterpoise.studies.audits.curve import trace
from counterpoise.studies.audits.results import BiasCurve

TEMPLATES = """
sets:
  - category: work
    words: [nurse, mason, clerk, pilot, cook, tailor]
    templates: ["{subject} would be {a word}.", "the {word} forgot {possessive} lunch."]
"""


def save(folder: Path, *steps: int) -> Path:
    """Masked models into folder/checkpoint-STEP; in the output layer `he` becomes likelier by 1 nat in 1000 steps."""
    tiny.save("bert", folder / "first")
    model = transformers.AutoModelForMaskedLM.from_pretrained(folder / "first")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder / "first")
    he, bias = tokenizer.convert_tokens_to_ids("he"), model.get_output_embeddings().bias
    with torch.no_grad():
        bias[[he, tokenizer.convert_tokens_to_ids("she")]] += 8  # so that pronouns are not one word in 30,000
        before = float(bias[he])
        for step in steps:
            bias[he] = before + step / 1000
            model.save_pretrained(folder / f"checkpoint-{step}")
            tokenizer.save_pretrained(folder / f"checkpoint-{step}")
    (folder / "first").rename(folder.parent / f"{folder.name}-first")
    (folder / "tokenizer.json").write_text("{}")
    (folder / "runs").mkdir()
    return folder


def templates(folder: Path) -> Path:
    """The file of templates."""
    path = folder / "templates.yaml"
    path.write_text(TEMPLATES)
    return path


def made(folder: Path, leans: Mapping[int, float], model: str = "made") -> BiasCurve:
    """A curve without models: the runs have words that lean so much at each step."""
    found = []
    for seed, (step, lean) in enumerate(leans.items()):
        run = runs.save_run(folder / f"checkpoint-{step}", runs.word_result(model, lean=lean, seed=seed))
        found.append((step, run.name, Run.read(run)))
    traced = trace(found)
    run_of = {name: run for _, name, run in found}
    steps = {name: step for step, name, _ in found}
    return BiasCurve(folder, run_of, traced.rows, traced.firsts, {}, (), traced.notes, 0, steps)
