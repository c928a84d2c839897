"""Declares association tests on the occurrences of words in texts.

Such a measure says in which texts the words of a test stand and how their vectors are read. Which tests are carried
out, how words are counted and what the summary has is the same for all of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace

from counterpoise.data.builtin.wordsets import WordTests
from counterpoise.data.spec import Variant
from counterpoise.data.user.files import WORDS
from counterpoise.measures.base.catalogue import Measured, Suite, measure
from counterpoise.measures.base.result import Result
from counterpoise.measures.base.rows import ZERO
from counterpoise.measures.encoders.common.association_tests import (
    IDENTITY,
    AssociationSettings,
    GenderTests,
    Occurrences,
    chosen_tests,
    measured_associations,
)
from counterpoise.measures.vectors.common.word_tests import NEARNESS, AllowLost, SimilarityMetric
from counterpoise.models.encoder import Encoder

_declare = functools.partial(
    measure, needs=Encoder, ideal=ZERO, direction=NEARNESS, identity=IDENTITY, accepts=(WORDS,)
)
ReadOccurrences = Callable[[Encoder, WordTests, Variant], Occurrences]


def occurrence_measure(
    name: str,
    *,
    label: str,
    data: str,
    tests: Sequence[str],
    published_tests: Sequence[str] | None = None,
    published: AssociationSettings,
    cites: str | tuple[str, ...],
    suites: tuple[Suite, ...] = ("full",),
) -> Callable[[ReadOccurrences], Callable[..., Result]]:
    """Enters a measure into the catalogue, given a function that reads the vectors of the words of tests.

    Parameters
    ----------
    tests, published_tests
        The names of the tests that are carried out if none are given; in `variant="published"` they may differ.
    published
        How the published test is carried out.
    """

    def enter(read: ReadOccurrences) -> Callable[..., Result]:
        def associate(
            model: Encoder,
            data: GenderTests = None,
            *,
            variant: Variant = "corrected",
            seed: int = 0,
            metric: SimilarityMetric = "cosine",
            allow_lost: AllowLost = False,
        ) -> Measured:
            settings, default = AssociationSettings(), tests
            if variant == "published":
                settings, default = published, published_tests or tests
            allow_lost = allow_lost or settings.allow_lost
            settings = replace(settings, metric=metric, allow_lost=allow_lost, seed=seed)
            return measured_associations(read(model, chosen_tests(data, default), variant), settings)

        functools.update_wrapper(
            associate, read, assigned=("__module__", "__name__", "__qualname__", "__doc__")
        )
        del associate.__wrapped__  # type: ignore[attr-defined]  # it has settings that `read` has not
        return _declare(name, label=label, data=data, cites=cites, suites=suites)(associate)

    return enter
