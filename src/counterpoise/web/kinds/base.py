"""What all kinds of runs share: an entry of the list, and the declaration of a kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from counterpoise.web.safe_files import SafeFiles

_LONGEST = 600  # characters of a text in the list


@dataclass(frozen=True)
class RunEntry:
    """A run in the list; `problem` says what is wrong with a damaged one.

    `subject` is what the run is about: a model, corpora, the title of a study. `tables` are its tables that can be
    looked at item by item, each with the path of its file in the folder.
    """

    id: str
    path: str  # below the folder that is served
    folder: Path
    kind: str = ""
    subject: str = ""
    verdict: str = ""
    started: str = ""
    finished: bool = True
    model: str = ""
    measures: tuple[str, ...] = ()
    variant: str = ""
    corpora: tuple[str, ...] = ()
    tables: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""

    def matches(self, words: str) -> bool:
        """Whether all of the words occur somewhere in what the list shows.

        >>> RunEntry("a-1", "a", Path("a"), kind="audit", subject="bert", measures=("ppd",)).matches("PPD bert")
        True
        """
        about = self.kind, self.subject, self.verdict, *self.measures, self.variant, *self.corpora
        shown = " ".join((self.path, *about, self.started)).lower()
        return all(word in shown for word in words.lower().split())


@dataclass(frozen=True)
class RunKind:
    """A kind of run.

    Parameters
    ----------
    name, label
        What programs and readers call it.
    marker
        The file that makes a folder a run of this kind, if its content `accepts` it.
    page
        The page that its command writes.
    describe
        Fills in the entry of a run, whose marker holds the given content.
    render
        Makes the page, for a folder without one; None where only the command can.
    depends_on
        All the files that `describe` reads, if they are known beforehand: the entry is kept until one changes.
    holds_runs
        Are folders below a run of this kind runs of their own?
    """

    name: str
    label: str
    marker: str
    page: str
    describe: Callable[[SafeFiles, RunEntry, Any], RunEntry]
    render: Callable[[SafeFiles, Path], str] | None = None
    accepts: Callable[[Any], bool] = lambda content: True
    depends_on: tuple[str, ...] = ()
    holds_runs: bool = False


def one_line(text: Any) -> str:
    """Text of a run's files as the list shows it: on one line, not endless, and nothing that cannot be written.

    >>> one_line("two\\nlines \\ud800")
    'two lines ?'
    """
    return " ".join(str(text)[:_LONGEST].split()).encode("utf-8", "replace").decode()


def name_of_model(name: Any, root: Path) -> str:
    """The name of a model without folders of this machine: relative to the folder that is served, or its last part.

    >>> name_of_model("/home/me/models/mine", Path("/home/me/runs")), name_of_model("bert-base", Path("/runs"))
    ('mine', 'bert-base')
    """
    path = Path(one_line(name))
    if not path.is_absolute() and ".." not in path.parts and path.parts[:1] != ("~",):
        return one_line(name)
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
