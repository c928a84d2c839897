"""What a tracker gets of an audit: numbers, options, versions and files, ready to be sent."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from counterpoise.audit.auditing import Audit
from counterpoise.audit.reading import finished_results
from counterpoise.audit.run import Run, summary_document
from counterpoise.core.files import slug, write_json, write_text
from counterpoise.core.secrets import hide_secrets
from counterpoise.measures.base.result import Result

_NUMBERS = {"value": "", "ci_low": ".ci_low", "ci_high": ".ci_high", "p_value": ".p_value"}


@dataclass(frozen=True)
class Entry:
    """An audit as a tracker gets it.

    `metrics` are finite numbers: `lpbs.difference` is a value, to which `lpbs.difference.ci_low`, `.ci_high` and
    `.p_value` belong. `options` are those of the run and `versions` those of the packages; their names begin with
    `counterpoise.`. `files` are named by their path in the run folder, and may be temporary.
    """

    name: str
    metrics: Mapping[str, float]
    options: Mapping[str, str]
    versions: Mapping[str, str]
    files: Mapping[str, Path]
    step: int | None = None

    def metrics_named(self, not_allowed: str, longest: int = 250) -> dict[str, float]:
        """The metrics with names in which what matches `not_allowed` is an underscore; no two have one name."""
        return dict(zip(clean_names(self.metrics, not_allowed, longest), self.metrics.values(), strict=True))


def clean_names(names: Iterable[str], not_allowed: str, longest: int) -> list[str]:
    """
    >>> clean_names(["a.b", "a_b", "long name"], r"[^\\w]", 8)
    ['a_b', 'a_b_2', 'l_e634cc']
    """
    cleaned: list[str] = []
    for name in names:
        clean = re.sub(not_allowed, "_", name)
        if len(clean) > longest:  # names that are long differ at their end
            clean = f"{clean[: longest - 7]}_{hashlib.sha256(name.encode()).hexdigest()[:6]}"
        count = 1
        unique = clean
        while unique in cleaned:
            count += 1
            unique = f"{clean}_{count}"
        cleaned.append(unique)
    return cleaned


@contextmanager
def entry_of(
    audited: Audit | Run, name: str | None = None, step: int | None = None, words: bool = False
) -> Iterator[Entry]:
    """The entry of an audit; files that the audit has not written are made for as long as the block lasts."""
    run = audited if isinstance(audited, Run) else audited.run
    record = audited if isinstance(audited, Run) else audited.record
    results = finished_results(audited) if isinstance(audited, Run) else list(audited.results.values())
    with TemporaryDirectory(prefix="counterpoise-") as made:
        yield Entry(
            name=name or (run.folder.resolve().name if run else slug(record.manifest["options"]["model"])),
            metrics=dict(_metrics(results, words)),
            options=_options(record.manifest),
            versions={
                f"counterpoise.version.{package}": str(version)
                for package, version in record.manifest["versions"].items()
            },
            files=_files(audited, run, results, Path(made)),
            step=step,
        )


def _metrics(results: Iterable[Result], words: bool) -> Iterator[tuple[str, float]]:
    for result in results:
        rows = result.summary if words else result.summary[result.summary.level != "word"]
        for row in rows.to_dict("records"):
            for column, suffix in _NUMBERS.items():
                if math.isfinite(row[column]):
                    yield f"{result.measure}.{row['key']}{suffix}", float(row[column])


def _options(manifest: Mapping[str, Any]) -> dict[str, str]:
    """The options of the run, and when and on what kind of model it ran; nothing that was typed as it was typed."""
    known = {
        **manifest["options"],
        "kind": manifest.get("kind"),
        "started": manifest["started"],
        "complete": manifest["finished"] is not None,
    }
    return {
        f"counterpoise.{name}": hide_secrets(value if isinstance(value, str) else json.dumps(value))
        for name, value in known.items()
        if value not in (None, {}, []) and name != "counterpoise"  # a version, and among those
    }


def _files(audited: Audit | Run, run: Run | None, results: list[Result], made: Path) -> dict[str, Path]:
    """The page, the numbers and the items, made where there is no file of them."""
    folder = run.folder if run else made
    page = folder / "report.html"
    if not page.exists():
        page = audited.report(made / "report.html")
    if run is None:
        model = results[0].model
        write_json(made / "summary.json", summary_document(results, model))
        (made / "scores").mkdir()
        for result in results:
            result.items.to_parquet(made / "scores" / f"{result.measure}.parquet", index=False)
    scores = {
        f"scores/{one.measure}.parquet": folder / "scores" / f"{one.measure}.parquet" for one in results
    }
    texts = {"report.html": page, "summary.json": folder / "summary.json"}
    return {**{name: _without_secrets(path, made) for name, path in texts.items()}, **scores}


def _without_secrets(path: Path, made: Path) -> Path:
    """The file, or a copy without the secrets that it holds, such as those of a command in the page of an old run."""
    text = path.read_text(encoding="utf-8")
    hidden = hide_secrets(text)
    if hidden == text:
        return path
    write_text(made / path.name, hidden)
    return made / path.name
