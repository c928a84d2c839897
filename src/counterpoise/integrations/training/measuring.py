"""What is measured of a model that is being trained: the same measures on the same items each time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

import pandas as pd

from counterpoise.audit.auditing import run_measure
from counterpoise.audit.request import AuditRequest
from counterpoise.core.errors import InputError, ModelError, unknown
from counterpoise.data.spec import Variant
from counterpoise.data.thirdparty.folders import using_data
from counterpoise.integrations.training.sentence_encoder import SentenceEncoder, is_sentence_transformer
from counterpoise.integrations.training.undisturbed import is_sharded, undisturbed, unwrapped
from counterpoise.measures.base.kinds import KINDS
from counterpoise.measures.base.result import Result
from counterpoise.measures.base.sampling import limited
from counterpoise.models.adopting import adopt
from counterpoise.models.causal import CausalLM

Rows = Literal["overall", "all"]

LIMIT = 100
ROW_COLUMNS = ["measure", "key", "value", "ci_low", "ci_high", "n"]
# Where no measures are named: those of the suite `quick` that take little time.
_DEFAULTS = {
    "masked": ("ppd", "sld"),
    "causal": ("ppd", "sld"),
    "encoder": ("seat",),
    "classifier": ("eec_sentiment",),
    "nli": ("nli",),
}


@dataclass
class Measuring:
    """Measures, the sample of items that they take, and all else that decides their numbers.

    measures: those that suit the kind of model if None.
    limit: items of each measure, a balanced sample that `seed` draws; None for all.
    request: further arguments of `AuditRequest.of`.
    start: the token that begins a causal model's texts. Where the tokenizer has none, it is found out the first time,
    so that it stays the same.
    """

    measures: tuple[str, ...] | None = None
    limit: int | None = LIMIT
    seed: int = 0
    rows: Rows = "overall"
    positive: str | None = None
    request: Mapping[str, Any] = field(default_factory=dict)
    start: str | None = None

    @classmethod
    def of(
        cls,
        measures: str | Sequence[str] | None = None,
        *,
        limit: int | None = LIMIT,
        seed: int = 0,
        rows: Rows = "overall",
        positive: str | None = None,
        variant: Variant = "corrected",
        data: str | Path | None = None,
        settings: Mapping[str, Any] | None = None,
        files: Mapping[str, Any] | None = None,
    ) -> Measuring:
        """The same, checked as far as it can be before there is a model."""
        if rows not in get_args(Rows):
            raise unknown("choice of rows", rows, get_args(Rows))
        if limit is not None and (not isinstance(limit, int) or limit < 2):
            raise InputError(f"limit must be a number of items, at least 2, or None for all, not {limit!r}")
        files = {name: file for name, file in (files or {}).items() if file is not None}
        if measures is None and (files or settings):
            raise InputError("say which measures the files and settings are for: measures=[...]")
        names = (measures,) if isinstance(measures, str) else None if measures is None else tuple(measures)
        request = {"variant": variant, "data": data, "settings": settings or {}, "files": files}
        made = cls(names, limit, seed, rows, positive, request)
        _ = made.request_for(names).contents
        return made

    def request_for(self, measures: Sequence[str] | None) -> AuditRequest:
        return AuditRequest.of(measures=measures, seed=self.seed, **self.request)

    def results(self, model: Any, tokenizer: Any = None) -> list[Result]:
        """The result of each measure, of a model whose training goes on as if nobody had asked.

        model: of transformers, with its tokenizer; of sentence-transformers; or what `counterpoise.load` returns.
        """
        model = unwrapped(model)
        torch_model, tokenizer = _parts(model, tokenizer)
        if is_sharded(torch_model):
            raise ModelError(
                "each process has a part of the weights only (FSDP, ZeRO-3); audit the checkpoints instead"
            )
        with undisturbed(torch_model, tokenizer):
            asked = self._adopt(model, tokenizer)
            request = self.request_for(self.measures or _DEFAULTS.get(asked.kind))
            tasks, _ = request.fitting(asked)
            with using_data(request.data), limited(self.limit, self.seed):
                return [run_measure(measure, view, request) for measure, view in tasks]

    def table(self, model: Any, tokenizer: Any = None) -> pd.DataFrame:
        """The rows of the results."""
        return rows_of(self.results(model, tokenizer), self.rows)

    def _adopt(self, model: Any, tokenizer: Any) -> Any:
        if _is_loaded(model):
            return adopt(model, positive=self.positive)
        if is_sentence_transformer(model):
            return SentenceEncoder(model)
        asked = adopt((model, tokenizer), positive=self.positive)
        if not isinstance(asked, CausalLM):
            return asked
        if self.start is not None:
            return CausalLM(model, tokenizer, name=asked.name, start=self.start)
        if len(asked.start.ids) == 1 and not asked.start.replaces:
            [self.start] = tokenizer.convert_ids_to_tokens(list(asked.start.ids))
        return asked


def measure(
    model: Any,
    tokenizer: Any = None,
    *,
    measures: str | Sequence[str] | None = None,
    limit: int | None = LIMIT,
    seed: int = 0,
    rows: Rows = "overall",
    positive: str | None = None,
    variant: Variant = "corrected",
    data: str | Path | None = None,
    settings: Mapping[str, Any] | None = None,
    **files: Any,
) -> pd.DataFrame:
    """Measures a model amid its training, for training loops of your own.

    The weights are asked where they are: nothing is copied or saved. Afterwards each module is in the mode it was in,
    training or evaluation, and the random numbers of torch, numpy and Python go on as if nothing had happened.

    Parameters
    ----------
    model
        A model of transformers, with its tokenizer; a `SentenceTransformer`; or what `counterpoise.load` returns.
    measures
        Names of measures; if not given ppd and sld for language models, seat for encoders, eec_sentiment for
        classifiers.
    limit
        Items of each measure, a balanced sample that `seed` draws: the same at every call. None takes all. Association
        tests (seat) always take all their words.
    rows
        "overall", or "all" for those of groups and single words too.
    positive
        Of a classifier, the positive label.
    data, variant, settings, files
        As `counterpoise.audit` takes them.

    Returns
    -------
    DataFrame
        A row for each number: measure, key, value, ci_low, ci_high, n.

    >>> import counterpoise as cp
    >>> lm = cp.load()
    >>> curve = cp.callbacks.measure(lm.model, lm.tokenizer, measures="ppd", limit=20)
    >>> curve.columns.tolist()
    ['measure', 'key', 'value', 'ci_low', 'ci_high', 'n']
    """
    measuring = Measuring.of(
        measures,
        limit=limit,
        seed=seed,
        rows=rows,
        positive=positive,
        variant=variant,
        data=data,
        settings=settings,
        files=files,
    )
    return measuring.table(model, tokenizer)


def rows_of(results: Sequence[Result], rows: Rows = "overall") -> pd.DataFrame:
    """The rows of results, with the columns that a curve is made of."""
    tables = [result.overall if rows == "overall" else result.summary for result in results]
    return pd.concat([table[ROW_COLUMNS] for table in tables], ignore_index=True)


def _is_loaded(model: Any) -> bool:
    """Whether it is one of our own classes."""
    return not isinstance(model, type) and getattr(model, "kind", None) in KINDS and hasattr(model, "model")


def _parts(model: Any, tokenizer: Any) -> tuple[Any, Any]:
    """The torch module to leave as it was, and the tokenizer."""
    if _is_loaded(model):
        return model.model, model.tokenizer
    if is_sentence_transformer(model):
        return model, model.tokenizer
    if not hasattr(model, "parameters") or not hasattr(model, "config"):
        raise InputError(
            f"{type(model).__name__} is no model of transformers, sentence-transformers or counterpoise.load"
        )
    tokenizer = getattr(tokenizer, "tokenizer", tokenizer)  # a processor of several kinds of input has one
    if tokenizer is None:
        raise InputError(f"{type(model).__name__} needs its tokenizer (tokenizer=...)")
    return model, tokenizer
