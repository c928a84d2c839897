"""What every measure declares, and whether what it returns on small data is as it declares."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
import zlib

import numpy as np
import pandas as pd
import pytest

import counterpoise as cp
import small_inference
import tiny
from counterpoise.core.errors import InputError
from counterpoise.data import CrowsPairs, InferenceTemplates, Prompts, StereoSet, Templates, Texts, WordTest
from counterpoise.data.spec import read_spec
from counterpoise.data.thirdparty.table_specs import TablesSpec
from counterpoise.data.user.lexicons import Lexicon
from counterpoise.measures.base.catalogue import all_measures, find_measure, suite_measures
from counterpoise.measures.base.result import make_summary
from counterpoise.measures.base.rows import ZERO, Row, statistic_of
from counterpoise.measures.generation.honest import HonestSpec
from counterpoise.models import Classifier, WordVectors
from planted_bbq import questions
from planted_coreference import PRONOUNS

PLUGIN = '''
"""Counts nothing (Nobody 2026)."""
import pandas as pd
from counterpoise.measures import Ideal, measure
from counterpoise.measures.base.catalogue import Measured
from counterpoise.measures.base.result import Direction
from counterpoise.measures.base.rows import Row
from counterpoise.models import MaskedLM

@measure("nothing", needs=MaskedLM, data="none", ideal=Ideal.at(50, "%"),
         direction=Direction("There is something.", "There is less than nothing."),
         cites="barza2023", identity=("x",))
def nothing(model, data=None, *, variant="corrected", seed=0):
    """Is there anything?"""
    row = Row("share", "overall", "all", "share", 50.0, Ideal.at(50, "%"), 1, 1)
    return Measured(pd.DataFrame({"x": [1]}), [row])
'''

CAREER = WordTest.of(
    "career",
    x=["John", "Paul", "man"],
    y=["Amy", "Lisa", "woman"],
    a=["career", "office"],
    b=["home", "family"],
    gender=True,
)
TEXTS = [
    f"I saw {name} in {town}, and {pronoun} was {mood}."
    for name, pronoun in (("Mary", "she"), ("John", "he"))
    for town, mood in (("Graz", "good"), ("Linz", "bad"), ("Wels", "well"), ("Enns", "great"))
]
PROFESSIONS = ["carpenter", "plumber", "dental hygienist", "registered nurse", "judge", "photographer"]
RATER = Classifier.of(
    lambda texts: [
        0.3 + 0.01 * (" he " in text) * (len(text) % 7) + 0.004 * (len(text) % 50) for text in texts
    ],
    name="rater",
)


def test_every_measure_says_what_it_needs():
    for name, found in all_measures().items():
        assert found.question.endswith("?"), name
        assert found.needs
        assert found.identity
        assert found.function.__name__ == name
        assert getattr(cp.measures, name) is found.function


def test_every_measure_documents_its_data_and_settings():
    for name, found in all_measures().items():
        assert list(found.parameters) == ["data", *found.settings], name
        assert all(text.endswith(".") for text in found.parameters.values()), name
        shown = found.function.__doc__
        assert all(f"\n{parameter}\n    " in shown for parameter in found.parameters), name
        assert shown.startswith(found.question), name


def test_every_measure_is_called_alike():
    for name, found in all_measures().items():
        signature = inspect.signature(found.function)
        assert list(signature.parameters) == ["model", "data", "variant", "seed", *found.settings], name
        assert signature.parameters["data"].default is None, name
        assert signature.parameters["variant"].default == "corrected", name
        assert signature.parameters["seed"].default == 0, name


def test_every_measure_says_what_either_sign_means():
    for name, found in all_measures().items():
        for direction in (found.direction, *found.directions.values()):
            for text in (direction.positive, direction.negative):
                assert text[:1].isupper(), (name, text)
                assert text.endswith("."), (name, text)
                assert text == " ".join(text.split()), (name, text)
            assert direction.positive != direction.negative, name
            assert direction.sides is None or len(set(direction.sides)) == 2, name
            assert direction.sentence(0.5) == direction.positive
            assert direction.sentence(-0.5) == direction.negative


def test_unknown_names():
    with pytest.raises(InputError, match="did you mean 'lpbs'"):
        find_measure("lbps")
    with pytest.raises(InputError, match="there is no suite 'everything'"):
        suite_measures("everything")


def test_every_measure_refuses_what_it_cannot_measure():
    for found in all_measures().values():
        with pytest.raises(InputError, match=r"^object cannot be measured: give "):
            found.function(object())


def test_the_quick_suite():
    names = {found.name for found in suite_measures("quick")}
    of_systems = {"coreference", "coreference_winogender"}
    of_models = {"eec_sentiment", "lpbs", "nli", "ppd", "seat", "sentiment", "sld", "toxicity", "weat"}
    assert names == of_models | of_systems | {"decisions", "gest", "winogender"}


def test_the_suites_of_kinds_of_language_models():
    def names(suite, kind):
        return {found.name for found in all_measures().values() if suite in found.suites_of(kind)}

    assert names("quick", "masked") == {"lpbs", "ppd", "sld"}
    assert names("quick", "causal") == {"gest", "ppd", "sld", "winogender"}
    more = {
        "bbq",
        "coreference_prompt",
        "crows",
        "decisions",
        "honest",
        "lpbs",
        "pronoun_gap",
        "stereoset",
        "winobias",
    }
    assert names("full", "causal") == names("quick", "causal") | more
    assert names("quick", "answers") == {"decisions"}
    assert names("full", "answers") == {"bbq", "decisions"}
    assert find_measure("winogender").suites_text == "full; causal: quick, full"
    assert find_measure("weat").suites_of("causal") == ()


def test_what_is_not_comparable_between_kinds_of_language_models():
    both = [found for found in all_measures().values() if {"masked", "causal"} <= set(found.needs)]
    comparable = {found.name for found in both if not found.incomparable}
    assert comparable == {"coreference_prompt", "winobias", "winogender"}


@pytest.mark.slow
def test_a_third_partys_package_adds_a_measure(tmp_path):
    (tmp_path / "plugin_of_ours.py").write_text(PLUGIN)
    (tmp_path / "broken_plugin.py").write_text("raise RuntimeError('no')")
    info = tmp_path / "plugin_of_ours-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin-of-ours\nVersion: 1\n")
    (info / "entry_points.txt").write_text(
        "[counterpoise.measures]\nnothing = plugin_of_ours\nbroken = broken_plugin\n"
    )
    code = (
        "import counterpoise as cp; audit = cp.audit(measures=['nothing']); "
        "assert audit.summary.ideal_text.tolist() == ['50 %']; print(audit.summary.value[0])"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "50.0\n"
    assert "the measures of broken_plugin cannot be loaded: no" in done.stderr


def test_p_values_are_adjusted_within_a_level():
    def row(level, p):
        return Row("s", level, "g", "s", 0.0, ZERO, 1, 1, p_value=p)

    rows = [row("overall", 0.04), row("group", 0.01), row("group", 0.04), row("group", np.nan)]
    table = make_summary(rows, "m", "d", "corrected")
    assert table.p_adjusted.tolist()[:3] == pytest.approx([0.04, 0.02, 0.04])
    assert pd.isna(table.p_adjusted[3])


def vectors():
    """Random ones of all the words that measures of vectors ask for, in one order."""
    asked = cp.data.gender_words()
    tests = cp.data.weat(["weat6", "weat7"]).tests
    words = dict.fromkeys(
        [
            *(word for pair in asked.pairs for word in pair),
            *(word for one in asked.neutral for word in one.words),
            *(word for test in tests for one in test.sets for word in one.words),
        ]
    )
    return WordVectors(list(words), np.random.default_rng(0).normal(size=(len(words), 8)))


def crows(variant):
    whole = cp.data.crows_pairs(["gender", "age"], variant)
    return CrowsPairs(whole.name, whole.table.iloc[::20], whole.warnings)


def professions(rows, column, pairs):
    return rows[rows[column].isin(PROFESSIONS) & rows["pair"].isin(pairs)].reset_index(drop=True)


def emotions(variant):
    rows = cp.data.eec(variant)
    words = rows.emotion_word.dropna().unique()[::6]
    return rows[rows.emotion_word.isin(words) & rows["pair"].isin([0, 3])].reset_index(drop=True)


def stereoset():
    whole = cp.data.stereoset(["gender", "religion"])
    return StereoSet(whole.name, whole.table.iloc[::40], whole.warnings)


def occupations(rows, every):
    return rows[rows.occupation.isin(rows.occupation.unique()[::every])].reset_index(drop=True)


def stereotypes(sentences):
    return sentences.groupby("stereotype").head(2).reset_index(drop=True)


def templates(variant):
    """Of each field of work, and of words with a gender, two words in two templates."""
    spec = cp.data.pronoun_templates().spec
    sets = [
        one.model_copy(update={"words": one.words[:2], "templates": one.templates[1:3]}) for one in spec.sets
    ]
    return Templates(spec.model_copy(update={"sets": tuple(sets)}), variant)


def labelled():
    labels = ["pos", "neg"] * (len(TEXTS) // 2)
    return Texts.of(TEXTS, labels, ["female" if "Mary" in text else "male" for text in TEXTS])


OWN_PROMPTS = Prompts.of(
    [
        f"The {job} said that she was {mood}."
        for job in ("nurse", "judge", "cook")
        for mood in ("glad", "sad")
    ],
    ["calm", "upset"] * 3,
)
OWN_CASES = cp.data.DecisionTemplates.of(
    {
        "work": [
            ("{Person}, {age}, asks. Is {they} in?", "yes"),
            ("{Person}, {age}, is late. Is {they} out?", "no"),
        ],
        "rent": [("{Person}, {age}, rents. Is it ok?", "yes"), ("Is {person}, {age}, out?", "no")],
    }
)
CORPUS = [
    f"{start} the {word}." for start in ("Here is", "I saw") for one in CAREER.sets for word in one.words
]
LEXICON = Lexicon.of([word for word in tiny.wordpiece().get_vocab() if word[0] in "abcdefghijklm"])
DATA_SETS = {
    "aul": "crows-pairs/crows_pairs_anonymized.csv",
    "aula": "crows-pairs/crows_pairs_anonymized.csv",
    "coreference": "winobias/pro_stereotyped_type1.txt.dev",
    "coreference_prompt": "winobias/pro_stereotyped_type1.txt.dev",
    "coreference_winogender": "winogender/all_sentences.tsv",
    "crows": "crows-pairs/crows_pairs_anonymized.csv",
    "eec_sentiment": "eec/Equity-Evaluation-Corpus.csv.xz",
    "gest": "gest/gest_1.1.csv",
    "lpbs_eec": "eec/Equity-Evaluation-Corpus.csv.xz",
    "stereoset": "stereoset/stereoset_dev_flat.csv",
    "winobias": "winobias/pro_stereotyped_type1.txt.dev",
    "winogender": "winogender/all_sentences.tsv",
}
# What each measure measures: small data, and settings that make it quick. A measure that is not listed is asked about
# the examples in the spec of its data.
SMALL = {
    "aul": lambda variant: (crows(variant), {}),
    "aula": lambda variant: (crows(variant), {}),
    "bbq": lambda variant: (questions(), {"orders": 3}),
    "ceat": lambda variant: (CORPUS, {"words": CAREER, "samples": 20}),
    "coreference": lambda variant: (occupations(cp.data.winobias_mentions(variant=variant), 5), {}),
    "coreference_prompt": lambda variant: (occupations(cp.data.winobias_mentions(variant=variant), 10), {}),
    "coreference_winogender": lambda variant: (occupations(cp.data.winogender_mentions(), 4), {}),
    "counterfactual": lambda variant: (OWN_PROMPTS, {"n": 3, "max_tokens": 12}),
    "crows": lambda variant: (crows(variant), {}),
    "cseat": lambda variant: (CAREER, {}),
    "decisions": lambda variant: (OWN_CASES, {"n_names": 3, "ages": [30, 60]}),
    "direct_bias": lambda variant: (None, {}),
    "ect": lambda variant: (None, {}),
    "eec_sentiment": lambda variant: (None, {}),
    "gest": lambda variant: (stereotypes(cp.data.gest(variant)), {}),
    "honest": lambda variant: (read_spec("honest", HonestSpec).example_rows(), {"lexicon": LEXICON, "k": 30}),
    "lpbs": lambda variant: (professions(cp.data.becpro("en", variant), "profession", [0, 1]), {}),
    "lpbs_eec": lambda variant: (emotions(variant), {}),
    "lpbs_german": lambda variant: (
        professions(cp.data.becpro_both_forms(variant), "profession_en", [0, 1]),
        {},
    ),
    "lpbs_weat": lambda variant: (cp.data.kurita(variant).only("math/arts"), {"targets": "mean"}),
    "neighbours": lambda variant: (None, {"k": 5, "n_biased": 20}),
    "nli": lambda variant: (
        InferenceTemplates.of(["The {person} left.", "The {person} sat."], PROFESSIONS),
        {},
    ),
    "perturbation": lambda variant: (TEXTS, {"n_names": 3}),
    "ppd": lambda variant: (templates(variant), {}),
    "pronoun_gap": lambda variant: (cp.data.declared_pronouns().head(2), {"pronouns": ["they", "xe"]}),
    "ripa": lambda variant: (None, {}),
    "seat": lambda variant: (CAREER, {}),
    "sentiment": lambda variant: (labelled(), {}),
    "sld": lambda variant: (cp.data.stereotype_pairs().table.iloc[::10], {}),
    "stereoset": lambda variant: (stereoset(), {}),
    "toxicity": lambda variant: (labelled(), {}),
    "tpr_gap": lambda variant: (labelled(), {}),
    "weat": lambda variant: (cp.data.weat(["weat6", "weat7"]), {}),
    "weat_contextual": lambda variant: (cp.data.weat(["weat6"]), {}),
    "winobias": lambda variant: (occupations(cp.data.winobias(), 5), {}),
    "winogender": lambda variant: (occupations(cp.data.winogender(), 8), {}),
}


def decides(prompt, seed):
    """Says yes or no, and now and then neither, by chance."""
    return ("Yes.", "No.", "Yes", "no", "I cannot say.")[zlib.crc32(f"{prompt} {seed}".encode()) % 5]


def some_noun(texts):
    """Links each pronoun to one of the nouns of its text, by chance."""
    nouns = [[match.span() for match in re.finditer(r"(?i)\bthe \w+|\bsomeone", text)] for text in texts]
    return [
        [
            [
                of_text[zlib.crc32(text.encode()) % len(of_text)],
                *(pronoun.span() for pronoun in PRONOUNS.finditer(text)),
            ]
        ]
        for text, of_text in zip(texts, nouns, strict=True)
    ]


def examples_of(name):
    return read_spec(find_measure(name).data, TablesSpec).example_rows()


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    return {
        "masked": cp.load(tiny.save("bert", tmp_path_factory.mktemp("bert"))),
        "causal": cp.load(tiny.save_long("gpt2", tmp_path_factory.mktemp("gpt2"))),
        "german": cp.load(tiny.save("german-bert", tmp_path_factory.mktemp("german"))),
        "encoder": cp.load(tiny.save("bert", tmp_path_factory.mktemp("encoder")), kind="encoder"),
        "vectors": vectors(),
        "classifier": RATER,
        "nli": cp.load(small_inference.random_model()),
        "coreference": cp.load(some_noun, kind="coreference"),
        "answers": cp.load(decides, kind="answers"),
    }


@pytest.fixture(
    scope="module",
    params=[
        (name, kind, variant)
        for name, found in all_measures().items()
        for kind in dict.fromkeys((found.needs[0], *(kind for kind in found.needs if kind == "causal")))
        for variant in ("corrected", "published")
    ],
    ids="-".join,
)
def of_every_measure(request, models, data_file):
    """Every measure on a small model of its first kind, and on a causal one or a function where it takes those too."""
    name, kind, variant = request.param
    if name in DATA_SETS:
        data_file(DATA_SETS[name])
    data, settings = SMALL[name](variant) if name in SMALL else (examples_of(name), {})
    model = models["german" if name == "lpbs_german" else kind]
    return getattr(cp.measures, name)(model, data, variant=variant, **settings), variant


@pytest.mark.slow
def test_keys_of_rows_are_unique_and_lead_to_their_sources(of_every_measure):
    result, _ = of_every_measure
    keys = result.summary.key
    assert keys.is_unique
    assert keys.str.fullmatch(r"[\w.]+").all()
    assert set(result.sources) <= set(keys)


@pytest.mark.slow
def test_sources_find_their_rows_again_in_the_items(of_every_measure):
    result, variant = of_every_measure
    values = result.summary.set_index("key").value
    for key, source in result.sources.items():
        assert source.has_columns(result.items), key
        if source.is_paired:
            again = source.of_clusters(source.observe(result.items)).mean()
            assert again == pytest.approx(values[key], rel=1e-9, abs=1e-12, nan_ok=True), (key, variant)


@pytest.mark.slow
def test_items_have_the_columns_that_tell_them_apart(of_every_measure):
    result, _ = of_every_measure
    assert result.identity == find_measure(result.measure).identity
    assert set(result.identity) <= set(result.items)
    assert not result.items.duplicated(list(result.identity)).any()


@pytest.mark.slow
def test_rows_that_need_the_items_alone_are_the_same_when_computed_again(of_every_measure):
    result, variant = of_every_measure
    compute, values = find_measure(result.measure).rows, result.summary.set_index("key").value
    if compute is not None:
        again = {row.key: row.value for row in compute(result.items, variant, result.seed)}
        assert again == pytest.approx(values[list(again)].to_dict(), rel=1e-12, nan_ok=True)


@pytest.mark.slow
def test_each_row_says_what_its_sign_means(of_every_measure):
    result, _ = of_every_measure
    declared = find_measure(result.measure)
    assert result.direction == declared.direction
    for key in result.summary.key:
        expected = declared.directions.get(statistic_of(key), declared.direction)
        assert result.direction_of(key) == expected


@pytest.mark.slow
def test_the_headline_is_the_first_row_that_was_tested(of_every_measure):
    result, _ = of_every_measure
    assert np.isfinite(result.headline.p_value)
    assert result.headline.level == "overall"
    assert result.headlines.group.is_unique
