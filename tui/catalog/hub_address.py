"""Which Hub is asked."""

from __future__ import annotations

import os
from urllib.parse import urlsplit


def endpoint() -> str:
    """The address of the Hub, without a slash at its end. HF_ENDPOINT is read at each call."""
    return (os.environ.get("HF_ENDPOINT") or "https://huggingface.co").rstrip("/")


def host() -> str:
    """The Hub's name and port as a person knows them: `huggingface.co`."""
    address = endpoint()
    return urlsplit(address).netloc.rpartition("@")[2] or address
