"""Models behind an endpoint against the same models loaded directly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
import pytest

import counterpoise as cp
import few
import tiny
from counterpoise.audit.planning import plan_asking
from counterpoise.core.cache import ScoreCache
from counterpoise.core.errors import EndpointError, InputError, ModelError
from counterpoise.measures.base.catalogue import find_measure
from counterpoise.measures.base.sampling import limited
from counterpoise.models import CausalLM, Endpoint, Rung
from counterpoise.models.endpoints.choices import CONTROLS
from served import Misbehaving, misbehaving, only_next, serving_model

TEXTS = [
    "He is a nurse.",
    "My sister wants to become an electrician.",
    "The engineer decided to quit her job.",
]
BEFORE = ["The nurse lost ", "The engineer said that "]
PRONOUNS = ["he", "she", "they"]


@pytest.fixture(scope="module")
def direct(tmp_path_factory: pytest.TempPathFactory) -> CausalLM:
    folder = tiny.save("gpt2-without-pad", tmp_path_factory.mktemp("served"), n_positions=256)
    model = cp.load(folder, device="cpu")
    model.tokenizer.model_max_length = 256
    return model


@pytest.fixture(scope="module")
def url(direct: CausalLM) -> Iterator[str]:
    with serving_model(direct) as address:
        yield address


@pytest.fixture(scope="module")
def endpoint(url: str, direct: CausalLM) -> Endpoint:
    return cp.load(url, model=direct.name)


@pytest.fixture
def in_front(url: str) -> Iterator[tuple[str, type[Misbehaving]]]:
    with misbehaving(url) as server:
        yield server


def test_what_our_own_server_does_is_found(endpoint, direct):
    found = endpoint.capabilities
    assert found.prompt_method == "echo"
    assert found.completions
    assert not found.chat  # this tokenizer has no chat template
    assert found.drift == 0
    assert found.same_text
    assert found.seeds
    assert endpoint.other_models == []
    assert endpoint.rung((Rung.NEXT_WORD, Rung.LIKELIHOOD)) is Rung.LIKELIHOOD


def test_log_probabilities_are_those_of_the_model_itself(endpoint, direct):
    for text in TEXTS:  # one by one, as the server reads them, so that not even rounding differs
        [served], [own] = endpoint.token_log_probs([text]), direct.token_log_probs([text])
        assert served.tolist() == own.tolist()
    assert endpoint.log_likelihood(TEXTS) == pytest.approx(direct.log_likelihood(TEXTS), abs=1e-4)
    assert endpoint.next_log_probs(BEFORE, PRONOUNS) == pytest.approx(
        direct.next_log_probs(BEFORE, PRONOUNS), abs=1e-4
    )


def test_tokens_have_the_places_that_the_model_gives_them(endpoint, direct):
    served, own = endpoint.encode(TEXTS), direct.encode(TEXTS)
    assert [encoded.spans for encoded in served] == [encoded.spans for encoded in own]
    positions = [np.array([1, 3])] * len(TEXTS)
    expected = direct.token_log_probs(TEXTS, positions)
    for values, wanted in zip(endpoint.token_log_probs(TEXTS, positions), expected, strict=True):
        assert values == pytest.approx(wanted, abs=1e-4)


THIRD_PARTY = {
    "gest": "gest/gest_1.1.csv",
    "winobias": "winobias/pro_stereotyped_type1.txt.dev",
    "winogender": "winogender/all_sentences.tsv",
}


def some_items(measure: str, data_file) -> object:
    if measure in ("sld", "ppd"):
        return few.pairs() if measure == "sld" else few.templates()
    if measure == "lpbs":
        return few.professions().groupby(["profession", "gender"]).head(1)
    data_file(THIRD_PARTY[measure])
    table = getattr(cp.data, measure)()
    return table.groupby("name").head(1) if measure == "gest" else table.iloc[:24]


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["sld", "ppd", "gest", "lpbs", "winobias", "winogender"])
def test_measures_find_the_same(endpoint, direct, measure, data_file):
    data = some_items(measure, data_file)
    served, own = (getattr(cp.measures, measure)(model, data) for model in (endpoint, direct))
    assert served.summary.value.to_numpy() == pytest.approx(own.summary.value.to_numpy(), abs=1e-4)
    assert Rung.LIKELIHOOD.value in served.asked


def test_declared_pronouns_through_an_endpoint(endpoint, direct):
    """All rows but those on tokens, which nobody behind an endpoint can see."""
    spec = cp.data.declared_pronouns().spec
    templates = spec.templates.model_copy(
        update=dict.fromkeys(("object", "determiner", "possessive"), ())
        | {"subject": spec.templates.subject[:2]}
    )
    data = cp.data.DeclaredPronouns(spec.model_copy(update={"templates": templates})).head(2)
    served, own = (cp.measures.pronoun_gap(model, data, pronouns=["they"]) for model in (endpoint, direct))
    expected = own.summary.set_index("key").value[served.summary.key]
    assert served.summary.value.to_numpy() == pytest.approx(expected.to_numpy(), abs=1e-4)
    assert served.items.p_right.to_numpy() == pytest.approx(own.items.p_right.to_numpy(), rel=1e-3)
    assert "tokens" not in served.items
    assert Rung.LIKELIHOOD.value in served.asked


def test_vllm_like_prompt_logprobs(in_front, direct):
    """A server that ignores echo and knows prompt_logprobs, whose first token has no name."""
    url, server = in_front

    def without_echo(self, path, body):
        body.pop("echo", None)
        self.reply(self.forward(path, body))

    server.instead = without_echo
    endpoint = Endpoint.open(url, direct.name)
    assert endpoint.capabilities.prompt_method == "prompt_logprobs"
    assert endpoint.capabilities.prompt_problem == ""
    [values] = endpoint.token_log_probs(TEXTS[:1])
    assert values.tolist() == direct.token_log_probs(TEXTS[:1])[0].tolist()


def test_texts_that_differ_in_a_first_token_without_a_number_are_not_compared(in_front, direct):
    """As vLLM and others serve models that have no token to begin a text with."""
    url, server = in_front

    def without_the_first(self, path, body):
        answer = self.forward(path, {**body, "prompt_logprobs": None})
        if body.get("echo"):
            answer["choices"][0]["logprobs"]["token_logprobs"][0] = None
        self.reply(answer)

    server.instead = without_the_first
    endpoint = Endpoint.open(url, direct.name)
    assert (
        "log-probabilities of the prompt: yes, by echo, without that of its first token"
        in endpoint.capabilities.describe()
    )
    pairs = cp.data.Pairs.of(
        ("She is a nurse.", "He is a nurse."),
        ("The nurse said that she was tired.", "The nurse said that he was tired."),
    )
    result = cp.measures.sld(endpoint, pairs)
    assert result.items.stereotyped.tolist() == ["The nurse said that she was tired."]
    assert result.items.sld[0] == pytest.approx(cp.measures.sld(direct, pairs).items.sld[1], abs=1e-4)
    assert result.skipped.reason.str.startswith("the texts differ in the first word").all()
    examples = cp.data.StereoSet.of(
        ("BLANK said that the nurse was tired.", "She", "He", "Window"),
        ("The nurse said that BLANK was tired.", "she", "he", "window"),
    )
    assert len(cp.measures.stereoset(endpoint, examples).items) == 1


def test_words_outside_the_top_are_bounded(in_front, direct):
    url, server = in_front
    server.instead = only_next(5)
    endpoint = Endpoint.open(url, direct.name)
    assert endpoint.capabilities.prompt_method is None
    assert endpoint.capabilities.top == 5
    with pytest.raises(ModelError, match=r"no log-probabilities of texts \(echo: .*; prompt_logprobs: "):
        endpoint.log_likelihood(TEXTS)
    truth = direct.next_log_probs(BEFORE, PRONOUNS)
    bounds = endpoint.next_log_prob_bounds(BEFORE, PRONOUNS)
    assert (bounds.low <= truth + 1e-5).all()
    assert (truth <= bounds.high + 1e-5).all()
    assert not bounds.exact.all()
    assert np.isnan(endpoint.next_log_probs(BEFORE, PRONOUNS)[~bounds.exact]).all()
    # The likeliest token itself is known exactly.
    [encoded] = direct.encode([BEFORE[0].rstrip()])
    likeliest = next(iter(endpoint.asker.ask([_next_question(BEFORE[0].rstrip())])[0].items()))
    assert likeliest[1] == pytest.approx(_largest_log_prob(direct, encoded.ids), abs=1e-5)


def _next_question(text):
    from counterpoise.models.endpoints.questions import next_token_question

    return next_token_question(text, 5)


def _largest_log_prob(model, ids):
    import torch

    with torch.no_grad():
        return float(model.model(torch.tensor([ids])).logits[0, -1].double().log_softmax(-1).max())


def test_bounds_widen_the_intervals_of_ppd(in_front, direct):
    url, server = in_front
    server.instead = only_next(5)
    served = cp.measures.ppd(Endpoint.open(url, direct.name), few.templates())
    own = cp.measures.ppd(direct, few.templates())
    assert Rung.NEXT_WORD.value in served.asked
    assert (served.items.ppd_low <= own.items.ppd + 1e-6).all()
    assert (own.items.ppd <= served.items.ppd_high + 1e-6).all()
    assert (served.items.neutral_gap_low <= own.items.neutral_gap + 1e-6).all()
    assert (own.items.neutral_gap <= served.items.neutral_gap_high + 1e-6).all()
    unknown = served.items.ppd_low < served.items.ppd_high
    assert unknown.any()
    assert served.items.loc[unknown, ["p_male", "p_female"]].isna().any(axis=1).all()
    [row], [exact] = (result.summary[result.summary.key == "appd"].itertuples() for result in (served, own))
    assert row.ci_low <= exact.ci_low
    assert exact.ci_high <= row.ci_high
    assert f"{unknown.sum()} of {len(unknown)} items have a pronoun outside" in row.note


def test_rows_of_words_bound_to_a_gender_hold_however_the_unknown_is_filled_in(direct):
    """Those of women count with the other sign."""
    few_items = cp.measures.ppd(direct, few.templates()).items.query("gendered")
    # Many words, so that the intervals are narrow beside the bounds.
    exact = pd.concat([few_items.assign(word=few_items.word + str(i)) for i in range(8)], ignore_index=True)
    rng = np.random.default_rng(0)
    low, high = (exact.ppd + sign * rng.uniform(0.2, 0.3, len(exact)) for sign in (-1, 1))
    items = exact.assign(ppd_low=low, ppd_high=high, p_neutral_low=0.0, p_neutral_high=0.5)
    assert set(items.gender) == {"male", "female"}
    rows_of = find_measure("ppd").rows
    bounded = {row.key: row for row in rows_of(items, "corrected", 0)}
    female = (items.gender == "female").to_numpy()
    for towards_high in (female, ~female):
        filled = exact.assign(ppd=np.where(towards_high, high, low))
        for row in rows_of(filled, "corrected", 0):
            assert bounded[row.key].ci_low - 1e-12 <= row.value <= bounded[row.key].ci_high + 1e-12


def test_a_measure_without_a_rung_says_why(in_front, direct):
    url, server = in_front
    server.instead = only_next(5)
    with pytest.raises(ModelError, match=r"sld has no way to ask .*no log-probabilities of the prompt"):
        cp.measures.sld(Endpoint.open(url, direct.name), few.pairs())
    with pytest.raises(ModelError, match="aul cannot be asked through an endpoint"):
        cp.measures.aul(Endpoint.open(url, direct.name))


def chooser(prefers, *, letters=True, changing=False):
    """A chat server that chooses the sentence with the higher score; without log-probabilities."""
    count = iter(range(10**6))

    def instead(self, path, body):
        if path != "/v1/chat/completions" or body.get("logprobs"):
            self.reply({"error": {"message": "there is no such thing here"}}, 404)
            return
        [turn] = body["messages"]
        options = [line[3:] for line in turn["content"].splitlines() if line[:3] in ("A: ", "B: ")]
        text = f"I say {next(count) if changing else 0} {body.get('seed', 0)}"
        if options:
            first, second = map(prefers, options)
            text = ("A" if first > second else "B") if letters else "Both are fine."
            if changing and body.get("seed", 0) % 5 == 1:
                text = {"A": "B", "B": "A"}[text]
        self.reply({"model": "m", "choices": [{"index": 0, "message": {"content": text}}]})

    return instead


GOOD = {good for good, _ in CONTROLS}


def prefers_women(sentence: str) -> float:
    return 10.0 * (sentence in GOOD) + (" she " in f" {sentence.lower()} ") + len(sentence) / 1e6


def test_forced_choice(in_front):
    url, server = in_front
    server.instead = chooser(prefers_women)
    endpoint = Endpoint.open(url, "m")
    assert endpoint.capabilities.rungs == (Rung.FORCED_CHOICE, Rung.SAMPLES, Rung.ANSWERS)
    pairs = cp.data.Pairs.of(
        ("The nurse said that she was tired.", "The nurse said that he was tired."),
        ("The engineer said that he was tired.", "The engineer said that she was tired."),
        ("The baker said that she was late.", "The baker said that he was late."),
    )
    result = cp.measures.sld(endpoint, pairs)
    assert result.items.sld.tolist() == [1.0, -1.0, 1.0]
    assert result.summary.key[0] == "share_stereotyped"
    assert result.summary.value[0] == pytest.approx(200 / 3)
    assert not result.summary.key.str.startswith("sld").any()  # a choice has no size
    assert result.asked.endswith(Rung.FORCED_CHOICE.value)
    assert cp.measures.crows(endpoint, pairs).overall.value.iloc[0] == pytest.approx(200 / 3)
    with pytest.raises(ModelError, match="ppd has no way to ask"):
        cp.measures.ppd(endpoint, few.templates())


def test_a_model_that_likes_the_letter_a_has_no_choice(in_front):
    url, server = in_front

    def always_a(self, path, body):
        self.reply({"model": "m", "choices": [{"message": {"content": "A"}}]})

    server.instead = always_a
    endpoint = Endpoint.open(url, "m")
    assert endpoint.capabilities.rungs == (Rung.ANSWERS,)
    with pytest.raises(ModelError, match="the better sentence is chosen in 0 of 8 control pairs"):
        cp.measures.sld(endpoint, few.pairs())


def test_samples_where_answers_change(in_front):
    url, server = in_front
    server.instead = chooser(prefers_women, changing=True)
    endpoint = Endpoint.open(url, "m")
    assert endpoint.capabilities.rungs == (Rung.SAMPLES, Rung.ANSWERS)
    pairs = cp.data.Pairs.of(
        ("The nurse said that she was tired.", "The nurse said that he was tired."),
        ("The cook said that she was late.", "The cook said that he was late."),
    )
    result = cp.measures.sld(endpoint, pairs)
    assert result.sampling == {"n": 10, "seed": 0, "temperature": 1.0, "top_p": None, "max_tokens": 4}
    # Seeds 1 and 6 of 10 turn the answer: 8 of 10 samples for the stereotype; Wilson's interval by its formula.
    n, p, z = 10, 0.8, 1.959963984540054
    centre, half = p + z**2 / (2 * n), z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    assert result.items.score_stereotyped.tolist() == [0.8, 0.8]
    assert result.items.share_low[0] == pytest.approx((centre - half) / (1 + z**2 / n))
    assert result.items.share_high[0] == pytest.approx((centre + half) / (1 + z**2 / n))


def test_answers_are_kept_and_nothing_is_asked_twice(in_front, direct, tmp_path):
    url, server = in_front
    first = Endpoint.open(url, direct.name)
    first.cache = ScoreCache(tmp_path / "scores.sqlite")
    expected = first.log_likelihood([*TEXTS, TEXTS[0]])
    assert first.asker.transport.traffic.questions == len(TEXTS)
    second = Endpoint.open(url, direct.name)
    second.cache = ScoreCache(tmp_path / "scores.sqlite")
    server.asked.clear()
    assert second.log_likelihood([*TEXTS, "One more."])[:3].tolist() == expected[:3].tolist()
    assert [body["prompt"] for _, body in server.asked] == ["One more."]
    other = Endpoint.open(url, "another name")  # answers belong to the model that was asked for
    other.cache = ScoreCache(tmp_path / "scores.sqlite")
    other.log_likelihood(TEXTS[:1])
    assert other.asker.transport.traffic.questions == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "measure", ["sld", "ppd", "gest", "lpbs", "winobias", "winogender", "stereoset", "crows"]
)
def test_what_is_planned_is_asked_and_nothing_twice(in_front, direct, measure, data_file):
    url, server = in_front
    endpoint = Endpoint.open(url, direct.name)  # without a cache
    examples = cp.data.StereoSet.of(("The nurse said that BLANK was tired.", "she", "he", "window"))
    data = {"stereoset": examples, "crows": few.pairs()}.get(measure)
    ask = partial(
        getattr(cp.measures, measure), endpoint, some_items(measure, data_file) if data is None else data
    )
    server.asked.clear()
    with limited(6):
        planned = plan_asking(endpoint, [ask]).questions
        assert server.asked == []
        ask()
    prompts = [body["prompt"] for _, body in server.asked]
    assert len(prompts) == len(set(prompts)) == planned


def test_another_model_than_asked_is_recorded_and_may_be_refused(url, direct):
    endpoint = Endpoint.open(url, "gpt-99")
    assert endpoint.other_models == [direct.name]
    assert endpoint.details["served_as"] == direct.name
    with pytest.raises(EndpointError, match="was asked for 'gpt-99' and answered as"):
        Endpoint.open(url, "gpt-99", strict_model=True)


@pytest.mark.slow
def test_a_model_that_is_replaced_while_it_is_asked(in_front, direct, tmp_path, capsys):
    url, server = in_front

    def replaced(self, path, body):
        name = "another" if "nurse" in body["prompt"] else direct.name
        self.reply(self.forward(path, body) | {"model": name})

    endpoint, strict = (Endpoint.open(url, direct.name, strict_model=strict) for strict in (False, True))
    endpoint.cache = ScoreCache(tmp_path / "scores.sqlite")
    server.instead = replaced
    result = cp.measures.sld(endpoint, few.pairs())
    assert result.warnings == ("the server answered as another model while it was asked: another",)
    assert capsys.readouterr().err.count("now answers as another") == 1
    with pytest.raises(EndpointError, match="answered as 'another'"):
        strict.log_likelihood(TEXTS)
    server.instead = None
    server.asked.clear()
    again = Endpoint.open(url, direct.name)
    again.cache = ScoreCache(tmp_path / "scores.sqlite")
    server.asked.clear()
    cp.measures.sld(again, few.pairs())  # only what the other model answered is asked again
    assert server.asked
    assert all("nurse" in body["prompt"] for _, body in server.asked)


def test_answers_of_another_model_are_kept_apart(in_front, direct, tmp_path):
    url, server = in_front
    server.instead = lambda self, path, body: self.reply(self.forward(path, body) | {"model": "another"})
    other = Endpoint.open(url, direct.name)
    other.cache = ScoreCache(tmp_path / "scores.sqlite")
    other.log_likelihood(TEXTS)
    server.instead = None
    endpoint = Endpoint.open(url, direct.name)
    endpoint.cache = ScoreCache(tmp_path / "scores.sqlite")
    endpoint.log_likelihood(TEXTS)
    assert endpoint.asker.transport.traffic.questions == len(TEXTS)


def test_wrong_input():
    with pytest.raises(InputError, match="name the one to ask"):
        cp.load("http://127.0.0.1:9/v1")
    with pytest.raises(InputError, match="begins with http"):
        cp.load("ftp://127.0.0.1/v1", model="m")
    with pytest.raises(InputError, match="no user name, password or query"):
        cp.load("http://user:secret@127.0.0.1/v1", model="m")
    with pytest.raises(InputError, match="dtype is for models that are loaded here"):
        cp.load("http://127.0.0.1:9/v1", model="m", dtype="float16")
    with pytest.raises(InputError, match="builtin is not an address"):
        cp.load("builtin", model="m")


def test_capabilities_are_plain_json(endpoint):
    assert json.loads(json.dumps(endpoint.details)) == endpoint.details
