"""`counterpoise serve-model`: completions, with log-probabilities of prompts, and chat, by any causal model."""

from __future__ import annotations

import time
import uuid
from collections.abc import Collection, Sequence
from typing import Annotated, Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from counterpoise.core.errors import CounterpoiseError, InputError
from counterpoise.core.version import __version__
from counterpoise.models.causal import CausalLM
from counterpoise.web.guard import LOOPBACK, Guard
from counterpoise.web.limits import Limits
from counterpoise.web.model_answers import ModelAnswers, Prompt, ScoredToken

LIMITS = Limits(body=4 << 20, seconds=600.0, request_seconds=60.0)
_MOST_TOP = 1000
_MOST_PROMPTS = 256

Temperature = Annotated[float, Field(ge=0, le=10)]
TopP = Annotated[float, Field(gt=0, le=1)]
MaxTokens = Annotated[int, Field(ge=0, le=4096)]
Text = Annotated[str, Field(max_length=200_000)]
Ids = Annotated[list[int], Field(min_length=1, max_length=100_000)]


class CompletionRequest(BaseModel):
    """A request for completions; fields of the protocol that are not here are ignored."""

    model_config = ConfigDict(extra="ignore")

    model: str = ""
    prompt: Text | Ids | Annotated[list[Text] | list[Ids], Field(max_length=_MOST_PROMPTS)]
    max_tokens: MaxTokens = 16
    temperature: Temperature = 1.0
    top_p: TopP = 1.0
    seed: int | None = None
    echo: bool = False
    logprobs: Annotated[int, Field(ge=0, le=_MOST_TOP)] | None = None
    prompt_logprobs: Annotated[int, Field(ge=0, le=_MOST_TOP)] | None = None
    stop: str | list[str] | None = None
    stream: bool = False


class ChatTurn(BaseModel):
    """A turn of a chat."""

    role: str
    content: Text


class ChatRequest(BaseModel):
    """A request for the next turn of a chat."""

    model_config = ConfigDict(extra="ignore")

    model: str = ""
    messages: Annotated[list[ChatTurn], Field(min_length=1, max_length=1000)]
    max_tokens: MaxTokens = 128
    temperature: Temperature = 1.0
    top_p: TopP = 1.0
    seed: int | None = None
    logprobs: bool = False
    top_logprobs: Annotated[int, Field(ge=0, le=_MOST_TOP)] = 0
    stop: str | list[str] | None = None
    stream: bool = False


def make_model_app(model: CausalLM, hosts: Collection[str] = LOOPBACK) -> FastAPI:
    """The server of a model, which answers to these host names."""
    app = FastAPI(title="Counterpoise model", version=__version__, docs_url=None, redoc_url=None)
    answers = ModelAnswers(model)

    @app.get("/v1/models")
    def models() -> dict[str, Any]:
        return {"object": "list", "data": [{"id": model.name, "object": "model", "owned_by": "counterpoise"}]}

    @app.post("/v1/completions")
    def completions(request: CompletionRequest) -> dict[str, Any]:
        _refuse_streams(request.stream)
        prompts = [answers.read_prompt(prompt) for prompt in _prompts(request.prompt)]
        choices, generated = [], 0
        for index, prompt in enumerate(prompts):
            choice, count = _completion(answers, prompt, request)
            choices.append({"index": index, **choice})
            generated += count
        return _document("text_completion", model.name, choices, sum(len(p.ids) for p in prompts), generated)

    @app.post("/v1/chat/completions")
    def chat(request: ChatRequest) -> dict[str, Any]:
        _refuse_streams(request.stream)
        prompt = answers.read_chat([turn.model_dump() for turn in request.messages])
        tokens = answers.generate(
            prompt,
            max_tokens=request.max_tokens,
            temperature=request.temperature,
            top_p=request.top_p,
            seed=request.seed,
            top=request.top_logprobs,
        )
        text, finish = _stopped(answers, tokens, request.stop, request.max_tokens)
        choice: dict[str, Any] = {"index": 0, "message": {"role": "assistant", "content": text}}
        choice |= {"finish_reason": finish, "logprobs": None}
        if request.logprobs:
            choice["logprobs"] = {"content": [_chat_token(answers, token) for token in tokens]}
        return _document("chat.completion", model.name, [choice], len(prompt.ids), len(tokens))

    @app.exception_handler(CounterpoiseError)
    async def own_error(_: Request, error: CounterpoiseError) -> JSONResponse:
        return _error(str(error))

    @app.exception_handler(RequestValidationError)
    async def invalid_request(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        return _error(f"{'.'.join(map(str, first['loc'][1:]))}: {first['msg']}")

    app.add_middleware(Guard, limits=LIMITS, hosts=hosts)
    return app


def _completion(
    answers: ModelAnswers, prompt: Prompt, request: CompletionRequest
) -> tuple[dict[str, Any], int]:
    top = request.logprobs or 0
    tokens = answers.generate(
        prompt,
        max_tokens=request.max_tokens,
        temperature=request.temperature,
        top_p=request.top_p,
        seed=request.seed,
        top=top,
    )
    text, finish = _stopped(answers, tokens, request.stop, request.max_tokens)
    own = prompt.ids[prompt.start :]
    listed = tokens
    if request.echo:
        text = answers.text_of(own) + text
        listed = [*answers.score(prompt, top), *tokens] if request.logprobs is not None else tokens
    choice: dict[str, Any] = {"text": text, "finish_reason": finish, "logprobs": None}
    if request.logprobs is not None:
        choice["logprobs"] = _legacy_logprobs(answers, listed)
    if request.prompt_logprobs is not None:
        scored = answers.score(prompt, request.prompt_logprobs)
        choice["prompt_logprobs"] = [_prompt_token(answers, token) for token in scored]
    return choice, len(tokens)


def _legacy_logprobs(answers: ModelAnswers, tokens: Sequence[ScoredToken]) -> dict[str, Any]:
    """Log-probabilities as completions have them; tokens that read alike share an entry, that of the likeliest."""
    texts = [answers.token_text(token.id) for token in tokens]
    offsets = [sum(map(len, texts[:i])) for i in range(len(texts))]
    tops: list[dict[str, float] | None] = []
    for token in tokens:
        entries: dict[str, float] = {}
        for number, value in token.top.items():
            entries.setdefault(answers.token_text(number), value)
        tops.append(entries if token.log_prob is not None else None)
    return {
        "tokens": texts,
        "token_logprobs": [token.log_prob for token in tokens],
        "top_logprobs": tops,
        "text_offset": offsets,
    }


def _prompt_token(answers: ModelAnswers, token: ScoredToken) -> dict[str, Any] | None:
    if token.log_prob is None:
        return None
    listed = {token.id: token.log_prob, **token.top}
    return {
        str(number): {"logprob": value, "decoded_token": answers.token_text(number)}
        for number, value in listed.items()
    }


def _chat_token(answers: ModelAnswers, token: ScoredToken) -> dict[str, Any]:
    def entry(number: int, value: float | None) -> dict[str, Any]:
        text = answers.token_text(number)
        return {"token": text, "bytes": list(text.encode()), "logprob": value}

    return {
        **entry(token.id, token.log_prob),
        "top_logprobs": [entry(number, value) for number, value in token.top.items()],
    }


def _stopped(
    answers: ModelAnswers, tokens: Sequence[ScoredToken], stop: str | list[str] | None, wanted: int
) -> tuple[str, str]:
    """The text of an answer up to where it stops, and why it stopped."""
    text = answers.text_of([token.id for token in tokens])
    ends = [text.find(end) for end in ([stop] if isinstance(stop, str) else stop or []) if end]
    cut = min((end for end in ends if end >= 0), default=-1)
    if cut >= 0:
        return text[:cut], "stop"
    return text, "length" if len(tokens) >= wanted else "stop"


def _prompts(prompt: Any) -> list[Any]:
    """A list of prompts, each a text or a list of tokens."""
    is_one = isinstance(prompt, str) or (len(prompt) > 0 and isinstance(prompt[0], int))
    return [prompt] if is_one else list(prompt)


def _refuse_streams(stream: bool) -> None:
    if stream:
        raise InputError("answers are not streamed: leave out stream")


def _document(kind: str, model: str, choices: list[Any], tokens_in: int, tokens_out: int) -> dict[str, Any]:
    usage = {
        "prompt_tokens": tokens_in,
        "completion_tokens": tokens_out,
        "total_tokens": tokens_in + tokens_out,
    }
    return {
        "id": f"cp-{uuid.uuid4().hex}",
        "object": kind,
        "created": int(time.time()),
        "model": model,
        "choices": choices,
        "usage": usage,
    }


def _error(message: str) -> JSONResponse:
    return JSONResponse({"error": {"message": message, "type": "invalid_request_error"}}, status_code=400)
