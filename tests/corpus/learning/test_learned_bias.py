"""What a model learns from a corpus: planted corpora are ranked, nothing that is finished is done again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import counterpoise as cp
import tiny
from corpora import PROFESSIONS, planted
from counterpoise.core.errors import CounterpoiseError, DataError, InputError, ModelError
from counterpoise.corpus.learning import experiment, reference
from counterpoise.corpus.learning.experiment import LearningSettings
from counterpoise.corpus.learning.learned_bias import learned_bias
from counterpoise.corpus.learning.reference import make_reference
from counterpoise.corpus.learning.samples import draw_samples
from counterpoise.data import Pairs, Templates
from counterpoise.data.corpus import Corpus
from counterpoise.mitigate.finetune.recipes import Recipe
from counterpoise.tuning import LANGUAGE_MODEL, train_language_model

pytestmark = pytest.mark.slow

QUICK = LearningSettings(sentences=60, epochs=1, learning_rate=1e-3)
MIXED = ["She is a nurse. It rains.", "He is a doctor. The bread was gone."] * 20
OTHER = ["The man told his wife that he was late. The trees are tall."] * 40


FEW = PROFESSIONS[:4]


def planted_pairs() -> Pairs:
    """Sentences that are not in the corpora, first with the pronoun to which the profession leans there."""
    sides = [("he", "she") if at % 2 else ("she", "he") for at in range(len(FEW))]
    return Pairs.of(
        *(
            (f"The {word} said that {likely} was late.", f"The {word} said that {other} was late.")
            for word, (likely, other) in zip(FEW, sides, strict=True)
        )
    )


def templates() -> Templates:
    return Templates.of(*(f"The {word} said that {{subject}} was late." for word in FEW))


def learned_from(strengths: dict[str, float], n: int) -> dict[str, float]:
    """The score of each planted corpus: how much likelier the planted pronoun became than after the control."""
    corpora = {name: planted(lean, n, seed, FEW) for seed, (name, lean) in enumerate(strengths.items())}
    found = learned_bias(
        corpora,
        reference="builtin",
        learning=LearningSettings(sentences=n, epochs=1, learning_rate=2e-4, batch_size=16),
        pairs=planted_pairs(),
        templates=templates(),
        device="cpu",
    )
    assert "our own 150 neutral sentences" in found.control  # every planted sentence has a pronoun
    return {name: overall(result, "SLD") for name, result in found.results.items()}


def overall(result, statistic: str) -> float:
    rows = result.overall.set_index("statistic").value
    return float(rows[f"{statistic}, corpus - control"])


def test_a_planted_lean_is_learned_and_weak_and_strong_are_ranked_above_none():
    scores = learned_from({"none": 0.0, "weak": 1.5, "strong": 4.0}, 320)
    assert scores["none"] < scores["weak"] < scores["strong"]
    assert scores["strong"] > 0


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def base(home):
    return tiny.save("roberta", home / "base")


def learn(base, keep, sources=None, **options):
    given = {
        "reference": base,
        "learning": QUICK,
        "pairs": planted_pairs(),
        "templates": templates(),
        "device": "cpu",
    }
    return learned_bias(sources or {"mixed": MIXED, "other": OTHER}, keep=keep, **{**given, **options})


@pytest.fixture(scope="module")
def found(base, home):
    return learn(base, home / "keep")


def test_the_score_is_that_of_models_trained_by_hand(found, base, tmp_path):
    samples = draw_samples([Corpus.of(MIXED, name="mixed"), Corpus.of(OTHER, name="other")], 60)
    scores: dict[str, list[float]] = {"corpus": [], "control": []}
    for seed in (0, 1, 2):
        settings = replace(LANGUAGE_MODEL, epochs=1, learning_rate=1e-3, seed=seed)
        for name, texts in (("corpus", samples.of("mixed", seed)), ("control", samples.control(seed))):
            train_language_model(
                texts, tmp_path / f"{name}{seed}", base=base, settings=settings, device="cpu"
            )
            model = cp.load(tmp_path / f"{name}{seed}")
            scores[name].append(float(cp.measures.sld(model, planted_pairs()).items.sld.abs().mean()))
    expected = np.mean(scores["corpus"]) - np.mean(scores["control"])
    assert overall(found.results["mixed"], "ASLD") == pytest.approx(expected, abs=1e-5)
    levels = found.levels[(found.levels.corpus == "mixed") & (found.levels.statistic == "ASLD")].iloc[0]
    assert levels.trained == pytest.approx(np.mean(scores["corpus"]), abs=1e-5)
    before = cp.measures.sld(cp.load(base), planted_pairs()).items.sld.abs().mean()
    assert levels.reference == pytest.approx(before, abs=1e-5)


def test_corpora_are_compared_with_samples_of_one_size(found):
    assert found.sentences == 60
    assert found.control == "sentences of the corpora without a gendered word"
    row = found.differences.set_index("statistic").loc["ASLD"]
    one, two = (overall(found.results[name], "ASLD") for name in ("mixed", "other"))
    assert row.difference == pytest.approx(one - two)
    assert row.ci_low < row.difference < row.ci_high
    assert row.n == len(FEW)
    for result in found.results.values():
        assert (
            result.summary[["ci_low", "p_value", "effect_size", "smallest_detectable"]].notna().all(axis=None)
        )


def test_what_is_finished_is_not_done_again(found, base, home, tmp_path, monkeypatch):
    trained = []
    whole = experiment.train_language_model

    def watched(texts, folder, **options):
        if len(trained) == 4:
            trained.append("stopped")
            raise KeyboardInterrupt
        trained.append(options["title"])
        return whole(texts, folder, **options)

    monkeypatch.setattr(experiment, "train_language_model", watched)
    with pytest.raises(KeyboardInterrupt):
        learn(base, tmp_path)
    again = learn(base, tmp_path)
    assert len(trained) == 3 * 3 + 1  # the control and two corpora, three seeds, and the one that was stopped
    assert all(path.suffix == ".json" for path in tmp_path.iterdir())  # answers, no weights
    assert overall(again.results["mixed"], "SLD") == overall(found.results["mixed"], "SLD")
    learn(base, tmp_path)
    assert len(trained) == 10


def test_the_older_methods_are_beside(found, base, home):
    assert not found.baselines
    classifier, vectors = learn(base, home / "keep", baselines=True).baselines["mixed"]
    row = classifier.summary.iloc[0]
    assert row.statistic == "direct bias, classifier - reference"
    assert row.ci_low < row.value < row.ci_high
    assert vectors.summary.note.str.startswith("none of the 8 words").all()  # the text is too small for WEAT
    assert "career" in set(vectors.skipped.item)


def test_samples():
    corpora = [Corpus.of(MIXED, name="mixed"), Corpus.of(OTHER, name="other")]
    samples = draw_samples(corpora, 1000)
    assert samples.size == 80
    assert sorted(samples.of("mixed", 0)) == sorted(samples.pools["mixed"])
    assert len(samples.control(0)) == 80
    assert set(samples.control(0)) == {"It rains.", "The bread was gone.", "The trees are tall."}
    assert samples.control(1) == samples.control(1)
    given = draw_samples(corpora, 50, Corpus.of(["Nothing here."] * 30, name="mine"))
    assert given.neutral_name == "mine, as given"
    assert given.control(0) == ["Nothing here."] * 50
    few = draw_samples([Corpus.of([f"He saw {n} trees." for n in range(500)])], 40, most=100)
    assert len(next(iter(few.pools.values()))) == 100
    assert len(set(few.of("texts", 0)) & set(few.of("texts", 1))) < 40


def test_the_reference_is_debiased_once(few_questions, base, monkeypatch):
    how = Recipe(settings=replace(LANGUAGE_MODEL, epochs=1))
    text = Corpus("mine", tuple(MIXED))
    first = make_reference(corpus=text, base=base, how=how, device="cpu")
    assert first.name == f"{base}, debiased on mine (cds)"
    assert not first.note
    monkeypatch.setattr(reference, "debias", None)  # calling it would be an error
    assert make_reference(corpus=text, base=base, how=how, device="cpu") == first


def test_without_gap_the_model_is_taken_as_it_is(no_data):
    found = make_reference()
    assert found.location == "builtin"
    assert "was not debiased first" in found.note


@pytest.mark.parametrize(
    ("sources", "options", "kind", "message"),
    [
        ({"a": []}, {}, DataError, "a has no text"),
        (
            {"a": ["She left."] * 5},
            {},
            DataError,
            "a has 5 sentences; a model learns nothing from fewer than 20",
        ),
        ({"a": ["It rains."] * 30}, {}, DataError, "a has no gendered word in 30 sentences"),
        ({"a": MIXED, "b": MIXED}, {}, InputError, "a and b hold the same text"),
        ({}, {}, InputError, "there is no corpus"),
        ("a.txt", {}, InputError, "give a list of them"),
        ({"a": MIXED}, {"control": ["It rains."]}, DataError, "texts has 1 sentence;"),
        ({"a": MIXED}, {"reference": "no/such/folder"}, ModelError, "no/such/folder"),
    ],
)
def test_mistakes_are_one_line(tmp_path, sources, options, kind, message):
    given = {"reference": "builtin", "device": "cpu", **options}
    with pytest.raises(kind) as error:
        learned_bias(sources, keep=tmp_path, **given)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seeds": (0, 1)}, "needs 3 different ones"),
        ({"seeds": (0, 1, 1)}, "needs 3 different ones"),
        ({"sentences": 0}, "a sentence at least"),
        ({"epochs": 0}, "epochs must be above 0"),
    ],
)
def test_settings_that_cannot_be(options, message):
    with pytest.raises(CounterpoiseError, match=message):
        LearningSettings(**options)
