"""How the table of models looks: its parts and their colours, in a theme, in 16 colours and without any."""

from __future__ import annotations

COMPONENT_CLASSES = (
    *("model-table--header", "model-table--cursor", "model-table--mark", "model-table--match", "model-table--dim"),
    *("model-table--pass", "model-table--fail", "model-table--other"),
    *("model-table--left-out", "model-table--untested"),
)
"""The parts that have a style of their own."""

CSS = """
ModelTable {
    width: 1fr;
    height: 1fr;
    color: $foreground;
    & > .model-table--header { color: $text-muted; }
    & > .model-table--mark { color: $foreground 50%; }
    & > .model-table--cursor { background: $block-cursor-blurred-background; }
    & > .model-table--pass { color: $text-success; }
    & > .model-table--fail { color: $text-error; }
    & > .model-table--other { color: $text-warning; }
    & > .model-table--left-out { color: $text-secondary; }
    & > .model-table--untested { color: $text-muted; }
    & > .model-table--match { color: $accent; text-style: bold underline; }
    & > .model-table--dim { color: $text-muted; }
    &:focus > .model-table--mark { color: $accent; text-style: bold; }
    &:focus > .model-table--cursor { background: $block-cursor-background; text-style: bold; }
    &:ansi > .model-table--match { color: ansi_default; }
    &:ansi > .model-table--header { text-style: underline; }
    &:ansi > .model-table--untested { text-style: dim; }
    &:ansi > .model-table--dim { text-style: dim; }
    &:ansi > .model-table--cursor { background: ansi_default; }
    &:ansi:focus > .model-table--cursor { text-style: bold reverse; }
    &:nocolor > .model-table--header { text-style: underline; }
    &:nocolor:focus > .model-table--cursor { text-style: bold reverse; }
}
"""
"""Of a `ModelTable` and its parts."""
