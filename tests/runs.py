"""Runs for tests of pages and comparisons: results with known numbers, saved as an audit would."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from counterpoise.audit.run import Run
from counterpoise.audit.run_options import RunOptions
from counterpoise.measures.base.result import GENDERS, Direction, Result, make_summary, sources_of
from counterpoise.measures.base.row_builders import absolute_row, mean_row, share_row
from counterpoise.measures.base.rows import in_group, of_word
from counterpoise.measures.base.skipped import skipped_table
from counterpoise.measures.base.source import observe

DIRECTION = Direction("The model reads people as men.", "The model reads people as women.", GENDERS)


def word_result(
    model: str = "one",
    words: int = 12,
    templates: int = 5,
    lean: float = 0.3,
    spread: float = 0.2,
    seed: int = 0,
    measure: str = "own",
    direction: Direction = DIRECTION,
) -> Result:
    """Numbers of words in templates, half of them men's work and half women's, as a measure would return them.

    Words and templates are the same for all seeds; the numbers are not.
    """
    rng = np.random.default_rng(seed)
    items = pd.DataFrame(
        [
            {
                "text": f"[MASK] is word{w} in {t}.",
                "word": f"word{w}",
                "group": "male" if w % 2 else "female",
                "template": f"t{t}",
            }
            for w in range(words)
            for t in range(templates)
        ]
    )
    lean_of_words = np.repeat(rng.normal(lean, spread, words), templates)
    items["own"] = lean_of_words + rng.normal(0, spread / 2, len(items))
    leans = observe(items, "own")
    rows = [
        mean_row(leans, "lean", "lean", cluster="word"),
        absolute_row(leans, "mean_absolute", "mean |lean| of words", cluster="word"),
        share_row(leans, "share_male", "% male"),
        *(
            mean_row(some, "lean", "lean", cluster="word", at=in_group(kind, f"{kind} professions"))
            for kind, some in leans.by("group")
        ),
        *(
            mean_row(some, "lean", "lean", cluster="template", at=of_word(word))
            for word, some in leans.by("word")
        ),
    ]
    return Result(
        measure=measure,
        dataset="made",
        model=model,
        variant="corrected",
        seed=seed,
        items=items,
        summary=make_summary(rows, measure, "made", "corrected"),
        skipped=skipped_table([], []),
        direction=direction,
        sources=sources_of(rows),
        identity=("text", "word"),
        citation="Nobody (2020). Nothing.",
    )


def save_run(folder: Path, *results: Result, finished: bool = True, **changes: object) -> Path:
    """A run folder with these results."""
    options = RunOptions(
        model=results[0].model,
        fingerprint=f"{results[0].model}-{results[0].seed}",
        precision="float32",
        measures=tuple(result.measure for result in results),
        variant="corrected",
        seed=0,
        data=None,
    )
    with Run.start(folder, options) as run:
        for n in range(len(results)):
            run.save(results[: n + 1], 0.1)
        run.manifest.update(changes)
        if finished:
            run.finish()
        else:
            run._save_manifest()
    return folder
