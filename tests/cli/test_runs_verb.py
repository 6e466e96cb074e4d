"""`trn-models runs`: the list, and what is done with one run."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from run_values import STARTED, a_run, over

from tui import numbers
from tui.cli.before_again import told_before
from tui.cli.command import run as command
from tui.cli.formats import FORMATS
from tui.cli.run_details import details
from tui.cli.runs_text import ending, exit_code_of, page, table
from tui.export import cell_width, json_value
from tui.host import interpreters
from tui.host.interpreters import Candidate
from tui.rerun import runs, start
from tui.rerun.plan import Kind
from tui.rerun.runs import Outcome, Result, Run, State
from tui.settings import Settings

NOW = STARTED + timedelta(seconds=372)


# the words


def test_the_table_has_a_line_for_each_run() -> None:
    waiting = a_run(5, State.WAITING, started_at=None, cores=(), devices=(), kind=Kind.WEIGHTS)
    failed = over(Result.FAILED, 2, exit_code=1)
    killed = over(Result.FAILED, 1, signal=signal.SIGKILL, wall_s=4000.0)
    lines = table([waiting, a_run(), failed, killed], None, now=NOW).splitlines()
    day = f"{numbers.short_day(STARTED)} {numbers.clock(STARTED)}"
    assert lines[0].split() == ["id", "state", "model", "kind", "started", "duration", "exit", "cores"]
    assert lines[1].split() == ["5", "waiting", "acme/Model-8B-Instruct", "weights", "–", "–", "–", "–"]
    assert lines[2].split() == ["3", "running", "acme/Model-8B-Instruct", "run", *day.split(), "6m12s", "–", "0-3"]
    assert lines[3].split()[-3:] == ["1m01s", "1", "0-3"]
    assert lines[4].split()[:2] == ["1", "failed"]
    assert lines[4].split()[-3:] == ["1h06m", "SIGKILL", "0-3"]


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120])
def test_the_table_fits_the_terminal_and_keeps_the_model_readable(width: int) -> None:
    text = table([a_run(12, model_id="acme/A-Model-With-A-Very-Long-Name-8B-Instruct"), over()], width, now=NOW)
    assert max(map(cell_width, text.splitlines())) <= width
    assert "acme/A-M" in text
    if width >= 80:
        assert "acme/Model-8B-Instruct" in text


def test_a_name_in_the_table_cannot_act_on_the_terminal() -> None:
    assert "\x1b" not in table([a_run(model_id="acme/\x1b[2J")], None)


@pytest.mark.parametrize(
    ("run", "code"),
    [
        (over(), 0),
        (over(Result.FAILED, exit_code=1), 1),
        (over(Result.FAILED, exit_code=42), 42),
        (over(Result.FAILED, signal=signal.SIGKILL), 137),
        (over(Result.STOPPED, signal=signal.SIGINT), 130),
        (over(Result.STOPPED, exit_code=0), 130),
        (over(Result.STOPPED, exit_code=7), 7),
        (over(Result.NOT_STARTED), 2),
        (over(Result.FAILED), 70),
        (a_run(state=State.LOST), 70),
    ],
)
def test_the_exit_code_is_that_of_the_run_and_never_0_when_it_was_not_done(run: Run, code: int) -> None:
    assert exit_code_of(run) == code


def test_an_ending_tells_what_had_to_be_killed() -> None:
    run = over(Result.STOPPED, signal=9, killed=("pid 4711 python run.py (SIGKILL)",), note="cores look free")
    assert ending(run) == [
        "run 3: stopped after 1 min 1 s",
        "had to be ended: pid 4711 python run.py (SIGKILL)",
        "cores look free",
    ]


def test_show_tells_what_a_person_added_and_whose_hash_it_is() -> None:
    added = {"environment": {"A": "b c", "HF_TOKEN": "(not kept)"}, "arguments": ["--seconds", "1"]}
    run = a_run(recipe={"sha256": "ab12", "recorded_sha256": "ab12", "edited": True, "added": added})
    lines = page(run).splitlines()
    assert "run.py   SHA-256 ab12; script as recorded; variables or arguments added" in lines
    assert "added    A='b c' HF_TOKEN='(not kept)' -- --seconds 1" in lines
    changed = page(a_run(recipe={"sha256": "cd34", "recorded_sha256": "ab12", "edited": True}))
    assert "SHA-256 cd34; edited, the record's is ab12" in changed
    assert "added" not in changed
    assert "SHA-256 ab12\n" in page(a_run(recipe={"sha256": "ab12", "recorded_sha256": "ab12", "added": "by hand"}))


# the verbs, with stand-ins for what is on disk


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> dict[int, Run]:
    """The runs that there are; `runs.read` gives the newest value of each."""
    found: dict[int, Run] = {}
    real_find = runs.find

    def find(settings: Settings, run_id: int) -> Run:
        return found[run_id] if run_id in found else real_find(settings, run_id)

    monkeypatch.setattr(runs, "listed", lambda settings: tuple(found[key] for key in sorted(found, reverse=True)))
    monkeypatch.setattr(runs, "find", find)
    monkeypatch.setattr(runs, "read", lambda folder: found[int(folder.name)])
    return found


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], list[str]]:
    """Somebody sits at a terminal and answers every question the same way."""

    def answer(yes: bool) -> list[str]:
        asked: list[str] = []
        monkeypatch.setattr("tui.cli.questions.can_ask", lambda: True)
        monkeypatch.setattr("tui.cli.questions.ask", lambda question, _=None: asked.append(question) or yes)
        return asked

    return answer


def test_source_options_before_the_verb_do_no_harm(known: dict[int, Run], capfd: pytest.CaptureFixture[str]) -> None:
    known[3] = a_run()
    assert command(["--sample", "--offline", "runs"]) == 0
    assert "acme/Model-8B-Instruct" in capfd.readouterr().out


@pytest.mark.parametrize("verb", ["show", "log", "stop", "delete", "again"])
def test_an_id_that_is_none_exits_2_and_changes_nothing(verb: str, capfd: pytest.CaptureFixture[str]) -> None:
    more = ["--yes"] if verb in {"stop", "delete", "again"} else []
    assert command(["runs", verb, "99", *more]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert "99" in err


def test_stop_waits_for_the_end_and_says_what_was_killed(
    known: dict[int, Run], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    known[3] = a_run()
    looks = iter([a_run(state=State.STOPPING), over(Result.STOPPED, signal=9, killed=("pid 7 x (SIGKILL)",))])
    stopped: list[int] = []
    monkeypatch.setattr(start, "stop", lambda settings, run: stopped.append(run.id))
    monkeypatch.setattr(runs, "read", lambda folder: next(looks))
    assert command(["runs", "stop", "3", "--yes"]) == 0
    assert stopped == [3]
    assert capfd.readouterr() == ("", "run 3: stopped after 1 min 1 s\nhad to be ended: pid 7 x (SIGKILL)\n")


def test_stop_asks_and_no_leaves_it_running(
    known: dict[int, Run], answers: Callable[[bool], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    known[3] = a_run()
    asked = answers(False)
    monkeypatch.setattr(start, "stop", lambda settings, run: pytest.fail("it was stopped"))
    assert command(["runs", "stop", "3"]) == 130
    assert asked == ["Stop run 3 (acme/Model-8B-Instruct, run, running)?"]


@pytest.mark.parametrize(("verb", "state"), [("stop", State.RUNNING), ("delete", State.LOST), ("again", State.LOST)])
def test_without_a_terminal_nothing_is_done_unless_yes_is_given(
    verb: str, state: State, known: dict[int, Run], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    known[3] = a_run(state=state)
    for module, name in ((start, "stop"), (start, "again"), (runs, "delete")):
        monkeypatch.setattr(module, name, lambda *_: pytest.fail("something was done"))
    assert command(["runs", verb, "3"]) == 2
    assert "--yes" in capfd.readouterr().err


def test_a_run_that_is_over_needs_no_stop(known: dict[int, Run], capfd: pytest.CaptureFixture[str]) -> None:
    known[3] = over(Result.FAILED, exit_code=1)
    assert command(["runs", "stop", "3"]) == 0
    assert capfd.readouterr().err.splitlines()[:2] == [
        "It is over already.",
        "run 3: failed, exit code 1 after 1 min 1 s",
    ]


def test_delete_takes_several_and_none_when_one_is_live(
    known: dict[int, Run], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    known.update({1: over(number=1), 2: over(number=2), 3: a_run()})
    deleted: list[int] = []
    monkeypatch.setattr(runs, "delete", lambda settings, run: deleted.append(run.id))
    assert command(["runs", "delete", "1", "3", "--yes"]) == 2
    assert deleted == []
    assert "trn-models runs stop 3" in capfd.readouterr().err
    assert command(["runs", "delete", "1", "2", "1", "--yes"]) == 0
    assert deleted == [1, 2]


def test_again_starts_the_same_and_says_how_to_follow(
    known: dict[int, Run], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    known[3] = a_run(state=State.LOST)
    again: list[tuple[int, bool]] = []
    known[4] = a_run(4, State.WAITING, waiting_for="4 cores needed", recipe={"queue": True})

    def begin(settings: Settings, run: Run, queue: bool) -> Run:
        again.append((run.id, queue))
        return a_run(4, State.WAITING)

    monkeypatch.setattr(start, "again", begin)
    assert command(["runs", "again", "3", "--queue", "--detach", "--yes"]) == 0
    assert again == [(3, True)]
    assert capfd.readouterr().out.splitlines() == [
        "run 4 is waiting: 4 cores needed",
        "folder: /state/runs/4",
        "follow: trn-models runs log 4 --follow",
        "stop:   trn-models runs stop 4",
    ]


def test_again_names_what_was_added_and_what_is_no_longer_as_it_was(
    known: dict[int, Run], answers: Callable[[bool], list[str]], capfd: pytest.CaptureFixture[str]
) -> None:
    here = interpreters.ask(Candidate((sys.executable,), "")).version
    recipe = {
        "edited": True,
        "added": {"environment": {"A": "b c", "HF_TOKEN": "(not kept)"}, "arguments": ["--seconds", "1"]},
        "hidden": ["HF_TOKEN"],
        "interpreter": {"argv": [sys.executable], "version": "3.9.1", "packages": {"no-such-package": "1.0"}},
        "host": {"instance_type": "trn2.3xlarge", "driver": "2.31.7.0", "cores": 4, "lnc": 2},
    }
    known[3] = replace(over(Result.FAILED, exit_code=1), recipe=recipe)
    asked = answers(False)
    assert command(["runs", "again", "3"]) == 130
    assert asked == ["Run run 3 (acme/Model-8B-Instruct, run, failed) again?"]
    lines = capfd.readouterr().err.splitlines()
    assert lines[0] == "Run of acme/Model-8B-Instruct, EDITED, as in run 3: same script, arguments and variables."
    assert lines[1] == "added: A='b c' HF_TOKEN='(not kept)' -- --seconds 1"
    assert lines[2] == "not kept, so taken from the environment here: HF_TOKEN"
    assert lines[3] == (
        f"Python: {sys.executable}, as it is now: python {here} (then 3.9.1), no-such-package not found (then 1.0)"
    )
    assert lines[4].startswith("host: ")
    assert "driver not found (then 2.31.7.0)" in lines[4]


def test_again_says_when_nothing_has_changed(known: dict[int, Run], settings: Settings) -> None:
    here = interpreters.ask(Candidate((sys.executable,), ""))
    recipe = {"interpreter": {"argv": [sys.executable], "version": here.version, "packages": dict(here.packages)}}
    said = told_before(settings, replace(over(), recipe=recipe))
    assert said[-1] == f"Python: {sys.executable}, as it was then"
    gone = told_before(settings, replace(over(), recipe={"interpreter": {"argv": ["/no/python"], "version": "3.12"}}))
    assert gone[-1].startswith("Python: /no/python: ")
    assert not any("added" in line for line in said)


# what is on disk may be damaged


@pytest.mark.parametrize(
    "values",
    [
        {"cores": (1, 10**30)},
        {"cores": tuple(range(0, 10**5))},
        {"log_bytes": 10**400, "log_dropped_bytes": 10**400},
        {"peak_host_memory_bytes": 10**400, "host_memory_bytes": -(10**400), "ranks": 10**400},
        {"recipe": {"argv": 7, "elsewhere": 3, "added": [], "interpreter": 5, "host": "x", "hidden": 9}},
        {"model_id": "acme/\udc80", "note": "\ud800", "devices": (10**30, -1)},
        {"recipe": {"argv": [1, None], "record": {"wall_s": "x", "tp": "y"}, "interpreter": {"packages": 3}}},
        {"outcome": Outcome(result=Result.FAILED, ended_at=STARTED, exit_code=-(10**30), wall_s=1e300)},
        {"outcome": Outcome(result=Result.FAILED, ended_at=STARTED, signal=10**30)},
    ],
)
def test_damaged_numbers_and_words_are_left_out(
    values: dict[str, Any], known: dict[int, Run], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for state in (State.RUNNING, State.FINISHED, State.LOST):
        run = a_run(state=state, folder=tmp_path, **({"outcome": over().outcome} | values))
        assert table([run], 80)
        assert len(page(run)) < 5_000
        assert "000000000" not in page(run)
        known[3] = run
        for form in FORMATS:
            assert command(["runs", "--format", form]) == 0
            assert command(["runs", "show", "3", "--format", form]) == 0
        assert "000000000" not in json.dumps(json_value(details(run)))
        assert 0 <= exit_code_of(run) <= 255
        assert ending(run)


@pytest.mark.parametrize(("code", "shown"), [(255, 255), (256, 70), (-1, 70), (-(10**30), 70)])
def test_an_exit_code_that_no_process_can_have_is_70(code: int, shown: int) -> None:
    assert exit_code_of(over(Result.FAILED, exit_code=code)) == shown


@pytest.mark.parametrize("verb", ["", "show", "log", "stop", "delete", "again"])
def test_every_verb_has_two_examples(verb: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert command(["runs", *verb.split(), "--help"]) == 0
    assert capfd.readouterr().out.count("  trn-models runs") == 2


def test_stdin_that_is_closed_is_nobody_to_ask(
    known: dict[int, Run], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    known[3] = a_run()
    monkeypatch.setattr(sys, "stdin", None)
    assert command(["runs", "stop", "3"]) == 2
