"""The application: the API and the pages behind the guard."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager

from fastapi import FastAPI

from counterpoise.core.version import __version__
from counterpoise.web import api, pages
from counterpoise.web.explorer import Explorer
from counterpoise.web.guard import LOOPBACK, Guard
from counterpoise.web.problems import add_problem_handlers


def make_app(explorer: Explorer, hosts: Collection[str] = LOOPBACK) -> FastAPI:
    """The server of a folder, which answers to these names.

    >>> import tempfile
    >>> app = make_app(Explorer(tempfile.mkdtemp()))
    >>> "/api/probe" in app.openapi()["paths"]
    True
    """

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        yield
        explorer.close()

    app = FastAPI(
        title="Counterpoise",
        version=__version__,
        description="Runs, their items, comparisons, probes and swaps.",
        docs_url=None,  # FastAPI's own page of the API loads scripts from elsewhere; /api is ours
        redoc_url=None,
        redirect_slashes=False,
        lifespan=life,
    )
    app.state.explorer = explorer
    app.include_router(api.router)
    app.include_router(pages.router)
    add_problem_handlers(app)
    app.add_middleware(Guard, limits=explorer.limits, hosts=hosts)
    return app
