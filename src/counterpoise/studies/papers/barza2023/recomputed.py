"""What follows from the printed numbers alone: the worked examples, the combined columns, and claims of the text."""

from __future__ import annotations

import pandas as pd

from counterpoise.studies.papers.barza2023.published import (
    APPD_EXAMPLES,
    ASLD_EXAMPLE,
    CATEGORIES,
    COMBINED,
    TABLE_3,
    TABLE_4,
    TABLE_5,
    appd_of_example,
    asld_of_example,
    combined_of,
    extreme_models,
    grows_with_reminders,
    shown,
)
from counterpoise.studies.papers.barza2023.statistics import APPD, ASLD
from counterpoise.studies.replication.comparison import compared, table_of_lines
from counterpoise.studies.replication.findings import Table, Value

_EXACT = 1e-9
# The three numbers that a mean is made of are rounded, and so is the printed mean.
_ROUNDED_TWICE = 0.01


def printed_table(_: pd.DataFrame) -> Table:
    """Each number that can be worked out from others in the thesis."""
    lines = [
        compared(
            "ASLD of the two pairs of section 4.1.2", ASLD_EXAMPLE, asld_of_example(), _EXACT, kind=ASLD
        ),
        *(
            compared(f"APPD of {word}, section 4.2.2", printed, appd_of_example(word), _EXACT, kind=APPD)
            for word, printed in APPD_EXAMPLES.items()
        ),
        *(
            compared(f"table 3, combined, {model}", row[3], combined_of(row), _ROUNDED_TWICE, kind=ASLD)
            for model, row in TABLE_3.items()
        ),
        *(
            compared(
                f"table 4, combined, {_corpus(corpus)}", row[3], combined_of(row), _ROUNDED_TWICE, kind=ASLD
            )
            for corpus, row in TABLE_4.items()
        ),
    ]
    return table_of_lines(
        "printed",
        "Printed numbers from printed numbers",
        lines,
        decimals=4,
        note="Combined is the mean of the three categories, of 100 pairs each, within what rounding allows.",
        is_recomputed=True,
    )


def claims_table(_: pd.DataFrame) -> Table:
    """Sentences of the text about tables 3 and 5, held against the tables."""
    rows: list[list[Value]] = []
    for model, category, end, section in (
        ("bert-base-uncased", "benevolent sexism", "lowest", "5.1"),
        ("bert-large-uncased", "occupation bias", "highest", "5.1"),
        ("bert-large-uncased", "benevolent sexism", "highest", "5.1, and in the answer to RQ2"),
        ("bert-large-uncased", COMBINED, "highest", "5.1"),
        ("roberta-large", COMBINED, "lowest", "5.1"),
        ("albert-large-v2", "occupation bias", "lowest", "5.1"),
        ("albert-large-v2", "hostile sexism", "lowest", "5.1"),
        ("albert-large-v2", "benevolent sexism", "highest", "5.1"),
    ):
        extreme = extreme_models(category)[0 if end == "lowest" else 1]
        value = TABLE_3[extreme][[*CATEGORIES, COMBINED].index(category)]
        rows.append(
            [
                f"{model} has the {end} ASLD of table 3, {shown(category)}",
                section,
                f"{extreme}, {value:.2f}",
                _verdict(extreme == model),
            ]
        )
    for word, (base, *after) in TABLE_5.items():
        values = ", ".join(f"{value:.2f}" for value in after)
        claim = f"with more reminders APPD of {word} comes closer to that of BERT ({base:.2f})"
        rows.append([claim, "6.3.2", values, _verdict(grows_with_reminders(word))])
    return Table(
        "claims",
        "Claims of the text, held against its tables",
        ["claim", "section", "table", "verdict"],
        rows,
    )


def _corpus(name: str) -> str:
    return "debiased" if name == "none" else name


def _verdict(holds: bool) -> str:
    return "holds" if holds else "does not hold"
