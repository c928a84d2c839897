"""What an endpoint is asked: the bodies of requests in the protocol that OpenAI's completions made common."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Any, Literal

from counterpoise.models.answering import Sampling
from counterpoise.models.endpoints.answers import answer_text, next_tokens, prompt_tokens, written_answer

COMPLETIONS, CHAT = "/completions", "/chat/completions"

MAX_TOKENS, MAX_COMPLETION_TOKENS = "max_tokens", "max_completion_tokens"

PromptMethod = Literal["echo", "prompt_logprobs"]
Wants = Literal["prompt tokens", "next tokens", "text", "answer"]


@dataclass(frozen=True)
class Dialect:
    """How a server wants requests to be put.

    `length` is what it calls the most tokens of an answer, and `chat_length` the same for chats; without `seeds` it
    declines requests that have one.
    """

    length: str = MAX_TOKENS
    chat_length: str = MAX_TOKENS
    seeds: bool = True

    def calling(self, path: str, length: str) -> Dialect:
        """The same with another name of the length of answers there."""
        return replace(self, chat_length=length) if path == CHAT else replace(self, length=length)


USUAL = Dialect()


@dataclass(frozen=True)
class EndpointQuestion:
    """A request, apart from the endpoint and model that it goes to."""

    path: str
    wants: Wants
    body: str  # JSON with sorted keys, so that equal questions are equal

    @classmethod
    def of(cls, path: str, wants: Wants, **body: Any) -> EndpointQuestion:
        return cls(path, wants, json.dumps(body, sort_keys=True, ensure_ascii=False))

    def digest(self) -> bytes:
        """The key of its answer in the cache."""
        return hashlib.blake2b(f"{self.path}\n{self.wants}\n{self.body}".encode(), digest_size=16).digest()

    def read(self, answer: dict[str, Any]) -> Any:
        """What was asked for, taken from the answer and checked."""
        if self.wants == "prompt tokens":
            return prompt_tokens(answer, json.loads(self.body)["prompt"])
        if self.wants == "answer":
            return written_answer(answer)
        return next_tokens(answer) if self.wants == "next tokens" else answer_text(answer)

    def request(self, model: str, dialect: Dialect = USUAL) -> dict[str, Any]:
        """What is sent. A seed that the server declines still tells questions, and so their answers, apart."""
        body = json.loads(self.body)
        length = dialect.chat_length if self.path == CHAT else dialect.length
        body[length] = body.pop(MAX_TOKENS)
        if not dialect.seeds:
            body.pop("seed", None)
        return {"model": model, **body}

    @property
    def estimated_tokens(self) -> tuple[int, int]:
        """Roughly how many tokens go in and come out; a token is about four characters of English."""
        body = json.loads(self.body)
        text = body.get("prompt") or "".join(turn["content"] for turn in body.get("messages", ()))
        return len(text) // 4 + 1, int(body[MAX_TOKENS])


def prompt_question(text: str, method: PromptMethod) -> EndpointQuestion:
    """How probable is each token of a text? One token is generated too, since some servers insist on it."""
    how: dict[str, Any] = {"echo": True, "logprobs": 1} if method == "echo" else {"prompt_logprobs": 0}
    return EndpointQuestion.of(COMPLETIONS, "prompt tokens", prompt=text, max_tokens=1, temperature=0, **how)


def next_token_question(text: str, top: int) -> EndpointQuestion:
    """Which tokens are the most probable ones after a text?"""
    return EndpointQuestion.of(
        COMPLETIONS, "next tokens", prompt=text, max_tokens=1, temperature=0, logprobs=top
    )


def answer_question(
    path: str,
    text: str,
    *,
    max_tokens: int,
    top: int = 0,
    temperature: float = 0.0,
    seed: int | None = None,
) -> EndpointQuestion:
    """What does the model answer to a text; with `top`, how probable are the first tokens of the answer?"""
    body: dict[str, Any] = {"max_tokens": max_tokens, "temperature": temperature}
    if seed is not None:
        body["seed"] = seed
    if path == CHAT:
        body["messages"] = [{"role": "user", "content": text}]
        body |= {"logprobs": True, "top_logprobs": top} if top else {}
    else:
        body["prompt"] = text
        body |= {"logprobs": top} if top else {}
    return EndpointQuestion.of(path, "next tokens" if top else "text", **body)


def sampled_question(path: str, text: str, sampling: Sampling, seed: int | None) -> EndpointQuestion:
    """What does the model answer to a prompt, drawn in this way?"""
    body: dict[str, Any] = {
        "max_tokens": sampling.max_tokens,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,  # also where it is 1, since servers have other defaults
    }
    if seed is not None:
        body["seed"] = seed
    body |= {"messages": [{"role": "user", "content": text}]} if path == CHAT else {"prompt": text}
    return EndpointQuestion.of(path, "answer", **body)
