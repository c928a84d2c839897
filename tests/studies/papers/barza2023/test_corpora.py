"""Table 4: equal samples of corpora, a control, and seeds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from counterpoise.core.checked_files import read_checked_json
from counterpoise.data.corpus import Corpus
from counterpoise.data.thirdparty.jigsaw import JIGSAW_LABELS
from counterpoise.studies.engine.cells import Cell, FinishedStudy, LeftOut
from counterpoise.studies.papers.barza2023 import cells, training
from counterpoise.studies.papers.barza2023.page import PAGE


def test_corpora_that_are_not_at_hand(no_data, model, tmp_path, settings):
    cell = Cell("corpora", {"model": model}, settings, tmp_path)
    with pytest.raises(LeftOut, match=r"table 4 compares corpora: Jigsaw .*kaggle"):
        cells.corpora(cell)


@pytest.mark.slow
def test_equal_samples_beside_a_control(data_file, monkeypatch, model, tmp_path, settings):
    """Of 80 toxic sentences and 30 severely toxic ones 30 each are trained on, three times."""
    data_file("gap/gap-test.tsv")
    gap = Corpus("gap", Corpus.of("gap").texts[:60])
    data = tmp_path / "data" / "jigsaw"
    data.mkdir(parents=True)
    comments = pd.DataFrame(
        {"id": range(40), "comment_text": [f"He has {i} fools. Go away {i}!" for i in range(40)]}
    )
    labels = {
        label: [int(label == "toxic" or (label == "severe_toxic" and i < 15)) for i in range(40)]
        for label in JIGSAW_LABELS
    }
    comments.assign(**labels).to_csv(data / "train.csv", index=False)
    monkeypatch.setenv("COUNTERPOISE_DATA", str(tmp_path / "data"))
    whole = Corpus.of
    monkeypatch.setattr(
        training.Corpus, "of", lambda name, **more: gap if name == "gap" else whole(name, **more)
    )
    training.sentences_to_train_on.cache_clear()
    (tmp_path / "cell").mkdir()
    cell = Cell("corpora", {"model": model}, settings, tmp_path / "cell")
    rows = pd.DataFrame(cells.corpora(cell)["rows"])
    training.sentences_to_train_on.cache_clear()
    assert set(rows.sentences) == {30}
    assert set(rows.seeds) == {3}
    assert set(rows.corpus.dropna()) == {"jigsaw:toxic", "jigsaw:severe_toxic"}
    asld = rows[(rows.statistic == "ASLD") & (rows.group == "all")]
    beside = asld[asld.compared == "corpus - control"].set_index("corpus")
    levels = asld[asld.compared.isna()].set_index("corpus").value
    assert beside.value.to_dict() == pytest.approx((levels - beside["first"]).to_dict())
    [between] = asld[asld.compared == "jigsaw:toxic - jigsaw:severe_toxic"].value
    assert between == pytest.approx(levels["jigsaw:toxic"] - levels["jigsaw:severe_toxic"])
    # The answers of ten models are kept: the reference, and three of the control and of each corpus.
    answers = [read_checked_json(path) for path in (cell.folder / "answers").glob("*.json")]
    assert len(answers) == 10
    of_models = [
        np.mean([abs(v) for v, q in zip(one["value"], one["quantity"], strict=True) if q == "SLD"])
        for one in answers
    ]
    for level in (*levels, *beside["first"]):
        assert min(of_models) <= level <= max(of_models)
    table = rows.assign(step="corpora", model="tiny")
    shown = PAGE.findings(FinishedStudy(tmp_path, table, [], settings, only=["table4"]))
    [named] = [one for one in shown.tables if one.name == "table4"]
    assert "swapped GAP, then jigsaw:toxic (30 sentences, 3 seeds): combined" in [
        row[0] for row in named.rows
    ]
    [paired] = [one for one in shown.tables if one.name == "table4_paired"]
    assert "30 sentences of each corpus" in paired.note
    assert "jigsaw:toxic - control" in [row[0] for row in paired.rows]
