"""Which keys the footer tells of, in the order in which they give way. Pure."""

from __future__ import annotations

from tui.widgets.key_hints import Hint


def hints_for(
    *, typing: bool, in_detail: bool, on_a_model: bool, with_a_record: bool, completes: bool = False
) -> tuple[Hint, ...]:
    """The keys of the place where the focus is; those that do not apply stay, dimmed, and answer why.

    `completes`: something can be taken that completes the search.
    """
    if typing:
        return (
            Hint("tab", "complete", "complete", completes),
            Hint("↓", "to the table", "leave_search"),
            Hint("F1", "what can be searched", "search_language"),
            Hint("esc", "clear, then leave", "leave_search"),
        )
    first = Hint("esc", "back", "back") if in_detail else Hint("⏎", "detail", "enter", on_a_model)
    return (
        first,
        Hint("/", "search", "search"),
        Hint("y", "copy run.py", "copy('script')", with_a_record),
        Hint("r", "run", "run_again", with_a_record),
        Hint("t", "task", "pick_task"),
        Hint("c", "compiler", "pick_compiler"),
        Hint("v", "library", "pick_library"),
        Hint("n", "copy cache command", "copy('cache')", with_a_record),
        Hint("i", "copy install line", "copy('install')", with_a_record),
        Hint("w", "write run.py", "write_script", with_a_record),
        Hint("o", "Hub page", "open_page", on_a_model),
        Hint("x", "compare", "compare", on_a_model),
        Hint("s", "sort", "pick_sort"),
        Hint("E", "export", "export"),
        Hint("R", "runs", "runs"),
        Hint("u", "refresh", "refresh_data"),
        Hint("?", "help", "help"),
        Hint("q", "quit", "back_or_quit"),
    )
