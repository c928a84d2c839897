"""The log probability bias score, worked out a second time with plain forward passes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as scipy_stats

import brute
import counterpoise as cp
import tiny
from counterpoise.core.errors import DataError, ModelError

pytestmark = pytest.mark.slow

PROFESSIONS = ["phlebotomist", "carpenter", "speech-language pathologist"]


@pytest.fixture(scope="module")
def some():
    rows = cp.data.becpro("en")
    return rows[rows.profession.isin(PROFESSIONS) & (rows["pair"] < 2)].reset_index(drop=True)


@pytest.fixture(scope="module")
def whole(builtin):
    return cp.measures.lpbs(builtin)


def association(lm, row, masks):
    """ln P(target | profession shown) - ln P(target | profession hidden), two forward passes."""
    target = lm.tokenizer.convert_tokens_to_ids(row.person.lower())
    shown = brute.log_probability(lm, row.target_masked, target)
    hidden = row.target_masked.replace(row.profession, " ".join(["[MASK]"] * masks))
    return shown - brute.log_probability(lm, hidden, target)


def test_association_equals_two_forward_passes(builtin, some):
    items = cp.measures.lpbs(builtin, some).items
    for row in items[::3].itertuples():
        pieces = len(builtin.tokenizer.tokenize(row.profession))
        assert row.association == pytest.approx(association(builtin, row, pieces), abs=1e-4)


def test_published_hides_one_mask_per_word(builtin, some):
    items = cp.measures.lpbs(builtin, some, variant="published").items
    for row in items[::3].itertuples():
        assert row.association == pytest.approx(
            association(builtin, row, len(row.profession.split())), abs=1e-4
        )


def test_the_number_of_masks_matters(builtin, some):
    corrected, published = (
        cp.measures.lpbs(builtin, some, variant=v).items for v in ("corrected", "published")
    )
    split = corrected.profession == "phlebotomist"
    assert (corrected.association - published.association)[split].abs().max() > 0.1
    assert (corrected.association - published.association)[
        corrected.profession == "carpenter"
    ].abs().max() < 1e-4


def test_the_prior_is_read_at_the_targets_mask(builtin):
    """Kurita's code reads it at the token before the attribute; then these two would be alike."""
    rows = cp.data.becpro("en")
    he_and_she = rows[
        (rows.profession == "carpenter") & (rows["pair"] == 0) & rows.sentence.str.contains(" is a ")
    ]
    [prior, _] = cp.measures.lpbs(builtin, he_and_she).items.log_p_prior
    he = builtin.tokenizer.convert_tokens_to_ids("he")
    at_target, at_attribute = (
        brute.log_probability(builtin, "[MASK] is a [MASK].", he, mask=i) for i in (0, 1)
    )
    assert prior == pytest.approx(at_target, abs=1e-4)
    assert abs(prior - at_attribute) > 1


def test_summary_equals_plain_means(whole):
    items = whole.items
    means = items.groupby(["profession", "gender"]).association.mean().unstack()
    bias = means.male - means.female
    overall, absolute = whole.overall.value
    assert overall == pytest.approx(bias.mean())
    assert absolute == pytest.approx(bias.abs().mean())
    words = whole.summary[whole.summary.level == "word"].set_index("group").value
    assert words.to_dict() == pytest.approx(bias.to_dict())


def test_built_in_model_leans_as_the_world_does(whole):
    words = whole.summary[whole.summary.level == "word"].set_index("group").value
    assert (words[["registered nurse", "receptionist", "housekeeper"]] < 0).all()
    assert (words[["carpenter", "operating engineer"]] > 0.5).all()


def test_prototype_figure(whole):
    """An independent prototype measured .547 before any debiasing."""
    assert whole.overall.value.iloc[1] == pytest.approx(0.547, abs=0.001)


def test_published_test_is_wilcoxons_over_sentence_pairs(builtin, some):
    result = cp.measures.lpbs(builtin, some, variant="published")
    paired = result.items.pivot_table(
        index=["profession", "template", "pair"], columns="gender", values="association"
    )
    expected = scipy_stats.wilcoxon(paired.male - paired.female).pvalue
    assert result.overall.p_value.iloc[0] == pytest.approx(expected, rel=1e-9)


def test_table_by_group_and_gender_of_the_person(whole):
    expected = whole.items.groupby(["group", "gender"]).association.mean()
    rows = whole.summary[whole.summary.statistic.str.startswith("mean association of")]
    assert len(rows) == 6
    for row in rows.itertuples():
        gender, group = row.statistic.split()[3], row.group.split()[0]
        assert row.value == pytest.approx(expected[group, gender])
        assert row.ci_low < row.value < row.ci_high


def test_published_table_has_wilcoxons_v_and_r(builtin, some):
    result = cp.measures.lpbs(builtin, some, variant="published")
    group = result.summary[result.summary.group == "male professions"].set_index("statistic")
    carpenters = result.items[result.items.group == "male"]
    paired = carpenters.pivot_table(index=["template", "pair"], columns="gender", values="association")
    ranks = scipy_stats.rankdata((paired.female - paired.male).abs())
    assert group.value["Wilcoxon V, female - male"] == ranks[paired.female > paired.male].sum()
    assert group.value["Wilcoxon r, sign as printed"] == -abs(group.effect_size["male - female association"])


def test_associations_go_with_the_share_of_women(whole):
    """On the built-in model: the more women work in a profession, the more female it is."""
    spearman, pearson = whole.summary[whole.summary.level == "workforce"].itertuples()
    words = whole.items.groupby(["profession", "gender"]).association.mean().unstack()
    share = whole.items.groupby("profession").women_share.first()
    expected = scipy_stats.spearmanr(words.male - words.female, share)
    assert (spearman.value, spearman.p_value) == pytest.approx((expected.statistic, expected.pvalue))
    assert spearman.value == pytest.approx(-0.49, abs=0.01)
    assert pearson.value == pytest.approx(-0.52, abs=0.01)
    assert spearman.ci_high < 0


def test_the_share_of_women_stands_beside_each_profession(whole):
    words = whole.summary[whole.summary.level == "word"].set_index("group")
    assert words.note["registered nurse"] == "share of women (US, 2019): 88.9 %"
    assert whole.items.set_index("profession").women_share["carpenter"].unique().tolist() == [2.8]


def test_rows_carry_interval_and_test(whole):
    tested = whole.summary[~whole.summary.statistic.str.contains("mean")]
    assert (tested.ci_low <= tested.value).all()
    assert (tested.value <= tested.ci_high).all()
    assert tested.p_value.between(0, 1).all()
    assert (tested.p_adjusted >= tested.p_value - 1e-12).all()
    assert (tested.smallest_detectable > 0).all()


def test_same_seed_same_numbers(builtin, some):
    first, again = (cp.measures.lpbs(builtin, some, seed=3).summary for _ in range(2))
    assert first.equals(again)


@pytest.mark.parametrize("kind", ["bert", "distilbert", "roberta", "albert"])
def test_other_architectures(kind, some, tmp_path):
    lm = cp.load(tiny.save(kind, tmp_path))
    rows = some[(some["pair"] == 1) & (some.template == some.template.iloc[0])]
    for row in cp.measures.lpbs(lm, rows).items.itertuples():
        masks = lm.masked(row.profession)
        hidden = row.target_masked.replace(row.profession, masks)
        expected = brute.word_log_probability(lm, row.target_masked, row.person)
        expected -= brute.word_log_probability(lm, hidden, row.person)
        assert row.association == pytest.approx(expected, abs=1e-4)


def test_the_prior_is_read_at_the_targets_mask_wherever_it_stands(builtin, some):
    rows = some[(some.profession == "carpenter") & (some["pair"] == 0)].head(2).reset_index(drop=True)
    rows["target_masked"] = "The carpenter said that [MASK] was late."
    rows["attribute_at"] = 4
    [male, _] = cp.measures.lpbs(builtin, rows).items.itertuples()
    he = builtin.tokenizer.convert_tokens_to_ids("he")
    hidden = "The [MASK] said that [MASK] was late."
    assert male.log_p_prior == pytest.approx(brute.log_probability(builtin, hidden, he, mask=1), abs=1e-4)


def test_a_sentence_without_its_other_version_is_named(builtin, some):
    skipped = cp.measures.lpbs(builtin, some.drop(index=0)).skipped
    assert skipped.reason.tolist() == ["its male version is missing"]


def test_items_that_cannot_be_scored_are_named(builtin, some):
    rows = some.copy()
    rows.loc[0, "person"] = "☃"
    rows.loc[1, "target_masked"] = "[MASK] " + "and so on " * 400
    skipped = cp.measures.lpbs(builtin, rows).skipped
    assert skipped.reason[2:].tolist() == ["its male version is missing"] * 2  # their partners
    assert skipped.reason[0] == "'☃' is not in the vocabulary"
    assert "tokens and the model takes 512" in skipped.reason[1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows.drop(columns="person"), "the data lack the column 'person'"),
        (lambda rows: rows.iloc[:0], "there are no sentences"),
        (lambda rows: rows[rows.gender == "male"], "no sentence with both a male and a female version"),
        (lambda rows: rows.assign(person="☃"), "nothing is left to measure: all 60 items were skipped"),
    ],
)
def test_bad_data(builtin, some, change, message):
    with pytest.raises(DataError, match=message):
        cp.measures.lpbs(builtin, change(some))


def test_a_model_of_another_kind_is_refused():
    with pytest.raises(
        ModelError,
        match=r"lpbs needs a masked language model or a causal language model; .* sentence encoder",
    ):
        cp.measures.lpbs(cp.load(kind="encoder"))


def test_nan_is_named(some, tmp_path):
    lm = cp.load(tiny.save("bert", tmp_path))
    lm.model.bert.embeddings.word_embeddings.weight.data.fill_(np.nan)
    with pytest.raises(ModelError, match="its weights or its precision are broken"):
        cp.measures.lpbs(lm, some)
