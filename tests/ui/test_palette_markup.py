"""Names in the palette are names: nothing in them is read as markup, and long ones are cut."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from textual.content import Content

from tui.catalog.stacks import Stack
from tui.commands import ModelProvider, StackProvider

MARKED = "q[red]q[/]q[@click=app.quit]q[$primary]"


async def hits(provider: type, query: str, **screen: Any) -> list[tuple[str, str]]:
    """(Name, help) as Textual's palette builds its line."""
    found = [hit async for hit in provider(SimpleNamespace(**screen)).search(query)]
    return [(Content.from_markup(hit.prompt).plain, Content.from_markup(hit.help or "").plain) for hit in found]


@pytest.mark.parametrize("text", [MARKED, "[/]", "[", "x" * 100_000], ids=["tags", "closing", "open", "long"])
async def test_models_and_stacks_stand_there_as_they_are_named(text: str) -> None:
    shown = text if len(text) < 200 else text[:190]
    ((model, word),) = await hits(ModelProvider, "q", models_named=lambda *_: [(text, text)], go_to=print)
    assert model.startswith(shown) and word.startswith(shown)
    stacks = [SimpleNamespace(stack=Stack("2.28", text, text), records=3)]
    found = await hits(StackProvider, "stack: 2", stacks=stacks, choose_stack=print)
    assert any(shown[:100] in name for name, _ in found)
    assert all(len(name) < 260 for name, _ in [*found, (model, word)])
