"""Which of the dataset's stacks an interpreter has."""

from __future__ import annotations

from collections.abc import Iterable

from packaging.utils import canonicalize_name

from tui.catalog.stacks import Stack
from tui.host.interpreters import Interpreter
from tui.host.versions import same_version


def installed_stack(interpreter: Interpreter | None, stacks: Iterable[Stack]) -> Stack | None:
    """The first of `stacks` whose neuronx-cc and library are installed in these very versions; None: none is.

    A local part such as `+cpu` on one side alone does not count.
    """
    if interpreter is None:
        return None
    compiler = interpreter.packages.get("neuronx-cc")
    for stack in stacks:
        if stack.library is None or not _same(compiler, stack.neuronx_cc):
            continue
        if _same(interpreter.packages.get(canonicalize_name(stack.library)), stack.library_version):
            return stack
    return None


def _same(installed: str | None, recorded: str | None) -> bool:
    return installed is not None and recorded is not None and same_version(installed, recorded)
