"""`cp.log`: sends an audit to an experiment tracker."""

from __future__ import annotations

from pathlib import Path

from counterpoise.audit.auditing import Audit
from counterpoise.audit.run import Run
from counterpoise.core.errors import in_one_line
from counterpoise.core.notices import notice
from counterpoise.core.secrets import hide_secrets
from counterpoise.integrations.trackers.entry import entry_of
from counterpoise.integrations.trackers.registry import find_trackers

_LONGEST_REASON = 300


def log(
    audited: Audit | Run | str | Path,
    to: str,
    *,
    name: str | None = None,
    step: int | None = None,
    words: bool = False,
) -> str | None:
    """Sends an audit to an experiment tracker.

    It goes into the tracker's active run if there is one, else into a new run; which server, project or folder that is
    in, is up to the tracker's own configuration.

    Parameters
    ----------
    audited
        An audit, a run, or the folder of one.
    to
        "mlflow", "wandb", or a tracker that was added with `counterpoise.integrations.trackers.registry.register`.
    name
        What a new run is called, and the folder of its files; if not given, the name of the run folder, or of the model
        where there is no folder.
    step
        The step at which the metrics are logged, as for a checkpoint of a training.
    words
        Also log the rows of single words; they are among the files in any case.

    Returns
    -------
    str or None
        Where the audit is now. None if the tracker could not be reached or refused it, which is a warning and no error;
        an unknown tracker and a package that is not installed are errors.

    >>> import counterpoise as cp
    >>> cp.log("runs/mine", to="mlfow")
    Traceback (most recent call last):
    counterpoise.core.errors.InputError: there is no tracker 'mlfow' (there are: mlflow, wandb); did you mean 'mlflow'?
    """
    [tracker] = find_trackers([to])
    if isinstance(audited, str | Path):
        audited = Run.read(Path(audited).expanduser())
    with entry_of(audited, name, step, words) as entry:
        try:
            return hide_secrets(tracker.send(entry))
        except Exception as error:  # whatever the tracker raises, the audit is done
            run = audited if isinstance(audited, Run) else audited.run
            again = f"; cp.log({str(run.folder)!r}, to={to!r}) tries again" if run else ""
            notice(f"not logged to {to} ({hide_secrets(in_one_line(error))[:_LONGEST_REASON]}){again}")
            return None
