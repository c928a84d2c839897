"""Numbers of pronouns, worked out again from the sentences that the cells kept."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

from counterpoise.measures.pronouns.ppd import ppd
from counterpoise.studies.papers.barza2023 import cells
from counterpoise.studies.papers.barza2023.pronoun_scores import read_pronouns, runs_of
from counterpoise.studies.papers.barza2023.reminder_effects import ReminderRuns, effect_rows
from counterpoise.studies.papers.barza2023.training import reminders_to_add
from finished_cells import table_of

pytestmark = pytest.mark.slow


def kept(cell, variant="corrected"):
    table = pd.read_csv(cell.folder / "pronouns.csv", keep_default_na=False)
    return table[table.variant == variant]


def chosen(done, step, **factors):
    return [
        one for one in done[step] if all(one.factors.get(name) == value for name, value in factors.items())
    ]


def appd(found):
    """APPD by word and gender, the mean over templates, then over seeds."""
    means = [kept(one).groupby(["gender", "word"], sort=False).ppd.mean() for one in found]
    return pd.concat(means, axis=1).mean(axis=1)


def test_the_line_of_figure_10_is_that_of_scipy(done):
    """The mean over seeds of the lines of each."""
    before = appd(done["before"])[""]
    fits = [scipy_stats.linregress(before, appd([one])[""][before.index]) for one in done["after"]]
    rows = table_of(done)
    lines = rows[(rows.step == "professions") & (rows.variant == "corrected") & (rows.group == "all")]
    of_all = lines.set_index("statistic").value
    assert of_all["slope"] == pytest.approx(np.mean([fit.slope for fit in fits]))
    assert of_all["intercept"] == pytest.approx(np.mean([fit.intercept for fit in fits]))
    assert of_all["r"] == pytest.approx(np.mean([fit.rvalue for fit in fits]))
    words = rows[(rows.step == "professions") & (rows.statistic == "APPD") & (rows.gender == "")]
    text = " ".join((one.folder / "sentences.txt").read_text().lower() for one in done["after"])
    seen = words[words.seen.astype(bool)].group
    assert len(seen)
    assert all(word in text for word in seen)


def test_the_share_of_the_lean_that_is_kept(done):
    before, after = appd(done["before"]), appd(chosen(done, "after_gap", text="gap"))
    lean = [after["male"].sum() - after["female"].sum(), before["male"].sum() - before["female"].sum()]
    rows = table_of(done)
    swapped = rows[(rows.step == "swapping") & (rows.text == "gap") & (rows.variant == "corrected")]
    [share] = swapped[swapped.statistic == "share of the lean kept"].value
    assert share == pytest.approx(lean[0] / lean[1])


def test_the_change_of_a_word_is_tested_over_templates(done):
    """The templates as printed are asked of one training, so that it is the paired t-test."""
    [before] = done["before"]
    [after] = chosen(done, "after_gap", text="gap", seed=0)
    first, second = (
        table[table.word == "pregnant"].set_index("template").ppd
        for table in (kept(before, "published"), kept(after, "published"))
    )
    rows = table_of(done)
    [row] = rows[
        (rows.step == "swapping")
        & (rows.variant == "published")
        & (rows.group == "pregnant")
        & (rows.compared == "after - before")
    ].itertuples()
    test = scipy_stats.ttest_rel(second, first[second.index])
    assert row.value == pytest.approx((second - first).mean())
    assert row.p_value == pytest.approx(test.pvalue)
    assert (row.ci_low, row.ci_high) == pytest.approx(tuple(test.confidence_interval()))
    assert row.seeds == 1


def test_what_the_swap_itself_did(done):
    swapped, unswapped = (appd(chosen(done, "after_gap", text=text)) for text in ("gap", "gap-unswapped"))
    rows = table_of(done)
    net = rows[(rows.step == "swapping") & (rows.compared == "swapped GAP - unswapped GAP")]
    values = net.set_index("statistic").value
    assert values["mean APPD"] == pytest.approx((swapped[""] - unswapped[""]).mean())
    by_seed = [
        np.abs(kept(one).query("gender == ''").groupby("word").ppd.mean()).mean()
        for text in ("gap", "gap-unswapped")
        for one in chosen(done, "after_gap", text=text)
    ]
    assert values["mean |APPD|"] == pytest.approx(np.mean(by_seed[:2]) - np.mean(by_seed[2:]))
    difference = swapped - unswapped
    towards = [*difference["male"], *-difference["female"]]
    assert values["lean towards the own gender"] == pytest.approx(np.mean(towards))


def test_the_specific_part_of_reminders(done):
    """Reminded minus control, the mean over the word's templates and both seeds."""
    rows = table_of(done)
    effects = rows[(rows.step == "reminded") & rows.compared.notna()].set_index(["group", "compared"])
    runs = {
        wording: chosen(done, "remind", wording=wording, copies=3) for wording in ("bound", "neutral")
    } | {"without": chosen(done, "after_gap", text="gap")}
    levels = {name: appd(found) for name, found in runs.items()}
    for word, gender in (("pregnant", "female"), ("testicles", "male"), ("businessman", "male")):
        reminded, control, without = (levels[name][gender, word] for name in ("bound", "neutral", "without"))
        assert effects.value[word, "reminders - control"] == pytest.approx(reminded - control)
        assert effects.value[word, "reminders - without"] == pytest.approx(reminded - without)
        assert effects.value[word, "control - without"] == pytest.approx(control - without)
    professions = (levels["bound"][""] - levels["neutral"][""]).mean()
    assert effects.value["professions", "reminders - control"] == pytest.approx(professions)
    surgeon = levels["bound"]["", "surgeon"] - levels["neutral"]["", "surgeon"]
    assert effects.value["surgeon", "reminders - control"] == pytest.approx(surgeon)
    others = [word for word in levels["bound"]["female"].index if word != "pregnant"]
    moved = (levels["bound"]["female"] - levels["without"]["female"])[others].mean()
    assert effects.value["other female words", "reminders - without"] == pytest.approx(moved)
    assert effects.value["pregnant", "reminders - control"] != 0


def test_with_one_seed_the_interval_is_over_templates(done):
    one = [
        runs_of({0: read_pronouns(cell.folder)})
        for cell in (
            *chosen(done, "after_gap", text="gap", seed=0),
            *chosen(done, "remind", wording="bound", copies=3, seed=0),
            *chosen(done, "remind", wording="neutral", copies=3, seed=0),
        )
    ]
    rows = effect_rows(ReminderRuns(*one), "pregnant", copies=3)
    [row] = [row for row in rows if (row["group"], row["compared"]) == ("pregnant", "reminders - control")]
    reminded, control = (runs.loc[0].xs("pregnant", level="word") for runs in one[1:])
    test = scipy_stats.ttest_rel(reminded, control)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(tuple(test.confidence_interval()))
    assert row["seeds"] == 1


def test_fewer_reminders_are_shown_without_a_comparison(done):
    rows = table_of(done)
    once = rows[(rows.step == "reminded") & (rows.copies == 1)]
    assert set(once.variant) == {"corrected", "published"}
    assert set(once.group) == {"pregnant"}
    [cell] = chosen(done, "remind", copies=1)
    expected = kept(cell)[kept(cell).word == "pregnant"].ppd.mean()
    assert once[once.variant == "corrected"].value.item() == pytest.approx(expected)


def test_reminders_and_their_control_differ_in_the_word_alone():
    bound, neutral = (
        reminders_to_add("testicles", wording, 20, 3, seed=1) for wording in ("bound", "neutral")
    )
    assert len(bound) == len(neutral) == 60
    for reminder, control in zip(bound, neutral, strict=True):
        assert reminder.replace("testicle", "elbow") == control != reminder


def test_a_word_is_asked_with_its_own_templates(builtin):
    own = ppd(builtin, cells._templates_of("breastfeed", "corrected")).items
    assert set(own.word) == {"breastfeed"}
    assert len(own) == 10
