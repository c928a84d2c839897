"""Gender in a corpus, by what a model learns from it (Barza 2023, chapter 5).

    score = ASLD of the reference model trained on the corpus - ASLD of the same model trained on neutral text

A debiased model is trained further on a sample of the corpus, and sentence likelihood differences (`sld`) and pronoun
probability differences (`ppd`) are asked before and after. The thesis compares with the reference alone. Training moves
these numbers whatever the text is, so a control is trained in the same way on as many neutral sentences, and the score
is what the corpus has beyond it. Each is trained with three seeds at least, which also draw the sample; intervals and
tests are over seeds and items, since either might have been others.

ASLD and the mean |APPD| ask how much gendered words matter, either way; SLD is above 0 where stereotypes became
likelier than their counterparts, APPD where professions became more male. A text that speaks much of women moves the
first two without any stereotype, so read all four.

A trained model's answers are kept by the content of what decides them, its weights are not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

import pandas as pd

from counterpoise import stats
from counterpoise.core.cache import made_folder
from counterpoise.core.errors import InputError
from counterpoise.core.progress import progress
from counterpoise.corpus.counting.runs import check_different
from counterpoise.corpus.learning.baselines import baselines_of
from counterpoise.corpus.learning.experiment import Evaluation, Experiment, LearningSettings
from counterpoise.corpus.learning.reference import Reference, make_reference
from counterpoise.corpus.learning.rows import Answers, differences, levels, score_rows
from counterpoise.corpus.learning.samples import Samples, draw_samples
from counterpoise.data.builtin.pairs import Pairs
from counterpoise.data.builtin.templates import Templates
from counterpoise.data.corpus import TextCorpus
from counterpoise.data.spec import citation
from counterpoise.measures.base.result import Direction, Result, make_summary
from counterpoise.measures.base.skipped import skipped_table

DIRECTION = Direction(
    positive="The corpus taught the model more of it than neutral text did.",
    negative="The corpus taught the model less of it than neutral text did.",
)
_MEASURE = "corpus_learnt"


@dataclass(frozen=True)
class LearnedBias:
    """What a model learnt from each corpus.

    `results` has the scores (corpus minus control) by corpus, `levels` the numbers of the reference, after the control
    and after the corpus, `differences` each pair of corpora. `baselines` has the results of two older methods, where
    they were asked for. `sentences` were trained on, of each corpus and of the `control`.
    """

    results: dict[str, Result]
    levels: pd.DataFrame
    differences: pd.DataFrame
    reference: Reference
    learning: LearningSettings
    sentences: int
    control: str
    baselines: dict[str, list[Result]] = field(default_factory=dict)


def learned_bias(
    sources: Mapping[str, str | Path | Iterable[str]] | Sequence[str | Path | TextCorpus],
    *,
    reference: str | Path | Reference | None = None,
    learning: LearningSettings | None = None,
    control: str | Path | Iterable[str] | None = None,
    pairs: Pairs | None = None,
    templates: Templates | None = None,
    baselines: bool = False,
    column: str = "text",
    keep: str | Path | None = None,
    device: str = "auto",
) -> LearnedBias:
    """What does a model learn about men and women from a text?

    Parameters
    ----------
    sources
        files, names such as `jigsaw:toxic` or texts, as `counterpoise.corpus.compare_corpora` takes them; one will do
    reference
        a model to start from, as it is; if not given, the built-in model debiased on GAP
    learning
        sentences, seeds, epochs and learning rate
    control
        neutral text; if not given, sentences of the corpora without a gendered word, or our own where they are too few
    pairs, templates
        what is asked of the models, if not our own
    baselines
        also the two older methods: a classifier's direct bias, and WEAT of vectors made from the corpus
    keep
        a folder for the answers of trained models; one in the cache folder if not given

    Stopped and called again, it goes on where it was.
    """
    corpora = _corpora(sources, column)
    check_different(corpora)
    neutral = None if control is None else TextCorpus.of(control, column=column)
    learning = learning or LearningSettings()
    samples = draw_samples(corpora, learning.sentences, neutral)
    start = reference if isinstance(reference, Reference) else make_reference(reference, device=device)
    folder = Path(keep) if keep is not None else made_folder("learnt")
    room = Experiment(start, learning, Evaluation(pairs, templates), folder, device)
    answers = _taught(room, samples, [corpus.name for corpus in corpora])
    return LearnedBias(
        results={name: _result(name, one, start, samples, learning) for name, one in answers.items()},
        levels=pd.concat(
            [levels(one).assign(corpus=name) for name, one in answers.items()], ignore_index=True
        ),
        differences=_differences(answers),
        reference=start,
        learning=learning,
        sentences=samples.size,
        control=samples.neutral_name,
        baselines={corpus.name: baselines_of(corpus.name, room, samples) for corpus in corpora}
        if baselines
        else {},
    )


def _corpora(
    sources: Mapping[str, str | Path | Iterable[str]] | Sequence[str | Path | TextCorpus], column: str
) -> list[TextCorpus]:
    if isinstance(sources, str | Path):
        raise InputError(f"several corpora may be given, so give a list of them: [{str(sources)!r}]")
    if isinstance(sources, Mapping):
        found = [TextCorpus.of(source, name=name, column=column) for name, source in sources.items()]
    else:
        found = [TextCorpus.of(source, column=column) for source in sources]
    if not found:
        raise InputError("there is no corpus to learn from")
    return found


def _taught(room: Experiment, samples: Samples, names: Sequence[str]) -> dict[str, Answers]:
    """Trains a model per seed on the control and on each corpus; seed by seed, so that a part is a whole experiment."""
    reference = room.before()
    after: dict[str | None, list[pd.Series]] = {name: [] for name in (None, *names)}
    with progress("models", len(after) * len(room.learning.seeds), unit="models") as advance:
        for seed in room.learning.seeds:
            for name, found in after.items():
                texts = samples.control(seed) if name is None else samples.of(name, seed)
                found.append(room.after(texts, seed, f"training on {name or 'the control'}, seed {seed}"))
                advance(1)
    control = pd.DataFrame(after[None])
    return {name: Answers(reference, control, pd.DataFrame(after[name])) for name in names}


def _result(
    name: str, answers: Answers, start: Reference, samples: Samples, learning: LearningSettings
) -> Result:
    items = pd.DataFrame(
        {
            "reference": answers.reference,
            "control": answers.control.mean(),
            "trained": answers.trained.mean(),
        }
    ).reset_index()
    warnings = [start.note] if start.note else []
    if samples.size < learning.sentences:
        warnings.append(
            f"{samples.size:,} sentences are trained on, not {learning.sentences:,}: a corpus has no more"
        )
    return Result(
        measure=_MEASURE,
        dataset=name,
        model=start.name,
        variant="corrected",
        seed=learning.seeds[0],
        items=items,
        summary=make_summary(score_rows(answers), _MEASURE, name, "corrected"),
        skipped=skipped_table([], []),
        direction=DIRECTION,
        citation=citation("barza2023"),
        warnings=tuple(warnings),
    )


def _differences(answers: Mapping[str, Answers]) -> pd.DataFrame:
    rows = [row for first, second in combinations(answers.items(), 2) for row in differences(first, second)]
    table = pd.DataFrame(rows)
    if rows:
        table.insert(9, "p_adjusted", stats.adjust(table.p_value.to_numpy()))
    return table
