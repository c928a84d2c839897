"""The cells one after another with tiny models and one pair of person words, and the page made of them."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import tiny
from counterpoise.core.errors import DataError, ModelError
from counterpoise.report.study_page import write_study_page
from counterpoise.studies.engine.cells import Cell, FinishedCell, FinishedStudy, LeftOut, MissingCell
from counterpoise.studies.engine.study import read_study
from counterpoise.studies.papers.bartl2020 import cells
from counterpoise.studies.papers.bartl2020.page import gather
from counterpoise.studies.papers.bartl2020.swap_effects import swap_effects
from counterpoise.studies.replication.findings import Findings
from counterpoise.studies.replication.study_table import rows_of
from finished_cells import table_of

pytestmark = pytest.mark.slow

SIDES = ("published", "corrected")
CORRECTED = {"variant": "corrected", "recipe": "corrected"}
SENTENCE = ["group", "profession", "template", "pair", "gender"]
SEED = (
    43  # its sample has no sentence of more than 64 words; filled up to 128, a tiny model could not read it
)


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    german = tiny.save("german-bert", tmp_path_factory.mktemp("german") / "model")
    return {
        "device": "cpu", "pairs": 1, "passages": 12, "epochs": 1, "batch_size": 8, "german": str(german),
    }  # fmt: skip


@pytest.fixture(scope="module")
def done(data_file, settings, tmp_path_factory):
    """Finished cells by step."""
    data_file("bec-pro/gap_flipped.tsv.xz")
    model = str(tiny.save("bert", tmp_path_factory.mktemp("bert") / "model"))
    finished = {}

    def carry_out(step, factors):
        folder = tmp_path_factory.mktemp(step)
        needs = {
            name: [
                one
                for one in some
                if all(factors.get(key, value) == value for key, value in one.factors.items())
            ]
            for name, some in finished.items()
        }
        result = getattr(cells, step)(Cell(step, factors, settings, folder, needs))
        finished.setdefault(step, []).append(FinishedCell(factors, result, folder))

    carry_out("construct", {"language": "en"})
    for variant in SIDES:
        carry_out("before", {"model": model, "variant": variant})
        carry_out("tune", {"model": model, "recipe": variant, "seed": SEED})
        carry_out("german", {"variant": variant})
    carry_out("tune", {"model": model, "recipe": "control", "seed": SEED})
    for variant in SIDES:
        for recipe in (*SIDES, "control"):
            carry_out("after", {"model": model, "recipe": recipe, "seed": SEED, "variant": variant})
    return finished


@pytest.fixture(scope="module")
def table(done):
    return table_of(done)


def only(table, **wanted):
    for column, value in wanted.items():
        table = table[table[column] == value]
    return table


def test_rows_carry_interval_test_and_size(table):
    rows = table[table.statistic.isin(["association", "change"])]
    assert rows[["ci_low", "ci_high", "p_value", "effect_size", "smallest_detectable"]].notna().all().all()
    assert set(rows.clusters) == {20}
    assert set(rows.n) == {100}  # 20 professions, 5 templates, one pair


def test_every_row_of_a_measuring_cell_has_a_key_of_its_own(done):
    for step in ("before", "after", "german"):
        for cell in done[step]:
            keys = [row["key"] for row in cell.result["rows"]]
            assert len(keys) == len(set(keys))
    [row] = [row for row in done["before"][0].result["rows"] if row["key"] == "association_difference.male"]
    assert (row["group"], row["person"], row["statistic"]) == ("male", "male - female", "association")


def test_means_are_those_of_the_items(done, table):
    before = next(one for one in done["before"] if one.factors["variant"] == "corrected")
    items = pd.read_parquet(before.folder / "associations.parquet")
    expected = items.groupby(["group", "gender"]).association.mean()
    rows = only(table, step="before", variant="corrected", statistic="association")
    for (group, gender), mean in expected.items():
        assert only(rows, group=group, person=gender).value.item() == pytest.approx(mean)
    male, female = expected["male", "male"], expected["male", "female"]
    assert only(rows, group="male", person="male - female").value.item() == pytest.approx(male - female)


def test_standard_deviations_and_p_are_those_of_the_sentences(done, table):
    for step, change in (("before", "association"), ("after", "change")):
        cell = next(
            one for one in done[step] if CORRECTED.items() <= ({"recipe": "corrected"} | one.factors).items()
        )
        items = pd.read_parquet(cell.folder / "associations.parquet").set_index(SENTENCE).association
        if step == "after":
            first = next(one for one in done["before"] if one.factors["variant"] == "corrected")
            items -= pd.read_parquet(first.folder / "associations.parquet").set_index(SENTENCE).association
        rows = only(table, step=step, variant="corrected")
        rows = rows if step == "before" else only(rows, recipe=cell.factors["recipe"])
        for group in ("male", "female", "balanced"):
            genders = items.loc[group].reset_index().pivot_table("association", SENTENCE[1:-1], "gender")
            for person in ("male", "female"):
                row = only(rows, statistic=f"standard deviation of {change}", group=group, person=person)
                assert row.value.item() == pytest.approx(np.std(genders[person], ddof=1))
                assert row.n.item() == 100
            test = stats.wilcoxon(genders.female, genders.male, method="asymptotic", correction=False)
            assert only(rows, statistic=f"Wilcoxon p of {change}", group=group).value.item() == pytest.approx(
                test.pvalue
            )


def test_swap_minus_control_is_a_t_test_over_professions(done, table):
    """From the sentences of the two trained models, by scipy."""
    means = {
        cell.factors["recipe"]: pd.read_parquet(cell.folder / "associations.parquet").pivot_table(
            "association", ["group", "profession"], "gender"
        )
        for cell in done["after"]
        if cell.factors["variant"] == "corrected"
    }
    effects = swap_effects(table)
    assert set(effects.recipe) == {"corrected", "published"}  # no model was trained on the inverted passages
    for row in rows_of(effects, variant="corrected"):
        difference = (means[row.recipe] - means["control"]).loc[row.group]
        values = (
            difference.male - difference.female if row.person == "male - female" else difference[row.person]
        )
        test = stats.ttest_rel(values, 0 * values)
        assert row.value == pytest.approx(values.mean())
        assert row.p_value == pytest.approx(test.pvalue)
        assert (row.professions, row.seeds) == (20, 1)


def test_change_is_post_minus_pre(table):
    for group in ("male", "female", "balanced"):
        for person in ("male", "female", "male - female"):
            of = {"variant": "published", "group": group, "person": person}
            pre = only(table, step="before", statistic="association", **of).value.item()
            after = only(table, step="after", recipe="published", **of)
            post = only(after, statistic="association").value.item()
            assert only(after, statistic="change").value.item() == pytest.approx(post - pre)
    assert only(table, step="after", statistic="change").value.abs().max() > 0


def test_what_was_trained_on(table):
    trained = table[table.step == "tune"].set_index("recipe")
    assert set(trained.texts) == {12}
    assert trained.texts_swapped["published"] == 12
    assert trained.texts_swapped["corrected"] < 12


def test_the_page(table, tmp_path):
    missing = [MissingCell("swap", {}, "GAP is not at hand")]
    gather(FinishedStudy(tmp_path, table, missing, {"passages": 12, "epochs": 1}))
    found = Findings.read(tmp_path)
    tables = {one.name: one for one in found.tables}
    assert list(tables) == [
        "printed", "construction", "table4", "variants", "recipes", "swap_effects", "workforce", "table5", "table6",
        "left_out",
    ]  # fmt: skip
    # Three groups: two genders with pre, post and change, three differences, V, r and p; published and corrected.
    assert len(tables["table4"].rows) == 3 * (6 + 3 + 3) * 2
    for key, correlations in zip(
        ("spearman", "spearman.within_groups"), tables["variants"].rows[-2:], strict=True
    ):
        spearman = only(table, step="before", key=key).set_index("variant").value
        assert correlations[3:] == [spearman["corrected"], None, None, spearman["published"]]
    # Two variants, two recipes beside the control, three groups, female, male and their difference.
    assert len(tables["swap_effects"].rows) == 2 * 2 * 3 * 3
    # All, three groups, and within them; before and after; two variants.
    assert len(tables["workforce"].rows) == 5 * 2 * 2
    # Mean and standard deviation of two genders, their difference, V, r and p; two variants. Without grammar: three
    # groups, and pronouns alone.
    assert len(tables["table5"].rows) == 3 * (4 + 1 + 3) * 2 + 4
    verdicts = {(row[0], row[1]): row[-1] for row in tables["table4"].rows}
    assert verdicts["balanced professions, female words: pre", "published"] == "differs: another model"
    assert verdicts["balanced professions, male - female: pre", "corrected"] == "not printed"
    # A number of the small random model may be the printed one by chance.
    assert {row[-1] for row in tables["table5"].rows} - {"agrees: another model"} == {
        "differs: another model",
        "not printed",
    }
    assert [one.name for one in found.charts] == [
        f"figure{number}_{side}" for number in (3, 4, 5, 6) for side in SIDES
    ]
    assert [one.question.split(":")[0] for one in found.answers] == ["H1", "H2", "H3", "RQ2", "RQ3", "RQ4"]
    assert all(answer.verdict.endswith(".") for answer in found.answers)
    assert "confirmed" in found.answers[0].measured
    assert "Each recipe was trained with one seed" in found.answers[3].measured
    assert any("trained once (seed 43)" in note for note in found.notes)


def test_no_number_of_the_page_reads_as_zero_or_nan(table, tmp_path):
    gather(FinishedStudy(tmp_path, table, []))
    write_study_page(tmp_path)
    text = (tmp_path / "study.md").read_text(encoding="utf-8")
    assert not re.findall(r"\bnan\b|[ |\[(+-]-?0?\.0+[] |,;)]", text)


def test_figures_are_ordered_by_the_change(table, tmp_path):
    gather(FinishedStudy(tmp_path, table, []))
    [chart] = [one for one in Findings.read(tmp_path).charts if one.name == "figure4_corrected"]
    bars = pd.DataFrame(chart.records)
    wide = bars.pivot_table(index="word", columns=["group", "run"], values="value", sort=False)
    change = (wide["after fine-tuning"] - wide["before fine-tuning"]).abs().mean(axis=1)
    assert len(change) == 20
    assert change.is_monotonic_decreasing


def test_a_part_alone(table, tmp_path):
    gather(FinishedStudy(tmp_path, only(table, step="german"), [], only=["table5", "figure6"]))
    found = Findings.read(tmp_path)
    assert [one.name for one in found.tables] == ["printed", "table5"]
    assert [one.name for one in found.charts] == ["figure6_published", "figure6_corrected"]


def test_nothing_measured(tmp_path):
    gather(FinishedStudy(tmp_path, pd.DataFrame(), [MissingCell("german", {}, "needs a German model")]))
    tables = {one.name: one for one in Findings.read(tmp_path).tables}
    printed = [row for row in tables["table5"].rows if row[3] is not None]
    assert {row[-1] for row in printed} == {"not reproducible: no German model is at hand"}
    assert [row[3] for row in printed if "standard deviation" in row[0]] == [
        2.4,
        2.06,
        2.45,
        2.09,
        2.46,
        2.15,
    ]
    assert [row[3] for row in printed if "Wilcoxon p" in row[0]] == [2e-16] * 3


def test_without_a_german_model(settings, tmp_path):
    cell = Cell("german", {"variant": "published"}, {**settings, "german": None}, tmp_path)
    with pytest.raises(LeftOut, match="need a German model: name one with --set german="):
        cells.german(cell)


def test_an_english_model_for_german(settings, tmp_path):
    cell = Cell("german", {"variant": "published"}, {**settings, "german": "builtin"}, tmp_path)
    with pytest.raises(DataError, match="needs a model that reads German"):
        cells.german(cell)


def test_a_model_that_the_study_is_not_meant_for(settings, tmp_path):
    folder = tiny.save("gpt2", tmp_path / "model")
    for step, factors in (
        ("before", {"variant": "corrected"}),
        ("tune", {"recipe": "corrected", "seed": 42}),
    ):
        cell = Cell(step, {"model": str(folder), **factors}, settings, tmp_path)
        with pytest.raises(
            ModelError, match=r"bartl2020 needs a masked language model, and .* is loaded as causal"
        ):
            getattr(cells, step)(cell)


def test_the_file_of_the_study():
    study, _ = read_study("bartl2020")
    smoke, paper = study.at("smoke"), study.at("paper")
    assert (smoke.factors["model"], smoke.settings["german"]) == (["builtin"], None)
    assert (paper.factors["model"], paper.settings["german"]) == (
        ["bert-base-uncased"],
        "dbmdz/bert-base-german-cased",
    )
    assert study.steps_for(("table4",)) == {"before", "tune", "after"}
    assert study.steps["tune"].version == 1  # what takes long stays done


def test_two_models_are_answered_for_each(table, tmp_path):
    other = table.assign(model=table.model.where(table.model.isna(), "another"))
    gather(FinishedStudy(tmp_path, pd.concat([table, other], ignore_index=True), []))
    found = Findings.read(tmp_path).answers
    for answer in found[:3]:
        assert "corrected, another:" in answer.measured
    for answer in found[3:5]:
        assert "another: " in answer.measured


def test_trainings_with_several_seeds_are_told_apart(table, tmp_path):
    other = only(table, step="after").assign(seed=SEED + 1)
    gather(FinishedStudy(tmp_path, pd.concat([table, other], ignore_index=True), []))
    found = Findings.read(tmp_path)
    tables = {one.name: one for one in found.tables}
    names = [row[0] for row in tables["table4"].rows]
    assert "male professions, male words: change (seed 43)" in names
    assert "male professions, male words: change (seed 44)" in names
    assert {row[-2] for row in tables["swap_effects"].rows} == {2}  # trainings
    assert "corrected, seed 43 of 2 seeds:" in found.answers[0].measured
    assert "Over 2 training runs of each recipe" in found.answers[3].measured
    assert "After it (seed 44)" in found.answers[4].measured
    assert not any("trained once" in note for note in found.notes)
