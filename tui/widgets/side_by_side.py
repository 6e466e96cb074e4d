"""A container that is as large as its place, whatever is in it."""

from __future__ import annotations

from textual.containers import Horizontal
from textual.geometry import Size
from textual.reactive import var


class SideBySide(Horizontal):
    """Widgets side by side that share its width, and have its height."""

    virtual_size = var(Size(0, 0))
    """Textual would lay the screen out again for another size of what is inside: nothing here follows it."""
