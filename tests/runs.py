"""Runs for tests of pages and comparisons: results with known numbers, saved as an audit would."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from counterpoise.audit.run import Options, Run
from counterpoise.measures.result import Ideal, Result, make_summary, skipped_table
from counterpoise.measures.summary import absolute_row, mean_row, share_row

SIGN = "positive: the model reads the person as male"


def word_result(
    model: str = "one",
    words: int = 12,
    templates: int = 5,
    lean: float = 0.3,
    spread: float = 0.2,
    seed: int = 0,
    measure: str = "own",
    sign: str = SIGN,
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
    of_word = np.repeat(rng.normal(lean, spread, words), templates)
    items["own"] = of_word + rng.normal(0, spread / 2, len(items))
    zero = Ideal.at(0.0)
    rows = [
        mean_row(items.own, items.word, level="overall", group="all", statistic="lean", ideal=zero),
        absolute_row(items.own, items.word, level="overall", group="all", statistic="mean |lean| of words"),
        share_row(items.own, level="overall", group="all", statistic="% male"),
        *(
            mean_row(
                some.own, some.word, level="group", group=f"{kind} professions", statistic="lean", ideal=zero
            )
            for kind, some in items.groupby("group", sort=False)
        ),
        *(
            mean_row(some.own, some.template, level="word", group=str(word), statistic="lean", ideal=zero)
            for word, some in items.groupby("word", sort=False)
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
        sign=sign,
        citation="Nobody (2020). Nothing.",
    )


def save_run(folder: Path, *results: Result, finished: bool = True, **changes: object) -> Path:
    """A run folder with these results."""
    options = Options(
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
