"""What an audit of a model behind an endpoint will ask, before anything is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from counterpoise.core.durations import duration_text
from counterpoise.core.errors import DataError, ModelError
from counterpoise.models.endpoints.asking import Planned
from counterpoise.models.endpoints.endpoint import Endpoint
from counterpoise.models.endpoints.questions import EndpointQuestion

_AS_PROBES = 8  # tokens out of a question that takes about as long as a probe


@dataclass(frozen=True)
class AskingPlan:
    """How much will be asked. A later step of a measure may add a few questions that depend on earlier answers."""

    questions: int
    kept: int  # of them answered before
    tokens_in: int
    tokens_out: int
    seconds: float | None  # by how long the probes took; None where answers are longer than theirs

    def describe(self, price_in: float | None = None, price_out: float | None = None) -> str:
        """One line; prices are per million tokens.

        >>> AskingPlan(1200, 200, 10_000, 1000, 30.0).describe(price_in=0.5, price_out=1.5)
        '1,000 questions to ask (200 answered before), about 10,000 tokens in and 1,000 out, about 30 s, about 0.0065 \
for the tokens'
        """
        before = f" ({self.kept:,} answered before)" if self.kept else ""
        line = f"{self.questions - self.kept:,} questions to ask{before}, about {self.tokens_in:,} tokens in and "
        if self.seconds is None:
            line += f"at most {self.tokens_out:,} out; the first answers show how long they take"
        else:
            line += f"{self.tokens_out:,} out, about {duration_text(self.seconds)}"
        if price_in is None and price_out is None:
            return line
        cost = (self.tokens_in * (price_in or 0.0) + self.tokens_out * (price_out or 0.0)) / 1e6
        return f"{line}, about {cost:.2g} for the tokens"


def plan_asking(endpoint: Endpoint, measures: Iterable[Callable[[], Any]]) -> AskingPlan:
    """Runs measures up to the first thing that they ask, and adds up what they would."""
    questions: dict[EndpointQuestion, None] = {}
    endpoint.asker.planning = True
    try:
        for measure in measures:
            try:
                measure()
            except Planned as planned:
                questions.update(dict.fromkeys(planned.questions))
            except (DataError, ModelError):
                continue  # said when the measure is run
    finally:
        endpoint.asker.planning = False
    kept = endpoint.asker.kept(list(questions))
    tokens = [question.estimated_tokens for question in questions if question not in kept]
    traffic = endpoint.asker.transport.traffic
    each = traffic.seconds / max(1, traffic.probes) / endpoint.asker.concurrency
    tokens_in, tokens_out = (sum(pair[side] for pair in tokens) for side in (0, 1))
    # The probes ask for a few tokens each.
    seconds = each * len(tokens) if tokens_out <= _AS_PROBES * len(tokens) else None
    return AskingPlan(len(questions), len(kept), tokens_in, tokens_out, seconds)
