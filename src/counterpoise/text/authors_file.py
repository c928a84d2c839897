"""Reads `res_data/term_lists.py` of Jentzsch & Turan (2022, sciphie/bias-bert) without running it.

The lists are the file's dictionaries and lists of words as they stand there; of equal keys Python keeps the last. What
else the file does (pickles, sets made from these lists) is not looked at.
"""

from __future__ import annotations

import ast
from typing import Any

from counterpoise.core.errors import DataError

DICTIONARIES = ("term_dict", "pron_dict", "weat_dict", "only_f2m", "only_m2f")
LISTS = ("only_cover",)
# The file adds the pronouns to its terms; so does whoever reads the set `all` (`term_files.authors_rows`).
_WITH_PRONOUNS = "dict(chain(term_dict.items(), pron_dict.items()))"


def parse_lists(text: str, where: str) -> dict[str, Any]:
    """The authors' lists by their names.

    >>> parse_lists("pron_dict = {'his': 'hers', 'his': 'her'}; number = 1 + 1", "term_lists.py")
    {'pron_dict': {'his': 'her'}}
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise DataError(f"{where} is not Python: {error}") from error
    lists: dict[str, Any] = {}
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=node) if name in (*DICTIONARIES, *LISTS):
                if not (name == "term_dict" in lists and ast.unparse(node) == _WITH_PRONOUNS):
                    lists[name] = _words(name, node, where)
    return lists


def _words(name: str, node: ast.expr, where: str) -> Any:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError):
        value = None
    kind, wanted = (dict, "a dictionary") if name in DICTIONARIES else (list, "a list")
    words = [*value, *value.values()] if isinstance(value, dict) else value
    if isinstance(value, kind) and all(isinstance(word, str) for word in words):
        return value
    raise DataError(
        f"{where}, line {node.lineno}: {name} is not {wanted} of words, and the file is not run to find out more"
    )
