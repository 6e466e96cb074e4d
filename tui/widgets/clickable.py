"""Parts of a line that answer a click with an action, and look like the rest of the line."""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.style import Style
from textual.widget import Widget

_RUNS = "runs"


def clickable(content: Content, action: str) -> Content:
    """The same text; in a `ClickableLine` a click on it runs `action`.

    Textual's own `@click` would draw it as a link, in the colour of links.
    """
    return content.stylize(Style.from_meta({_RUNS: action}))


class ClickableLine(Widget):
    """One line of text over the whole width."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    ClickableLine { height: 1; width: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }
    """

    async def on_click(self, event: events.Click) -> None:
        """Run what is under the mouse."""
        action = event.style.meta.get(_RUNS)
        if action is not None:
            event.stop()
            await self.screen.run_action(action)
