"""The report of `doctor` on a narrow terminal."""

from __future__ import annotations

from tui.cli.doctor import report
from tui.cli.findings import Finding, Level

FOUND = (
    Finding(Level.OK, "Hugging Face cache", "/home/somebody/.cache/huggingface/hub, 1 GB, 81.5 GB free", ""),
    Finding(Level.PROBLEM, "Hub", "The Hub cannot be reached: connection refused", "Check the network, or wait."),
)


def test_no_line_is_wider_than_a_terminal_of_40_cells_and_nothing_is_lost() -> None:
    lines = report(FOUND, 40)
    assert max(map(len, lines)) <= 40
    told = " ".join(" ".join(lines).split())
    for words in ("The Hub cannot be reached: connection refused", "Check the network, or wait.", "1 problem"):
        assert words in told


def test_where_there_is_room_texts_stand_below_each_other() -> None:
    lines = report(FOUND, 60)
    assert max(map(len, lines)) <= 60
    column = lines[0].index("/home")
    assert {len(line) - len(line.lstrip()) for line in lines if line.startswith(" ")} == {column}
