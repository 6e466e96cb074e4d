"""Completion by the shell: the script that sets it up, and the answers that this script asks for at each Tab.

An answer is due before a person notices: nothing here imports polars, the UI or the library of the Hub.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

ASKED_WITH: Final = "_TRN_MODELS_COMPLETE"
"""The variable in which the script says what it wants, such as `bash_complete`."""

PROGRAM: Final = "trn-models"
SHELLS: Final = ("bash", "zsh", "fish")


@click.command("completion", short_help="Print the script that completes verbs, options and models.")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion_verb(context: click.Context, /, shell: str) -> None:
    """Print the script with which a shell completes verbs, options and model ids.

    Model ids are those of the last refresh. In a file that the shell reads at its start:

    \b
    Examples:
      eval "$(trn-models completion bash)"    in ~/.bashrc
      eval "$(trn-models completion zsh)"     in ~/.zshrc, after compinit
      trn-models completion fish | source     in ~/.config/fish/config.fish
    """
    from tui.cli.output import write

    write(_script(context.find_root().command, shell), sys.stdout)
    context.exit(0)


def answer(command: click.Command, asked: str) -> int:
    """Write to stdout what the script `asked` for; the exit code. Raises nothing: a shell would show it at the prompt.

    What was typed so far is in the variables of click's scripts, COMP_WORDS and COMP_CWORD.
    """
    from click.shell_completion import shell_complete

    try:
        return shell_complete(command, {}, PROGRAM, ASKED_WITH, asked)
    except Exception:
        # Words that no verb takes, a broken config file, a stdout that is closed: the person is still typing, and
        # hears of it from the command itself. Nothing may be printed, and opening the log file takes too long.
        import logging

        logging.getLogger(__name__).debug("no completion", exc_info=True)
        return 1


class ModelName(click.types.StringParamType):
    """The type of an argument that names a model: any text, completed with the ids of the last refresh."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The ids that fit; none for a source that is not the Hub's dataset, whose ids are not known here."""
        from click.shell_completion import CompletionItem

        from tui.catalog import model_ids
        from tui.cli.options import settings_of

        settings = settings_of(ctx, {})
        if settings.sample or settings.data is not None:
            return []
        found = model_ids.beginning_with(model_ids.read(settings.cache_dir), incomplete)
        return [CompletionItem(each) for each in found]


def _script(command: click.Command, shell: str) -> str:
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    source = kind(command, {}, PROGRAM, ASKED_WITH).source()
    # click's script for fish takes every comma for the one before the word: a help text would end at its first.
    return source.replace('string split "," ', 'string split --max 1 "," ')
