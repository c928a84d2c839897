"""The server of a causal model against the model itself and plain transformers."""

from __future__ import annotations

import pytest
import torch
from fastapi.testclient import TestClient

import counterpoise as cp
import tiny
from counterpoise.models import CausalLM
from counterpoise.web.model_server import make_model_app

TEXT = "The engineer decided to quit her job."
CHAT = "{% for m in messages %}{{ m.role }}: {{ m.content }} {% endfor %}{% if add_generation_prompt %}She:{% endif %}"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> CausalLM:
    return cp.load(tiny.save("gpt2-without-pad", tmp_path_factory.mktemp("served")), device="cpu")


@pytest.fixture(scope="module")
def client(model: CausalLM) -> TestClient:
    return TestClient(make_model_app(model), base_url="http://127.0.0.1")


def ask(client, path="completions", **body):
    answer = client.post(f"/v1/{path}", json={"model": "m", "temperature": 0, **body})
    assert answer.status_code == 200, answer.text
    return answer.json()


def plain_log_probs(model, ids):
    with torch.no_grad():
        return model.model(torch.tensor([ids])).logits[0].double().log_softmax(-1)


def test_echo_gives_the_log_probabilities_of_the_model(client, model):
    [choice] = ask(client, prompt=TEXT, max_tokens=1, echo=True, logprobs=2)["choices"]
    logs = choice["logprobs"]
    assert logs["token_logprobs"][:-1] == model.token_log_probs([TEXT])[0].tolist()
    assert "".join(logs["tokens"][:-1]) == TEXT
    assert logs["text_offset"] == [len("".join(logs["tokens"][:i])) for i in range(len(logs["tokens"]))]
    [encoded] = model.encode([TEXT])
    rows = plain_log_probs(model, encoded.ids)
    for position, top in enumerate(logs["top_logprobs"]):
        assert max(top.values()) == pytest.approx(float(rows[position].max()), abs=1e-5)


def test_prompts_may_be_tokens_and_several(client, model):
    ids = model.tokenizer(TEXT)["input_ids"]
    one, other = ask(client, prompt=[ids, ids[:4]], max_tokens=1, echo=True, logprobs=1)["choices"]
    assert [one["index"], other["index"]] == [0, 1]
    values = one["logprobs"]["token_logprobs"]
    assert values[0] is None  # nothing stands before it
    rows = plain_log_probs(model, ids)
    assert values[1:-1] == pytest.approx([float(rows[i - 1, ids[i]]) for i in range(1, len(ids))], abs=1e-5)
    assert len(other["logprobs"]["tokens"]) == 5


def test_requests_of_lm_evaluation_harness(client, model):
    """What its local-completions sends and reads, as of version 0.4.13, against plain transformers."""
    context, continuation = "The engineer decided to quit", " her job."
    ids = model.tokenizer(context)["input_ids"]
    whole = [*ids, *model.tokenizer(continuation)["input_ids"]]
    body = {"prompt": [whole], "max_tokens": 1, "logprobs": 1, "seed": 1234, "echo": True}
    [choice] = ask(client, **body)["choices"]
    values = choice["logprobs"]["token_logprobs"][len(ids) : -1]
    tops = choice["logprobs"]["top_logprobs"][len(ids) : -1]
    rows = plain_log_probs(model, whole)[len(ids) - 1 : -1]
    expected = [float(row[token]) for row, token in zip(rows, whole[len(ids) :], strict=True)]
    assert values == pytest.approx(expected, abs=1e-5)
    is_likeliest = [int(row.argmax()) == token for row, token in zip(rows, whole[len(ids) :], strict=True)]
    assert [value == max(top.values()) for value, top in zip(values, tops, strict=True)] == is_likeliest


def test_prompt_logprobs(client, model):
    [choice] = ask(client, prompt=TEXT, max_tokens=1, prompt_logprobs=0)["choices"]
    values = [next(iter(entry.values()))["logprob"] for entry in choice["prompt_logprobs"]]
    assert values == model.token_log_probs([TEXT])[0].tolist()
    assert choice["logprobs"] is None


def test_generation_takes_the_likeliest_token_and_stops(client, model):
    [choice] = ask(client, prompt=TEXT, max_tokens=6, logprobs=3)["choices"]
    [encoded] = model.encode([TEXT])
    ids = list(encoded.ids)
    for token, value in zip(choice["logprobs"]["tokens"], choice["logprobs"]["token_logprobs"], strict=True):
        row = plain_log_probs(model, ids)[-1]
        ids.append(int(row.argmax()))
        assert token == model.tokenizer.decode([ids[-1]])
        assert value == pytest.approx(float(row.max()), abs=1e-5)
    first = choice["logprobs"]["tokens"][0]
    [stopped] = ask(client, prompt=TEXT, max_tokens=6, stop=[first])["choices"]
    assert stopped["text"] == ""
    assert stopped["finish_reason"] == "stop"


def test_seeds(client):
    def drawn(seed):
        return ask(client, prompt=TEXT, max_tokens=8, temperature=1.0, seed=seed)["choices"][0]["text"]

    assert drawn(1) == drawn(1)
    assert len({drawn(seed) for seed in range(5)}) > 1


def test_chat(client, model):
    body = {"messages": [{"role": "user", "content": "Who is late?"}], "max_tokens": 2}
    refused = client.post("/v1/chat/completions", json=body)
    assert refused.status_code == 400
    assert "no chat template" in refused.json()["error"]["message"]
    model.tokenizer.chat_template = CHAT
    try:
        [choice] = ask(client, "chat/completions", **body, logprobs=True, top_logprobs=2)["choices"]
        ids = model.tokenizer("user: Who is late? She:")["input_ids"]
    finally:
        model.tokenizer.chat_template = None
    first = choice["logprobs"]["content"][0]
    assert first["logprob"] == pytest.approx(float(plain_log_probs(model, ids)[-1].max()), abs=1e-5)
    assert len(first["top_logprobs"]) == 2


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"prompt": TEXT * 30}, "the model takes 64"),
        ({"prompt": [10**6]}, "outside of the vocabulary"),
        ({"prompt": TEXT, "stream": True}, "not streamed"),
        ({"prompt": TEXT, "logprobs": 10**6}, "less than or equal to 1000"),
        ({"prompt": TEXT, "max_tokens": -1}, "greater than or equal to 0"),
        ({}, "prompt: Field required"),
    ],
)
def test_wrong_requests_are_one_line(client, body, message):
    answer = client.post("/v1/completions", json=body)
    assert answer.status_code == 400
    assert message in answer.json()["error"]["message"]


def test_other_sites_are_refused(client):
    assert client.get("/v1/models", headers={"host": "evil.example"}).status_code == 400
    assert client.get("/v1/models").json()["data"][0]["object"] == "model"
