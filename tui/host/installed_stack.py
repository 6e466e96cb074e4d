"""Which of the dataset's stacks an interpreter has."""

from __future__ import annotations

from collections.abc import Iterable

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from tui.catalog.stacks import Stack
from tui.host.interpreters import Interpreter


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
    if installed is None or recorded is None:
        return False
    try:
        one, other = Version(installed), Version(recorded)
    except InvalidVersion:
        return installed == recorded
    return one == other if one.local and other.local else Version(one.public) == Version(other.public)
