"""What a server was found to do, and the rungs of the ladder of scoring methods that this allows."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from counterpoise.models.endpoints.questions import CHAT, COMPLETIONS, PromptMethod


class Rung(str, Enum):
    """A way to score texts, from the most informative one down."""

    LIKELIHOOD = "likelihood of whole sentences, from the prompt's log-probabilities"
    NEXT_WORD = "next word, from the top log-probabilities"
    FORCED_CHOICE = "forced choice, in both orders"
    SAMPLES = "sampled choices, in both orders"
    ANSWERS = "answers to prompts"


@dataclass(frozen=True)
class Capabilities:
    """What a server does, as its answers to probes show; what it only claims counts as absent.

    The fields named `..._problem` say why something is absent.
    """

    completions: bool = False
    chat: bool = False
    completions_problem: str = ""
    chat_problem: str = ""
    prompt_method: PromptMethod | None = None
    prompt_problem: str = ""
    first_token: bool = True  # whether the prompt's log-probabilities include that of its first token
    top: int = 0  # how many log-probabilities of the next token it gives, as far as was asked
    next_problem: str = ""
    chat_top: int = 0  # the same of the first token of a chat answer
    seeds: bool = False
    seed_problem: str = ""
    drift: float | None = None  # largest difference between log-probabilities of one question, asked twice
    same_text: bool = False  # the same text for the same question at temperature 0
    same_problem: str = ""
    choice_problem: str = "neither completions nor chat work"
    controls: tuple[int, int] = (
        0,
        0,
    )  # pairs with an evidently better sentence: how often it is chosen, and all

    @property
    def answer_path(self) -> str:
        """Where questions in words are put."""
        return CHAT if self.chat else COMPLETIONS

    @property
    def answer_top(self) -> int:
        """How many log-probabilities of an answer's first token there are."""
        return self.chat_top if self.chat else self.top

    @property
    def rungs(self) -> tuple[Rung, ...]:
        """The rungs that hold, the highest first."""
        can_choose = not self.choice_problem
        holds = {
            Rung.LIKELIHOOD: self.prompt_method is not None,
            Rung.NEXT_WORD: self.top > 0,
            Rung.FORCED_CHOICE: can_choose and (self.answer_top > 1 or self.same_text),
            Rung.SAMPLES: can_choose,
            Rung.ANSWERS: self.chat or self.completions,
        }
        return tuple(rung for rung in Rung if holds[rung])

    def describe(self) -> list[str]:
        """A line for each thing that was probed.

        >>> Capabilities(completions=True, top=5, prompt_problem="echo is ignored").describe()[1]
        'log-probabilities of the prompt: no (echo is ignored)'
        """
        prompt = f"yes, by {self.prompt_method}" if self.prompt_method else f"no ({self.prompt_problem})"
        prompt += "" if self.first_token else ", without that of its first token"
        following = f"yes, the top {self.top:,}" if self.top else f"no ({self.next_problem})"
        right, asked = self.controls
        choice = (
            f"no ({self.choice_problem})"
            if self.choice_problem
            else f"yes (right in {right} of {asked} control pairs)"
        )
        spread = "" if self.drift is None else f"; log-probabilities differ by at most {self.drift:.2g}"
        return [
            f"completions: {_yes(self.completions, self.completions_problem)}; "
            f"chat: {_yes(self.chat, self.chat_problem)}",
            f"log-probabilities of the prompt: {prompt}",
            f"log-probabilities of the next token: {following}",
            f"choice between two sentences: {choice}",
            f"seeds honoured: {_yes(self.seeds, self.seed_problem)}",
            f"same answer to the same question: {_yes(self.same_text, self.same_problem)}{spread}",
        ]


def _yes(value: bool, problem: str = "") -> str:
    return "yes" if value else f"no ({problem})" if problem else "no"
