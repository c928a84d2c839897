"""How well a model still reads text that has nothing to do with what it was trained for.

    masked accuracy   = how often the most probable token at a mask is the one that stood there
    pseudo-perplexity = exp(- mean log P of the tokens that stood there)

The first 128 tokens of each text, special ones included, with 15 % of the text's own tokens masked at once, chosen by
the seed and the same for every model that cuts the text into the same tokens. Salazar et al. (2020) mask one token at
a time, which asks a hundred times as much of the model; with the context 15 % hidden the perplexity is somewhat higher
than theirs. A causal model predicts every token after the first from those before it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.core.errors import DataError, InputError
from counterpoise.core.progress import progress
from counterpoise.data.builtin.neutral import neutral_texts
from counterpoise.data.texts import Texts
from counterpoise.data.thirdparty.folders import look_for
from counterpoise.data.user.texts import imdb_texts
from counterpoise.models.causal import CausalLM
from counterpoise.models.masked import MaskedLM
from counterpoise.models.scoring.batching import halving, pack

if TYPE_CHECKING:
    import torch

N_REVIEWS = 2000
MOST_TOKENS = 128
SHARE_MASKED = 0.15
COLUMNS = ["text", "tokens", "right", "log_p"]
_MOST_SCORES = 1 << 27  # numbers in the table of scores of a batch

Neutral = Texts | Sequence[str]


def held_out_texts(texts: Neutral | None = None, seed: int = 0) -> Texts:
    """The texts given; if none are, 2,000 of IMDB's test reviews if available, else our own neutral sentences.

    >>> held_out_texts(["The rain stopped.", "The bread was gone."]).name
    'own'
    """
    if texts is not None:
        return texts if isinstance(texts, Texts) else Texts.of(texts)
    if look_for("imdb", "imdb_50k_labelled.csv", "imdb_50k_labelled.csv.xz") is None:
        return neutral_texts()
    return imdb_texts("test").sample(N_REVIEWS, seed)


def predictions(model: MaskedLM | CausalLM, texts: Texts, seed: int = 0) -> pd.DataFrame:
    """For each text how many tokens were asked about, how many of them were right, and their summed log P.

    Texts without a token are left out; `text` is the number of the text.
    """
    rows, places = _rows(model, texts.table.text.tolist(), seed)
    readable = [i for i, asked in enumerate(places) if len(asked)]
    if not readable:
        raise DataError(f"{texts.name} has no text that {model.name} could read")
    counted: dict[int, tuple[int, int, float]] = {}

    def answer(batch: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        chosen = [readable[i] for i in batch]
        return _answer(model, [rows[i] for i in chosen], [places[i] for i in chosen])

    def describe(index: int) -> str:
        return f"one text of {len(rows[readable[index]])} tokens with {model.name}"

    with progress(f"held-out text with {model.name}", total=len(readable), unit="texts") as advance:
        for whole in pack([len(rows[i]) for i in readable], _token_budget(model)):
            for batch, (right, log_p) in halving(whole, answer, describe):
                of = np.repeat(np.arange(len(batch)), [len(places[readable[i]]) for i in batch])
                sums = zip(
                    np.bincount(of),
                    np.bincount(of, weights=right),
                    np.bincount(of, weights=log_p),
                    strict=True,
                )
                for i, (tokens, correct, total) in zip(batch, sums, strict=True):
                    counted[readable[i]] = (int(tokens), int(correct), float(total))
                advance(len(batch))
    return pd.DataFrame([(i, *counted[i]) for i in readable], columns=COLUMNS)


def held_out(
    before: MaskedLM | CausalLM, after: MaskedLM | CausalLM, texts: Neutral | None = None, seed: int = 0
) -> pd.DataFrame:
    """Accuracy and perplexity of two models on the same masks, with the interval of the difference over texts.

    >>> import counterpoise as cp
    >>> lm = cp.load()
    >>> held_out(lm, lm, cp.data.neutral_texts()).change.tolist()
    [0.0, 0.0]
    """
    chosen = held_out_texts(texts, seed)
    first, second = (predictions(model, chosen, seed) for model in (before, after))
    return pd.DataFrame(damage_rows(first, second, isinstance(before, MaskedLM), seed))


def damage_rows(
    before: pd.DataFrame, after: pd.DataFrame, is_masked: bool, seed: int = 0
) -> Iterator[dict[str, Any]]:
    """The rows of `held_out` from two tables of `predictions`.

    The change in accuracy is in points (hundredths), that in perplexity in per cent.
    """
    if before.text.tolist() != after.text.tolist() or before.tokens.tolist() != after.tokens.tolist():
        raise InputError(
            "the two models were not asked about the same tokens: held-out text, seed and tokenizer must be the same"
        )
    tokens = before.tokens.to_numpy()
    more_right = stats.bootstrap_ratio(after.right - before.right, tokens, seed=seed)
    less_sure = stats.bootstrap_ratio(before.log_p - after.log_p, tokens, seed=seed)
    names = ("masked accuracy", "pseudo-perplexity") if is_masked else ("next-token accuracy", "perplexity")
    changes = (
        (accuracy, change_columns(more_right, lambda value: 100 * value), "points"),
        (perplexity, change_columns(less_sure, lambda value: 100 * (math.exp(value) - 1)), "%"),
    )
    for name, (figure, change, unit) in zip(names, changes, strict=True):
        yield {
            "quantity": name,
            "before": figure(before),
            "after": figure(after),
            **change,
            "unit": unit,
            "n": len(before),
        }


def accuracy(predicted: pd.DataFrame) -> float:
    """The share of right guesses in a table of `predictions`."""
    return float(predicted.right.sum() / predicted.tokens.sum())


def perplexity(predicted: pd.DataFrame) -> float:
    """exp(- mean log P) of a table of `predictions`."""
    return math.exp(-predicted.log_p.sum() / predicted.tokens.sum())


def change_columns(fit: stats.BootstrapResult, scaled: Callable[[float], float]) -> dict[str, Any]:
    """A change with its interval, in the unit that `scaled` gives; why there is no interval, where there is none."""
    return {
        "change": scaled(fit.value),
        "ci_low": scaled(fit.low),
        "ci_high": scaled(fit.high),
        "note": fit.reason or "",
    }


def _token_budget(model: MaskedLM | CausalLM) -> int:
    """A causal model scores all words at all places, of which there may not be too many at once."""
    if isinstance(model, MaskedLM):
        return model.token_budget
    return min(model.token_budget, _MOST_SCORES // int(model.model.config.vocab_size))


def _rows(
    model: MaskedLM | CausalLM, texts: list[str], seed: int
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The ids of each text as they stand there, and the places that are asked about."""
    most = min(MOST_TOKENS, model.max_length or MOST_TOKENS)
    encoded = model.tokenizer(texts, truncation=True, max_length=most, return_special_tokens_mask=True)
    rows = [np.array(ids, dtype=np.int64) for ids in encoded["input_ids"]]
    own = [np.flatnonzero(np.array(mask) == 0) for mask in encoded["special_tokens_mask"]]
    if isinstance(model, CausalLM):
        return rows, [places[places > 0] for places in own]
    return rows, [_chosen(places, seed, i) for i, places in enumerate(own)]


def _chosen(places: np.ndarray, seed: int, text: int) -> np.ndarray:
    """15 % of the places, at least one; a text's own choice does not depend on the other texts."""
    if not len(places):
        return places
    how_many = max(1, round(SHARE_MASKED * len(places)))
    rng = np.random.default_rng([seed, text])
    return np.sort(rng.choice(places, size=how_many, replace=False))


def _answer(
    model: MaskedLM | CausalLM, rows: list[np.ndarray], places: list[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Place by place, row by row: whether the most probable token stands there, and log P of the one that does."""
    targets = np.concatenate([row[at] for row, at in zip(rows, places, strict=True)])
    of = np.repeat(np.arange(len(rows)), [len(at) for at in places])
    import torch

    with model.inference():
        logits = _logits(model, rows, of, np.concatenate(places), places)
        wanted = torch.as_tensor(targets, device=logits.device)[:, None]
        right = logits.argmax(-1, keepdim=True) == wanted
        log_p = logits.gather(-1, wanted)[:, 0] - logits.logsumexp(-1)
        return right[:, 0].double().cpu().numpy(), log_p.double().cpu().numpy()


def _logits(
    model: MaskedLM | CausalLM,
    rows: list[np.ndarray],
    of: np.ndarray,
    at: np.ndarray,
    places: list[np.ndarray],
) -> torch.Tensor:
    if isinstance(model, MaskedLM):
        hidden = []
        for row, masked in zip(rows, places, strict=True):
            ids = row.astype(np.int32)
            ids[masked] = model.tokenizer.mask_token_id
            hidden.append(ids.tobytes())
        return model.engine.logits(hidden, of, at)
    import torch

    whole = model.model(**model.pad([row.tolist() for row in rows])).logits
    logits: torch.Tensor = whole[torch.from_numpy(of), torch.from_numpy(at - 1)].float()
    return logits
