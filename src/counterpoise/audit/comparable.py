"""Which results of a measure can be compared: those that asked their models for the same quantity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from counterpoise.measures.base.catalogue import all_measures
from counterpoise.measures.base.choices import is_choice
from counterpoise.measures.base.kinds import KINDS, is_answered
from counterpoise.measures.base.result import Result

_CAUSAL, _CHOOSING = KINDS["causal"], "a model that chooses between two sentences"
_ANSWERING = "a model that writes answers"
# Ways of asking whose numbers stand apart from likelihoods, whatever the measure; and why.
_APART = {
    _CHOOSING: "choices between two sentences are no likelihoods",
    _ANSWERING: "answers that a model writes are no likelihoods",
}


@dataclass(frozen=True)
class ComparablePairs:
    """The pairs of runs to compare for each measure, with notes on measures.

    `kept_apart` says of which some runs are not compared, `caveats` what differs between runs that are.
    """

    pairs: Mapping[str, Sequence[tuple[str, str]]]
    kept_apart: Mapping[str, str]
    caveats: Sequence[str]

    @property
    def rankable(self) -> list[str]:
        """The measures of which all runs can be compared with each other."""
        return [measure for measure in self.pairs if measure not in self.kept_apart]


def comparable_pairs(
    results: Mapping[str, Mapping[str, Result]], shared: Mapping[str, Sequence[str]]
) -> ComparablePairs:
    """All pairs of the runs that have a measure, without those that asked two kinds of model for different things."""
    pairs, kept_apart, caveats = {}, {}, []
    for measure, having in shared.items():
        kinds = {name: kind for name in having if (kind := _kind(results[name][measure]))}
        pairs[measure] = list(combinations(having, 2))
        if reason := _reason(measure, set(kinds.values())):
            listed = ", ".join(f"{name} ({kind})" for name, kind in kinds.items())
            kept_apart[measure] = f"{measure} is not compared between kinds of model: {reason}: {listed}"
            pairs[measure] = [(a, b) for a, b in pairs[measure] if kinds.get(a) == kinds.get(b)]
        elif len({*kinds.values()}) > 1 and (declared := all_measures().get(measure)) and declared.caveat:
            caveats.append(f"{measure} compares kinds of model: {declared.caveat}")
    return ComparablePairs(pairs, kept_apart, caveats)


def _reason(measure: str, kinds: set[str]) -> str:
    """Why these kinds of model are kept apart; empty if they are not."""
    declared = all_measures().get(measure)
    reasons = [declared.incomparable] if declared is not None and len(kinds - {*_APART}) > 1 else []
    reasons += [reason for kind, reason in _APART.items() if kind in kinds and len(kinds) > 1]
    return "; ".join(filter(None, reasons))


def _kind(result: Result) -> str:
    """What the model was asked as, without how its texts were put to it; empty in runs of old versions.

    An endpoint is asked as a causal model, unless its server gives no likelihoods. A model of any kind that writes
    answers is asked as one that does.
    """
    if is_answered(result.asked):
        return _ANSWERING
    kind, _, how = result.asked.partition(", ")
    if f"a {kind}" == KINDS["endpoint"]:
        return _CHOOSING if is_choice(how) else _CAUSAL
    return f"a {kind}" if kind else ""
