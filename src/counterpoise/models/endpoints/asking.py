"""Asks an endpoint lists of questions: several at once, each one once, and every answer kept as soon as it is there."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing, nullcontext
from dataclasses import astuple
from typing import Any

from counterpoise.core.cache import ScoreCache
from counterpoise.core.errors import EndpointError, ModelError
from counterpoise.core.notices import notice
from counterpoise.core.printable import printable
from counterpoise.core.progress import progress
from counterpoise.models.answering import Answer
from counterpoise.models.endpoints.answers import PromptToken
from counterpoise.models.endpoints.questions import Dialect, EndpointQuestion
from counterpoise.models.endpoints.transport import Refused, Transport

Store = Callable[[bytes, str], None]


class Planned(Exception):
    """Raised in place of asking while an audit is planned; holds what would be asked."""

    def __init__(self, questions: Sequence[EndpointQuestion]) -> None:
        super().__init__()
        self.questions = tuple(questions)


class Asker:
    """Asks one model behind an endpoint.

    `served` are the names under which it answered: those that it had when it was probed, and `joined` later ones. What
    is answered under a later name is not kept, since another model may have taken the place of the one that was probed.
    `dialect` is how the server was found to want requests.
    """

    def __init__(
        self, transport: Transport, model: str, concurrency: int, *, strict_model: bool = False
    ) -> None:
        self.transport = transport
        self.model = model
        self.concurrency = concurrency
        self.strict_model = strict_model
        self.dialect = Dialect()
        self.served: set[str] = set()
        self.joined: set[str] = set()
        self.cache: ScoreCache | None = None
        self.planning = False
        self._lock = threading.Lock()
        self._latest: dict[EndpointQuestion, Any] = {}

    @property
    def cache_space(self) -> str:
        others = f" as {', '.join(self.other_models)}" if self.other_models else ""
        return f"endpoint {self.transport.url} {self.model}{others}"

    @property
    def other_models(self) -> list[str]:
        """Names under which the probed server answered, other than the one that was asked for."""
        return sorted(self.served - {self.model})

    def ask(self, questions: Sequence[EndpointQuestion]) -> list[Any]:
        """What was asked for by each question, in their order."""
        if self.planning and questions:
            raise Planned(questions)
        latest = {question: self._latest[question] for question in questions if question in self._latest}
        answers = latest | self.kept([question for question in questions if question not in latest])
        missing = [question for question in dict.fromkeys(questions) if question not in answers]
        if missing:
            with (
                progress(f"asking {self.model}", total=len(missing), unit="questions") as advance,
                self.cache.storing_answers(self.cache_space) if self.cache else nullcontext() as store,
                closing(self._ask_all(missing, store)) as pairs,
            ):
                for question, answer in pairs:
                    answers[question] = answer
                    advance(1)
        if len(answers) > len(latest):  # measures ask for the tokens of texts, and then for their numbers
            self._latest = {
                question: answer for question, answer in answers.items() if question.wants == "prompt tokens"
            }
        return [answers[question] for question in questions]

    def kept(self, questions: Sequence[EndpointQuestion]) -> dict[EndpointQuestion, Any]:
        """The questions that were answered before, with their answers."""
        if self.cache is None:
            return {}
        by_digest = {question.digest(): question for question in questions}
        found = self.cache.get_answers(self.cache_space, list(by_digest))
        return {by_digest[digest]: _unpacked(by_digest[digest], text) for digest, text in found.items()}

    def probe(self, question: EndpointQuestion) -> Any:
        """The answer to a question with a known answer; always asked anew, and not kept."""

        def read(answer: dict[str, Any]) -> Any:
            self._check_name(name := _served_as(answer))
            self.served |= {name} - {""}
            return question.read(answer)

        return self.transport.post(
            question.path, question.request(self.model, self.dialect), read, probe=True
        )

    def _ask_all(
        self, questions: Sequence[EndpointQuestion], store: Store | None
    ) -> Generator[tuple[EndpointQuestion, Any], None, None]:
        """Yields questions with their answers as they come; what is asked at once is bounded.

        Where it ends early, what is under way may still be answered, but is not tried again.
        """
        stopping = threading.Event()
        pool = ThreadPoolExecutor(self.concurrency, thread_name_prefix="endpoint")
        waiting: dict[Future[Any], EndpointQuestion] = {}
        todo = iter(questions)
        try:
            while True:
                while len(waiting) < 2 * self.concurrency and (question := next(todo, None)) is not None:
                    waiting[pool.submit(self._ask_one, question, store, stopping)] = question
                if not waiting:
                    return
                done, _ = wait(waiting, return_when=FIRST_COMPLETED)
                yield from [(waiting.pop(future), future.result()) for future in done]
        except (KeyboardInterrupt, GeneratorExit):  # who interrupts does not want to wait for answers
            stopping.set()
            self.transport.interrupt()
            raise
        finally:
            stopping.set()
            pool.shutdown(wait=True, cancel_futures=True)

    def _ask_one(self, question: EndpointQuestion, store: Store | None, stopping: threading.Event) -> Any:
        def read(answer: dict[str, Any]) -> tuple[Any, str]:
            return question.read(answer), _served_as(answer)

        if stopping.is_set():
            raise EndpointError(f"{self.transport.url} was not asked, since the audit stopped")
        try:
            answer, name = self.transport.post(
                question.path, question.request(self.model, self.dialect), read, stopping=stopping
            )
        except Refused as refusal:
            if not (refusal.is_filtered and question.wants == "answer"):
                raise ModelError(f"{self.transport.url} declines a question ({refusal})") from None
            answer, name = Answer(""), ""  # a refusal is an answer too
        if name and name not in self.served:
            self._check_name(name)
            self._note_joined(name)
        elif store is not None:  # by the thread that received it: no answer is lost to an error elsewhere
            store(question.digest(), _packed(question, answer))
        return answer

    def _note_joined(self, name: str) -> None:
        with self._lock:
            is_new = name not in self.joined
            self.joined.add(name)
        if is_new:
            url = self.transport.url
            notice(f"{url} now answers as {printable(name)}, another model than was probed")

    def _check_name(self, name: str) -> None:
        if self.strict_model and name and name != self.model:
            raise EndpointError(
                f"{self.transport.url} was asked for {self.model!r} and answered as {printable(name)!r}"
            )


def _served_as(answer: dict[str, Any]) -> str:
    """The name of the model that says it has answered, if it says so."""
    name = answer.get("model")
    return name[:300] if isinstance(name, str) else ""


def _packed(question: EndpointQuestion, answer: Any) -> str:
    if isinstance(answer, Answer):
        return answer.packed()
    is_tokens = question.wants == "prompt tokens"
    return json.dumps([astuple(token) for token in answer] if is_tokens else answer)


def _unpacked(question: EndpointQuestion, text: str) -> Any:
    if question.wants == "answer":
        return Answer.unpacked(text)
    answer = json.loads(text)
    return [PromptToken(*token) for token in answer] if question.wants == "prompt tokens" else answer
