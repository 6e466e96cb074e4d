"""A group whose verbs are imported when they are used: a start, and a completion, load what they need."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


class LazyGroup(click.Group):
    """`verbs` is the name of each verb -> `module:attribute` of its command; verbs can be added as usual, too."""

    def __init__(self, *arguments: Any, verbs: Mapping[str, str], **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._verbs = dict(verbs)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, by alphabet."""
        return sorted({*self._verbs, *super().list_commands(ctx)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb, imported when it was not; None when there is none of this name."""
        if cmd_name in self._verbs and cmd_name not in self.commands:
            module, _, attribute = self._verbs[cmd_name].partition(":")
            command = getattr(import_module(module), attribute)
            _complete_models(command)
            self.add_command(command, cmd_name)
        return super().get_command(ctx, cmd_name)


def _complete_models(command: click.Command) -> None:
    """Let a shell complete every argument that is named `model`, also of the verbs within a verb."""
    from tui.cli.completion import ModelName

    for parameter in command.params:
        if isinstance(parameter, click.Argument) and parameter.name == "model":
            parameter.type = ModelName()
    if isinstance(command, click.Group):
        for each in command.commands.values():
            _complete_models(each)
