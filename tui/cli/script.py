"""The verb `script`: the run.py of a model's record, byte for byte."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import Any

import click

from tui.cli.options import begin, source_options
from tui.cli.record_on_stack import RecordOnStack, on_stack_options, record_on_stack
from tui.errors import EXIT_PASS, NoDataError, UsageError


@click.command("script", short_help="Print the run.py of a model's record, or write it to a file.")
@click.argument("model")
@click.option(
    "--output",
    "-o",
    type=click.Path(),
    metavar="FILE",
    help="Write it to this file, which is not there yet, at once or not at all.",
)
@click.option("--force", is_flag=True, help="Let FILE take the place of one that is there.")
@on_stack_options
@source_options
@click.pass_context
def script_verb(context: click.Context, /, *, model: str, output: str | None, force: bool, **flags: Any) -> None:
    """Print the run.py of MODEL's record byte for byte; which record that is goes to stderr.

    MODEL is an id, or a part of a name that fits one model. On a terminal, what a terminal would act on is shown as
    an escape. Exit code 4: nothing is recorded on this stack; 5: the record has no run.py.

    \b
    Examples:
      trn-models script ORG/NAME > run.py
      trn-models script ORG/NAME --neuronx-cc 2.28 -o run.py
    """
    settings = begin(context, flags)
    file = _file(output)
    if file is not None:
        _refuse(file, force=force)
    script = script_of(record_on_stack(settings, model, flags, with_script=True))
    if file is None:
        print_script(script)
    else:
        write_script(script, file)
    context.exit(EXIT_PASS)


def script_of(chosen: RecordOnStack) -> bytes:
    """The bytes of the record's run.py. Raises `NoDataError` when they are not known."""
    from tui.catalog import snapshot as snapshots

    place = snapshots.place_of(chosen.snapshot, chosen.index)
    text = snapshots.read_text(chosen.snapshot, *place, "run_py")
    record = chosen.record
    if text is None or "run_py" in record.unconverted:
        raise NoDataError(
            f"The run.py of {record.model_id} cannot be given as it was",
            "The data do not hold it as UTF-8 text, or it is larger than any script.",
            "The app shows what could be read of it: w writes that.",
        )
    return text.encode("utf-8", "surrogatepass")


def print_script(script: bytes) -> None:
    """The bytes to stdout; on a terminal the text, clean, with a line end after its last line."""
    from tui.cli.output import is_terminal, write, write_bytes
    from tui.terminal_text import clean

    if not is_terminal(sys.stdout):
        write_bytes([script])
        return
    text = clean(script.decode("utf-8", "surrogatepass"), newlines=True)
    write(text if text.endswith("\n") or not text else f"{text}\n", sys.stdout)


def write_script(script: bytes, path: Path) -> None:
    """The bytes to a file, at once or not at all; straight into a device or a pipe. Raises `UsageError`.

    A file whose place they take gives them its mode.
    """
    from tui.atomic_file import replacing

    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as device:
                device.write(script)
            return
        mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
        # Where a link leads: the link stays.
        with replacing(Path(os.path.realpath(path)), durable=True, private=mode is not None) as part:
            part.write_bytes(script)
            if mode is not None:
                part.chmod(mode)
    except BrokenPipeError:
        return
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written", error.strerror or str(error), "Nothing was written there. Name another file."
        ) from error


def _file(output: str | None) -> Path | None:
    """The file that is meant; None for stdout, also by a name that leads there. Raises `UsageError`."""
    if output is None or output == "-":
        return None
    if not output:
        raise UsageError("FILE of --output is empty", "The script needs a file.", "Name one: -o run.py")
    try:
        is_stdout = sys.stdout is not None and os.path.samestat(Path(output).stat(), os.fstat(sys.stdout.fileno()))
    except (OSError, ValueError):
        is_stdout = False
    return None if is_stdout else Path(output)


def _refuse(path: Path, *, force: bool) -> None:
    """Before anything is read: a file that is there, a folder, a folder that is missing."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        if not path.parent.is_dir():
            raise UsageError(f"There is no folder {path.parent}", f"For {path}.", "Make it, or name another.") from None
        return
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be written", str(error), "Name another file.") from error
    if stat.S_ISDIR(mode):
        raise UsageError(f"{path} is a folder", "The script needs a file.", f"Name one: -o {path / 'run.py'}")
    if stat.S_ISREG(mode) and not force:
        raise UsageError(f"{path} is there already", "It was left as it is.", "Name another file, or give --force.")
