"""Three looks: dark, light, and the terminal's own colours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from textual.theme import BUILTIN_THEMES, Theme

from tui import state as remembered
from tui.errors import UsageError
from tui.settings import Settings

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

THEMES: dict[str, Theme] = {
    "dark": _DARK,
    "light": _LIGHT,
    "ansi": replace(
        BUILTIN_THEMES["ansi-dark"],
        name="ansi",
        variables={
            **BUILTIN_THEMES["ansi-dark"].variables,
            "scrollbar-background": "ansi_default",
            "scrollbar-corner-color": "ansi_default",
        },
    ),
}
"""By the name that `--theme`, the config file and the state file use."""


def chosen(settings: Settings, environ: Mapping[str, str], colours: str | None) -> str:
    """The theme that is set, else the remembered one, else what the terminal can show.

    `colours` is what rich found (`standard` are 16 colours). With 16 colours, or none, only the terminal's own colours
    keep PASS and FAIL apart and the background as it is. Raises `UsageError` for a theme that does not exist.
    """
    if settings.theme is not None and settings.theme not in THEMES:
        raise UsageError(
            f"«{settings.theme}» is no theme", "From --theme or a setting.", f"Themes: {', '.join(THEMES)}."
        )
    if environ.get("NO_COLOR"):
        return "ansi"
    remembered_theme = remembered.load(settings).theme
    wanted = settings.theme or (remembered_theme if remembered_theme in THEMES else None)
    return wanted or ("ansi" if colours == "standard" else "dark")
