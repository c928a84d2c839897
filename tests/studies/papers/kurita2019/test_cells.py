"""The cells one after another on a few passages with a tiny model, and the tables made of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tiny
from counterpoise.core.errors import InputError, ModelError
from counterpoise.data.builtin.wordsets import weat
from counterpoise.data.thirdparty.folders import using_data
from counterpoise.studies.engine.cells import Cell, FinishedCell, FinishedStudy, LeftOut, MissingCell
from counterpoise.studies.engine.study import read_study
from counterpoise.studies.papers.kurita2019 import cells, tables
from counterpoise.studies.papers.kurita2019.answers import answers
from counterpoise.studies.papers.kurita2019.page import PAGE, gather
from counterpoise.studies.papers.kurita2019.published import TABLE_3
from counterpoise.studies.replication.findings import Findings
from counterpoise.studies.replication.study_table import with_columns
from finished_cells import table_of

pytestmark = pytest.mark.slow

SETTINGS = {"device": "cpu", "at_most": 60, "patience": 3, "epochs": 10, "standardise": True}
NEITHER = ("neither_true", "neither_predicted")


@pytest.fixture(scope="module")
def done(data_file, tmp_path_factory):
    """Finished cells of the case study, by step."""
    data_file("gap/gap-development.tsv")
    folder = tmp_path_factory.mktemp("model")
    model = tiny.save("bert", folder, max_position_embeddings=512)  # passages are long
    finished = {}

    def carry_out(step, factors, *needs):
        folder = tmp_path_factory.mktemp(step)
        asked_of = {"model": str(model), **factors}
        cell = Cell(step, asked_of, SETTINGS, folder, {name: finished[name] for name in needs})
        result = getattr(cells, step)(cell)
        finished.setdefault(step, []).append(FinishedCell(cell.factors, result, folder))

    for split in ("development", "test", "validation"):
        carry_out("mentions", {"passages": split})
    asked = {"probe": "paper", "training": "test+validation"}
    for seed in (0, 1):
        carry_out("resolve", {**asked, "seed": seed}, "mentions")
    carry_out("table4", asked, "mentions", "resolve")
    carry_out("topics", {})
    carry_out("section4", asked, "mentions", "resolve", "topics")
    carry_out("shares", {"attributes": "repository skills", "variant": "corrected"})
    return finished


def test_rows_carry_interval_test_and_size(done):
    rows = table_of(done)
    difference = rows[rows.key.isin([f"{one}.difference" for one in ("accuracy", *NEITHER)])]
    assert len(difference) == 3
    assert (
        difference[["ci_low", "ci_high", "p_value", "effect_size", "smallest_detectable"]].notna().all().all()
    )
    assert rows[rows.step == "topics"].shape[0] == 20
    assert rows[(rows.step == "section4")].n.sum() == 60


def test_the_mean_over_seeds_is_what_the_seeds_found(done):
    rows = table_of(done)
    seeds = rows[rows.step == "resolve"].value
    [mean] = rows[(rows.step == "table4") & (rows.key == "accuracy")].value
    assert mean == pytest.approx(seeds.mean())


def test_rows_carry_the_values_of_the_seeds(done):
    rows = table_of(done).set_index("key")
    [difference] = rows.loc[["neither_predicted.difference"]].itertuples()
    assert len(difference.by_seed) == len(difference.p_by_seed) == 2
    assert np.mean(difference.by_seed) == pytest.approx(difference.value)
    assert difference.note == f"2 seeds from {min(difference.by_seed):.2f} to {max(difference.by_seed):.2f}"
    [accuracy] = rows.loc[["accuracy"]].itertuples()
    assert sorted(accuracy.by_seed) == pytest.approx(sorted(rows[rows.step == "resolve"].value))


def test_without_standardising_the_perceptrons_differ(done, tmp_path):
    [mentions, resolved] = (done[step] for step in ("mentions", "resolve"))
    raw = Cell(
        "resolve", resolved[0].factors, {**SETTINGS, "standardise": False}, tmp_path, {"mentions": mentions}
    )
    cells.resolve(raw)
    standardised = np.load(resolved[0].folder / "probabilities.npy")
    assert not np.allclose(np.load(tmp_path / "probabilities.npy"), standardised)


def test_passages_that_are_not_among_the_factors(done, tmp_path):
    asked = {"model": "", "probe": "paper", "training": "development", "seed": 0}
    cell = Cell("resolve", asked, SETTINGS, tmp_path, {"mentions": done["mentions"][:1]})
    with pytest.raises(
        InputError, match="resolve needs the passages 'test', which are not among those of the"
    ):
        cells.resolve(cell)


def test_the_page(done, tmp_path):
    missing = [MissingCell("weat_vectors", {"vectors": "glove"}, "it is not there")]
    gather(FinishedStudy(tmp_path, table_of(done), missing))
    found = Findings.read(tmp_path)
    shown = {one.name: one for one in found.tables}
    assert set(shown) >= {
        "printed",
        "table3",
        "table4",
        "resolution",
        "table5",
        "section4",
        "weat_words",
        "seeds",
        "table6",
        "left_out",
    }
    glove = [row for row in shown["table3"].rows if row[0].endswith("GloVe")]
    assert len(glove) == 5
    assert {row[-1] for row in glove} == {"not reproducible: GloVe 840B is not at hand"}
    printed = {row[0]: row[2] for row in shown["table4"].rows}
    assert printed == {
        "male, neither, true, % (gap-development)": 10.3,
        "female, neither, true, % (gap-development)": 9.8,
        "male - female, neither, true, points (gap-development)": 0.5,
        "male, neither, predicted, % (gap-development)": 11.5,
        "female, neither, predicted, % (gap-development)": 13.9,
        "male - female, neither, predicted, points (gap-development)": -2.4,
    }
    assert [row[0] for row in shown["resolution"].rows] == [
        f"{what} (gap-development)"
        for what in (
            "all, accuracy, %",
            "male, accuracy, %",
            "female, accuracy, %",
            "male - female, accuracy, points",
            "male, F1, %",
            "female, F1, %",
            "female / male, F1 ratio",
        )
    ]
    assert [len(row[1].split(", ")) for row in shown["table6"].rows] == [5] * 20
    verdicts = {row[0]: row[-1] for row in shown["section4"].rows}
    assert verdicts["female pronouns (gap-development)"] == "differs: another model"
    assert verdicts["male pronouns (gap-development)"] == "not printed"
    assert [answer.question[:10] for answer in found.answers] == ["Is a femal", "Is a femal", "Do most ti"]
    seeds = {row[0]: row for row in shown["seeds"].rows}
    row = seeds["male - female, neither, predicted, points (gap-development)"]
    assert row[1] <= row[2]
    assert row[4] == ", ".join(f"{value:.2f}" for value in by_seed(done, "neither_predicted.difference"))
    assert "male, neither, true, % (gap-development)" not in seeds
    gather(FinishedStudy(tmp_path, table_of(done)[lambda rows: rows.step == "topics"], [], only=["table6"]))
    assert [one.name for one in Findings.read(tmp_path).tables] == ["printed", "table6"]


def by_seed(done, key):
    rows = table_of(done)
    return rows[rows.key == key].by_seed.iloc[0]


def test_the_words_of_weat_on_the_page():
    words = {(row[0], row[1]): row[2:] for row in tables.weat_words(pd.DataFrame()).rows}
    names = words["pleasant/unpleasant, African and European American", "published"]
    assert names[0] == "WEAT 4"
    assert names[2:] == ["5: Jamal, Leroy, Tyrone, Ebony, Kenya", "5: Brad, Brendan, Geoffrey, Greg, Brett"]
    of_test_6 = words["career/family, male and female", "published"]
    assert of_test_6 == words["career/family, male and female", "corrected"]
    assert of_test_6[:2] == ["WEAT 6", "all"]


@pytest.mark.parametrize(
    ("by_seed", "low", "high", "verdict", "lead"),
    [
        (
            [-0.08, -1.36],
            -1.5,
            0.3,
            "inconclusive",
            "Cannot be told on gap-test: ",
        ),
        ([-0.5, -0.6], -0.9, -0.2, "yes", "Yes on gap-test."),
        # The seeds disagree.
        (
            [-0.5, 0.1],
            -0.4,
            -0.01,
            "inconclusive",
            "Cannot be told on gap-test: ",
        ),
        ([0.5, 0.6], 0.2, 0.9, "no, the opposite", "No on gap-test: it is the other way round."),
    ],
)
def test_what_the_answer_says(by_seed, low, high, verdict, lead):
    value = float(np.mean(by_seed))
    row = {
        "step": "table4", "probe": "paper", "training": "development", "key": "neither_predicted.difference",
        "value": value, "ci_low": low, "ci_high": high, "p_value": 0.04, "by_seed": by_seed, "note": "2 seeds",
    }  # fmt: skip
    table = with_columns(pd.DataFrame([row]), PAGE.columns)
    [answer] = [answer for answer in answers(table) if answer is not None]
    assert answer.question == "Is a female pronoun left without a name more often?"
    assert answer.verdict.startswith(lead)
    assert answer.measured.startswith(f"On gap-test: {verdict} (male - female {value:+.2f} points [")
    assert answer.measured.endswith("], p = .040; 2 seeds).")


def case_study_row(training, gender, low, high):
    """A correlation of section 4 with this interval; all seeds agree."""
    value = (low + high) / 2
    return {
        "step": "section4", "probe": "paper", "training": training, "model": "builtin", "key": f"spearman.{gender}",
        "group": gender, "value": value, "ci_low": low, "ci_high": high, "p_value": 0.04,
        "by_seed": [value, value], "note": "2 seeds",
    }  # fmt: skip


def test_the_lead_names_files_that_differ_and_the_control():
    rows = [
        case_study_row("development", "female", 0.1, 0.3),
        case_study_row("test+validation", "female", -0.1, 0.3),
        case_study_row("development", "male", 0.1, 0.3),
    ]
    [answer] = filter(None, answers(with_columns(pd.DataFrame(rows), PAGE.columns)))
    assert answer.verdict == (
        "Yes on gap-test, but so is a male pronoun, so that this says little about gender; cannot be told on "
        "gap-development: the interval contains zero, or trainings disagree."
    )
    assert "; male pronouns too: " in answer.measured


@pytest.mark.parametrize(
    ("intervals", "lead"),
    [
        ([(60, 80), (55, 70)], "Yes: more than half lean male in 2 kinds of attributes."),
        ([(60, 80), (45, 60)], "Partly: more than half lean male in 1 of 2 kinds of attributes, fewer than half in 0, "
         "and 1 cannot be told."),
        ([(20, 40), (30, 45)], "No: more than half lean male in 0 of 2 kinds of attributes, fewer than half in 2."),
    ],
)  # fmt: skip
def test_the_lead_about_attributes(intervals, lead):
    rows = [
        {
            "step": "shares", "key": "share_male", "variant": "corrected", "attributes": f"kind {n}",
            "value": (low + high) / 2, "ci_low": low, "ci_high": high,
        }
        for n, (low, high) in enumerate(intervals)
    ]  # fmt: skip
    [answer] = filter(None, answers(with_columns(pd.DataFrame(rows), PAGE.columns)))
    assert answer.verdict == lead


def test_a_published_p_of_zero_is_said_to_be_small(tmp_path):
    numbers = dict.fromkeys(("ci_low", "ci_high", "effect_size", "smallest_detectable"), 0.5)
    row = {"variant": "published", "test": "math/arts", "key": "d_sentences.math_arts", "value": 1.0, "n": 9}
    rows = pd.DataFrame([row]).assign(step="scores", model="builtin", p_value=0.0, **numbers)
    gather(FinishedStudy(tmp_path, rows, []))
    [table] = [one for one in Findings.read(tmp_path).tables if one.name == "table3"]
    [line] = [row for row in table.rows if row[3] == 1.0]
    assert line[list(table.columns).index("p")] == "< 0.00001"


def test_a_model_that_the_study_is_not_meant_for(tmp_path):
    folder = tiny.save("gpt2", tmp_path / "model")
    cell = Cell("scores", {"model": str(folder), "variant": "corrected"}, SETTINGS, tmp_path)
    with pytest.raises(
        ModelError, match=r"kurita2019 needs a masked language model, and .* is loaded as causal"
    ):
        cells.scores(cell)


def test_effect_sizes_say_which_test_they_are_of(tmp_path):
    names = [one.published_words for one in TABLE_3]
    words = {word for test in weat(names).tests for one in test.sets for word in one.words}
    dice = np.random.default_rng(0)
    vectors = tmp_path / "vectors" / "random.txt"
    vectors.parent.mkdir()
    vectors.write_text(
        "".join(f"{word} {' '.join(map(str, dice.normal(size=5)))}\n" for word in sorted(words))
    )
    with using_data(tmp_path):
        found = cells.weat_vectors(Cell("weat_vectors", {"vectors": "random.txt"}, SETTINGS, tmp_path))
    rows = pd.DataFrame(found["rows"])
    assert rows.test.tolist() == names
    assert rows.key.tolist() == [f"d.{name}" for name in names]
    assert table3_of(rows.assign(step="weat_vectors"), tmp_path, "WEAT, GloVe") == rows.value.tolist()


def test_corrected_table_3_has_the_effect_size_that_was_tested(tmp_path):
    numbers = dict.fromkeys(("ci_low", "ci_high", "p_value", "effect_size", "smallest_detectable"), 0.5)
    rows = pd.DataFrame(
        [
            {"variant": variant, "test": "math/arts", "key": f"{statistic}.math_arts", "value": value, "n": 9}
            for variant, statistic, value in (
                ("corrected", "d", 1.0),
                ("corrected", "d_sentences", 2.0),
                ("published", "d_sentences", 3.0),
            )
        ]
    ).assign(step="scores", model="builtin", group="", statistic="", **numbers)
    assert table3_of(rows, tmp_path, "log probability bias score") == [1.0, 3.0]
    [chart] = [one for one in Findings.read(tmp_path).charts if one.name == "scores"]
    assert [record["value"] for record in chart.records] == [1.0]


def table3_of(rows, folder, column):
    """The measured numbers in a column of table 3, as the page made of these rows has them."""
    gather(FinishedStudy(folder, rows, []))
    [table] = [one for one in Findings.read(folder).tables if one.name == "table3"]
    return [row[3] for row in table.rows if row[0].endswith(f": {column}")]


def test_vectors_that_are_not_at_hand(tmp_path):
    with pytest.raises(LeftOut, match=r"needs vectors/glove.840B.300d.txt in the data folder"):
        cells.weat_vectors(Cell("weat_vectors", {"vectors": "glove.840B.300d.txt"}, SETTINGS, tmp_path))


def test_a_model_that_can_read_no_passage(data_file, tmp_path):
    data_file("gap/gap-development.tsv")
    folder = tiny.save("bert", tmp_path / "model")  # it takes 80 tokens
    cell = Cell(
        "mentions", {"model": str(folder), "passages": "development"}, {**SETTINGS, "at_most": 1}, tmp_path
    )
    with pytest.raises(ModelError, match="can read no passage of GAP: the text has"):
        cells.mentions(cell)


def test_the_file_of_the_study():
    study, _ = read_study("kurita2019")
    assert study.at("smoke").factors["model"] == ["builtin"]
    assert study.at("paper").factors["model"] == ["bert-base-uncased"]
    assert study.steps_for(("table4",)) == {"mentions", "resolve", "table4"}
    assert {study.steps[step].version for step in ("mentions", "resolve")} == {
        1
    }  # what takes long stays done
