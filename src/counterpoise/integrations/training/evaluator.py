"""Bias while a model of sentence-transformers is trained."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from counterpoise.core.errors import CounterpoiseError, ModelError, in_one_line
from counterpoise.core.files import make_folder
from counterpoise.core.notices import notice
from counterpoise.data.spec import Variant
from counterpoise.integrations.training.history import BOUNDS
from counterpoise.integrations.training.measuring import Measuring
from counterpoise.measures.base.result import Result

try:
    from sentence_transformers.base.evaluation import BaseEvaluator
except ImportError:
    try:
        from sentence_transformers.evaluation import SentenceEvaluator as BaseEvaluator
    except ImportError:
        raise ModelError(
            "BiasEvaluator needs the package sentence-transformers: "
            "pip install 'counterpoise[sentence-transformers]'"
        ) from None

_PRIMARY = "mean_absolute"


class BiasEvaluator(BaseEvaluator):  # type: ignore[misc]
    """Association tests about gender on the encoder that is being trained, as an evaluator of sentence-transformers.

    Each test gives its effect size d, positive where men are nearer to the first attribute (a career, science), with an
    interval, as `NAME_MEASURE_KEY`; the primary metric, `NAME_MEASURE_mean_absolute`, is the mean of |d| over the tests
    of the first measure, and smaller is better. The training goes on as if nobody had asked, and an error costs a
    warning and that evaluation.

    Parameters
    ----------
    measures
        "seat" and, where the tokenizer has a mask, "weat_contextual", if not given.
    name
        What the names of the metrics begin with.
    write_csv
        Whether a row is added to `bias_evaluation_NAME_results.csv` where the evaluator is given a folder.
    data, variant, settings, files
        As `counterpoise.audit` takes them; `associations` are tests of your own.
    """

    def __init__(
        self,
        measures: str | Sequence[str] | None = None,
        *,
        name: str = "bias",
        seed: int = 0,
        write_csv: bool = True,
        variant: Variant = "corrected",
        data: str | Path | None = None,
        settings: Mapping[str, Any] | None = None,
        **files: Any,
    ) -> None:
        super().__init__()
        self._options: dict[str, Any] = {
            "limit": None,
            "seed": seed,
            "variant": variant,
            "data": data,
            "settings": settings,
            "files": files,
        }
        self._measuring = Measuring.of(measures or "seat", **self._options)
        self._is_default = measures is None
        self.name = name
        self.write_csv = write_csv
        self.csv_file = f"bias_evaluation{f'_{name}' if name else ''}_results.csv"
        assert self._measuring.measures is not None
        self.greater_is_better = False
        self.primary_metric = "_".join(filter(None, [name, self._measuring.measures[0], _PRIMARY]))

    @property
    def description(self) -> str:
        return "Gender Bias"

    def __call__(
        self, model: Any, output_path: str | None = None, epoch: int = -1, steps: int = -1
    ) -> dict[str, float]:
        """The metrics of a `SentenceTransformer`, by name; without any, the primary one is not a number."""
        try:
            metrics = _metrics(self._for(model).results(model))
            if output_path is not None and self.write_csv:
                self._write(Path(output_path), epoch, steps, metrics)
            metrics = dict(self.prefix_name_to_metrics(metrics, self.name))
            self.store_metrics_in_model_card_data(model, metrics, epoch, steps)
        except Exception as error:  # whatever it is, the training is worth more
            reason = str(error) if isinstance(error, CounterpoiseError) else in_one_line(error)
            notice(f"the bias was not measured, and training goes on: {reason}")
            return {self.primary_metric: math.nan}
        return metrics

    def get_config_dict(self) -> dict[str, Any]:
        return {"measures": self._measuring.measures, "variant": self._options["variant"]}

    def _for(self, model: Any) -> Measuring:
        if self._is_default and getattr(model.tokenizer, "mask_token", None) is not None:
            self._measuring = Measuring.of(("seat", "weat_contextual"), **self._options)
        return self._measuring

    def _write(self, folder: Path, epoch: int, steps: int, metrics: Mapping[str, float]) -> None:
        path = make_folder(folder) / self.csv_file
        is_new = not path.exists()
        with path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            if is_new:
                writer.writerow(["epoch", "steps", *metrics])
            writer.writerow([epoch, steps, *metrics.values()])


def _metrics(results: Sequence[Result]) -> dict[str, float]:
    """The rows of the results by name, each measure's mean |d| first."""
    metrics: dict[str, float] = {}
    for result in results:
        tests = result.overall
        metrics[f"{result.measure}_{_PRIMARY}"] = float(np.nanmean(tests.value.abs()))
        for row in tests.to_dict("records"):
            name = f"{result.measure}_{row['key']}"
            metrics[name] = float(row["value"])
            metrics |= {f"{name}_{bound}": float(row[bound]) for bound in BOUNDS}
    return metrics
