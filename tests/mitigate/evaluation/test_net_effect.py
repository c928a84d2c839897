"""What is due to swapping: worked out by hand, from scores and from tables, over one seed and several."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as scipy_stats

import proofs
from counterpoise import stats
from counterpoise.core.errors import DataError, InputError
from counterpoise.mitigate.evaluation.net_effect import net_effect
from counterpoise.mitigate.evaluation.scores import APPD, ASSOCIATION


def leans(scores, quantity):
    rows = scores.items[(scores.items.quantity == quantity) & (scores.items.gender == "")]
    return rows.groupby("word", sort=False).value.mean().abs().to_numpy()


@pytest.mark.parametrize("quantity", [ASSOCIATION, APPD])
def test_one_seed_is_a_paired_t_over_professions(quantity):
    base, control, debiased = proofs.three()
    found = net_effect(base, control, debiased, quantity)
    first, middle, last = (leans(one, quantity) for one in (base, control, debiased))
    low, high = scipy_stats.ttest_rel(middle, last).confidence_interval()
    assert found.net.value == pytest.approx((middle - last).mean())
    assert [found.net.low, found.net.high] == pytest.approx([low, high])
    assert found.share.value == pytest.approx(100 * (middle - last).mean() / first.mean())
    assert (found.base, found.control, found.debiased) == pytest.approx(
        (first.mean(), middle.mean(), last.mean())
    )
    # The linearised interval of the share is near that of drawing professions again.
    drawn = stats.bootstrap_ratio(middle - last, first, method="percentile")
    assert [found.share.low, found.share.high] == pytest.approx([100 * drawn.low, 100 * drawn.high], abs=0.4)


def test_the_planted_share_is_found():
    """80 % of the lean is left in the control and 40 % in the debiased model: 40 points are due to swapping."""
    found = net_effect(*proofs.three())
    assert found.share.low < 40 < found.share.high
    # Noise of .02 in either model, over 60 professions.
    half = 2.001 * 100 * 0.02 * np.sqrt(2) / found.base / np.sqrt(60)
    assert (found.share.high - found.share.low) / 2 == pytest.approx(half, rel=0.2)


def test_several_seeds_count_seeds_and_professions():
    base = proofs.three()[0]
    rng = np.random.default_rng(4)
    start = base.items[base.items.quantity == ASSOCIATION].value.to_numpy()
    appd = base.items[(base.items.quantity == APPD) & (base.items.gender == "")].value.to_numpy()[::2]
    controls = [proofs.scores("c", 0.8 * start, appd) for _ in range(3)]
    shares = (0.3, 0.4, 0.5)  # seeds that differ much
    debiased = [proofs.scores("d", share * start + rng.normal(0, 0.01, 60), appd) for share in shares]
    found = net_effect(base, controls, debiased)
    single = net_effect(base, controls[1], debiased[1])
    assert found.n_words == 60
    assert found.share.value == pytest.approx(40, abs=1)
    # Three seeds 10 points apart: the interval is at least that of the t over three values, less rounding.
    of_seeds = scipy_stats.t.ppf(0.975, 2) * 10 / np.sqrt(3)
    assert found.share.high - found.share.value == pytest.approx(of_seeds, rel=0.15)
    assert found.share.high - found.share.low > 10 * (single.share.high - single.share.low)
    table = net_effect(base.items, [one.items for one in controls], [one.items for one in debiased])
    assert table == found


def test_only_what_all_models_have_is_compared():
    base, control, debiased = proofs.three()
    fewer = debiased.items[~debiased.items.word.isin(["profession 3", "profession 4"])]
    assert net_effect(base, control, fewer).n_words == 58


def test_mistakes_are_named():
    base, control, debiased = proofs.three()
    with pytest.raises(InputError, match="2 debiased, 1 controls"):
        net_effect(base, [control], [debiased, debiased])
    with pytest.raises(InputError, match="is empty"):
        net_effect(base, [], [])
    with pytest.raises(DataError, match="share no word"):
        net_effect(base, control, debiased, "nothing")
