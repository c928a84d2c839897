"""llama.cpp's own server with a real model, against the same file loaded directly."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import counterpoise as cp
import few
from counterpoise.data.builtin.templates import Templates, pronoun_templates
from counterpoise.models import CausalLM, Endpoint, Rung
from served import llama_server, smollm2

pytestmark = pytest.mark.slow

# The server computes with 8-bit activations; here the weights are dequantised and all else is float32.
LARGEST_DIFFERENCE = 0.45  # of log-odds; over all items of ppd 0.36 was measured (docs/endpoints.md)
MEAN_DIFFERENCE = 0.1  # measured: 0.08


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with llama_server(smollm2()) as url:
        yield cp.load(url, model="smollm2", concurrency=1)


@pytest.fixture(scope="module")
def direct() -> CausalLM:
    return cp.load(smollm2(), device="cpu", start="none")  # the server puts no token before a text


def templates() -> Templates:
    """Every sixth word of each set."""
    spec = pronoun_templates().spec
    sets = [one.model_copy(update={"words": one.words[::6]}) for one in spec.sets]
    return Templates(spec.model_copy(update={"sets": tuple(sets)}), "corrected")


def test_what_the_server_does_is_found(endpoint):
    found = endpoint.capabilities
    assert found.prompt_method is None  # it ignores echo and prompt_logprobs without a word
    assert found.top == 1000
    assert found.chat
    assert found.seeds
    assert found.same_text
    assert endpoint.rung((Rung.LIKELIHOOD, Rung.NEXT_WORD)) is Rung.NEXT_WORD
    assert endpoint.other_models == []


def test_next_words_agree_with_direct_loading(endpoint, direct):
    served = cp.measures.ppd(endpoint, templates()).items
    own = cp.measures.ppd(direct, templates()).items
    assert served.text.tolist() == own.text.tolist()
    known = (served.p_male.notna() & served.p_female.notna()).to_numpy()
    assert known.mean() > 0.9
    odds = [np.log(items.p_male / items.p_female)[known] for items in (served, own)]
    differences = np.abs(odds[0] - odds[1])
    print(f"log-odds: largest difference {differences.max():.3f}, mean {differences.mean():.4f}")
    assert differences.max() < LARGEST_DIFFERENCE
    assert differences.mean() < MEAN_DIFFERENCE
    words = [items.groupby("word").ppd.mean() for items in (served, own)]
    correlation = np.corrcoef(*words)[0, 1]
    print(f"ppd of {len(words[0])} words: r = {correlation:.5f}")
    assert correlation >= 0.99
    unknown = served[~known]
    assert (unknown.ppd_low - 0.001 <= own.ppd[~known]).all()
    assert (own.ppd[~known] <= unknown.ppd_high + 0.001).all()


def test_an_audit_through_the_server(endpoint, tmp_path):
    audited = cp.audit(endpoint, out=tmp_path / "run", templates=few.templates())
    assert list(audited.results) == ["ppd"]
    assert "no log-probabilities of the prompt" in audited.left_out["sld"]
    page = (tmp_path / "run" / "report.html").read_text()
    assert "What the endpoint was found to do" in page
    assert "log-probabilities of the next token: yes, the top 1,000" in page
    assert Rung.NEXT_WORD.value in page
