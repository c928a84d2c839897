"""What is said of a corpus: the fact first, with counts that add up, and no more than the interval allows."""

from __future__ import annotations

import math

import pytest

import counterpoise as cp
from corpora import planted
from counterpoise.corpus.counting.compare import CorpusComparison, measure_corpora
from counterpoise.corpus.counting.count_files import CountSettings
from counterpoise.data.corpus import Corpus
from counterpoise.report.corpus_wording import corpus_findings, difference_findings, share_finding, words_near


def measured(*texts: list[str]) -> CorpusComparison:
    return measure_corpora([Corpus.of(some, name=f"c{n}") for n, some in enumerate(texts)], CountSettings())


def findings(texts: list[str]):
    comparison = measured(texts)
    return corpus_findings("c0", comparison.results["c0"], comparison.totals["c0"])


def uneven(share: float, n: int, seed: int = 0) -> list[str]:
    """Sentences of which a share says he, in an order that has nothing to do with it."""
    import numpy as np

    male = np.random.default_rng(seed).permutation(n) < round(share * n)
    return [
        f"{'He' if is_male else 'She'} saw the {('sea', 'sky', 'sun')[at % 3]}."
        for at, is_male in enumerate(male)
    ]


def test_the_plain_fact_leads():
    lead, *_ = findings(uneven(0.68, 3000))
    assert lead.fact.startswith("68 % of gendered pronouns are male (2,040 of 3,000; 95 % interval 6")
    assert lead.verdict == "uneven"
    # 2,040 male and 960 female: 212.5 to 100
    assert lead.explanation == (
        "There are 212 male pronouns for every 100 female ones, a small effect (by Cohen's convention)."
    )


def test_more_women():
    lead, *_ = findings(uneven(0.2, 3000))
    assert lead.fact.startswith("20 % of gendered pronouns are male (600 of 3,000;")
    assert "400 female pronouns for every 100 male ones, a moderate effect" in lead.explanation


def test_a_negligible_difference_is_called_so_however_significant():
    comparison = measured(uneven(0.53, 20_000))
    row = comparison.results["c0"].summary.query("group == 'pronouns'").iloc[0]
    assert row.p_adjusted < 0.001
    lead, *_ = corpus_findings("c0", comparison.results["c0"], comparison.totals["c0"])
    assert lead.verdict == "negligible"
    assert "the difference is negligible" in lead.explanation


def test_even_and_not_enough_data():
    lead, *_ = findings(uneven(0.5, 3000))
    assert lead.verdict == "even"
    lead, *_ = findings(uneven(0.55, 40))
    assert lead.verdict == "unclear"
    assert lead.label == "Not enough data to tell"
    assert "cannot be told" in lead.explanation


def test_a_text_without_pronouns_leads_with_gendered_words():
    texts = ["The woman saw the sea.", "The man saw the sea.", "The man saw the sky."] * 200
    lead, *others = findings(texts)
    assert lead.fact.startswith(
        "67 % of gendered words (he, woman, father and the like) are male (400 of 600;"
    )
    assert "There are no gendered pronouns in it." in {finding.fact for finding in others}


def test_all_of_one_gender():
    texts = [*uneven(1.0, 300), *["The woman saw the sea."] * 300]
    comparison = measured(texts)
    result = comparison.results["c0"]
    row = result.summary.query("group == 'pronouns'").iloc[0]
    assert math.isnan(row.p_value)  # no block differs from another
    found = share_finding("c0", "pronouns", row.to_dict(), comparison.totals["c0"])
    assert found.verdict == "uneven"
    assert found.fact == "All gendered pronouns are male (300 of them)."
    assert found.explanation.startswith("There is no female pronoun among them, a large effect")


@pytest.mark.parametrize(("log_odds", "verdict"), [(1.5, "bias"), (0.0, "even")])
def test_professions(log_odds, verdict):
    found = findings(planted(log_odds, 8000, 1))[-1]
    assert found.verdict == verdict
    assert "16 professions" in found.fact
    if verdict == "bias":
        times = float(found.fact.split("stands ")[1].split(" times")[0])
        assert times == pytest.approx(math.exp(log_odds), rel=0.15)
        assert "Nearest to men:" in found.explanation


def test_no_bias_where_the_interval_holds_zero():
    comparison = measured(planted(0.4, 500, 1))
    result = comparison.results["c0"]
    row = result.summary.query("key == 'spread.professions' or statistic.str.startswith('spread')").iloc[0]
    assert row.ci_low == 0
    assert corpus_findings("c0", result, comparison.totals["c0"])[-1].verdict in ("unclear", "even")


def test_differences_are_sized_too():
    comparison = measured(uneven(0.75, 3000), uneven(0.5, 3000, 1), uneven(0.51, 3000, 2))
    found = {
        (row.split(" in ")[1].split(",")[0], row.split(" % in ")[1].split(":")[0]): finding.verdict
        for finding in difference_findings(comparison)
        if "pronouns" in (row := finding.fact)
    }
    assert found == {("c0", "c1"): "differs", ("c0", "c2"): "differs", ("c1", "c2"): "alike"}
    fact = difference_findings(comparison)[0].fact
    assert fact.startswith(
        "75.0 % of gendered pronouns are male in c0, and 50.0 % in c1: a difference of 25.0"
    )


def test_words_near_have_no_names_and_no_function_words():
    texts = ["The league paid John and him.", "The ballet paid Mary and her."] * 100
    near = words_near(cp.corpus.measure_corpus(texts).items)
    assert {gender: words.word.tolist() for gender, words in near.items()} == {
        "men": ["league"],
        "women": ["ballet"],
    }
