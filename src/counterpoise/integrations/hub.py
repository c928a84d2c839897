"""Pushes the model card of a run into a repository of the Hugging Face hub, when asked to and never else.

    from counterpoise.integrations.hub import push_card

    push_card("runs/mine", "someone/model", create_pr=True).url

The token is the one that huggingface_hub finds (HF_TOKEN, or `hf auth login`).
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterpoise.audit.reading import read_results
from counterpoise.audit.run import Run
from counterpoise.core.errors import CounterpoiseError, HubError, InputError, in_one_line
from counterpoise.core.hub import hub_is_offline, hub_is_reachable
from counterpoise.report.card import model_index, render_section
from counterpoise.report.card_merging import merge_card
from counterpoise.report.eval_results import EVAL_RESULTS, render_eval_results

if TYPE_CHECKING:
    from huggingface_hub import HfApi

_CARD = "README.md"
_TITLE = "Add gender bias measured with Counterpoise"
_LONGEST = 300  # characters of what the hub says


@dataclass(frozen=True)
class Pushed:
    """What became of a push: the address of the commit or pull request, or of the repository if nothing changed."""

    url: str
    changed: bool


def push_card(
    run: Run | str | Path, repo: str, *, create_pr: bool = False, benchmark: str | None = None
) -> Pushed:
    """Merges the card of a run into the README.md of a model's repository, with its evaluation results, in one commit.

    Everything else that the README.md has stays; what an earlier run pushed is replaced. What is there already is not
    pushed again, and with `create_pr` no second pull request is opened for it. `benchmark` names a dataset of the hub
    for results that were not measured on one.
    """
    run, results = read_results(run.folder if isinstance(run, Run) else run)
    scores = render_eval_results(run, results, benchmark)
    with _one_line_errors(repo, create_pr):
        api = _connect()
        info = api.model_info(repo)
        there = {file.rfilename for file in info.siblings or ()} & {_CARD, EVAL_RESULTS}
        before = {path: _read(api, repo, path, info.sha) for path in there}
        index = model_index(run, results, repo.rpartition("/")[2])
        wanted = {
            _CARD: merge_card(_decoded(before.get(_CARD, b"")), render_section(run, results), index).encode()
        }
        if scores or EVAL_RESULTS in before:
            wanted[EVAL_RESULTS] = scores.encode()  # empty: to be deleted
        changes = {path: content for path, content in wanted.items() if content != before.get(path)}
        if not changes:
            return Pushed(f"{api.endpoint}/{repo}", changed=False)
        if create_pr and (url := _open_request(api, repo, changes)):
            return Pushed(url, changed=False)
        return Pushed(_commit(api, repo, changes, info.sha, create_pr), changed=True)


def _connect() -> HfApi:
    from huggingface_hub import HfApi, get_token

    if hub_is_offline():
        raise HubError("the hub may not be asked (HF_HUB_OFFLINE)")
    if not get_token():
        raise HubError("there is no token for the hub; log in with `hf auth login`, or set HF_TOKEN")
    if not hub_is_reachable():
        raise HubError("the hub cannot be reached")
    return HfApi(endpoint=os.environ.get("HF_ENDPOINT") or None)


def _read(api: HfApi, repo: str, path: str, revision: str | None) -> bytes:
    """A file of the repository as it is at that commit; no copy stays here."""
    with tempfile.TemporaryDirectory() as folder:
        return Path(api.hf_hub_download(repo, path, revision=revision, cache_dir=folder)).read_bytes()


def _decoded(card: bytes) -> str:
    try:
        return card.decode()
    except UnicodeDecodeError:
        raise HubError("its README.md is not UTF-8") from None


def _open_request(api: HfApi, repo: str, changes: Mapping[str, bytes]) -> str | None:
    """The address of an open pull request of ours with just these contents."""
    from huggingface_hub.errors import EntryNotFoundError

    for request in api.get_repo_discussions(repo, discussion_type="pull_request", discussion_status="open"):
        if request.title != _TITLE:
            continue
        proposed = {}
        for path in changes:
            try:
                proposed[path] = _read(api, repo, path, request.git_reference)
            except EntryNotFoundError:
                proposed[path] = b""
        if proposed == changes:
            return str(request.url)
    return None


def _commit(api: HfApi, repo: str, changes: Mapping[str, bytes], parent: str | None, create_pr: bool) -> str:
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    operations: list[Any] = [
        CommitOperationAdd(path, content) if content else CommitOperationDelete(path)
        for path, content in changes.items()
    ]
    done = api.create_commit(
        repo, operations, commit_message=_TITLE, create_pr=create_pr, parent_commit=parent
    )
    return str(done.pr_url or done.commit_url)


@contextmanager
def _one_line_errors(repo: str, create_pr: bool) -> Iterator[None]:
    """Turns what huggingface_hub raises into one line, in which the token never stands."""
    from huggingface_hub import get_token
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    try:
        yield
        return
    except HFValidationError:
        raise InputError(f"{repo!r} is no name of a repository, such as someone/model") from None
    except InputError:
        raise
    except CounterpoiseError as error:
        raise HubError(f"cannot push to {repo}: {error}") from error
    except HfHubHTTPError as error:
        reason = _refusal(error, create_pr)
    except Exception as error:  # of the connection, or of what a server sends; the client has many kinds
        reason = in_one_line(error)[:_LONGEST]
    token = get_token()
    raise HubError(f"cannot push to {repo}: {reason.replace(token, '***') if token else reason}")


def _refusal(error: Any, create_pr: bool) -> str:
    status = getattr(error.response, "status_code", None)
    if status == 401:
        return "the hub does not accept the token, or shows it no such repository; see `hf auth whoami`"
    if status == 403:
        advice = "" if create_pr else "; --create-pr opens a pull request instead"
        return f"the token may not write there{advice}"
    if status == 404:
        return "there is no such model on the hub, or the token may not see it"
    if status in (409, 412):
        return "the repository was changed at the same moment; give the command again"
    said = getattr(error, "server_message", None) or error
    return f"the hub refused it ({status}): {' '.join(str(said).split())}"[:_LONGEST]
