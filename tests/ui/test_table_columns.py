"""Which columns there are at a width, and what stands in their cells."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from rich.cells import cell_len
from table_lines import made

from tui.widgets.table_cells import header, line
from tui.widgets.table_columns import GUTTER, Layout, layout

EVERY_WIDTH = range(23, 221)


def names(width: int, *, ranking: bool = False) -> list[str]:
    return [place.column.title for place in layout(width, ranking=ranking).places]


def text(width: int, row: dict[str, Any], *, ranking: bool = False, words: tuple[str, ...] = ()) -> str:
    """A line of a table of this width as a person sees it."""
    pieces = line(layout(width, ranking=ranking), row, words)
    return " " * GUTTER + "".join(piece for piece, _ in pieces).rstrip()


def titles(place: Layout, sort: tuple[str, bool] | None = None) -> str:
    return "".join(piece for piece, _ in header(place, sort)).rstrip()


def marked(row: dict[str, Any], *words: str, width: int = 79) -> list[str]:
    return [piece for piece, style in line(layout(width, ranking=False), row, words) if style == "match"]


QUARTZ = made("acme/Quartz-8B", tp=4, wall_s=372, hbm_peak_gb=18.2, hbm_capacity_gb=24.0, english="yes")


# Columns


def test_columns_give_way_in_a_fixed_order_as_the_table_narrows() -> None:
    gone: list[str] = []
    for width in reversed(EVERY_WIDTH):
        shown = names(width, ranking=True)
        gone += [
            title
            for title in ("check", "memory", "time", "trend", "cores", "#")
            if title not in shown and title not in gone
        ]
        assert not set(gone) & set(shown), "a column that gave way does not come back"
        assert "result" in shown
        assert "model" in shown
    assert gone == ["check", "memory", "time", "trend", "cores", "#"]


@pytest.mark.parametrize("ranking", [False, True])
def test_columns_never_overlap_or_leave_the_table(ranking: bool) -> None:
    for width in EVERY_WIDTH:
        at = GUTTER
        for place in layout(width, ranking=ranking, figure_title="downloads").places:
            assert place.start >= at
            assert place.width >= len(place.column.title)
            at = place.end + 1
        assert at - 1 <= width


def test_what_a_person_sees_at_the_usual_widths() -> None:
    assert names(23) == ["result", "model"]
    assert names(59) == ["result", "model", "cores", "time"]
    assert names(79) == ["result", "model", "cores", "time", "memory"]
    assert names(119) == ["result", "model", "cores", "time", "memory", "check"]
    assert names(79, ranking=True) == ["#", "result", "model", "cores", "time", "trend"]


def test_numbers_stay_near_the_id_on_a_wide_terminal() -> None:
    places = {place.column.title: place for place in layout(199, ranking=False).places}
    assert places["model"].width == 48
    assert places["cores"].start == places["model"].end + 2


def test_the_sorted_column_has_an_arrow() -> None:
    place = layout(79, ranking=False)
    assert "time▼" in titles(place, ("wall_s", True))
    assert "cores▲" in titles(place, ("tp", False))
    assert not {"▲", "▼"} & set(titles(place, ("tested_at", True)))


def test_a_column_is_found_by_its_cell() -> None:
    place = layout(79, ranking=False)
    line_of_titles = titles(place)
    assert place.column_at(line_of_titles.index("time")).name == "wall_s"  # type: ignore[union-attr]
    assert place.column_at(line_of_titles.index("model")).name == "model_id"  # type: ignore[union-attr]
    assert place.column_at(0) is None
    assert layout(199, ranking=False).column_at(190) is None


# Lines


def test_a_pass_shows_cores_time_memory_and_check() -> None:
    assert text(119, QUARTZ).split() == ["●", "PASS", "acme/Quartz-8B", "4", "6m12s", "18.2/24", "GB", "judge:", "yes"]


@pytest.mark.parametrize(
    ("verdict", "values", "said"),
    [
        ("PASS", {}, "● PASS"),
        ("PASS", {"disagree": "+1 FAIL"}, "● PASS +1 FAIL"),
        ("FAIL", {"note": "left out: asked for twice"}, "✗ FAIL +out"),
        ("FAIL", {}, "✗ FAIL"),
        ("OTHER", {"word": "timeout"}, "? timeout"),
        ("OTHER", {"word": "ok"}, "? ok"),
        ("OTHER", {"word": ""}, '? ""'),
        ("OTHER", {"word": "no result"}, "? no result"),
        ("EXCLUDED", {"note": "left out: too large"}, "– left out"),
        ("UNTESTED", {"note": "not tested"}, "· not tested"),
        ("UNTESTED", {"note": "diffusers, not a Transformers model"}, "· not tested"),
        ("UNTESTED", {"word": "other stack", "note": "not on this stack (PASS on 2.27.1)"}, "· other stack"),
        ("UNTESTED", {"word": "not read", "note": "not in what could be read"}, "· not read"),
    ],
)
def test_a_verdict_is_a_sign_and_a_word(verdict: str, values: dict[str, Any], said: str) -> None:
    seen = text(119, made("acme/m", verdict, **values))
    assert seen[GUTTER : seen.index("acme/m")].rstrip() == said


def test_the_word_of_a_verdict_stays_whole_when_there_is_no_room_for_what_disagrees() -> None:
    seen = text(23, made("acme/m", disagree="+1 FAIL"))
    assert seen.split() == ["●", "PASS+", "acme/m"]


def test_the_id_keeps_its_column_whatever_the_line_says() -> None:
    lines = [
        QUARTZ,
        made("acme/Quartz-VL", "OTHER", word="a-word-that-is-far-too-long"),
        made("acme/Quartz-80B", "EXCLUDED", note="left out: needs more than 16 cores"),
        made("acme/Older-2B", "UNTESTED", note="not on this stack (PASS on 2.27.1 · transformers 5.20)"),
    ]
    for width in (59, 79, 119, 199):
        assert len({text(width, row).index("acme/") for row in lines}) == 1


def test_a_reason_stands_where_the_numbers_would_be() -> None:
    place = layout(119, ranking=False)
    seen = text(119, made("acme/Quartz-80B", "EXCLUDED", note="left out: needs more than 16 cores"))
    assert seen.endswith("needs more than 16 cores")
    assert seen.index("needs") == place.note_start
    assert "–" not in seen[place.note_start :]


def test_a_long_reason_takes_what_the_id_leaves_free_and_is_cut_at_last() -> None:
    note = "not on this stack (PASS on 2.27.1 · transformers 5.20)"
    assert text(119, made("acme/Older-2B", "UNTESTED", note=note)).endswith(f"  {note}")
    reason = "needs more memory than the sixteen cores of a whole instance have"
    at_80 = text(79, made("acme/Older-2B", "EXCLUDED", note=f"left out: {reason}"))
    assert at_80.endswith("acme/Older-2B  needs more memory than the sixteen cores of a…")
    assert cell_len(at_80) == 79


def test_a_result_on_another_stack_that_has_no_room_loses_the_words_around_it_first() -> None:
    note = "not on this stack (PASS on 2.27.5334.0 · transformers 5.21.0)"
    row = made("acme/Older-2B", "UNTESTED", word="other stack", note=note)
    assert text(119, row).endswith(f"  {note}")
    assert text(79, row).endswith("  PASS on 2.27.5334.0 · transformers 5.21.0")
    assert text(59, row).endswith("acme/Older-2B  PASS on 2.27.5334.0 · tra…")


# The stack


def stack_text(width: int, row: dict[str, Any], *, ranking: bool = False, mark: bool = False) -> str:
    place = layout(width, ranking=ranking, stacks=True)
    return " " * GUTTER + "".join(piece for piece, _ in line(place, row, (), mark_unknown_library=mark)).rstrip()


ON_A_STACK = QUARTZ | {
    "record": 3,
    "neuronx_cc": "2.28.7631.0",
    "library": "transformers",
    "library_version": "5.23.1",
}


def test_in_a_list_of_several_stacks_each_line_tells_its_own() -> None:
    assert "acme/Quartz-8B                 2.28 · 5.23.1        4" in stack_text(71, ON_A_STACK)
    assert stack_text(79, ON_A_STACK).split()[:7] == ["●", "PASS", "acme/Quartz-8B", "2.28", "·", "5.23.1", "4"]
    assert "  2.28.7631.0 · transformers 5.23.1  " in stack_text(199, ON_A_STACK)
    unrecorded = ON_A_STACK | {"neuronx_cc": None, "library_version": None}
    assert "  – · –  " in stack_text(79, unrecorded)


def test_the_stack_gives_way_after_everything_but_the_rank() -> None:
    for ranking in (False, True):
        order = [
            "check",
            "memory",
            "time",
            *(["trend"] if ranking else []),
            "cores",
            "stack",
            *(["#"] if ranking else []),
        ]
        gone: list[str] = []
        for width in reversed(EVERY_WIDTH):
            shown = [place.column.title for place in layout(width, ranking=ranking, stacks=True).places]
            gone += [title for title in order if title not in [*shown, *gone]]
            assert not set(gone) & set(shown)
            assert shown.index("stack") == shown.index("model") + 1 if "stack" in shown else width < 71
        assert gone == order


def test_columns_with_the_stack_never_overlap_or_leave_the_table() -> None:
    for width in EVERY_WIDTH:
        at = GUTTER
        for place in layout(width, ranking=True, figure_title="downloads", stacks=True).places:
            assert place.start >= at
            at = place.end + 1
        assert at - 1 <= width


def test_a_reason_leaves_the_stack_of_its_line_alone() -> None:
    row = ON_A_STACK | {"verdict": "EXCLUDED", "word": "left out", "note": "left out: needs more than 16 cores"}
    place = layout(119, ranking=False, stacks=True)
    seen = stack_text(119, row)
    assert seen.endswith("2.28 · 5.23.1   needs more than 16 cores")
    assert seen.index("needs") == place.numbers_start
    assert stack_text(71, row).endswith("acme/Quartz-8B  needs more t…  2.28 · 5.23.1")
    untested = made("acme/Older-2B", "UNTESTED", note="diffusers, not a Transformers model")
    assert stack_text(119, untested).index("diffusers") == place.note_start


def test_a_model_of_unknown_library_among_transformers_models_is_marked_as_such() -> None:
    row = QUARTZ | {"record": 3, "rank": 1, "figure": 3.0}
    known = row | {"hub_library": "transformers"}

    def seen(row: dict[str, Any], width: int = 119, *, mark: bool = True) -> str:
        return "".join(piece for piece, _ in line(layout(width, ranking=True), row, (), mark_unknown_library=mark))

    assert "acme/Quartz-8B  library unknown" in seen(row)
    assert "acme/Quartz-8B  library unkno…  " in seen(row, 79)
    assert "unknown" not in seen(known) + seen(row, mark=False)
    assert "unknown" not in seen(row | {"record": None, "verdict": "UNTESTED", "note": "not tested"})
    pieces = line(layout(119, ranking=True), row, (), mark_unknown_library=True)
    assert [style for piece, style in pieces if "library unknown" in piece] == ["dim"]
    left_out = row | {"verdict": "EXCLUDED", "note": "left out: too large"}
    assert "  too large; library unknown  " in seen(left_out)
    assert "acme/Quartz-8B  library unknown" in stack_text(139, ON_A_STACK, ranking=True, mark=True)


def test_a_reason_leaves_the_figure_of_a_ranking_alone() -> None:
    row = made("acme/Quartz-80B", "EXCLUDED", note="left out: needs more than 16 cores", rank=7, figure=350.0)
    assert text(79, row, ranking=True).split()[0] == "7"
    assert text(79, row, ranking=True).endswith("needs more than 16 cores     350")


def test_an_untested_model_has_dashes_for_numbers() -> None:
    assert text(79, made("acme/New-3B", "UNTESTED", note="not tested")).split()[-3:] == ["–", "–", "–"]


def test_downloads_and_ranks_are_short() -> None:
    row = made("acme/m", rank=12, figure=1_234_567.0)
    assert text(119, row, ranking=True).split()[0] == "12"
    assert text(119, row, ranking=True).endswith("1.2M")
    assert text(119, made("acme/m", rank=1), ranking=True).endswith("–")


# Values


def test_null_empty_nan_zero_and_the_text_none_are_five_different_things() -> None:
    seen = {
        text(119, made("acme/m", hbm_peak_gb=peak, hbm_capacity_gb=24.0, cpu_match=match)).split("acme/m")[1].strip()
        for peak, match in ((None, None), (math.nan, ""), (0.0, "None"))
    }
    ends = {" ".join(each.split()[2:]) for each in seen}
    assert ends == {"–/24 GB –", 'NaN/24 GB cpu: ""', "0/24 GB cpu: None"}


def test_a_null_and_an_empty_id_are_told_apart() -> None:
    assert text(79, made(None)).split()[2] == "–"
    assert text(79, made("")).split()[2] == '""'
    assert text(79, made("None")).split()[2] == "None"


def test_both_checks_are_shown_when_both_are_recorded() -> None:
    assert text(119, made("acme/m", cpu_match="yes", english="no")).endswith("cpu: yes, judge: no")


def test_a_value_that_was_not_converted_is_shown_raw_with_a_question_mark() -> None:
    raw = json.dumps({"tp": "four", "wall_s": "6 min", "hbm_peak_gb": "lots"})
    seen = text(119, made("acme/m", hbm_capacity_gb=24.0, unconverted=raw)).split("acme/m")[1]
    assert seen.split() == ["four?", "6", "min?", "lots?/24", "GB", "–"]


def test_memory_without_a_capacity_and_wide_memory() -> None:
    assert "  18.2 GB" in text(79, made("acme/m", hbm_peak_gb=18.2))
    assert "298.4/384 GB" in text(79, made("acme/m", hbm_peak_gb=298.4, hbm_capacity_gb=384.0))
    assert text(79, made("acme/m", hbm_peak_gb=1298.4, hbm_capacity_gb=1536.0)).endswith(" 1,298.4/1,5…")


# Ids


def test_every_word_of_the_search_is_marked_wherever_it_stands() -> None:
    assert marked(made("acme/Quartz-8B-quartz"), "quartz", "8b") == ["Quartz", "8B", "quartz"]
    assert marked(QUARTZ) == []


def test_a_long_id_keeps_its_end() -> None:
    seen = text(59, made("some-organisation/DeepThink-R1-Distill-Quartz-32B-Instruct"))
    assert "  some-org…rtz-32B-Instruct  " in seen


def test_a_long_id_of_wide_characters_is_cut_once_and_keeps_its_end() -> None:
    for width in range(23, 60):
        seen = text(width, made("acme/石英-8B-中文模型-指令微调版本-长长长长长长长长长长末"))
        assert seen.count("…") == 1
        assert "末" in seen


def test_a_match_in_the_hidden_middle_marks_the_dots() -> None:
    long = made("some-organisation/DeepThink-R1-Distill-Quartz-32B-Instruct")
    assert marked(long, "deepthink", width=59) == ["…"]
    assert marked(long, "instruct", width=59) == ["Instruct"]


AWKWARD = (
    "acme/石英-8B-中文模型-指令微调版本-长长长长长长长长长长",
    "acme/e\u0301a\u0308o\u0302-combining-marks-in-a-very-long-name-that-is-cut-e\u0301e\u0301e\u0301",
    "acme/👩\u200d🚀-astronaut-👩\u200d🚀👩\u200d🚀👩\u200d🚀👩\u200d🚀👩\u200d🚀👩\u200d🚀👩\u200d🚀👩\u200d🚀👩\u200d🚀",
    "acme/한국어모델",
    "石",
    "\u0301",
    "acme/[red]markup[/] [/]",
    "acme/\x1b[31mred\x1b]0;title\x07\u009b\u202e\ttab\nline",
    "",
    None,
)


@pytest.mark.parametrize("words", [(), ("a", "8b", "长")])
@pytest.mark.parametrize("model_id", AWKWARD)
def test_no_text_moves_the_columns_after_it(model_id: str | None, words: tuple[str, ...]) -> None:
    for width in (*range(23, 45), 59, 79, 119, 199):
        place = layout(width, ranking=True)
        for row in (
            made(model_id, tp=4, wall_s=1, rank=3, figure=5.0),
            made(model_id, "OTHER", word=model_id, rank=3, figure=5.0),
            made(model_id, "EXCLUDED", note=f"left out: {model_id}", rank=3, figure=5.0),
        ):
            seen = text(width, row, ranking=True, words=words)
            assert cell_len(seen) <= width
            if place.places[-1].column.name == "figure":
                assert seen.endswith("5")
                assert cell_len(seen) == place.places[-1].end


def test_nothing_of_the_data_reaches_the_terminal_as_a_command() -> None:
    evil = "acme/\x1b]52;c;aGk=\x07\x9b31m\u202e\n"
    row = made(evil, "OTHER", word=evil, note=evil, disagree=evil, cpu_match=evil, unconverted=json.dumps({"tp": evil}))
    reason = made(evil, "EXCLUDED", note=f"left out: {evil}")
    for seen in (text(199, row), text(199, reason)):
        assert seen.isprintable()


def test_markup_is_shown_as_it_is() -> None:
    assert "acme/[red]m[/]" in text(79, made("acme/[red]m[/]"))
