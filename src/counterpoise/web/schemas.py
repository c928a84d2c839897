"""The requests and answers of the JSON API."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from counterpoise.core.errors import unknown
from counterpoise.text.gendered_versions import GenderedVersions
from counterpoise.text.swap import Target
from counterpoise.web.explorer import Swapped, Terms, check_text
from counterpoise.web.kinds.base import RunEntry
from counterpoise.web.kinds.registry import KINDS
from counterpoise.web.limits import FILLS, SENTENCE, SWAP
from counterpoise.web.probing import Probe

ModelName = Annotated[str, Field(min_length=1, max_length=500)]


class Problem(BaseModel):
    """What was wrong, in a line."""

    detail: str


def _known_kind(name: str) -> str:
    if name not in KINDS:
        raise unknown("kind of run", name[:80], KINDS)
    return name


KindName = Annotated[str, AfterValidator(_known_kind), Field(json_schema_extra={"enum": [*KINDS]})]


class KindLine(BaseModel):
    """A kind of run: a folder with the file `marker` is one, and `page` is its own page."""

    name: KindName
    label: str
    marker: str
    page: str


class RunLine(BaseModel):
    """A run in the list.

    `problem` is empty unless the run is damaged; a damaged one may not even have a kind. `subject` is what the run is
    about: a model, corpora, the title of a study. `verdict` is what it found, as its page says it. Only audits have
    `measures` and a `variant`, and only measured corpora `corpora`. `tables` can be asked for item by item.
    """

    id: str
    path: str
    kind: Annotated[str, Field(json_schema_extra={"enum": [*KINDS, ""]})]
    subject: str
    verdict: str
    measures: list[str]
    variant: str
    corpora: list[str]
    tables: list[str]
    started: str
    finished: bool
    problem: str

    @classmethod
    def of(cls, entry: RunEntry) -> RunLine:
        fields = {name: getattr(entry, name) for name in cls.model_fields}
        return cls.model_validate({**fields, "tables": list(entry.tables)})


class RunAnswer(BaseModel):
    """A run with the rows of its summary, if it has one, as summary.json has them, and what could not be run."""

    run: RunLine
    summary: list[dict[str, Any]]
    left_out: dict[str, str]


class ItemsAnswer(BaseModel):
    """A page of items: `matching` of `total` rows fit; a cell is a number, a text or null."""

    columns: list[str]
    rows: list[list[Any]]
    total: int
    matching: int
    page: int
    pages: int


class ModelsAnswer(BaseModel):
    """The models that may be probed, and those of runs that may not."""

    models: list[str]
    elsewhere: list[str]


class RequestBody(BaseModel):
    """What is sent must be as the schema says: no "yes" for true, no "5" for 5, no field that there is not."""

    model_config = ConfigDict(strict=True, extra="forbid")


class ProbeRequest(RequestBody):
    """A sentence, and one model or two."""

    text: Annotated[
        str,
        Field(min_length=1, max_length=SENTENCE, examples=["He told his mother that the nurse was late."]),
        AfterValidator(lambda text: check_text(text, SENTENCE)),
    ]
    models: Annotated[list[ModelName], Field(min_length=1, max_length=2)] = ["builtin"]
    terms: Terms = "all"
    names: Annotated[bool, Field(description="Also turn first names.")] = False
    fills: Annotated[int, Field(ge=0, le=FILLS, description="How many words at each gendered word.")] = 5


class EditLine(BaseModel):
    """Characters `start` to `end` of the text, `old`, became `new`."""

    start: int
    end: int
    old: str
    new: str


class PlaceLine(BaseModel):
    """Characters `start` to `end` of the text are `male` in one version and `female` in the other."""

    start: int
    end: int
    male: str
    female: str


class TokenLine(BaseModel):
    """Tokens of the two versions that are compared, their log-probabilities, and male minus female."""

    male: str
    female: str
    male_log_prob: float
    female_log_prob: float
    difference: float
    is_gendered: bool


class FillLine(BaseModel):
    word: str
    probability: float


class PlaceFillsLine(BaseModel):
    word: str
    fills: list[FillLine]


class ModelLine(BaseModel):
    """What a model makes of the two versions; the difference is male minus female.

    A masked or causal language model gives likelihoods, in natural logs and summed over tokens. A classifier gives
    ratings, also of the neutral version (null if no words are left in it), and neither tokens nor fills.
    """

    model: str
    kind: Annotated[str, Field(json_schema_extra={"enum": ["masked", "causal", "classifier"]})]
    male: float
    female: float
    neutral: float | None
    difference: float
    tokens: list[TokenLine]
    fills: list[PlaceFillsLine]

    @classmethod
    def of(cls, probe: Probe) -> ModelLine:
        return cls(
            model=probe.model,
            kind=probe.kind,
            male=probe.male,
            female=probe.female,
            neutral=probe.neutral,
            difference=probe.difference,
            tokens=[TokenLine(**vars(token), difference=token.difference) for token in probe.tokens],
            fills=[
                PlaceFillsLine(word=place.word, fills=[FillLine(**vars(fill)) for fill in place.fills])
                for place in probe.fills
            ],
        )


class ProbeAnswer(BaseModel):
    """Both versions and what each model makes of them; `note` says so where the sentence has no gendered word."""

    text: str
    male: str
    female: str
    places: list[PlaceLine]
    models: list[ModelLine]
    note: str

    @classmethod
    def of(cls, versions: GenderedVersions, probes: list[Probe], note: str) -> ProbeAnswer:
        return cls(
            note=note,
            text=versions.text,
            male=versions.male,
            female=versions.female,
            places=[PlaceLine(**place._asdict()) for place in versions.places],
            models=[ModelLine.of(probe) for probe in probes],
        )


class SwapRequest(RequestBody):
    """A text and what its people become."""

    text: Annotated[
        str,
        Field(min_length=1, max_length=SWAP, examples=["She lost her hat."]),
        AfterValidator(lambda text: check_text(text, SWAP)),
    ]
    to: Target = "flip"
    terms: Terms = "all"
    names: Annotated[bool, Field(description="Also turn first names.")] = False
    guard: Annotated[bool, Field(description="Leave alone what a swap would make absurd.")] = False


class SwapAnswer(BaseModel):
    text: str
    swapped: str
    edits: list[EditLine]

    @classmethod
    def of(cls, swap: Swapped) -> SwapAnswer:
        return cls(
            text=swap.text, swapped=swap.swapped, edits=[EditLine(**edit._asdict()) for edit in swap.edits]
        )
