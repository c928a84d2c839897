"""Turns errors into answers: a status and one line that says what was wrong, as a page or as JSON."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from counterpoise.core.errors import CounterpoiseError
from counterpoise.web.explorer import Explorer
from counterpoise.web.folder import NotFound
from counterpoise.web.rendering import page
from counterpoise.web.workers import Busy


def status_of(error: CounterpoiseError) -> int:
    """The HTTP status of an error.

    >>> status_of(NotFound("there is no run 'x' in this folder"))
    404
    """
    return 404 if isinstance(error, NotFound) else 503 if isinstance(error, Busy) else 422


def add_error_handlers(app: FastAPI) -> None:
    """Every error becomes one line; JSON below /api, else a page."""

    @app.exception_handler(CounterpoiseError)
    async def own_error(request: Request, error: CounterpoiseError) -> Response:
        explorer: Explorer = request.app.state.explorer
        return _answer(request, status_of(error), explorer.error_line(str(error)))

    @app.exception_handler(RequestValidationError)
    async def invalid_request(request: Request, error: RequestValidationError) -> Response:
        return _answer(request, 422, "; ".join(_validation_message(detail) for detail in error.errors()[:5]))

    @app.exception_handler(HTTPException)
    async def http_error(request: Request, error: HTTPException) -> Response:
        detail = "there is no such page" if error.status_code == 404 else str(error.detail)
        answer = _answer(request, error.status_code, detail)
        for name, value in (error.headers or {}).items():
            answer.headers[name] = value
        return answer


def _validation_message(detail: dict[str, Any]) -> str:
    """What was wrong with a value, without the value itself, which may be anything."""
    where = ".".join(str(part) for part in detail["loc"][1:]) or "the request"
    return f"{where}: {detail['msg'].removeprefix('Value error, ')}"


def _answer(request: Request, status: int, detail: str) -> Response:
    detail = detail.encode("utf-8", "replace").decode()
    if request.url.path.startswith("/api/"):
        return JSONResponse({"detail": detail}, status)
    return page("error.html", status, code=status, detail=detail)
