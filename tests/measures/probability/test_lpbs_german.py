"""German associations worked out a second time, and models taught grammar alone or grammar and a stereotype."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import stats as scipy_stats

import brute
import counterpoise as cp
import tiny
from counterpoise.audit import request
from counterpoise.core.errors import DataError
from counterpoise.measures.base.catalogue import find_measure
from counterpoise.measures.base.source import observe
from counterpoise.measures.probability.lpbs_german import contrast

TAUGHT = np.log(0.95 / 0.05)  # how far apart a taught model holds its pronouns
PROFESSIONS = ["mason", "registered nurse", "judge"]


def rows_of(*professions, pairs=(0, 1), variant="corrected"):
    rows = cp.data.becpro_both_forms(variant)
    return rows[rows.profession_en.isin(professions) & rows["pair"].isin(pairs)].reset_index(drop=True)


def german(folder, kind="german-bert"):
    return cp.load(tiny.save(kind, folder))


@pytest.fixture(scope="module")
def lm(tmp_path_factory):
    return german(tmp_path_factory.mktemp("german"))


@pytest.fixture(scope="module")
def result(lm):
    return cp.measures.lpbs_german(lm, rows_of(*PROFESSIONS))


def value(result, statistic, group="all"):
    rows = result.summary[
        result.summary.statistic.str.startswith(statistic) & (result.summary.group == group)
    ]
    return rows.value.item()


@pytest.mark.parametrize("kind", ["german-bert", "german-roberta"])
@pytest.mark.parametrize("variant", ["corrected", "published"])
def test_association_equals_two_forward_passes(kind, variant, tmp_path):
    lm = german(tmp_path, kind)
    items = cp.measures.lpbs_german(lm, rows_of(*PROFESSIONS, variant=variant), variant=variant).items
    assert len(items) == 3 * 5 * 2 * 4
    for row in items[::7].itertuples():
        pieces = len(lm.tokenizer.tokenize(" " + row.profession))
        masks = pieces if variant == "corrected" else len(row.profession.split())
        hidden = row.target_masked.replace(row.profession, " ".join(["[MASK]"] * masks))
        expected = brute.word_log_probability(lm, row.target_masked, row.person)
        expected -= brute.word_log_probability(lm, hidden, row.person)
        assert row.association == pytest.approx(expected, abs=1e-4)


def test_rows_are_plain_means_of_the_four_cells(result):
    means = result.items.pivot_table("association", index="profession_en", columns=["gender", "form"])
    mm, mf = means["male", "male"], means["male", "female"]
    fm, ff = means["female", "male"], means["female", "female"]
    remainder = (mm - fm) / 2 + (mf - ff) / 2
    assert value(result, "remainder") == pytest.approx(remainder.mean())
    assert value(result, "mean |remainder|") == pytest.approx(remainder.abs().mean())
    assert value(result, "agreement") == pytest.approx(((mm - mf) / 2 + (ff - fm) / 2).mean())
    assert value(result, "form") == pytest.approx(((mm - mf) / 2 - (ff - fm) / 2).mean())
    assert value(result, "mean association of male", "male professions") == pytest.approx(mm["mason"])
    assert value(result, "mean association of female", "balanced professions") == pytest.approx(ff["judge"])
    assert value(result, "male - female", "female professions") == pytest.approx(
        (mm - ff)["registered nurse"]
    )
    words = result.summary[result.summary.level == "word"].set_index("group").value
    assert words.to_dict() == pytest.approx(remainder.to_dict())


def test_published_difference_is_remainder_and_form(result):
    """What the paper compares has grammar in it: a(m, m) - a(f, f) = remainder + form."""
    total = value(result, "remainder") + value(result, "form")
    assert np.mean(
        [value(result, "male - female", f"{g} professions") for g in ("male", "female", "balanced")]
    ) == (pytest.approx(total))


def test_grammar_is_warned_of(result):
    assert "grammatical gender hides social gender" in result.warnings[0]


def test_published_test_is_wilcoxons_over_sentence_pairs(lm):
    rows = rows_of(*PROFESSIONS, variant="published")
    result = cp.measures.lpbs_german(lm, rows, variant="published")
    masons = result.items[
        (result.items.profession_en == "mason") & (result.items.form == result.items.gender)
    ]
    paired = masons.pivot_table(index=["template", "pair"], columns="gender", values="association")
    test = scipy_stats.wilcoxon(paired.female - paired.male, alternative="two-sided")
    group = result.summary[result.summary.group == "male professions"].set_index("statistic")
    assert group.p_value["male - female association"] == pytest.approx(test.pvalue)
    assert min(group.value["Wilcoxon V, female - male"], 55 - group.value["Wilcoxon V, female - male"]) == (
        test.statistic
    )


def cells(association):
    """Items with a given association of person gender g, form f and profession number i, in both groups."""
    return pd.DataFrame(
        {
            "group": group,
            "profession_en": f"{group} {i}",
            "template": template,
            "pair": pair,
            "gender": gender,
            "form": form,
            "association": association(gender, form, group) + noise,
        }
        for (group, i, template, pair), noise in zip(
            itertools.product(("male", "female"), range(6), "ab", (0, 1)),
            np.random.default_rng(0).normal(size=48),  # what a sentence does to all four alike
            strict=True,
        )
        for gender, form in itertools.product(("male", "female"), repeat=2)
    )


@pytest.mark.parametrize(
    ("association", "remainder", "agreement", "form", "difference"),
    [
        (lambda g, f, _: 2.0 * (g == f), 0.0, 2.0, 0.0, 0.0),  # agreement alone
        (lambda g, f, _: 1.5 * (f == "female"), 0.0, 0.0, -1.5, -1.5),  # the marked form raises everyone
        (lambda g, f, _: 0.7 * (g == "male"), 0.7, 0.0, 0.0, 0.7),  # social gender alone
        (lambda g, f, _: 2.0 * (g == f) + 1.5 * (f == "female") + 0.7 * (g == "male"), 0.7, 2.0, -1.5, -0.8),
    ],
)
def test_what_each_contrast_sees(association, remainder, agreement, form, difference):
    items = cells(association)
    expected = {"remainder": remainder, "agreement": agreement, "form": form, "difference": difference}
    for name, number in expected.items():
        found = observe(items, "association", contrast(name)).numbers
        assert found.to_numpy() == pytest.approx(np.full(48, number)), name


def taught(folder, rows, says_male, steps=800):
    """A small model taught which pronoun a profession has, 95 to 5; without a profession, 50 to 50."""
    lm = german(folder)
    he, she = (lm.tokenizer.convert_tokens_to_ids(word) for word in ("Er", "Sie"))
    shown = lm.tokenizer(rows.target_masked.tolist(), padding=True, return_tensors="pt")
    hidden = lm.tokenizer(
        [
            text.replace(word, lm.masked(word))
            for text, word in zip(rows.target_masked, rows.profession, strict=True)
        ],
        padding=True,
        return_tensors="pt",
    )
    ids = torch.cat([shown["input_ids"], hidden["input_ids"]])
    attention = torch.cat([shown["attention_mask"], hidden["attention_mask"]])
    male = torch.cat([torch.tensor(says_male, dtype=torch.float), torch.full((len(rows),), 0.5)])
    chance = torch.zeros(len(ids), len(lm.tokenizer))
    chance[:, he], chance[:, she] = 0.05 + 0.9 * male, 0.95 - 0.9 * male
    optimizer = torch.optim.AdamW(lm.model.requires_grad_(True).parameters(), lr=6e-3)
    slower = torch.optim.lr_scheduler.LinearLR(optimizer, 1, 0, steps)  # to end where it is taught to
    drawn = torch.Generator().manual_seed(0)
    for _ in range(steps):
        some = torch.randint(len(ids), (48,), generator=drawn)
        logits = lm.model(input_ids=ids[some], attention_mask=attention[some]).logits[:, 1]
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(logits, chance[some]).backward()
        optimizer.step()
        slower.step()
    lm.model.requires_grad_(False)
    return lm


@pytest.fixture(scope="module")
def pronoun_rows():
    rows = cp.data.becpro_both_forms()
    return rows[(rows["pair"] == 0) & rows.template.str.contains("ist|arbeitet")].reset_index(drop=True)


@pytest.fixture(scope="module")
def small_start():
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(tiny.SHAPE, "initializer_range", 0.2)
        yield


@pytest.mark.slow
def test_a_model_that_learnt_agreement_alone_has_no_remainder(pronoun_rows, small_start, tmp_path):
    lm = taught(tmp_path, pronoun_rows, pronoun_rows.form == "male")
    result = cp.measures.lpbs_german(lm, pronoun_rows)
    assert value(result, "agreement") == pytest.approx(TAUGHT, abs=0.05)
    assert value(result, "remainder") == pytest.approx(0, abs=0.05)
    words = result.summary[result.summary.level == "word"]
    assert len(words) == 60
    assert words.value.abs().max() < 0.25


@pytest.mark.slow
def test_a_model_that_learnt_a_stereotype_too_has_one(pronoun_rows, small_start, tmp_path):
    """Agreement decides in balanced professions; in the others men and women are whom the stereotype expects."""
    stereotype = pronoun_rows.group.map({"male": True, "female": False}).fillna(pronoun_rows.form == "male")
    lm = taught(tmp_path, pronoun_rows, stereotype.astype(bool))
    result = cp.measures.lpbs_german(lm, pronoun_rows)
    for group, expected in (("male", TAUGHT), ("female", -TAUGHT), ("balanced", 0)):
        assert value(result, "remainder", f"{group} professions") == pytest.approx(expected, abs=0.1)
        agreement = TAUGHT - abs(expected)
        assert value(result, "agreement", f"{group} professions") == pytest.approx(agreement, abs=0.1)
    assert value(result, "Spearman") < -0.8


def test_an_english_model_is_told_apart(builtin):
    with pytest.raises(
        DataError, match="needs a model that reads German: of 18 person words builtin has 5 as whole"
    ):
        cp.measures.lpbs_german(builtin)


@pytest.mark.slow
def test_an_audit_leaves_it_out_with_the_reason(tmp_path, monkeypatch):
    two = [find_measure(name) for name in ("lpbs_german", "ppd")]
    monkeypatch.setattr(request, "suite_measures", lambda suite: two)
    audit = cp.audit(cp.load(tiny.save("bert", tmp_path)), suite="full")
    assert list(audit.results) == ["ppd"]
    assert audit.left_out["lpbs_german"].startswith("needs a model that reads German")


def test_incomplete_tables_are_named(lm):
    rows = rows_of("mason", "judge", pairs=(0,)).drop(index=0)
    result = cp.measures.lpbs_german(lm, rows)
    assert (
        result.skipped.reason.tolist()
        == ["only 3 of the 4 versions (both persons, both forms) could be scored"] * 3
    )
    assert len(result.items) == 36


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows.drop(columns="form"), "the data lack the column 'form'"),
        (lambda rows: rows.iloc[:0], "there are no sentences"),
        (lambda rows: rows[rows.form == rows.gender], "both person words and both forms"),
    ],
)
def test_bad_data(lm, change, message):
    with pytest.raises(DataError, match=message):
        cp.measures.lpbs_german(lm, change(rows_of("mason", pairs=(0,))))


def test_lpbs_sends_german_here(builtin):
    with pytest.raises(DataError, match="measure them with lpbs_german"):
        cp.measures.lpbs(builtin, cp.data.becpro("de"))
