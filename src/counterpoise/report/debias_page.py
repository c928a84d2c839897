"""`debias.html`: what debiasing did to a model, gain and damage."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from counterpoise.core.files import write_text
from counterpoise.core.numbers import estimate_parts, number_text
from counterpoise.mitigate.evaluation.proof import Proof
from counterpoise.mitigate.evaluation.proof_rows import ALL_LEANS
from counterpoise.mitigate.evaluation.scores import APPD, ASSOCIATION
from counterpoise.report.charts.bars import word_bars
from counterpoise.report.charts.draw import Figure
from counterpoise.report.charts.scatter import before_after
from counterpoise.report.page import render_page

_KINDS = {
    "gain": "Gain: how far professions lean",
    "net": "What of it is due to swapping",
    "lean": "Damage: the lean of words that have a gender",
    "damage": "Damage: held-out text",
}


def write_debias_page(proof: Proof, folder: Path) -> Path:
    """Writes the page into the folder of a debiased model; returns its path."""
    page = folder / "debias.html"
    write_text(page, render_proof(proof))
    return page


def render_proof(proof: Proof) -> str:
    """The page of a proof. Text from models and data is escaped."""
    tables = [_table(proof.summary[proof.summary.kind == kind], title) for kind, title in _KINDS.items()]
    return render_page(
        "debias.html",
        proof=proof,
        tables=[table for table in tables if table["rows"]],
        gains=_gain_figures(proof),
        leans=_lean_figures(proof),
        scatter=_scatter(proof),
        fits=list(proof.generalisation.fits.itertuples()),
        fills=[_edits(row) for _, row in proof.fills.iterrows()],
    )


def proof_figures(proof: Proof) -> list[Figure]:
    """All charts of a proof."""
    return [*_gain_figures(proof), *_lean_figures(proof), _scatter(proof)]


def main_rows(proof: Proof) -> pd.DataFrame:
    """The rows about all professions and about all that was damaged, as text."""
    summary = proof.summary
    whole = summary[summary.group.isin(["all", ALL_LEANS]) | summary.kind.isin(["net", "damage"])]
    stages = [name for name in ("before", "control", "after") if whole[name].notna().any()]
    rows = [
        [
            row["quantity"],
            row["group"],
            *(number_text(row[name]) for name in stages),
            *estimate_parts(row["change"], row["ci_low"], row["ci_high"]),
            row["unit"],
        ]
        for row in whole.to_dict("records")
    ]
    return pd.DataFrame(rows, columns=["quantity", "group", *stages, "change", "95 % interval", "unit"])


def _table(rows: pd.DataFrame, title: str) -> dict[str, Any]:
    """A table of the page; columns that would say the same in each row, or nothing, are left out."""
    quantities = rows.quantity.unique()
    return {
        "title": f"{title} ({quantities[0]})" if len(quantities) == 1 else title,
        "rows": list(rows.itertuples()),
        "has_quantity": len(quantities) > 1,
        "has_kept": bool(rows.kept.notna().any()),
        "has_note": bool((rows.note != "").any()),
    }


def _gain_figures(proof: Proof) -> list[Figure]:
    free = proof.items[proof.items.gender == ""]
    figures = []
    for quantity, name in ((ASSOCIATION, "associations"), (APPD, "pronouns")):
        items = free[free.quantity == quantity]
        if len(items):
            title = f"{quantity} of professions"
            bars = partial(word_bars, _long(items, proof), title)
            figures.append(Figure(name, f"{title}: {_runs_text(proof)}", bars, _star(items)))
    return figures


def _lean_figures(proof: Proof) -> list[Figure]:
    bound = proof.items[proof.items.gender != ""]
    if bound.empty:
        return []
    caption = (
        "Here a lean is right: bars should be as long after as before. Left of 0 is female, right of 0 male."
    )
    bars = partial(word_bars, _long(bound, proof).drop(columns="seen"), APPD)
    return [Figure("gender-related", f"Words with a gender of their own: {_runs_text(proof)}", bars, caption)]


def _scatter(proof: Proof) -> Figure:
    points = proof.generalisation.points
    if len(proof.generalisation.fits) > 1:
        points = points.assign(group=points.seen.map({True: "in the corpus", False: "not in the corpus"}))
    else:
        points = points.drop(columns="seen")
    return Figure(
        "generalisation",
        "APPD of each profession, before and after",
        partial(before_after, points, ("APPD before", "APPD after")),
        "Each point is a profession. Dashed: no change. On a level line near 0 the model would be debiased; along a "
        "slope, professions keep their order.",
    )


def _long(items: pd.DataFrame, proof: Proof) -> pd.DataFrame:
    """A row per word and model, largest lean before first within its group."""
    order = items.assign(rank=items.group.map({name: i for i, name in enumerate(items.group.unique())}))
    order = order.sort_values(["rank", "before"], ascending=[True, False], kind="stable")
    runs = ["before", *(["control"] if proof.control is not None else []), "after"]
    return order.melt(["group", "word", "seen"], runs, var_name="run")


def _star(items: pd.DataFrame) -> str:
    star = "A star marks professions that stand in the training text. " if items.seen.any() else ""
    return f"{star}Right of 0 is male, left of 0 female; 0 is ideal."


def _runs_text(proof: Proof) -> str:
    return "before, control and after" if proof.control is not None else "before and after"


def _edits(row: pd.Series) -> dict[str, Any]:
    """The words before, those that are gone marked, and the words after, new ones marked."""
    lost, gained = set(row.lost), set(row.gained)
    return {
        "sentence": row.sentence,
        "before": [(word, p, word in lost) for word, p in zip(row.before, row.p_before, strict=True)],
        "after": [(word, p, word in gained) for word, p in zip(row.after, row.p_after, strict=True)],
        "first_changed": bool(row.first_changed),
        "moved": float(row.moved),
    }
