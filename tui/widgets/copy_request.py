"""A wish to copy, which the app fulfils: there is one way to copy for every key and every screen."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message


@dataclass
class CopyRequested(Message):
    """`name` is what the answer calls the text, `otherwise` what else there is when no way works."""

    text: str
    name: str
    otherwise: str = "p shows it as plain text"
