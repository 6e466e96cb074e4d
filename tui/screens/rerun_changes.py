"""What a person changes about a run: the script in an editor, variables and arguments on one line."""

from __future__ import annotations

import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from tui.errors import TrnModelsError, UsageError
from tui.rerun.preparation import Changes
from tui.rerun.run_environment import parse_environment, without_secret_words


def parsed(line: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """Variables and arguments from `K=V K2=V -- arguments`, with the quoting of a shell; nothing is expanded.

    A word that begins with `-` is an argument as well, with all that follows. Raises `UsageError` for what cannot be
    meant, for names that a run sets itself, and for a secret among the arguments.
    """
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UsageError("The quotes do not match", f"{error}.".capitalize()) from error
    at = next((number for number, word in enumerate(words) if word.startswith("-")), len(words))
    stray = next((word for word in words[:at] if "=" not in word), None)
    if stray is not None:
        raise UsageError(f"«{stray}» is not NAME=value", "", "Arguments of run.py come after --.")
    arguments = words[at + 1 :] if words[at : at + 1] == ["--"] else words[at:]
    return parse_environment(words[:at]), without_secret_words(arguments, "Give it as NAME=value, before the --.")


class Kept:
    """What was set for a model, as long as the app runs: who leaves the screen and comes back finds it again."""

    def __init__(self) -> None:
        self._changes: WeakKeyDictionary[object, dict[str, Changes]] = WeakKeyDictionary()

    def keep(self, app: object, model_id: str | None, changes: Changes) -> None:
        """Variables and arguments of `changes`; the script stays with the record that it is of."""
        of_app = self._changes.setdefault(app, {})
        of_app[model_id or ""] = Changes(environment=changes.environment, arguments=changes.arguments)

    def of(self, app: object, model_id: str | None) -> Changes:
        """What was kept last; nothing changed when there is nothing."""
        return self._changes.get(app, {}).get(model_id or "", Changes())


def as_line(variables: Mapping[str, str], arguments: tuple[str, ...]) -> str:
    """The line that `parsed` reads back."""
    words = [f"{name}={shlex.quote(value)}" for name, value in variables.items()]
    return " ".join([*words, *(["--", shlex.join(arguments)] if arguments else [])])


def editor(environ: Mapping[str, str]) -> tuple[list[str], str]:
    """The editor's words and where they come from: $VISUAL, $EDITOR, else vi.

    Raises `UsageError` when there is no such program, or when its words do not parse.
    """
    variable = next((name for name in ("VISUAL", "EDITOR") if environ.get(name, "").strip()), "")
    line = environ[variable] if variable else "vi"
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"${variable} cannot be read", f"«{line}»: {error}.") from error
    program = shutil.which(words[0], path=environ.get("PATH")) if words else None
    if program is None:
        where = f"It is named by ${variable}." if variable else "Neither VISUAL nor EDITOR is set."
        raise UsageError(f"There is no editor «{line}» here", where, "Set EDITOR to one and start the app again.")
    return [program, *words[1:]], variable


def edited(script: str, environ: Mapping[str, str]) -> str | None:
    """What an editor in this terminal makes of a private copy of the script; None when it stays as it was.

    Waits for the editor. A copy that was emptied is no edit, nor is a line feed that the editor put at the end.
    Raises `TrnModelsError` when there is no editor, when it fails, or when what it left cannot be read.
    """
    words, _ = editor(environ)
    with tempfile.TemporaryDirectory(prefix="trn-models-") as folder:
        copy = Path(folder) / "run.py"
        copy.write_bytes(script.encode("utf-8", "surrogatepass"))
        try:
            with _signals_for_a_child():
                code = subprocess.run([*words, str(copy)], env=dict(environ), check=False).returncode
            after = copy.read_bytes().decode("utf-8")
        except OSError as error:
            raise TrnModelsError("The script could not be edited", str(error)) from error
        except UnicodeDecodeError as error:
            raise TrnModelsError("The edited script is not UTF-8", str(error), "Nothing was taken.") from error
    if code != 0:
        raise TrnModelsError(f"The editor ended with {code}", " ".join(words), "Nothing was taken.")
    unchanged = after in (script, f"{script}\n")
    return None if unchanged or not after.strip() else after


@contextmanager
def _signals_for_a_child() -> Iterator[None]:
    """Ctrl+C in the editor is the editor's; what ends a terminal ends this process at once, its loop stands still."""
    # A handler, not SIG_IGN: an ignored signal would stay ignored in the editor.
    wanted: dict[int, Any] = {
        signal.SIGINT: lambda *_: None,
        signal.SIGHUP: signal.SIG_DFL,
        signal.SIGTERM: signal.SIG_DFL,
    }
    before = {number: signal.signal(number, handler) for number, handler in wanted.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
