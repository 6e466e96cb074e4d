"""The help: made from the bindings that are in force, so that it cannot tell of a key that does nothing."""

from __future__ import annotations

from collections.abc import Iterable

from textual.binding import Binding
from textual.content import Content
from textual.dom import DOMNode

from tui.catalog.verdict import Verdict
from tui.widgets.model_table import ModelTable
from tui.widgets.reading_pane import ReadingPane
from tui.widgets.search_box import SearchBox
from tui.widgets.verdict_look import SIGNS, STYLES

_KEY_NAMES = {
    "question_mark": "?", "slash": "/", "colon": ":", "left_square_bracket": "[", "right_square_bracket": "]",
    "escape": "Esc", "enter": "Enter", "space": "Space", "up": "↑", "down": "↓", "left": "←", "right": "→",
    "pageup": "PageUp", "pagedown": "PageDown", "home": "Home", "end": "End", "f1": "F1", "f5": "F5", "tab": "Tab",
}  # fmt: skip

_SIGN_MEANINGS = {
    Verdict.PASS: "PASS: a functional test of 32 tokens on Trainium2 went well; it is no benchmark",
    Verdict.FAIL: "FAIL: the run failed; the detail has the error",
    Verdict.OTHER: "any other word that the dataset has, shown as it stands",
    Verdict.EXCLUDED: "left out of the tests, with the reason",
    Verdict.UNTESTED: "no record on this stack",
}


def help_content(screen: DOMNode) -> Content:
    """Signs, keys by place, and how to select text with the mouse."""
    blocks = [
        Content.styled("Signs", "bold $primary"),
        *(
            Content.assemble((f"  {SIGNS[verdict]}  ", STYLES[verdict]), meaning)
            for verdict, meaning in _SIGN_MEANINGS.items()
        ),
        Content(""),
        Content.styled("Anywhere", "bold $primary"),
        *_keys(binding for _key, binding in screen._bindings),
        Content("  Ctrl+C       copy what is selected; twice without a selection: quit"),
        Content("  Ctrl+Q       quit at once"),
        Content("  Ctrl+Z       suspend, where a shell can bring the app back (fg)"),
        Content("  Ctrl+L       draw the screen anew, when another program wrote on it"),
        Content("  Tab          table, detail, search"),
    ]
    for title, widget in (("Table", ModelTable), ("Detail and long texts", ReadingPane), ("Search", SearchBox)):
        bindings = [each for each in Binding.make_bindings(widget.BINDINGS) if each.tooltip]
        if bindings:
            blocks += [Content(""), Content.styled(title, "bold $primary"), *_keys(bindings)]
    blocks += [
        Content(""),
        Content.styled("Selecting text with the mouse", "bold $primary"),
        Content(
            "  The app takes the mouse: click a model, a view, a column title, a key below. To select "
            "with the terminal instead hold Shift (Option in iTerm2) while you drag, or press p for plain text."
        ),
    ]
    return Content("\n").join(blocks)


def keys_of(screen: DOMNode, parts: Iterable[tuple[str, type[DOMNode]]]) -> Content:
    """The keys of a screen, then those of the named parts of it."""
    blocks = [*_keys(binding for _key, binding in screen._bindings)]
    for title, widget in parts:
        bindings = [each for each in Binding.make_bindings(vars(widget).get("BINDINGS", [])) if each.tooltip]
        blocks += [Content(""), Content.styled(title, "bold $primary"), *_keys(bindings)]
    blocks += [Content(""), Content("  Ctrl+Q       quit at once; runs go on")]
    return Content("\n").join(blocks)


def _keys(bindings: Iterable[Binding]) -> list[Content]:
    by_action: dict[str, tuple[list[str], str]] = {}
    for binding in bindings:
        if binding.tooltip:
            by_action.setdefault(binding.action, ([], binding.tooltip))[0].append(
                _KEY_NAMES.get(binding.key, binding.key.replace("ctrl+", "Ctrl+"))
            )
    return [Content.assemble((f"  {' '.join(keys):<12} ", "bold"), tooltip) for keys, tooltip in by_action.values()]
