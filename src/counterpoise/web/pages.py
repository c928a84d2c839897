"""The pages. All of them work without scripts: forms and links carry the state, so every view can be shared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, get_args
from urllib.parse import parse_qs

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from counterpoise.core.errors import CounterpoiseError, InputError, unknown
from counterpoise.report.wording import headline
from counterpoise.text.swap import Target
from counterpoise.web import limits
from counterpoise.web.api import ExplorerDependency, ItemsQuery, Measure, RunId
from counterpoise.web.error_handlers import status_of
from counterpoise.web.explorer import Terms
from counterpoise.web.folder import AUDIT
from counterpoise.web.guard import FRAMED_POLICY
from counterpoise.web.rendering import page, script, style

router = APIRouter(include_in_schema=False)

Words = Annotated[str, Query(max_length=limits.FILTER)]
EXAMPLES = (
    "He told his mother that the nurse was late.",
    "The engineer said that she had lost her keys.",
    "My father is a caring man.",
)


@router.get("/")
async def home() -> Response:
    return RedirectResponse("/runs", 307)


@router.get("/static/style.css")
async def style_sheet() -> Response:
    return Response(style(), media_type="text/css")


@router.get("/static/explorer.js")
async def javascript() -> Response:
    return Response(script(), media_type="text/javascript")


@router.get("/favicon.ico")
async def no_icon() -> Response:
    return Response(status_code=204)


@router.get("/runs")
async def runs(explorer: ExplorerDependency, q: Words = "") -> HTMLResponse:
    entries = await explorer.quick(explorer.folder.entries)
    matches = [entry for entry in entries if entry.matches(q)]
    return page("runs.html", entries=matches, total=len(entries), q=q, root=explorer.folder.root.name)


@router.get("/runs/{run}")
async def run(explorer: ExplorerDependency, run: RunId) -> HTMLResponse:
    entry = await explorer.quick(explorer.folder.entry, run)
    if entry.kind != AUDIT:
        return page("framed.html", entry=entry)
    opened, results = await explorer.slow(explorer.folder.open, run)
    return page(
        "run.html",
        entry=entry,
        run=opened,
        results=[
            (result, list(result.summary[result.summary.level != "word"].itertuples())) for result in results
        ],
        claims=await explorer.slow(headline, results),
    )


@router.get("/runs/{run}/report")
async def report(explorer: ExplorerDependency, run: RunId) -> HTMLResponse:
    entry = await explorer.quick(explorer.folder.entry, run)
    return page("framed.html", entry=entry)


@router.get("/runs/{run}/report.html")
async def report_alone(explorer: ExplorerDependency, run: RunId) -> HTMLResponse:
    return _framed(await explorer.slow(explorer.report, run))


@router.get("/runs/{run}/items/{measure}")
async def items(
    explorer: ExplorerDependency, run: RunId, measure: Measure, query: ItemsQuery
) -> HTMLResponse:
    entry = await explorer.quick(explorer.folder.entry, run)
    table_page = await explorer.items(run, measure, query)
    address = f"/runs/{entry.id}/items/{measure}"
    state = {
        "q": query.text,
        "column": query.column,
        "low": query.low,
        "high": query.high,
        "sort": query.sort,
        "desc": query.descending,
        "size": query.size if query.size != 50 else None,
    }
    return page(
        "items.html",
        entry=entry,
        measure=measure,
        table=table_page,
        order=_numbers_early(table_page.numeric),
        query=query,
        address=address,
        state=state,
    )


@router.get("/compare")
async def compare(
    explorer: ExplorerDependency, chosen: Annotated[list[str] | None, Query(alias="run")] = None
) -> HTMLResponse:
    entries = [
        entry
        for entry in await explorer.quick(explorer.folder.entries)
        if not entry.problem and entry.kind == AUDIT
    ]
    values: dict[str, Any] = {"entries": entries, "chosen": chosen or [], "names": (), "problem": ""}
    if not chosen:
        return page("side_by_side.html", **values)
    try:
        values["names"] = (await explorer.slow(explorer.comparison, chosen)).names
    except CounterpoiseError as error:
        return page("side_by_side.html", status_of(error), **{**values, "problem": str(error)})
    return page("side_by_side.html", **values)


@router.get("/compare.html")
async def compare_alone(
    explorer: ExplorerDependency, chosen: Annotated[list[str], Query(alias="run")]
) -> HTMLResponse:
    return _framed(await explorer.slow(explorer.comparison_page, chosen))


@router.get("/probe")
async def probe(
    explorer: ExplorerDependency,
    text: str = "",
    model: str = "builtin",
    second: str = "",
    terms: str = "all",
    names: bool = False,
) -> HTMLResponse:
    values: dict[str, Any] = {
        "text": text[: limits.SENTENCE],
        "model": model,
        "second": second,
        "terms": terms,
        "names": names,
        "models": list(await explorer.quick(explorer.models)),
        "elsewhere": await explorer.quick(explorer.elsewhere),
        "sets": get_args(Terms),
        "examples": EXAMPLES,
        "longest": limits.SENTENCE,
        "versions": None,
        "probes": [],
    }
    if not text:
        return page("probe.html", problem="", **values)
    try:
        _check_option("set of terms", terms, Terms)
        chosen = list(dict.fromkeys(name for name in (model, second) if name))
        versions, probes = await explorer.probe(text, chosen, terms, names)  # type: ignore[arg-type]
    except CounterpoiseError as error:
        return page("probe.html", status_of(error), problem=str(error), **values)
    return page("probe.html", problem="", **{**values, "versions": versions, "probes": probes})


@router.get("/swap")
async def swap() -> HTMLResponse:
    return page("swap.html", **_swap_values({}))


@router.post("/swap")
async def swap_text(explorer: ExplorerDependency, request: Request) -> HTMLResponse:
    try:
        fields = parse_qs((await request.body()).decode("utf-8"), max_num_fields=10, errors="strict")
    except ValueError:
        raise InputError("the form cannot be read: it is not UTF-8 or has too many fields") from None
    values = _swap_values({name: sent[-1] for name, sent in fields.items()})
    text = values["text"].replace("\r\n", "\n")
    try:
        _check_option("target", values["to"], Target)
        _check_option("set of terms", values["terms"], Terms)
        options = values["to"], values["terms"], values["names"], values["guard"]
        values["swap"] = await explorer.quick(explorer.swap, text, *options)
    except CounterpoiseError as error:
        values["text"] = text[: limits.SWAP]
        return page("swap.html", status_of(error), **{**values, "problem": str(error)})
    return page("swap.html", **values)


@router.get("/api")
async def api(request: Request) -> HTMLResponse:
    return page("api.html", spec=request.app.openapi(), address=str(request.base_url).rstrip("/"))


def _numbers_early(numeric: Sequence[bool]) -> list[int]:
    """The columns as they are shown: the first, which says what the item is, then the numbers, then the rest.

    >>> _numbers_early([False, False, True, True])
    [0, 2, 3, 1]
    """
    return sorted(range(len(numeric)), key=lambda i: (i > 0, not numeric[i], i))


def _swap_values(fields: dict[str, str]) -> dict[str, Any]:
    return {
        "text": fields.get("text", ""),
        "to": fields.get("to", "flip"),
        "terms": fields.get("terms", "all"),
        "names": "names" in fields,
        "guard": "guard" in fields,
        "targets": get_args(Target),
        "sets": get_args(Terms),
        "longest": limits.SWAP,
        "swap": None,
        "problem": "",
    }


def _check_option(what: str, value: str, options: Any) -> None:
    if value not in get_args(options):
        raise unknown(what, value[:80], get_args(options))


def _framed(html: str) -> HTMLResponse:
    """A page that is only shown in a frame, where it can do nothing."""
    return HTMLResponse(html, headers={"content-security-policy": FRAMED_POLICY})
