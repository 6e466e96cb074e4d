"""The command palette: every command of the keys, every model on screen, every version, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.fuzzy import FuzzySearch

from tui import state as remembered
from tui.catalog.stacks import ANY, StackChoice
from tui.terminal_text import brief
from tui.themes import THEMES

if TYPE_CHECKING:
    from tui.screens.browse import BrowseScreen

Command = tuple[str, str, Callable[[], object]]

MODELS_AT_MOST = 50
"""Hits among the models that are worth showing at once."""
LONGEST = 200
"""Characters of a name."""


class CommandProvider(Provider):
    """Every key that has an explanation, and the themes."""

    def _commands(self) -> Iterator[Command]:
        screen = self.screen
        seen = set()
        for _key, binding in screen._bindings:
            if binding.tooltip and binding.action not in seen:
                seen.add(binding.action)
                run = partial(screen.run_action, binding.action)
                yield binding.description, binding.tooltip, run
        for name in THEMES:
            yield (
                f"theme: {name}",
                "Colours of the app, remembered",
                partial(setattr, self.app, "theme", name),
            )

    async def discover(self) -> Hits:
        """All commands, while nothing is typed."""
        for name, explanation, run in self._commands():
            yield DiscoveryHit(name, run, help=explanation)

    async def search(self, query: str) -> Hits:
        """The commands that fit what is typed."""
        matcher = self.matcher(query)
        for name, explanation, run in self._commands():
            score = max(matcher.match(name), matcher.match(explanation) * 0.8)
            if score > 0:
                yield Hit(score, matcher.highlight(name), run, help=explanation)


class StackProvider(Provider):
    """The pairs of versions that exist."""

    def _stacks(self) -> Iterator[Command]:
        screen = cast("BrowseScreen", self.screen)
        yield (
            "stack: any",
            "For each model the newest stack that has a record",
            partial(screen.choose_stack, StackChoice(ANY, ANY, ANY)),
        )
        for count in screen.stacks:
            name = brief(f"stack: {count.stack.label}", LONGEST)
            yield name, f"{count.records} records", partial(screen.choose_stack, StackChoice.of(count.stack))

    async def search(self, query: str) -> Hits:
        """The stacks that fit what is typed."""
        search = FuzzySearch()
        for name, explanation, run in self._stacks():
            score, offsets = search.match(query, name)
            if score > 0:
                # The matcher's own highlighting reads markup.
                marked = Content(name)
                for offset in offsets:
                    marked = marked.stylize(self.match_style or "reverse", offset, offset + 1)
                yield Hit(score, marked, run, text=name, help=explanation)


class SavedSearchProvider(Provider):
    """The searches that were saved under a name."""

    async def startup(self) -> None:
        """Read them once for all that is typed."""
        screen = cast("BrowseScreen", self.screen)
        self._searches = remembered.load(screen.settings).searches

    async def search(self, query: str) -> Hits:
        """Those whose name or text fits what is typed."""
        screen = cast("BrowseScreen", self.screen)
        search = FuzzySearch()
        for name, text in self._searches.items():
            shown = brief(f"search: {name}", LONGEST)
            score = max(search.match(query, each)[0] for each in (shown, text))
            if score > 0:
                help_text = cast("str", Content(brief(text, LONGEST)))
                yield Hit(score, Content(shown), partial(screen.search_for, text), text=shown, help=help_text)


class ModelProvider(Provider):
    """The models of the view, found as the search box finds them."""

    async def search(self, query: str) -> Hits:
        """The models whose id has every word."""
        screen = cast("BrowseScreen", self.screen)
        for model_id, word in screen.models_named(query, MODELS_AT_MOST):
            text = brief(model_id, LONGEST)
            # A text would be read as markup.
            help_text = cast("str", Content(brief(word, LONGEST)))
            yield Hit(0.5, Content(text), partial(screen.go_to, model_id), text=text, help=help_text)


def providers(*, models: bool) -> set[type[Provider]]:
    """What the palette offers over a screen; only that with the models has models and stacks to choose from."""
    return {CommandProvider, StackProvider, SavedSearchProvider, ModelProvider} if models else {CommandProvider}
