"""What a causal model reads before a text: start tokens and chats."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch

import counterpoise as cp
import tiny
from counterpoise.cli.main import run
from counterpoise.core.errors import InputError, ModelError
from counterpoise.models.causal import CausalLM
from counterpoise.models.text_start import Chat, document_start, own_start

TEMPLATE = (
    "{% for turn in messages %}<mask>{{ turn.role }}: {{ turn.content }}</s>{% endfor %}"
    "{% if add_generation_prompt %}<mask>assistant: {% endif %}"
)
TEXT = "The nurse said that she was tired."


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return cp.load(tiny.save("llama", tmp_path_factory.mktemp("llama"))).model


def bare_tokenizer(**special):
    """A tokenizer that puts nothing before a text by itself."""
    tokenizer = tiny.byte_level()
    tokenizer.backend_tokenizer.post_processor = None
    for name, token in special.items():
        setattr(tokenizer, name, token)
    return tokenizer


def after(model, prefix, ids):
    """log P of the tokens of a text after a prefix, plainly."""
    with torch.no_grad():
        logs = model(torch.tensor([[*prefix, *ids]])).logits[0].double().log_softmax(-1)
    return [float(logs[len(prefix) + i - 1, token]) for i, token in enumerate(ids)]


def test_the_tokenizers_own_start_is_taken(model):
    lm = CausalLM(model, tiny.byte_level(), name="own")
    assert own_start(lm.tokenizer) == (0,)
    assert (lm.start.ids, lm.start.description) == ((0,), "after <s>")


def test_the_likeliest_start_is_taken():
    tokenizer = bare_tokenizer()
    tried = []

    def likelihood(token, sentences):
        tried.append(token)
        return {0: -50.0, 2: -30.0}[token]

    start = document_start(tokenizer, None, likelihood, "mine")
    assert (tried, start.ids, start.description) == ([0, 2], (2,), "after </s>")


def test_what_is_tried_is_the_likelihood_of_plain_text(model):
    lm = CausalLM(model, bare_tokenizer(), name="tried")
    ids = lm.tokenizer("Water freezes.", add_special_tokens=False)["input_ids"]
    for token in (0, 2):
        assert lm._plain_likelihood(token, ["Water freezes."]) == pytest.approx(
            sum(after(model, [token], ids)), abs=1e-4
        )
    best = max((0, 2), key=lambda token: lm._plain_likelihood(token, cp.models.text_start._PLAIN))
    assert lm.start.ids == (best,)


@pytest.mark.parametrize(("wanted", "ids"), [("</s>", (2,)), ("none", ())])
def test_a_start_that_was_asked_for(model, wanted, ids):
    lm = CausalLM(model, tiny.byte_level(), name="asked", start=wanted)
    assert lm.start.ids == ids
    own = [token for token in lm.tokenizer(TEXT)["input_ids"] if token != 0]  # with the end that it adds
    expected = after(model, ids, own) if ids else after(model, own[:1], own[1:])
    assert lm.token_log_probs([TEXT])[0] == pytest.approx(np.array(expected), abs=1e-4)


def test_a_start_that_is_no_token(model):
    with pytest.raises(InputError, match="--start '<bos>' is not a token of asked"):
        CausalLM(model, tiny.byte_level(), name="asked", start="<bos>").log_likelihood([TEXT])


def test_a_text_is_the_assistants_answer(model):
    tokenizer = bare_tokenizer(chat_template=TEMPLATE)
    lm = CausalLM(model, tokenizer, name="chat", chat=Chat(user="Hello", system="Be kind."))
    prompt = "<mask>system: Be kind.</s><mask>user: Hello</s><mask>assistant: "
    prefix = tokenizer(prompt, add_special_tokens=False)["input_ids"]
    ids = tokenizer(TEXT, add_special_tokens=False)["input_ids"]
    assert lm.start.ids == tuple(prefix)
    assert lm.token_log_probs([TEXT])[0] == pytest.approx(np.array(after(model, prefix, ids)), abs=1e-4)
    [[he]] = lm.next_log_probs(["The nurse said that "], ["he"])
    said = tokenizer("The nurse said that he", add_special_tokens=False)["input_ids"]
    assert he == pytest.approx(after(model, prefix, said)[-1], abs=1e-4)
    assert lm.reading == ("as the assistant's answer in a chat",)
    plain = CausalLM(model, tokenizer, name="plain")
    assert plain.reading[1] == "outside its chat template"


TURNS = "{% for turn in messages %}<mask>{{ turn.role }}: {{ turn.content }}</s>{% endfor %}"
ONLY_ANSWERS = (
    "{% for turn in messages %}{{ turn.content }}{% if turn.role == 'user' %} [/INST]{% endif %}{% endfor %}"
)
THOUGHTS = TURNS + "{% if add_generation_prompt %}<mask>assistant: <think>{% endif %}"
EMPTY_THOUGHTS = TEMPLATE.replace(
    "{{ turn.content }}",
    "{% if turn.role == 'assistant' %}<think></think>{% endif %}{{ turn.content }}",
)


@pytest.mark.parametrize(
    ("template", "prompt", "description"),
    [
        (TEMPLATE, "<mask>user: Hello</s><mask>assistant: ", "as the assistant's answer in a chat"),
        # The template does not know of a generation prompt: what it writes before an assistant's turn.
        (TURNS, "<mask>user: Hello</s><mask>assistant: ", "as the assistant's answer in a chat"),
        (TURNS + "<s>", "<mask>user: Hello</s><mask>assistant: ", "as the assistant's answer in a chat"),
        (ONLY_ANSWERS, "Hello [/INST]", "as the assistant's answer in a chat"),
        (
            ONLY_ANSWERS.replace("[/INST]", "[/INST] "),
            "Hello [/INST] ",
            "as the assistant's answer in a chat",
        ),
        # The generation prompt decides where the two disagree.
        (EMPTY_THOUGHTS, "<mask>user: Hello</s><mask>assistant: ", "as the assistant's answer in a chat"),
        (
            THOUGHTS,
            "<mask>user: Hello</s><mask>assistant: <think>",
            "as what the assistant writes next in a chat, where its template puts no answer",
        ),
    ],
)
def test_where_the_assistants_answer_begins(model, template, prompt, description):
    tokenizer = bare_tokenizer(chat_template=template)
    lm = CausalLM(model, tokenizer, name="chat", chat=Chat(user="Hello"))
    assert Chat(user="Hello").prompt(tokenizer, "chat") == prompt
    assert lm.start.ids == tuple(tokenizer(prompt, add_special_tokens=False)["input_ids"])
    assert lm.reading == (description,)
    assert lm._one_prompt("Hello") == lm.start.ids  # an answer is written at the same place


@pytest.mark.parametrize("user", ["Hello", "CounterpoiseAnswer"])
def test_a_space_before_the_answer_is_the_texts_own(user):
    turn = "'[INST] ' + turn.content + ' [/INST]' if loop.first else ' ' + turn.content"
    spaced = "{% for turn in messages %}{{ " + turn + " }}{% endfor %}"
    tokenizer = bare_tokenizer(chat_template=spaced)
    assert Chat(user=user).prompt(tokenizer, "mine") == f"[INST] {user} [/INST]"


def test_a_template_without_a_place_for_an_answer(model):
    users = bare_tokenizer(
        chat_template="{% for turn in messages if turn.role == 'user' %}{{ turn.content }}{% endfor %}"
    )
    with pytest.raises(
        ModelError, match="the chat template of mine neither opens the assistant's turn nor has"
    ):
        CausalLM(model, users, name="mine", chat=Chat()).log_likelihood([TEXT])


def test_the_turns_of_a_chat_as_a_dictionary(tmp_path):
    tiny.save("llama", tmp_path)
    bare_tokenizer(chat_template=TEMPLATE).save_pretrained(tmp_path)
    lm = cp.load(tmp_path, chat={"user": "Hello", "system": "Be kind."})
    assert lm.chat == Chat("Hello", "Be kind.")
    assert cp.load(tmp_path, chat={}).start == cp.load(tmp_path, chat=True).start


@pytest.mark.parametrize(
    ("chat", "message"),
    [
        ("yes", "chat must be True, a Chat or a dictionary with user and system, not 'yes'"),
        (1, "chat must be True, a Chat or a dictionary with user and system, not 1"),
        ({"users": "x"}, "there is no field of chat 'users' (there are: system, user)"),
        ({"user": 5}, "the user of chat must be a text, not 5"),
        ({"user": None}, "the user of chat must be a text, not None"),
    ],
)
def test_what_is_no_chat_is_one_line(chat, message):
    with pytest.raises(InputError) as complaint:
        cp.load("anything", chat=chat)
    assert str(complaint.value).startswith(message)


def test_chats_that_cannot_be(model):
    with pytest.raises(ModelError, match="mine has no chat template"):
        CausalLM(model, tiny.byte_level(), name="mine", chat=Chat()).log_likelihood([TEXT])
    broken = bare_tokenizer(chat_template="{{ raise_exception('System role not supported') }}")
    with pytest.raises(ModelError, match="the chat template of mine fails: System role not supported"):
        CausalLM(model, broken, name="mine", chat=Chat()).log_likelihood([TEXT])
    silent = bare_tokenizer(
        chat_template="{% if messages[1] is defined %}{{ messages[1].content }}{% endif %}"
    )
    for chat, what in ((Chat(), "user"), (Chat(system="Be kind."), "system")):
        with pytest.raises(ModelError, match=f"the chat template of mine leaves out the {what}'s turn"):
            CausalLM(model, silent, name="mine", chat=chat).log_likelihood([TEXT])
    with pytest.raises(ModelError, match="the chat template of mine puts nothing before the assistant's"):
        CausalLM(model, silent, name="mine", chat=Chat(user=" ")).log_likelihood([TEXT])
    with pytest.raises(InputError, match="give --start or --chat, not both"):
        CausalLM(model, tiny.byte_level(), name="mine", chat=Chat(), start="</s>")


def test_a_chat_that_leaves_no_room_is_said_when_the_model_is_loaded(tmp_path, capsys):
    tiny.save("llama", tmp_path / "chat")
    bare_tokenizer(chat_template=TEMPLATE).save_pretrained(tmp_path / "chat")
    options = ["--chat", "--chat-user", "word " * 300, "--out", str(tmp_path / "out")]
    capsys.readouterr()  # what transformers shows while it saves
    assert run(["audit", str(tmp_path / "chat"), *options]) == 2
    out, complaint = capsys.readouterr()
    assert (out, complaint.count("\n")) == ("", 1)
    assert re.search(r"the chat before a text has \d{3,} tokens and \S+ takes \d+, texts included", complaint)
    assert not (tmp_path / "out").exists()
