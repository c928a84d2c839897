"""LaTeX from text that may hold anything: names of models, words of a dataset, names of authors."""

from __future__ import annotations

import re
import unicodedata

from counterpoise.core.printable import printable

# | < > are other characters in LaTeX's oldest font encoding, which is still its default.
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "|": r"\textbar{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}
# BibTeX sorts and abbreviates names letter by letter and takes an accented one for several unless it is written so.
_ACCENTS = {
    "\N{COMBINING GRAVE ACCENT}": "`",
    "\N{COMBINING ACUTE ACCENT}": "'",
    "\N{COMBINING CIRCUMFLEX ACCENT}": "^",
    "\N{COMBINING TILDE}": "~",
    "\N{COMBINING DIAERESIS}": '"',
    "\N{COMBINING CEDILLA}": "c ",
    "\N{COMBINING CARON}": "v ",
}
_MINUS = re.compile(r"(?<!\w)-(?=\.?\d)")


def escape_latex(text: object) -> str:
    r"""Text that stays text; unlike pandas' own escaping also |, <, > and minus signs, which LaTeX sets as others.

    >>> print(escape_latex("50 % of |d|_x, -.5, Röttger"))
    50 \% of \textbar{}d\textbar{}\_x, $-$.5, R{\"o}ttger
    """
    readable = printable(" ".join(str(text).split()))
    plain = "".join(_SPECIAL.get(letter) or _accented(letter) for letter in readable)
    return _MINUS.sub("$-$", plain)


def latex_cell(text: object) -> str:
    """Escaped text for the first cell of a row: a bracket or star there would belong to the line break before it.

    >>> latex_cell("[0.1, 0.2]"), latex_cell("5 %")
    ('{[0.1, 0.2]}', '5 \\\\%')
    """
    escaped = escape_latex(text)
    return f"{{{escaped}}}" if escaped.startswith(("[", "*")) else escaped


def _accented(letter: str) -> str:
    base, *marks = list(unicodedata.normalize("NFD", letter))
    if len(marks) != 1 or marks[0] not in _ACCENTS:
        return letter
    return f"{{\\{_ACCENTS[marks[0]]}{base}}}"
