"""Which Hub is asked."""

from __future__ import annotations

import os


def endpoint() -> str:
    """The address of the Hub, without a slash at its end. HF_ENDPOINT is read at each call."""
    return (os.environ.get("HF_ENDPOINT") or "https://huggingface.co").rstrip("/")
