"""The part of a checklist that is about versions: Python, stack, packages on top, driver. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from packaging.version import Version

from tui.catalog import tested_packages
from tui.catalog.tested_packages import STACK, distribution_of
from tui.catalog.verdict import Record
from tui.host.checklist import Item, Level, Topic
from tui.host.interpreters import Interpreter
from tui.host.neuron import Host
from tui.host.versions import same_version
from tui.terminal_text import clean

__all__ = ["STACK", "items", "packages_on_top", "same_version"]

_CHOOSE = "Choose an interpreter: --python PATH, or the setting `python`."
_CHOOSE_BY_KEY = "i picks another."
ON_TOP = "Install packages on top: they go into an environment of their own."
"""What to do about packages that can be installed; only while that step can be started."""
_ON_TOP_BY_KEY = "3 installs it, into an environment of its own."
_NOT_RECORDED = "Another record of the model may tell it; when the run fails, compare this first."


def items(
    record: Record, host: Host, interpreter: Interpreter | None, on_top: Mapping[str, str], *, any_host: bool
) -> list[Item]:
    """Items about the interpreter and its packages; `on_top` are packages of an overlay, which win."""
    about_driver = driver(record, host)
    if interpreter is None:
        return [_no_python("no Python to run it with", "no Python chosen"), *about_driver]
    if interpreter.problem:
        text = clean(f"{interpreter.name}: {interpreter.problem}")
        return [_no_python(text, "the Python cannot be used"), *about_driver]
    installed = {**interpreter.packages, **on_top}
    missing = Level.WARNING if any_host else Level.BLOCKING
    where = f" ({interpreter.origin})" if interpreter.origin else ""
    said = [Item(Level.OK, Topic.INTERPRETER, clean(f"{interpreter.name}{where}")), _python(record, interpreter)]
    for name, column in STACK:
        advice = "Choose an interpreter with the stack as tested, or install it there."
        said.append(_package(name, record.text(column), installed.get(name), missing, advice))
    for name, tested in packages_on_top(record):
        found = installed.get(name)
        item = _package(name, tested, found, Level.WARNING, ON_TOP)
        said.append(replace(item, on_screen=_ON_TOP_BY_KEY) if item.advice == ON_TOP else item)
    return said + about_driver


def packages_on_top(record: Record) -> Iterator[tuple[str, str | None]]:
    """(distribution, version as recorded) of what can be compared; only the library may come without a version."""
    library = distribution_of(record.library)
    for package in tested_packages.packages_on_top(record):
        if package.recorded is not None or package.name == library:
            yield package.name, package.recorded


def _no_python(text: str, short: str) -> Item:
    return Item(Level.BLOCKING, Topic.INTERPRETER, text, _CHOOSE, short, _CHOOSE_BY_KEY)


def _recorded(record: Record, column: str) -> str | None:
    text = record.text(column)
    return text if text is not None and text.strip() else None


def _package(name: str, tested: str | None, found: str | None, missing: Level, advice: str) -> Item:
    if tested is None or not tested.strip():
        here = f"{clean(found)} installed" if found else "not installed either"
        text = f"the tested version is not recorded, so nothing can be compared; {here}"
        return Item(Level.WARNING, name, text, _NOT_RECORDED, f"{name} not recorded")
    if found is None:
        return Item(missing, name, f"{clean(tested)} tested, not installed", advice, f"{name} missing")
    if same_version(tested, found):
        return Item(Level.OK, name, f"{clean(found)}, as tested")
    text = f"{clean(tested)} tested, {clean(found)} installed"
    return Item(Level.WARNING, name, text, advice, f"{name} differs")


def _python(record: Record, interpreter: Interpreter) -> Item:
    tested, found = _recorded(record, "python"), interpreter.version
    if tested is None:
        text = f"the tested version is not recorded; {clean(found or 'unknown')} here"
        return Item(Level.WARNING, "python", text, _NOT_RECORDED)
    if found is None:
        text = f"{clean(tested)} tested; which one this is could not be found out"
        return Item(Level.WARNING, "python", text, "`--version` of that Python tells it.")
    if same_version(tested, found):
        return Item(Level.OK, "python", f"{clean(found)}, as tested")
    text = f"{clean(tested)} tested, {clean(found)} here"
    if _minor(tested) == _minor(found):
        return Item(Level.OK, "python", text)
    advice = "pip may find other versions of packages for this Python."
    return Item(Level.WARNING, "python", text, advice, "python differs")


def _minor(version: str) -> tuple[int, ...] | str:
    try:
        return Version(version.strip()).release[:2]
    except ValueError:
        return version.strip()


def driver(record: Record, host: Host) -> list[Item]:
    """The item about the driver; none where there is no device."""
    if not host.devices:
        return []
    tested, found = _recorded(record, "neuron_driver"), host.driver
    if tested is None:
        here = f"{clean(found)} here" if found else "nor could the one here be found out"
        return [Item(Level.WARNING, "driver", f"the tested version is not recorded; {here}", _NOT_RECORDED)]
    if found is None:
        text = f"{clean(tested)} tested; which one is loaded could not be found out"
        return [Item(Level.WARNING, "driver", text, "/sys/module/neuron/version tells it.")]
    if same_version(tested, found):
        return [Item(Level.OK, "driver", f"{clean(found)}, as tested")]
    text = f"{clean(tested)} tested, {clean(found)} loaded"
    return [Item(Level.WARNING, "driver", text, "An administrator can change aws-neuronx-dkms.", "driver differs")]
