"""The answer of an audit in a few sentences, for readers who read nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoise.measures.base.result import Result
from counterpoise.report.wording import BIASES, Claim, Kind, measure_title, overall_claims

# From what matters most to what matters least, with what is said of the measures that find nothing larger.
_ORDER: dict[Kind, str] = {
    **dict.fromkeys(BIASES, ""),
    "unclear": "Not enough data to tell",
    "unsure": "No verdict",
    "negligible": "Statistically clear, but negligible",
    "none": "No bias found",
}


def answer(results: Sequence[Result]) -> list[str]:
    """How many measures find a bias, what the largest means, and what the others say."""
    leading = [leading_claim(result) for result in results]
    found = sorted((claim for claim in leading if claim.kind in BIASES), key=_rank)
    sentences = [_counted(found, len(leading))]
    if found:
        sentences.append(found[0].meaning)
    for kind, said in _ORDER.items():
        titles = [measure_title(claim.measure) for claim in leading if claim.kind == kind]
        if said and titles:
            sentences.append(f"{said}: {', '.join(titles)}.")
    return sentences


def leading_claim(result: Result) -> Claim:
    """The claim of a measure that matters most."""
    return min(overall_claims(result), key=_rank)


def _rank(claim: Claim) -> int:
    return list(_ORDER).index(claim.kind)


def _counted(found: Sequence[Claim], n: int) -> str:
    """
    >>> biases = [Claim("ppd", "large", ""), Claim("lpbs", "small", "")]
    >>> _counted(biases, 3).partition(". ")[::2]
    ('2 of 3 measures find a gender bias (1 large, 1 small)', 'Largest: Pronoun preference by profession (PPD).')
    >>> _counted([], 3), _counted([], 1)
    ('None of 3 measures finds a clear gender bias.', 'The measure finds no clear gender bias.')
    """
    if not found:
        return (
            "The measure finds no clear gender bias."
            if n == 1
            else f"None of {n} measures finds a clear gender bias."
        )
    sizes = [
        f"{count} {size}" for size in BIASES[:3] if (count := sum(claim.kind == size for claim in found))
    ]
    if n == 1:
        size = found[0].kind
        return f"The measure finds a {'' if size == 'clear' else f'{size} '}gender bias."
    verb, how = "find" if len(found) > 1 else "finds", f" ({', '.join(sizes)})" if sizes else ""
    counted = f"{len(found)} of {n} measures {verb} a gender bias{how}."
    return f"{counted} Largest: {measure_title(found[0].measure)}."
