"""Log-probabilities of targets beside attributes, with and without the attribute (Kurita et al. 2019, section 2).

    association(T, a) = log p_tgt(T) - log p_prior(T)      "[MASK] likes math." against "[MASK] likes [MASK]."

Tables of sentences have the columns of `counterpoise.data.Associations.fill`; what `variant="published"` does otherwise
is told in lpbs_weat.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from counterpoise.core.mask import MASK
from counterpoise.data.spec import Variant
from counterpoise.measures.base.skipped import keep_scorable
from counterpoise.measures.probability.common.associations import log_priors, prior_problems
from counterpoise.models.masked import MaskedLM
from counterpoise.models.positions import first_pieces, log_probs_at, mask_positions


def readable_sentences(
    model: MaskedLM, sentences: pd.DataFrame, variant: Variant
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The sentences that the model can be asked about, with `prior_text`; and what was skipped."""
    items, unreadable = keep_scorable(sentences, _problems(model, sentences), "sentence")
    items["prior_text"] = _priors(model, items, variant)
    items, unasked = keep_scorable(items, prior_problems(model, items, items.target), "sentence")
    return items, pd.concat([unreadable, unasked], ignore_index=True)


def score_sentences(model: MaskedLM, items: pd.DataFrame, variant: Variant) -> pd.DataFrame:
    """Readable sentences with `log_p_target`, `log_p_prior` and `association`."""
    score = _score_as_published if variant == "published" else _score
    log_p_target, log_p_prior = score(model, items)
    return items.assign(
        log_p_target=log_p_target, log_p_prior=log_p_prior, association=log_p_target - log_p_prior
    )


def _problems(model: MaskedLM, sentences: pd.DataFrame) -> list[str | None]:
    words = pd.unique(sentences[["target", "attribute"]].to_numpy().ravel())
    unknown_words = {word for word in words if not model.knows(word)}
    in_place = model.target_problems(sentences.target_masked.tolist(), [[word] for word in sentences.target])
    return [
        _problem(target, attribute, unknown_words) or problem
        for problem, target, attribute in zip(in_place, sentences.target, sentences.attribute, strict=True)
    ]


def _problem(target: str, attribute: str, unknown_words: set[str]) -> str | None:
    for kind, word in (("target", target), ("attribute", attribute)):
        if word in unknown_words:
            return f"the {kind} {word!r} is not in the vocabulary"
    return None


def _priors(model: MaskedLM, items: pd.DataFrame, variant: Variant) -> list[str]:
    """The sentences with the attribute masked too: one mask per word piece, or one alone if published."""
    masks = {
        word: MASK if variant == "published" else model.masked(word) for word in items.attribute.unique()
    }
    columns = zip(items.target_masked, items.attribute, items.attribute_at, strict=True)
    return [f"{text[:at]}{masks[word]}{text[at + len(word) :]}" for text, word, at in columns]


def _score(model: MaskedLM, items: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """log p_tgt and log p_prior, both at the target's own mask."""
    words = [[target] for target in items.target]
    log_p_target = model.target_log_probs(items.target_masked.tolist(), words)[:, 0]
    return log_p_target, log_priors(model, items, items.target)


def _score_as_published(model: MaskedLM, items: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """The same for the target's first piece, and the prior beside the last mask."""
    texts, priors = items.target_masked.tolist(), items.prior_text.tolist()
    pieces = first_pieces(model, texts, items.target.tolist())
    at_mask = [masks[0] for masks in mask_positions(model, texts)]
    beside_mask = [masks[-1] - 1 for masks in mask_positions(model, priors)]
    return log_probs_at(model, texts, at_mask, pieces), log_probs_at(model, priors, beside_mask, pieces)
