"""The JSON API."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query, Request
from pydantic import BeforeValidator, FiniteFloat

from counterpoise.audit.run import summary_rows
from counterpoise.core.files import plain
from counterpoise.report.compare_page import comparison_document
from counterpoise.web import limits, schemas
from counterpoise.web.explorer import Explorer
from counterpoise.web.kinds.audits import AUDIT
from counterpoise.web.kinds.corpora import CORPUS, corpus_summary
from counterpoise.web.kinds.registry import KINDS
from counterpoise.web.probing import no_gendered_word
from counterpoise.web.tables import TableQuery

_PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": schemas.Problem, "description": text}
    for status, text in {
        400: "the request cannot be read, or was sent to another name than this server's",
        403: "another site sent the request",
        404: "no such run or measure",
        413: "the request is too large",
        422: "what was asked for does not make sense, or the run is damaged",
        500: "an error in Counterpoise itself",
        503: "too much is waiting",
        504: "it took too long",
    }.items()
}
router = APIRouter(prefix="/api", responses=_PROBLEMS)


def explorer_of(request: Request) -> Explorer:
    explorer: Explorer = request.app.state.explorer
    return explorer


# A form sends a field that was left empty as an empty string.
Number = Annotated[FiniteFloat | None, BeforeValidator(lambda value: None if value == "" else value)]


def items_query(
    q: Annotated[
        str, Query(max_length=limits.FILTER, description="Text to look for, in all columns of text.")
    ] = "",
    column: Annotated[str, Query(max_length=limits.FILTER, description="Look in this column only.")] = "",
    low: Annotated[Number, Query(description="The lowest number in the column.")] = None,
    high: Annotated[Number, Query(description="The highest number in the column.")] = None,
    sort: Annotated[str, Query(max_length=limits.FILTER, description="The column to sort by.")] = "",
    desc: Annotated[bool, Query(description="The highest first.")] = False,
    page: Annotated[int, Query(ge=1, le=limits.PAGES)] = 1,
    size: Annotated[int, Query(ge=1, le=limits.PAGE, description="Rows on a page.")] = 50,
) -> TableQuery:
    return TableQuery(q, column, low, high, sort, desc, page, size)


ExplorerDependency = Annotated[Explorer, Depends(explorer_of)]
ItemsQuery = Annotated[TableQuery, Depends(items_query)]
RunId = Annotated[str, Path(max_length=120, description="From /api/runs.")]
TableName = Annotated[
    str, Path(max_length=120, description="A measure of an audit, or another table of a run.")
]
ItemsView = Annotated[
    Literal["all", "compared"],
    Query(description="All columns, or the texts that are compared and their difference, the largest first."),
]
Runs = Annotated[list[str], Query(alias="run", description="Ids of two runs or more.")]


@router.get("/runs")
async def runs(
    explorer: ExplorerDependency,
    q: Annotated[str, Query(max_length=limits.FILTER, description="Words to look for.")] = "",
    kind: Annotated[schemas.KindName | None, Query(description="Only runs of this kind.")] = None,
) -> list[schemas.RunLine]:
    """The runs of the folder, the latest first."""
    entries = await explorer.quick(explorer.folder.entries)
    return [
        schemas.RunLine.of(entry)
        for entry in entries
        if entry.matches(q) and (kind is None or entry.kind == kind)
    ]


@router.get("/kinds")
async def kinds() -> list[schemas.KindLine]:
    """The kinds of runs that the explorer knows."""
    return [
        schemas.KindLine(name=kind.name, label=kind.label, marker=kind.marker, page=kind.page)
        for kind in KINDS.values()
    ]


@router.get("/runs/{run}")
async def run(explorer: ExplorerDependency, run: RunId) -> schemas.RunAnswer:
    """What a run found."""
    entry = await explorer.quick(explorer.folder.entry, run)
    if entry.kind != AUDIT.name:
        summary = []
        if entry.kind == CORPUS.name:
            document = await explorer.quick(corpus_summary, explorer.folder.files, entry)
            summary = document.get("results", [])
        return schemas.RunAnswer(run=schemas.RunLine.of(entry), summary=summary, left_out={})
    opened, results = await explorer.slow(explorer.folder.open, run)
    rows = [row for result in results for row in summary_rows(result)]
    left_out = {str(name): str(why) for name, why in opened.left_out.items()}
    return schemas.RunAnswer(run=schemas.RunLine.of(entry), summary=plain(rows), left_out=left_out)


@router.get("/runs/{run}/items/{name}")
async def items(
    explorer: ExplorerDependency, run: RunId, name: TableName, query: ItemsQuery, view: ItemsView = "all"
) -> schemas.ItemsAnswer:
    """The items behind a number: sorted, filtered, page by page."""
    if view == "compared":
        _, page = await explorer.compared_items(run, name, query)
    else:
        page = await explorer.items(run, name, query)
    return schemas.ItemsAnswer(**{name: getattr(page, name) for name in schemas.ItemsAnswer.model_fields})


@router.get("/compare")
async def compare(explorer: ExplorerDependency, runs: Runs) -> dict[str, Any]:
    """Runs side by side: paired differences, verdicts, the items that changed most."""
    comparison = await explorer.slow(explorer.comparison, runs)
    document = comparison_document(comparison)
    document["runs"] = dict(zip(comparison.names, runs, strict=True))
    answer: dict[str, Any] = plain(document)
    return answer


@router.get("/models")
async def models(explorer: ExplorerDependency) -> schemas.ModelsAnswer:
    """The models that may be probed."""
    allowed = await explorer.quick(explorer.models)
    return schemas.ModelsAnswer(models=list(allowed), elsewhere=await explorer.quick(explorer.elsewhere))


@router.post("/probe")
async def probe(explorer: ExplorerDependency, body: schemas.ProbeRequest) -> schemas.ProbeAnswer:
    """What a model makes of a sentence in its male and female version; a classifier also of the neutral one."""
    versions, probes = await explorer.probe(body.text, body.models, body.terms, body.names, body.fills)
    return schemas.ProbeAnswer.of(versions, probes, no_gendered_word(versions, body.names))


@router.post("/swap")
async def swap(explorer: ExplorerDependency, body: schemas.SwapRequest) -> schemas.SwapAnswer:
    """A text with other people in it."""
    swapped = await explorer.quick(explorer.swap, body.text, body.to, body.terms, body.names, body.guard)
    return schemas.SwapAnswer.of(swapped)
