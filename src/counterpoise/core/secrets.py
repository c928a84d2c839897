"""Keys and passwords are hidden before anything is kept or sent."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

HIDDEN = "[hidden]"

_NAMES_A_SECRET = re.compile(r"(key|token|secret|password|passwd|credentials)$", re.IGNORECASE)
_OPTION = re.compile(r"--?([\w-]+)(=?)(.*)", re.DOTALL)
_IN_AN_ADDRESS = re.compile(r"(?<=://)[^/@\s]+(?=@)")  # user:password
_SHORTEST = 8  # characters; shorter ones are words such as "none"


def hide_secrets(text: str) -> str:
    """The text without the keys of this process's environment, and without passwords in addresses.

    >>> hide_secrets("https://me:1234@example.org/api")
    'https://[hidden]@example.org/api'
    """
    for name, value in os.environ.items():
        if len(value) >= _SHORTEST and _NAMES_A_SECRET.search(name):
            text = text.replace(value, HIDDEN)
    return _IN_AN_ADDRESS.sub(HIDDEN, text)


def hide_in_command(arguments: Sequence[str]) -> list[str]:
    """A command's arguments without the values of options that are named like a secret.

    >>> hide_in_command(["train.py", "--hub-token", "hf_abc", "--api_key=xyz", "--key-file", "mine.txt"])
    ['train.py', '--hub-token', '[hidden]', '--api_key=[hidden]', '--key-file', 'mine.txt']
    """
    shown: list[str] = []
    follows = False
    for argument in arguments:
        option = _OPTION.fullmatch(argument)
        names_one = option is not None and _NAMES_A_SECRET.search(option[1]) is not None
        if follows and option is None:
            shown.append(HIDDEN)
        elif option is not None and names_one and option[2]:
            shown.append(f"{argument.partition('=')[0]}={HIDDEN}")
        else:
            shown.append(hide_secrets(argument))
        follows = names_one and option is not None and not option[2]
    return shown
