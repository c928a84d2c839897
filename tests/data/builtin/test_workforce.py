from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from counterpoise.data import becpro, workforce

# In the list of 2020 they have fewer than 50,000 employed and no share.
WITHOUT_2020 = ["steel worker", "logging worker", "mining machine operator", "conductor", "crossing guard"]


def test_every_profession_of_becpro_is_there_in_its_order():
    assert workforce().profession.tolist() == becpro("en").profession.unique().tolist()


@pytest.mark.parametrize(
    ("group", "lowest", "highest"), [("female", 88.3, 98.7), ("male", 0.7, 3.3), ("balanced", 48.5, 53.3)]
)
def test_shares_of_2019_span_what_the_paper_says(group, lowest, highest):
    """And each group is sorted by them: the paper took the highest, the lowest, and those around the middle."""
    groups = becpro("en").drop_duplicates("profession").set_index("profession").group
    women = workforce().set_index("profession").women_2019[groups == group]
    assert (women.min(), women.max()) == (lowest, highest)
    assert women.is_monotonic_decreasing if group == "female" else women.is_monotonic_increasing


def test_shares_of_2020_are_the_bureaus(data_file):
    path = data_file("bls/bls_cpsaat11_2020.csv")
    table = pd.read_csv(
        path, skiprows=8, header=None, usecols=[0, 1, 2], names=["title", "employed", "women"]
    )
    table = table[table.employed.notna()].set_index("title")
    employed = pd.to_numeric(table.employed.str.replace(",", ""), errors="coerce")
    women = pd.to_numeric(table.women, errors="coerce")
    for row in workforce().itertuples():
        titles = list(row.titles_2020)
        share = np.average(women[titles], weights=employed[titles])
        assert row.women_2020 == pytest.approx(share, abs=0.05, nan_ok=True), row.profession


def test_what_has_no_share_in_2020():
    shares = workforce()
    assert shares.profession[shares.women_2020.isna()].tolist() == WITHOUT_2020


def test_both_years_tell_the_same():
    shares = workforce().dropna()
    assert len(shares) == 55
    assert shares.women_2019.corr(shares.women_2020) > 0.99
