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
from counterpoise.core.cache import artifact_folder
from counterpoise.core.errors import InputError
from counterpoise.core.progress import progress
from counterpoise.core.shown import Shown
from counterpoise.corpus.counting.compare import Sources, open_corpora
from counterpoise.corpus.counting.count_files import check_different
from counterpoise.corpus.learning.baselines import baselines_of
from counterpoise.corpus.learning.experiment import Experiment, LearningSettings, Questionnaire
from counterpoise.corpus.learning.reference import Reference, make_reference
from counterpoise.corpus.learning.rows import Answers, differences, levels, score_rows
from counterpoise.corpus.learning.samples import Samples, draw_samples
from counterpoise.data.builtin.pairs import Pairs
from counterpoise.data.builtin.templates import Templates
from counterpoise.data.corpus import Corpus
from counterpoise.data.spec import citation
from counterpoise.measures.base.result import Direction, Result, make_summary
from counterpoise.measures.base.skipped import skipped_table
from counterpoise.tuning.devices import training_device

DIRECTION = Direction(
    positive="The corpus taught the model more of it than neutral text did.",
    negative="The corpus taught the model less of it than neutral text did.",
)
_MEASURE = "corpus_learnt"


@dataclass(frozen=True, repr=False)
class LearnedBias(Shown):
    """What a model learned from each corpus.

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

    def __repr__(self) -> str:
        return f"<LearnedBias of {', '.join(self.results)}>"

    def to_frame(self) -> pd.DataFrame:
        """The summary rows of all corpora, which the column `corpus` tells apart."""
        tables = [result.summary.assign(corpus=name) for name, result in self.results.items()]
        return pd.concat(tables, ignore_index=True)


def learned_bias(
    sources: Sources,
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

    If it is stopped, the same call resumes it.
    """
    training_device(device)
    corpora = _corpora(sources, column)
    check_different(corpora)
    neutral = None if control is None else Corpus.of(control, column=column)
    learning = learning or LearningSettings()
    samples = draw_samples(corpora, learning.sentences, neutral)
    if not isinstance(reference, Reference):
        reference = make_reference(reference, device=device)
    folder = Path(keep) if keep is not None else artifact_folder("learnt")
    experiment = Experiment(reference, learning, Questionnaire(pairs, templates), folder, device)
    names = [corpus.name for corpus in corpora]
    answers = _train_and_ask(experiment, samples, names)
    return LearnedBias(
        results={name: _result(name, answers[name], experiment, samples) for name in names},
        levels=pd.concat([levels(answers[name]).assign(corpus=name) for name in names], ignore_index=True),
        differences=_differences(answers),
        reference=reference,
        learning=learning,
        sentences=samples.size,
        control=samples.neutral_name,
        baselines={name: baselines_of(name, experiment, samples) for name in names} if baselines else {},
    )


def _corpora(sources: Sources, column: str) -> list[Corpus]:
    if isinstance(sources, str | Path):
        raise InputError(f"several corpora may be given, so give a list of them: [{str(sources)!r}]")
    corpora = open_corpora(sources, column)
    if not corpora:
        raise InputError("there is no corpus to learn from")
    return corpora


def _train_and_ask(experiment: Experiment, samples: Samples, names: Sequence[str]) -> dict[str, Answers]:
    """Trains a model per seed on the control and on each corpus; seed by seed, so that a part is a whole experiment."""
    reference = experiment.before()
    after: dict[str | None, list[pd.Series]] = {name: [] for name in (None, *names)}
    with progress("models", len(after) * len(experiment.learning.seeds), unit="models") as advance:
        for seed in experiment.learning.seeds:
            for name, answers in after.items():
                texts = samples.control(seed) if name is None else samples.of(name, seed)
                title = f"training on {name or 'the control'}, seed {seed}"
                answers.append(experiment.after(texts, seed, title))
                advance(1)
    control = pd.DataFrame(after[None])
    return {name: Answers(reference, control, pd.DataFrame(after[name])) for name in names}


def _result(name: str, answers: Answers, experiment: Experiment, samples: Samples) -> Result:
    reference, learning = experiment.reference, experiment.learning
    items = pd.DataFrame(
        {
            "reference": answers.reference,
            "control": answers.control.mean(),
            "trained": answers.trained.mean(),
        }
    ).reset_index()
    warnings = [reference.note] if reference.note else []
    if samples.size < learning.sentences:
        warnings.append(
            f"{samples.size:,} sentences are trained on, not {learning.sentences:,}: a corpus has no more"
        )
    return Result(
        measure=_MEASURE,
        dataset=name,
        model=reference.name,
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
