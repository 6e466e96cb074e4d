"""The part of a checklist that is about versions: Python, stack, packages on top, driver. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from packaging.utils import InvalidName, canonicalize_name
from packaging.version import Version

from tui.catalog.verdict import Record
from tui.host.checklist import Item, Level
from tui.host.interpreters import Interpreter
from tui.host.neuron import Host
from tui.terminal_text import clean

STACK = (("torch-neuronx", "torch_neuronx"), ("torch", "torch"), ("neuronx-cc", "neuronx_cc"), ("nki", "nki"))
"""(distribution, column) of the packages that make the stack; pip never touches them."""

_ON_TOP = ("transformers", "accelerate")
_CHOOSE = "Choose an interpreter: --python PATH, or the setting `python`."


def items(
    record: Record, host: Host, interpreter: Interpreter | None, on_top: Mapping[str, str], *, any_host: bool
) -> list[Item]:
    """Items about the interpreter and its packages; `on_top` are packages of an overlay, which win."""
    driver = _driver(record, host)
    if interpreter is None:
        return [Item(Level.BLOCKING, "interpreter", "no Python to run it with", _CHOOSE, "no Python chosen"), *driver]
    if interpreter.problem:
        text = clean(f"{interpreter.name}: {interpreter.problem}")
        return [Item(Level.BLOCKING, "interpreter", text, _CHOOSE, "the Python cannot be used"), *driver]
    installed = {**interpreter.packages, **on_top}
    missing = Level.WARNING if any_host else Level.BLOCKING
    where = f" ({interpreter.origin})" if interpreter.origin else ""
    said = [Item(Level.OK, "interpreter", clean(f"{interpreter.name}{where}")), _python(record, interpreter)]
    for name, column in STACK:
        advice = "Choose an interpreter with the stack as tested, or install it there."
        said.append(_package(name, record.text(column), installed.get(name), missing, advice))
    for name, tested in packages_on_top(record):
        found = installed.get(name)
        advice = "Install packages on top: they go into an environment of their own."
        said.append(_package(name, tested, found, Level.WARNING, advice))
    return said + driver


def packages_on_top(record: Record) -> Iterator[tuple[str, str | None]]:
    """(normalised distribution, version as recorded) of the library, transformers and accelerate, each once.

    A package of the stack is not among them. Only the library may come without a version.
    """
    library = _distribution(record.library)
    versions = {name: _recorded(record, name) for name in _ON_TOP}
    if library is not None:
        versions = {
            library: _recorded(record, "library_version") or versions.get(library),
            **_without(versions, library),
        }
    stack = {name for name, _ in STACK}
    for name, version in versions.items():
        if name not in stack and (version is not None or name == library):
            yield name, version


def same_version(one: str, other: str) -> bool:
    """Whether two spellings name one version; a local part (`+cpu`) that only one of them has does not count."""
    try:
        first, second = Version(one.strip()), Version(other.strip())
    except ValueError:  # InvalidVersion is one; so is a number of more digits than int() takes
        return one.strip() == other.strip()
    if (first.local is None) != (second.local is None):
        return first.public == second.public
    return first == second


def _without(versions: Mapping[str, str | None], name: str) -> dict[str, str | None]:
    return {key: value for key, value in versions.items() if key != name}


def _recorded(record: Record, column: str) -> str | None:
    text = record.text(column)
    return text if text is not None and text.strip() else None


def _distribution(written: str | None) -> str | None:
    try:
        return None if written is None else canonicalize_name(written.strip(), validate=True)
    except InvalidName:
        return None


def _package(name: str, tested: str | None, found: str | None, missing: Level, advice: str) -> Item:
    if tested is None or not tested.strip():
        here = f"{clean(found)} installed" if found else "not installed either"
        text = f"the tested version is not recorded, so nothing can be compared; {here}"
        return Item(Level.WARNING, name, text, short=f"{name} not recorded")
    if found is None:
        return Item(missing, name, f"{clean(tested)} tested, not installed", advice, f"{name} missing")
    if same_version(tested, found):
        return Item(Level.OK, name, f"{clean(found)}, as tested")
    text = f"{clean(tested)} tested, {clean(found)} installed"
    return Item(Level.WARNING, name, text, advice, f"{name} differs")


def _python(record: Record, interpreter: Interpreter) -> Item:
    tested, found = _recorded(record, "python"), interpreter.version
    if tested is None:
        return Item(Level.WARNING, "python", f"the tested version is not recorded; {clean(found or 'unknown')} here")
    if found is None:
        return Item(Level.WARNING, "python", f"{clean(tested)} tested; which one this is could not be found out")
    if same_version(tested, found):
        return Item(Level.OK, "python", f"{clean(found)}, as tested")
    text = f"{clean(tested)} tested, {clean(found)} here"
    if _minor(tested) == _minor(found):
        return Item(Level.OK, "python", text)
    return Item(Level.WARNING, "python", text, "Packages may come in other versions there.", "python differs")


def _minor(version: str) -> tuple[int, ...] | str:
    try:
        return Version(version.strip()).release[:2]
    except ValueError:
        return version.strip()


def _driver(record: Record, host: Host) -> list[Item]:
    if not host.devices:
        return []
    tested, found = _recorded(record, "neuron_driver"), host.driver
    if tested is None:
        here = f"{clean(found)} here" if found else "nor could the one here be found out"
        return [Item(Level.WARNING, "driver", f"the tested version is not recorded; {here}")]
    if found is None:
        text = f"{clean(tested)} tested; which one is loaded could not be found out"
        return [Item(Level.WARNING, "driver", text, "/sys/module/neuron/version tells it.")]
    if same_version(tested, found):
        return [Item(Level.OK, "driver", f"{clean(found)}, as tested")]
    text = f"{clean(tested)} tested, {clean(found)} loaded"
    return [Item(Level.WARNING, "driver", text, "An administrator can change aws-neuronx-dkms.", "driver differs")]
