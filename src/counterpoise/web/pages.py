"""The pages. All of them work without scripts: forms and links carry the state, so every view can be shared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, get_args
from urllib.parse import parse_qs, quote

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from counterpoise.core.errors import CounterpoiseError, InputError, unknown
from counterpoise.report.wording import overall_claims
from counterpoise.text.swap import Target
from counterpoise.web import limits
from counterpoise.web.api import ExplorerDependency, ItemsQuery, ItemsView, RunId, TableName
from counterpoise.web.error_handlers import status_of
from counterpoise.web.explorer import Explorer, Terms
from counterpoise.web.folder import NotFound
from counterpoise.web.kinds.audits import AUDIT
from counterpoise.web.kinds.base import RunEntry
from counterpoise.web.probing import no_gendered_word
from counterpoise.web.rendering import page, sandboxed, script, style, with_bar

router = APIRouter(include_in_schema=False)

Words = Annotated[str, Query(max_length=limits.FILTER)]
# What readers call the options of the swap.
TERMS: dict[Terms, str] = {
    "all": "all gendered words",
    "pro": "pronouns only",
    "weat": "family words only",
    "german": "German words",
}
TARGETS: dict[Target, str] = {
    "flip": "swap men and women",
    "male": "make everyone male",
    "female": "make everyone female",
    "remove": "take gendered words out",
}
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
async def runs(explorer: ExplorerDependency, q: Words = "", kind: Words = "") -> HTMLResponse:
    entries = await explorer.quick(explorer.folder.entries)
    matches = [entry for entry in entries if entry.matches(q) and kind in ("", entry.kind)]
    return page(
        "runs.html", entries=matches, total=len(entries), q=q, kind=kind, root=explorer.folder.root.name
    )


@router.get("/runs/{run}")
async def run(explorer: ExplorerDependency, run: RunId) -> HTMLResponse:
    """The run's own page, below the explorer's navigation; a run that has none shows its tables."""
    entry = await explorer.quick(explorer.folder.entry, run)
    html = await explorer.slow(explorer.report, run)
    if html is None:
        return await _tables(explorer, entry, has_page=False)
    crumbs = [("", entry.path)]
    if entry.tables:
        crumbs.append((f"/runs/{entry.id}/items", "Item by item"))
    return with_bar(explorer.without_folders(html), here="Runs", crumbs=crumbs)


@router.get("/runs/{run}/report.html")
async def report_alone(explorer: ExplorerDependency, run: RunId) -> HTMLResponse:
    """The page as the run's command wrote it."""
    html = await explorer.slow(explorer.report, run)
    if html is None:
        raise NotFound("this run has no page of its own")
    return sandboxed(html)


@router.get("/runs/{run}/items")
async def tables(explorer: ExplorerDependency, run: RunId) -> HTMLResponse:
    return await _tables(explorer, await explorer.quick(explorer.folder.entry, run), has_page=True)


async def _tables(explorer: Explorer, entry: RunEntry, has_page: bool) -> HTMLResponse:
    claims = {}
    if entry.kind == AUDIT.name and entry.tables:
        _, results = await explorer.slow(explorer.folder.summaries, entry.id)
        claims = {result.measure: list(overall_claims(result)) for result in results}
    return page("tables.html", entry=entry, claims=claims, has_page=has_page)


@router.get("/runs/{run}/items/{name}")
async def items(
    explorer: ExplorerDependency, run: RunId, name: TableName, query: ItemsQuery, view: ItemsView = "compared"
) -> HTMLResponse:
    entry = await explorer.quick(explorer.folder.entry, run)
    if view == "compared":
        shown, table_page = await explorer.compared_items(run, name, query)
        order = list(range(len(table_page.columns)))
    else:
        shown, table_page = None, await explorer.items(run, name, query)
        order = _numbers_early(table_page.numeric)
    state = {
        "q": query.text,
        "column": query.column,
        "low": query.low,
        "high": query.high,
        "sort": query.sort,
        "desc": query.descending,
        "size": query.size if query.size != 50 else None,
        "view": "all" if view == "all" else None,
    }
    return page(
        "items.html",
        entry=entry,
        name=name,
        table=table_page,
        view=shown,
        all_columns=view == "all",
        order=order,
        query=query,
        address=f"/runs/{entry.id}/items/{name}",
        state=state,
    )


@router.get("/compare")
async def compare(
    explorer: ExplorerDependency,
    chosen: Annotated[list[str] | None, Query(alias="run")] = None,
    choose: bool = False,
) -> HTMLResponse:
    entries = [
        entry
        for entry in await explorer.quick(explorer.folder.entries)
        if not entry.problem and entry.kind == AUDIT.name
    ]
    values: dict[str, Any] = {
        "entries": entries,
        "chosen": chosen or [],
        "problem": "",
        "most": limits.COMPARED,
    }
    if not chosen or choose:
        return page("side_by_side.html", **values)
    try:
        html = await explorer.slow(explorer.comparison_page, chosen)
    except CounterpoiseError as error:
        problem = explorer.error_line(str(error))
        return page("side_by_side.html", status_of(error), **{**values, "problem": problem})
    others = "&".join(["choose=true", *(f"run={quote(run_id)}" for run_id in chosen)])
    crumbs = [(f"/compare?{others}", "Choose other runs")]
    return with_bar(explorer.without_folders(html), here="Compare", crumbs=crumbs)


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
        "sets": TERMS,
        "examples": EXAMPLES,
        "longest": limits.SENTENCE,
        "versions": None,
        "neutral": None,
        "note": "",
        "probes": [],
    }
    if not text:
        return page("probe.html", problem="", **values)
    try:
        _check_option("set of terms", terms, Terms)
        chosen = list(dict.fromkeys(name for name in (model, second) if name))
        versions, probes = await explorer.probe(text, chosen, terms, names)  # type: ignore[arg-type]
    except CounterpoiseError as error:
        problem = explorer.error_line(str(error))
        return page("probe.html", status_of(error), problem=problem, **values)
    answered = {"versions": versions, "probes": probes, "note": no_gendered_word(versions, names)}
    if any(found.kind == "classifier" for found in probes):
        answered["neutral"] = explorer.swap(text, "remove", terms, names).swapped  # type: ignore[arg-type]
    return page("probe.html", problem="", **{**values, **answered})


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
        "targets": TARGETS,
        "sets": TERMS,
        "longest": limits.SWAP,
        "swap": None,
        "problem": "",
    }


def _check_option(what: str, value: str, options: Any) -> None:
    if value not in get_args(options):
        raise unknown(what, value[:80], get_args(options))
