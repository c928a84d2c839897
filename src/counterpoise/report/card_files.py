"""The model card and the hub's evaluation results as files in a run's folder."""

from __future__ import annotations

from pathlib import Path

from counterpoise.audit.reading import read_results
from counterpoise.core.files import make_inner_folder, write_text
from counterpoise.core.notices import notice
from counterpoise.report.card import render_card
from counterpoise.report.eval_results import EVAL_RESULTS, render_eval_results


def write_card(folder: str | Path, benchmark: str | None = None) -> list[Path]:
    """Writes `model-card.md` and, where there is a dataset of the hub to name, `.eval_results/counterpoise.yaml`."""
    run, results = read_results(folder)
    card, scores = run.folder / "model-card.md", run.folder / EVAL_RESULTS
    entries = render_eval_results(run, results, benchmark)
    write_text(card, render_card(run, results))
    if not entries:
        scores.unlink(missing_ok=True)  # of an earlier card
        notice(f"no {EVAL_RESULTS}: {_reason()}")
        return [card]
    make_inner_folder(scores.parent)
    write_text(scores, entries)
    return [card, scores]


def _reason() -> str:
    import huggingface_hub

    if not hasattr(huggingface_hub, "EvalResultEntry"):
        return f"huggingface_hub {huggingface_hub.__version__} does not have that format yet; update it"
    return "its entries name a benchmark of the hub, and the data are on none; --benchmark names one (docs/hub.md)"
