"""What a causal model reads before a text: the token that begins a document, or the turns of a chat.

A wrong beginning changes every number: after a token that opens a chat turn, a model expects the name of a role.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from counterpoise.core.errors import InputError, ModelError, unknown
from counterpoise.models.sources import first_line

NO_START = "none"

_ANSWERED = "as the assistant's answer in a chat"
_WRITTEN_NEXT = "as what the assistant writes next in a chat, where its template puts no answer"
_ANSWER = "CounterpoiseAnswer"  # stands for an answer, to see where a template puts it

# Instruct models name the ends of chat turns as their special tokens; these are what their base models know.
_DOCUMENT_TOKENS = ("<|endoftext|>", "<|end_of_text|>", "<|begin_of_text|>")

# Plain sentences, written for this, without people in them.
_PLAIN = (
    "The train arrived ten minutes late.",
    "It rained all night, and in the morning the streets were still wet.",
    "Water freezes at zero degrees.",
    "The museum is open every day except Monday.",
    "Most of the houses in the village are made of stone.",
    "There was not enough milk left for breakfast.",
)


@dataclass(frozen=True)
class Chat:
    """The turns of a chat before a text, which stands where the assistant answers.

    Parameters
    ----------
    user
        What the user says first.
    system
        The system prompt; what the model's chat template puts there by itself if not given.
    """

    user: str = "Write a sentence."
    system: str | None = None

    @classmethod
    def of(cls, given: bool | Chat | Mapping[str, Any] | None) -> Chat | None:
        """The chat that was asked for: True is the default, a mapping has its fields; None for no chat.

        >>> Chat.of({"user": "Hello"}), Chat.of(False)
        (Chat(user='Hello', system=None), None)
        """
        if given is None or isinstance(given, bool):
            return cls() if given else None
        if isinstance(given, cls):
            return given
        names = [field.name for field in fields(cls)]
        if not isinstance(given, Mapping):
            raise InputError(
                f"chat must be True, a Chat or a dictionary with {' and '.join(names)}, not {given!r}"
            )
        for name, text in given.items():
            if name not in names:
                raise unknown("field of chat", str(name), names)
            if not isinstance(text, str) and not (name == "system" and text is None):
                raise InputError(f"the {name} of chat must be a text, not {text!r}")
        return cls(**given)

    def prompt(self, tokenizer: Any, name: str) -> str:
        """The chat up to where the assistant's answer begins, by the model's own template.

        That is what the template writes when an answer is to be generated. A template that does not know of that would
        end after the user's turn; then it is what the template writes before an assistant's turn.
        """
        if not getattr(tokenizer, "chat_template", None):
            raise ModelError(f"{name} has no chat template, so that it cannot be asked in a chat (--chat)")
        turns = self._turns()
        try:
            prompt = _render(tokenizer, turns, add_generation_prompt=True)
        except Exception as error:  # templates are programs, and raise what they like
            raise ModelError(f"the chat template of {name} fails: {first_line(error)}") from error
        for turn in turns:  # some have no place for a system prompt, and some expect lists instead of text
            if _words(turn["content"]) not in _words(prompt):
                raise ModelError(f"the chat template of {name} leaves out the {turn['role']}'s turn")
        if _opens_an_answer(tokenizer, turns, prompt):
            return prompt
        before = self.before_answer(tokenizer)
        if before is None:
            raise ModelError(
                f"the chat template of {name} neither opens the assistant's turn nor has a place for its answer"
            )
        # The space between words is not the template's: a text brings it along.
        return prompt if before.rstrip(" ") == prompt.rstrip(" ") else before

    def before_answer(self, tokenizer: Any) -> str | None:
        """What the template writes before an answer that was given; None if it has no place for one."""
        answer = _ANSWER
        while any(answer in turn["content"] for turn in self._turns()):
            answer += "x"
        turns = [*self._turns(), {"role": "assistant", "content": answer}]
        try:
            before, found, _ = _render(tokenizer, turns, add_generation_prompt=False).partition(answer)
        except Exception:  # templates are programs, and raise what they like
            return None
        return before if found else None

    def _turns(self) -> list[dict[str, str]]:
        system = [] if self.system is None else [{"role": "system", "content": self.system}]
        return [*system, {"role": "user", "content": self.user}]


@dataclass(frozen=True)
class TextStart:
    """The tokens before every text, and how a report says what they are."""

    ids: tuple[int, ...]
    description: str
    replaces: int  # how many tokens of the tokenizer's own they stand in for


def chat_start(tokenizer: Any, chat: Chat, name: str, longest: int | None = None) -> TextStart:
    """The tokens of a chat up to the assistant's answer; an error if they leave no room for a text."""
    prompt = chat.prompt(tokenizer, name)
    ids = tokenizer(prompt, add_special_tokens=False, verbose=False)["input_ids"]
    if not ids:
        raise ModelError(f"the chat template of {name} puts nothing before the assistant's answer")
    if longest is not None and len(ids) >= longest:
        raise ModelError(
            f"the chat before a text has {len(ids)} tokens and {name} takes {longest}, texts included: shorten what "
            "the user or the system says (--chat-user, --chat-system)"
        )
    answer = chat.before_answer(tokenizer)
    # Where the template opens something else, such as a thought, the text stands there as the model's words would.
    elsewhere = answer is not None and not answer.startswith(prompt.rstrip())
    description = _WRITTEN_NEXT if elsewhere else _ANSWERED
    return TextStart(tuple(ids), description, len(own_start(tokenizer)))


def document_start(
    tokenizer: Any, wanted: str | None, likelihood: Callable[[int, Sequence[str]], float], name: str
) -> TextStart:
    """The token that begins a text: the one wanted; else the tokenizer's own; else the one after which plain text is
    likeliest, by `likelihood`, of those that open or end texts in this vocabulary.
    """
    own = own_start(tokenizer)
    if wanted is not None:
        ids = () if wanted == NO_START else (_token_id(tokenizer, wanted, name),)
        return TextStart(ids, _describe(tokenizer, ids), len(own))
    if own:
        return TextStart(own, _describe(tokenizer, own), len(own))
    candidates = _candidates(tokenizer)
    if len(candidates) > 1:
        candidates = [max(candidates, key=lambda token: likelihood(token, _PLAIN))]
    return TextStart(tuple(candidates), _describe(tokenizer, candidates), 0)


def own_start(tokenizer: Any) -> tuple[int, ...]:
    """The special tokens that the tokenizer itself puts before a text."""
    encoding = tokenizer.backend_tokenizer.encode("a")
    special = np.array(encoding.special_tokens_mask, dtype=bool)
    first = int(np.argmin(special)) if not special.all() else 0
    return tuple(encoding.ids[:first])


def _render(tokenizer: Any, turns: Sequence[dict[str, str]], add_generation_prompt: bool) -> str:
    return str(
        tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=add_generation_prompt)
    )


def _opens_an_answer(tokenizer: Any, turns: Sequence[dict[str, str]], prompt: str) -> bool:
    """Whether a template writes something else when an answer is to be generated."""
    try:
        return _render(tokenizer, turns, add_generation_prompt=False) != prompt
    except Exception:  # a template may insist on an answer
        return True


def _words(text: str) -> str:
    """A text whatever its white space: templates strip it."""
    return " ".join(text.split())


def _candidates(tokenizer: Any) -> list[int]:
    vocabulary = tokenizer.get_vocab()
    named = [tokenizer.bos_token_id, tokenizer.eos_token_id]
    known = [vocabulary[token] for token in _DOCUMENT_TOKENS if token in vocabulary]
    return list(dict.fromkeys(token for token in [*named, *known] if token is not None))


def _token_id(tokenizer: Any, token: str, name: str) -> int:
    number = tokenizer.get_vocab().get(token)
    if number is None:
        raise InputError(
            f"--start {token!r} is not a token of {name}; --start {NO_START} begins texts without one"
        )
    return int(number)


def _describe(tokenizer: Any, ids: Sequence[int]) -> str:
    if not len(ids):
        return "after no start token"
    return f"after {''.join(tokenizer.convert_ids_to_tokens(list(ids)))}"
