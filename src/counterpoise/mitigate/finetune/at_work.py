"""Sentences about people at work, each of a man and of a woman: text in which every job is everyone's.

A corpus has few sentences that name a profession, and the association of profession and gender is what debiasing is to
lower. Neither the jobs nor the frames are those of the measures, so that what they find was not taught word by word.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from counterpoise.core.errors import InputError
from counterpoise.data.spec import Spec, read_spec
from counterpoise.mitigate.finetune.slots import PRONOUNS, SLOT, fill
from counterpoise.text.articles import article


class AtWorkSpec(Spec):
    frames: tuple[str, ...]
    persons: tuple[tuple[str, str], ...]
    jobs: tuple[str, ...]


def at_work(n: int, seed: int = 0) -> list[str]:
    """n pairs of sentences, of a man and of a woman in turn; no pair is there twice, and all are used where n is more.

    >>> at_work(1, seed=42)
    ['He dreamed of being a screenwriter even as a child.', 'She dreamed of being a screenwriter even as a child.']
    """
    if n < 0:
        raise InputError(f"the number of sentences cannot be {n}")
    spec = read_spec("at_work", AtWorkSpec)
    every = [
        (frame, job, persons)
        for frame, job in product(spec.frames, spec.jobs)
        for persons in (spec.persons if "{person}" in frame.lower() else (("", ""),))
    ]
    # Frames with a person have many more variations: each frame is drawn alike.
    weights = np.array([1 / len(spec.persons) if persons[0] else 1.0 for _, _, persons in every])
    chosen = np.random.default_rng(seed).choice(
        len(every), size=min(n, len(every)), replace=False, p=weights / weights.sum()
    )
    picked = [every[i] for i in chosen]
    return [_filled(frame, job, persons, side) for frame, job, persons in picked for side in (0, 1)]


def _filled(frame: str, job: str, persons: tuple[str, str], side: int) -> str:
    pronouns = PRONOUNS["female" if side else "male"]
    words = {**pronouns, "person": persons[side], "job": job, "a job": f"{article(job)} {job}"}
    return fill(frame, (words[slot.lower()] for slot in SLOT.findall(frame)))
