"""How a verdict looks: a sign that reads without colour, and a style that follows the theme."""

from __future__ import annotations

from tui.catalog.verdict import Verdict

MUTED = "$foreground 60%"
"""For what is read second. `$text-muted` is a colour only in stylesheets, not in texts."""

FAINT = "$foreground 35%"
"""For what does not apply now."""

SIGNS: dict[Verdict, str] = {
    Verdict.PASS: "●",
    Verdict.FAIL: "✗",
    Verdict.OTHER: "?",
    Verdict.EXCLUDED: "–",
    Verdict.UNTESTED: "·",
}

STYLES: dict[Verdict, str] = {
    Verdict.PASS: "$text-success",
    Verdict.FAIL: "$text-error",
    Verdict.OTHER: "$text-warning",
    Verdict.EXCLUDED: "$text-secondary",
    Verdict.UNTESTED: MUTED,
}
