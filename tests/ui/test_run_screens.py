"""The list of runs and the log of one: what they show, and what their keys do."""

from __future__ import annotations

import itertools

import pytest
from run_pilot import asked, going, listed, log_of, lost, made, opened, over

from tui.rerun import runs
from tui.rerun.runs import Result
from tui.screens import run_log
from tui.screens.run_log import Printed, RunLogScreen
from tui.screens.runs import RunsScreen
from tui.widgets.bars import Bar
from tui.widgets.log_view import LogView


async def test_without_runs_the_list_says_how_to_make_one(start):
    async with start(sample=True) as reader:
        await reader.press("R")
        await reader.until(lambda: "Nothing was run yet" in reader.text)


async def test_the_list_has_every_run_newest_first_with_its_state(start, settings):
    over(made(settings, "acme/First-1B"))
    over(made(settings, "acme/Second-2B"), Result.FAILED, 3)
    going(made(settings, "acme/Third-3B"), compilers=2)
    async with start(sample=True) as reader:
        await reader.press("R")
        await reader.until(lambda: "Third-3B" in reader.text)
        rows = [line for line in reader.lines if "acme/" in line]
        assert [row.split("acme/")[1].split()[0] for row in rows] == ["Third-3B", "Second-2B", "First-1B"]
        titles = next(line for line in reader.lines if "state" in line and "model" in line)
        assert {titles.index("model")} == {row.index("acme/") for row in rows}
        assert "compiling" in rows[0] and "0-3" in rows[0]
        assert "exit code 3" in rows[1]
        assert "done" in rows[2] and "1m05s" in rows[2]
        assert "3 runs, 1 going on or waiting" in reader.text


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_a_long_id_never_breaks_the_columns(start, settings, size):
    over(made(settings, "acme/" + "Very-Long-Name-" * 9 + "8B-Instruct"))
    going(made(settings, "acme/Short-1B"))
    async with start(*size, sample=True) as reader:
        await reader.press("R")
        await reader.until(lambda: "Short-1B" in reader.text)
        rows = [line for line in reader.lines if "8B-Instruct" in line or "Short-1B" in line]
        assert len(rows) == 2
        assert all(len(row) <= size[0] for row in rows)


async def test_a_run_that_waits_for_long_reasons_takes_one_line_and_keeps_the_model_readable(start, settings):
    run = going(made(settings, "acme/Basalt-72B-Instruct"))
    why = "16 cores needed, the 16 that are not in use are not next to each other"
    runs.update_state(run.folder, state="waiting", waiting_for=why, started_at=None)
    async with start(80, 24, sample=True) as reader:
        await reader.press("R")
        await reader.until(lambda: "72B-Instruct" in reader.text)
        (row,) = [line for line in reader.lines if "72B-Instruct" in line]
        assert "waiting: 16 cores" in row
        assert len(row) <= 80


async def test_a_window_without_room_for_a_line_survives_the_paging_keys(start, settings):
    over(made(settings))
    async with start(3, 24, sample=True) as reader:
        await reader.press("R")
        await reader.press("pagedown", "pageup", "end", "home")
        assert isinstance(reader.app.screen, RunsScreen)


async def test_a_lost_run_is_shown_as_lost_and_never_as_running(start, settings):
    run = lost(made(settings))
    async with start(sample=True) as reader:
        await opened(reader, run)
        await reader.until(lambda: "lost at" in reader.text)
        assert "running" not in reader.text


async def test_the_log_follows_the_end_until_a_person_scrolls_up(start, settings):
    run = going(made(settings))
    log_of(run, "".join(f"line {number}\n" for number in range(200)))
    async with start(80, 24, sample=True) as reader:
        await opened(reader, run)
        await reader.until(lambda: "line 199" in reader.text)
        await reader.press("g")
        await reader.until(lambda: "paused" in reader.text)
        assert "line 0" in reader.text
        log_of(run, "the newest\n")
        await reader.until(lambda: "201 lines" in reader.text)
        assert "the newest" not in reader.text
        await reader.press("G")
        await reader.until(lambda: "the newest" in reader.text)
        log_of(run, "newer still\n")
        await reader.until(lambda: "newer still" in reader.text)


async def test_facts_stand_above_the_log(start, settings):
    run = going(made(settings), compilers=2, new_neffs=14, host_memory_bytes=1_200_000_000)
    log_of(run, "begin\n")
    async with start(sample=True) as reader:
        await opened(reader, run)
        await reader.until(lambda: "begin" in reader.text)
        for words in ("2 compilers", "14 new .neff files", "4 ranks alive", "1.2 GB", "6 min 12 s", "cache state"):
            assert words in reader.words, words
        assert "%" not in reader.text.splitlines()[1]


async def test_a_burst_of_lines_leaves_the_keys_alive(start, settings):
    run = going(made(settings))
    log_of(run, "".join(f"{number:05} {'x' * 90}\n" for number in range(50_000)) + "the end\n")
    async with start(80, 24, sample=True) as reader:
        await opened(reader, run)
        await reader.press("g")
        await reader.until(lambda: "paused" in reader.text)
        await reader.until(lambda: "50,001 lines" in reader.text)
        await reader.press("G")
        await reader.until(lambda: "the end" in reader.text)


async def test_lines_are_taken_in_for_a_moment_only_and_then_keys_have_their_turn(start, settings, monkeypatch):
    run = going(made(settings))
    log_of(run, "")
    async with start(80, 24, sample=True) as reader:
        await opened(reader, run)
        screen = reader.app.screen
        ticks = itertools.count()
        monkeypatch.setattr(run_log, "monotonic", lambda: next(ticks) / 1_000)
        fed: list[int] = []
        monkeypatch.setattr(screen._lines, "feed", lambda data: fed.append(len(data)))
        screen._reads.busy = True
        screen._printed(Printed(b"x" * 10 * run_log.PIECE_BYTES, after_the_end=False))
        assert fed == [run_log.PIECE_BYTES] * 4
        await reader.until(lambda: sum(fed) == 10 * run_log.PIECE_BYTES)
        await reader.until(lambda: not screen._coming)


async def test_a_key_and_what_the_title_says_of_it_are_one_frame(start, settings):
    run = going(made(settings))
    log_of(run, "".join(f"line {number}\n" for number in range(100)))
    async with start(80, 24, sample=True) as reader:
        await opened(reader, run)
        await reader.until(lambda: "line 99" in reader.text)
        reader.app.screen.query_one(LogView).action_page(-1)
        assert "paused" in reader.app.screen.query_one("#run-title", Bar).text


async def test_facts_that_change_do_not_lay_the_screen_out_while_they_take_as_many_lines(start, settings, monkeypatch):
    run = going(made(settings))
    async with start(80, 24, sample=True) as reader:
        await opened(reader, run)
        await reader.until(lambda: "4 ranks alive" in reader.words)
        laid_out = []
        layout = RunLogScreen._refresh_layout
        monkeypatch.setattr(
            RunLogScreen, "_refresh_layout", lambda *given, **named: (laid_out.append(1), layout(*given, **named))
        )
        runs.update_state(run.folder, ranks=3)
        await reader.until(lambda: "3 ranks alive" in reader.words)
        assert not laid_out
        runs.update_state(run.folder, note="a sentence that takes a line of its own " * 3)
        await reader.until(lambda: reader.words.count("takes a line of its own") == 3)
        assert laid_out


async def test_escapes_of_a_log_never_reach_the_screen(start, settings):
    run = going(made(settings))
    log_of(run, b"\x1b]52;c;aGVsbG8=\x07before\x1b[31mred\x1b[0m \x1b[2Jafter\xff\n[/] [red]\n")
    async with start(sample=True) as reader:
        await opened(reader, run)
        await reader.until(lambda: "[/] [red]" in reader.text)
        assert "beforered after" in reader.text
        assert "52;c" not in reader.text and "\x1b" not in reader.text


async def test_search_finds_a_line_and_says_when_there_is_none(start, settings):
    run = going(made(settings))
    log_of(run, "".join(f"line {number}\n" for number in range(300)) + "needle 1\n" + "x\n" * 300)
    async with start(80, 24, sample=True) as reader:
        await opened(reader, run)
        await reader.until(lambda: "lines" in reader.text)
        await reader.press("slash")
        await reader.type("needle")
        await reader.press("enter")
        await reader.until(lambda: "needle 1" in reader.text)
        await reader.press("slash")
        for _ in range(10):
            await reader.press("backspace")
        await reader.type("nowhere")
        await reader.press("enter")
        await reader.until(lambda: any("does not have «nowhere»" in said for said in reader.said))


async def test_leaving_a_log_says_that_the_run_goes_on(start, settings):
    run = going(made(settings))
    async with start(sample=True) as reader:
        await opened(reader, run)
        await reader.until(lambda: isinstance(reader.app.screen, RunLogScreen))
        await reader.press("q")
        assert any(f"Run {run.id} goes on" in said for said in reader.said)
        assert isinstance(reader.app.screen, RunsScreen)
        await reader.press("q")
        assert reader.app.screen is reader.browse


async def test_a_failed_run_tells_its_cause_beside_the_record(start, settings):
    run = made(settings)
    log_of(
        run,
        "rank 3: connection closed\n"
        "ERROR NRT:nrt_allocate_neuron_cores  Logical Neuron Core(s) not available - Requested:lnc1-lnc1 Available:0 "
        "Logical Core size:2 (cores busy, ret=-16)\nRuntimeError: Failed to initialize Neuron Runtime: status code 1\n",
    )
    over(run, Result.FAILED, 1)
    async with start(sample=True) as reader:
        await opened(reader, run)
        await reader.until(lambda: "What to do" in reader.text)
        assert "exit code 1" in reader.text
        assert "PASS" in reader.text and "6 min 12 s" in reader.text


async def test_stop_asks_first_and_no_is_the_default(start, settings, monkeypatch):
    stopped = []
    monkeypatch.setattr("tui.rerun.start.stop", lambda _settings, run: stopped.append(run.id))
    run = going(made(settings))
    async with start(sample=True) as reader:
        await listed(reader, run)
        await reader.press("s")
        await asked(reader, f"Stop run {run.id}?")
        await reader.press("enter")
        assert stopped == []
        await reader.press("s")
        await asked(reader, f"Stop run {run.id}?")
        await reader.press("y")
        await reader.until(lambda: stopped == [run.id])
        await reader.until(lambda: any("is being stopped" in said for said in reader.said))


async def test_delete_removes_the_folder_after_a_yes(start, settings):
    run = over(made(settings))
    async with start(sample=True) as reader:
        await listed(reader, run)
        await reader.press("D", "enter")
        assert run.folder.is_dir()
        await reader.press("D", "y")
        await reader.until(lambda: not run.folder.exists())
        await reader.until(lambda: "Nothing was run yet" in reader.text)


async def test_a_live_run_is_neither_deleted_nor_run_again(start, settings):
    run = going(made(settings))
    async with start(sample=True) as reader:
        await listed(reader, run)
        await reader.press("D")
        assert any("still going on" in said for said in reader.said)
        await reader.press("r")
        assert run.folder.is_dir()
        assert isinstance(reader.app.screen, RunsScreen)


async def test_a_run_that_goes_on_has_a_line_at_the_bottom_of_the_main_screen(start, settings):
    run = going(made(settings, "acme/Quartz-8B"), compilers=1)
    async with start(sample=True) as reader:
        await reader.until(lambda: f"run {run.id} · Quartz-8B · compiling" in reader.lines[-2])


async def test_the_whole_way_from_a_record_to_a_finished_run(start, monkeypatch):
    monkeypatch.setenv("SAMPLE_SECONDS", "0.5")
    async with start(sample=True, any_host=True, search="quartz-8b-instruct") as reader:
        await reader.press("r")
        await reader.until(lambda: "SHA-256" in reader.text or "Fetch weights" in reader.text)
        await reader.press("r")
        await asked(reader, "Run sample/Quartz-8B-Instruct here?")
        await reader.press("y")
        await reader.until(lambda: isinstance(reader.app.screen, RunLogScreen), 60)
        await reader.until(lambda: "loads no model" in "".join(map(str, _log_texts(reader))), 60)
        await reader.until(lambda: "Recorded: PASS" in reader.text, 60)
        assert "This run: done, exit code 0" in reader.text


def _log_texts(reader) -> list[str]:
    view = reader.app.screen.query_one(LogView)
    return [view.lines[index].text for index in range(len(view.lines))]
