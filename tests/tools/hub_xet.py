"""Files as Xet storage keeps them: one xorb of uncompressed chunks for each, and how to put it together again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

CHUNK = 64 * 1024
TOKEN = "xet"


def content_of(repositories: Iterable[Mapping[str, Mapping[str, bytes]]], digest: str) -> bytes | None:
    """The file with this SHA-256, which stands here for Xet's own hash."""
    for revisions in repositories:
        for files in revisions.values():
            for content in files.values():
                if hashlib.sha256(content).hexdigest() == digest:
                    return content
    return None


def xorb(content: bytes) -> bytes:
    """Each chunk has a head: version 0, length stored (3 bytes), compression 0 (none), length (3 bytes)."""
    made = b""
    for start in range(0, len(content), CHUNK):
        chunk = content[start : start + CHUNK]
        length = len(chunk).to_bytes(3, "little")
        made += b"\0" + length + b"\0" + length + chunk
    return made


def reconstruction(content: bytes, digest: str, url: str) -> dict[str, Any]:
    """The answer of `/v1/reconstructions/DIGEST`; `url` is where the xorb is."""
    chunks = {"start": 0, "end": -(-len(content) // CHUNK)}
    stored = {"start": 0, "end": len(xorb(content)) - 1}
    return {
        "offset_into_first_range": 0,
        "terms": [{"hash": digest, "unpacked_length": len(content), "range": chunks}],
        "fetch_info": {digest: [{"range": chunks, "url": url, "url_range": stored}]},
    }
