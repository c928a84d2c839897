"""Which results were measured on a dataset of the hub, as the manifest of their run says."""

from __future__ import annotations

from dataclasses import dataclass

from counterpoise.audit.run import Run
from counterpoise.measures.base.catalogue import all_measures
from counterpoise.measures.base.result import Result


@dataclass(frozen=True)
class HubDataset:
    """A dataset of the hub; `split` and `revision`, its commit, are known if a run read it there."""

    name: str
    config: str | None = None
    split: str | None = None
    revision: str | None = None


def hub_dataset(run: Run, result: Result) -> HubDataset | None:
    """The dataset that a result was measured on, if it was read from the hub (`--texts hf:NAME`)."""
    measure = all_measures().get(result.measure)
    for kind in measure.accepts if measure else ():
        record = run.manifest["options"].get(kind.name)
        if not isinstance(record, dict) or "revision" not in record:  # a file, or a folder
            continue
        if result.dataset.split(", ")[0] == record.get("dataset"):  # else it has only a part in the result
            known = {name: str(record[name]) for name in ("config", "split", "revision") if name in record}
            return HubDataset(str(record["dataset"]), **known)
    return None
