"""How much a request may ask for, so that nobody can keep the server busy for ever."""

from __future__ import annotations

from dataclasses import dataclass

SENTENCE = 500  # characters of a sentence to probe
SENTENCE_TOKENS = (
    128  # the work of a probe grows with their square, since it reads the sentence once per token
)
SWAP = 100_000  # characters of a text to swap
FILTER = 200  # characters of a search
PAGE = 200  # rows of a table on one page
PAGES = 1_000_000  # the highest page that can be asked for
COMPARED = 5  # runs side by side
FILLS = 20  # words at a place

RUNS = 1_000  # that are listed
DEPTH = 4  # folders below the one that is served
NESTING = 50  # levels of a JSON file
FILE = 64 << 20  # bytes of a JSON file or a page that is read
TABLE = 512 << 20  # bytes of a table once it is unpacked
TABLE_ROWS = 5_000_000
TABLE_COLUMNS = 1_000
TABLE_CELLS = 50_000_000  # a table of empty cells takes next to no bytes in its file
LAYERS = 1_000  # of a model that is probed
LABELS = 100_000


@dataclass(frozen=True)
class Limits:
    """The limits of the server as a whole."""

    body: int = 512 << 10  # bytes of a request
    seconds: float = 60.0  # after which a request is given up
    request_seconds: float = 10.0  # in which a connection must send a request
    waiting_connections: int = 256  # that have not sent one; with one more, the longest waiting is closed
    waiting: int = 512  # probes in the queue of a model
    together: int = 48  # probes that are answered in one call of the model
    gather: float = 0.005  # seconds that the first of them waits for others
    loaded: int = 4  # models in memory
    tables: int = 512 << 20  # bytes of tables kept in memory
