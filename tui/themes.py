"""Three looks: dark, light, and the terminal's own colours."""

from __future__ import annotations

from textual.theme import BUILTIN_THEMES, Theme

_DARK = Theme(
    name="dark",
    dark=True,
    primary="#ff9d3c",
    secondary="#8fb3d9",
    accent="#ff9d3c",
    success="#6fcf7f",
    warning="#e5c453",
    error="#f2727b",
    foreground="#d8dbe0",
    background="#14171c",
    surface="#14171c",
    panel="#1e232b",
    variables={
        "block-cursor-background": "#2b3340",
        "block-cursor-foreground": "#ffffff",
        "block-cursor-blurred-background": "#20262f",
        "input-selection-background": "#ff9d3c 35%",
        "scrollbar": "#343c48",
        "scrollbar-background": "#14171c",
        "scrollbar-corner-color": "#14171c",
        "border": "#343c48",
    },
)

_LIGHT = Theme(
    name="light",
    dark=False,
    primary="#b85c00",
    secondary="#2f5f94",
    accent="#b85c00",
    success="#1d7a33",
    warning="#8a6500",
    error="#b3202c",
    foreground="#20242a",
    background="#fbfbfa",
    surface="#fbfbfa",
    panel="#eeeeec",
    variables={
        "block-cursor-background": "#dfe5ee",
        "block-cursor-foreground": "#000000",
        "block-cursor-blurred-background": "#ececea",
        "scrollbar": "#c9ccd1",
        "scrollbar-background": "#fbfbfa",
        "scrollbar-corner-color": "#fbfbfa",
        "border": "#c9ccd1",
    },
)

_ANSI = BUILTIN_THEMES["ansi-dark"]

THEMES: dict[str, Theme] = {
    "dark": _DARK,
    "light": _LIGHT,
    "ansi": Theme(
        **{
            **{name: getattr(_ANSI, name) for name in Theme.__dataclass_fields__},
            "name": "ansi",
        }
    ),
}
"""By the name that `--theme`, the config file and the state file use."""
