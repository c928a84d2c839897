"""Sentences about people at work: balanced, distinct, and other ones than the measures ask about."""

from __future__ import annotations

import re

import pytest

import counterpoise as cp
from counterpoise.core.errors import InputError
from counterpoise.data.builtin.templates import pronoun_templates
from counterpoise.data.spec import read_spec
from counterpoise.mitigate.finetune.at_work import AtWorkSpec, at_work
from counterpoise.text import Swapper


def frame_words(text: str) -> list[str]:
    """The words of a template, with one word for whatever stands in a slot."""
    return re.findall(r"[a-z'_]+", re.sub(r"\{[^}]*\}|<[^>]*>|\[MASK\]", "_", text).lower())


def test_pairs_differ_in_gender_alone():
    sentences = at_work(400, seed=1)
    assert len(set(sentences)) == 800
    swapper = Swapper("all")
    for male, female in zip(sentences[::2], sentences[1::2], strict=True):
        assert male != female
        words = [word for word in re.findall(r"\w+", male) if word not in re.findall(r"\w+", female)]
        assert words
        assert swapper.swap(male, "female") != male


def test_the_same_for_the_same_seed():
    assert at_work(50, seed=3) == at_work(50, seed=3) != at_work(50, seed=4)
    assert at_work(0) == []
    with pytest.raises(InputError, match="cannot be -1"):
        at_work(-1)


def test_no_job_is_measured():
    jobs = set(read_spec("at_work", AtWorkSpec).jobs)
    measured = set(cp.data.becpro("en").profession) | set(pronoun_templates("corrected").fill().word)
    assert not jobs & {word.lower() for word in measured}


def test_no_job_is_asked_about_in_winobias_or_winogender(data_file):
    jobs = set(read_spec("at_work", AtWorkSpec).jobs)
    asked = {
        row.split("\t")[0].lower() for row in data_file("winogender/templates.tsv").read_text().splitlines()
    }
    for name in ("pro_stereotyped_type1.txt.dev", "pro_stereotyped_type2.txt.test"):
        asked |= {
            job.lower()
            for job in re.findall(r"\[(?:the|an?) ([^]]+)\]", data_file(f"winobias/{name}").read_text(), re.I)
        }
    assert not jobs & asked


def test_no_frame_is_measured():
    frames = read_spec("at_work", AtWorkSpec).frames
    rows = cp.data.becpro("en")
    person, profession = rows.person, rows.profession
    becpro = {
        sentence.replace(who, "_").replace(job, "_")
        for sentence, who, job in zip(rows.sentence, person, profession, strict=True)
    }
    measured = {tuple(frame_words(text)) for text in becpro}
    measured |= {tuple(frame_words(text)) for text in pronoun_templates("corrected").fill().template}
    for frame in frames:
        words = frame_words(frame)
        assert tuple(words) not in measured
