"""Whether the Hugging Face hub may be asked and answers, told at once."""

from __future__ import annotations

import os
import re
import socket
from urllib.parse import urlparse

HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")  # of a model or dataset


def hub_is_offline() -> bool:
    """Whether the environment forbids asking the hub."""
    return os.environ.get("HF_HUB_OFFLINE", "0").lower() in ("1", "true", "yes", "on")


def hub_is_reachable() -> bool:
    """Whether a connection can be made; a hub client finds out after half a minute of retries.

    Behind a proxy it is the proxy that would have to be asked, so the answer is yes.
    """
    if any(os.environ.get(key) for key in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY")):
        return True
    endpoint = urlparse(os.environ.get("HF_ENDPOINT", "https://huggingface.co"))
    try:
        port = endpoint.port or (80 if endpoint.scheme == "http" else 443)
        socket.create_connection((endpoint.hostname or "", port), timeout=10).close()
    except (OSError, ValueError):  # a port that is no number
        return False
    return True
