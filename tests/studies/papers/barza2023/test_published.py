"""What the thesis prints: exact where one number follows from others."""

from __future__ import annotations

import pandas as pd
import pytest

from counterpoise.data.corpus import Corpus
from counterpoise.data.thirdparty.jigsaw import jigsaw_thesis
from counterpoise.data.thirdparty.mt_gender import mt_gender
from counterpoise.studies.papers.barza2023.published import (
    TABLE_3,
    TABLE_4,
    appd_of_example,
    asld_of_example,
    combined_of,
    extreme_models,
)
from counterpoise.studies.papers.barza2023.recomputed import claims_table, printed_table
from counterpoise.text.swap import Swapper


def test_the_worked_examples_are_exact():
    assert asld_of_example() == pytest.approx((6.3 + 3.9) / 2) == pytest.approx(5.1)
    assert appd_of_example("doctor") == pytest.approx(0.35)
    assert appd_of_example("dentist") == pytest.approx(0.78)


def test_combined_is_the_mean_of_three_categories():
    for row in (*TABLE_3.values(), *TABLE_4.values()):
        assert combined_of(row) == pytest.approx(row[3], abs=0.01)


def test_every_printed_number_that_follows_from_others_does():
    table = printed_table(pd.DataFrame())
    assert len(table.rows) == 12
    assert {row[-1] for row in table.rows} == {"reproduced"}


def test_claims_that_the_tables_contradict():
    wrong = [row[0] for row in claims_table(pd.DataFrame()).rows if row[-1] == "does not hold"]
    assert wrong == [
        "bert-large-uncased has the highest ASLD of table 3, benevolent sexism",
        "with more reminders APPD of pregnant comes closer to that of BERT (-0.41)",
        "with more reminders APPD of breastfeed comes closer to that of BERT (-0.43)",
    ]
    assert extreme_models("hostile sexism") == ("albert-large-v2", "bert-large-uncased")


def test_table_4_is_that_of_the_data_set():
    thesis = jigsaw_thesis().set_index("corpus").rename(index={"none (debiased)": "none"})
    assert {corpus: tuple(row) for corpus, row in thesis.T.items()} == dict(TABLE_4)


def test_gap_has_the_sentences_that_figure_13_draws_from(data_file):
    data_file("gap/gap-test.tsv")
    gap = Corpus.of("gap")
    assert (
        len(gap.texts) < 12_000 < gap.count_sentences()
    )  # so that the thesis counts sentences, not passages


def test_mt_gender_is_nearly_balanced(data_file):
    """The thesis: for every sentence with a male pronoun there is its counterpart."""
    data_file("mt-gender/en.txt")
    table = mt_gender()
    assert table.gender.value_counts().to_dict() == {"male": 1826, "female": 1822, "neutral": 240}
    swapper = Swapper("pro")
    there = set(table.sentence.str.lower())
    turned = [swapper.swap(sentence, "flip").lower() in there for sentence in table.sentence]
    assert sum(turned) == 3833
