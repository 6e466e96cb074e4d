"""`trn-models run`: which record, what is asked, what is told, what is started."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from parquet_builder import parquet

from tui.catalog import snapshot as snapshots
from tui.cli import questions
from tui.cli.chosen_record import Wish
from tui.cli.command import run as command
from tui.cli.preparing import Ready
from tui.errors import HubError, TrnModelsError
from tui.host.checklist import Item, Level
from tui.host.fit import Fit
from tui.host.interpreters import Interpreter
from tui.rerun import runs, start
from tui.rerun.plan import Kind, Plan
from tui.rerun.preparation import Changes, Here, Preparation, Step, Wanted
from tui.rerun.runs import Outcome, Result, Run, State
from tui.settings import Settings

ROWS = (
    {"model_id": "acme/Model-8B", "tp": 8},
    {"model_id": "acme/Model-8B-Base", "tp": 1},
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    file = tmp_path / "a.parquet"
    file.write_bytes(parquet(*ROWS))
    return file


def run_7(state: State = State.RUNNING, **values: Any) -> Run:
    folder, now = Path("/runs/7"), datetime.now(UTC)
    return Run(id=7, folder=folder, kind=Kind.RUN, model_id="acme/Model-8B", state=state, created_at=now, **values)


def ended(result: Result, **values: Any) -> Run:
    return run_7(State.FINISHED, outcome=Outcome(result=result, ended_at=datetime.now(UTC), **values))


# what is asked, told and started: with a stand-in for this machine

PLAN = Plan(
    kind=Kind.RUN,
    model_id="acme/Model-8B",
    argv=("/py", "run.py"),
    environment={"PATH": "/a b:/bin"},
    hidden={"HF_TOKEN": "hf_secret"},
    cores=4,
)
FITS = Item(Level.OK, "cores", "4 of 64")
DIFFERS = Item(Level.WARNING, "torch", "2.13.0, tested with 2.14.0", "pip install torch==2.14.0")
BLOCKS = Item(Level.BLOCKING, "disk", "1 GB free of 40 GB", "Free some.")


@pytest.fixture
def machine(settings: Settings, data: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Plan]]:
    """A machine on which the record has this checklist; the plans that were started."""

    def make(*items: Item, plan: Plan | None = PLAN, reason: str = "", now: str = "ab12", edited: bool = False) -> Any:
        snapshot = snapshots.open_path(data, settings, lambda _: None)
        record = snapshots.record_at(snapshot, 0)
        steps = tuple(
            Step(kind, kind.value.title(), "cd FOLDER && /py run.py", plan and replace(plan, kind=kind), reason)
            for kind in Kind
        )
        preparation = Preparation(Fit(items), steps, {"PATH": "/bin"}, now, "ab12", edited)
        wanted = Wanted(record=record, script="print()", dataset="acme/support", revision="f" * 40, sample=False)
        here = Here(host=None, interpreter=Interpreter(("/py",), "PATH"), surroundings=None)  # type: ignore[arg-type]
        asked_for: dict[str, Any] = {}

        def prepare(settings: Settings, wish: Wish, changes: Changes, **more: Any) -> Ready:
            asked_for.update(wish=wish, changes=changes, settings=settings, **more)
            return Ready(wanted=wanted, told=f"{wish.model}: the record", here=here, preparation=preparation)

        monkeypatch.setattr("tui.cli.preparing.prepare_record", prepare)
        started: list[Plan] = []

        def begin(settings: Settings, plan: Plan) -> Run:
            started.append(plan)
            return run_7()

        monkeypatch.setattr(start, "start", begin)
        make.asked_for = asked_for  # type: ignore[attr-defined]
        return started

    return make


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], list[str]]:
    def answer(yes: bool) -> list[str]:
        asked: list[str] = []
        monkeypatch.setattr(questions, "can_ask", lambda: True)
        monkeypatch.setattr(questions, "ask", lambda question, _=None: asked.append(question) or yes)
        return asked

    return answer


def test_without_a_terminal_and_without_yes_nothing_is_even_looked_at(
    data: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tui.cli.preparing.prepare_record", lambda *_, **__: pytest.fail("it was looked at"))
    for more in ((), ("--data", str(data))):
        assert command(["run", "acme/Model-8B", *more]) == 2
        out, err = capfd.readouterr()
        assert out == ""
        assert "Give --yes" in err
    assert command(["run", "NOPE", "--data", str(data)]) == 7
    assert "No record has the model id «NOPE»" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("later", "code", "words"),
    [
        ([run_7()], 0, "run 7 is running"),
        ([run_7(State.WAITING), run_7()], 0, "run 7 is running"),
        ([run_7(State.WAITING, waiting_for="4 cores", recipe={"queue": True})], 0, "run 7 is waiting: 4 cores"),
        ([ended(Result.DONE, exit_code=0)], 0, "run 7 is done"),
        ([ended(Result.NOT_STARTED, note="4 cores needed, 0 not in use")], 2, "4 cores needed, 0 not in use"),
    ],
)
def test_a_detached_start_says_what_it_came_to(
    later: list[Run], code: int, words: str, machine: Callable[..., list[Plan]], monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    machine(FITS)
    monkeypatch.setattr(start, "start", lambda *_: run_7(State.WAITING))
    looks = iter(later)
    monkeypatch.setattr(runs, "read", lambda folder: next(looks))
    assert command(["run", "acme/Model-8B", "--detach", "--yes"]) == code
    out, err = capfd.readouterr()
    assert words in (err if code else out)
    assert ("follow: " in out) is later[-1].live
    assert ("was not started" in err) is bool(code)


@pytest.mark.parametrize("error", [TrnModelsError, HubError])
def test_whatever_keeps_it_from_being_started_exits_2(
    error: type[TrnModelsError], machine: Callable[..., list[Plan]], monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    def begin(*_: Any) -> Run:
        raise error("Run 7 could not be started", "no room", "Make some.")

    machine(FITS)
    monkeypatch.setattr(start, "start", begin)
    assert command(["run", "acme/Model-8B", "--yes"]) == 2
    assert capfd.readouterr().err.splitlines()[-3:] == ["Run 7 could not be started", "no room", "Make some."]


@pytest.mark.parametrize("words", ["--into-own", "--dry-run --detach", "--dry-run --queue", "--into-own --step run"])
def test_options_that_do_nothing_together_are_refused(
    words: str, machine: Callable[..., list[Plan]], capfd: pytest.CaptureFixture[str]
) -> None:
    machine(FITS)
    assert command(["run", "acme/Model-8B", *words.split()]) == 2
    assert "Usage:" in capfd.readouterr().err


def test_a_secret_is_no_argument_of_a_command(
    machine: Callable[..., list[Plan]], capfd: pytest.CaptureFixture[str]
) -> None:
    started = machine(FITS)
    for verb in ("run", "command run"):
        assert command([*verb.split(), "acme/Model-8B", "--", "--hf-token", "hf_x"]) == 2
        err = capfd.readouterr().err
        assert "Give it by --env NAME=…" in err
        assert "hf_x" not in err
    assert started == []


def test_a_yes_starts_it_and_says_how_to_follow(
    machine: Callable[..., list[Plan]], capfd: pytest.CaptureFixture[str]
) -> None:
    started = machine(FITS, DIFFERS)
    assert command(["run", "acme/Model-8B", "--detach", "--yes"]) == 0
    out, err = capfd.readouterr()
    assert started == [PLAN]
    assert out.splitlines() == [
        "run 7 is running", "folder: /runs/7", "follow: trn-models runs log 7 --follow",
        "stop:   trn-models runs stop 7",
    ]  # fmt: skip
    assert err.splitlines() == [
        "record   acme/Model-8B: the record",
        f"dataset  acme/support @ {'f' * 40}",
        "run.py   SHA-256 ab12",
        "Python   /py (PATH)",
        "OK       cores  4 of 64",
        "warning  torch  2.13.0, tested with 2.14.0",
        "         pip install torch==2.14.0",
    ]


@pytest.mark.parametrize(("answer", "code", "number"), [(True, 0, 1), (False, 130, 0)])
def test_the_question_comes_after_the_checklist_and_decides(
    answer: bool, code: int, number: int, machine: Callable[..., list[Plan]], answers: Callable[[bool], list[str]]
) -> None:
    started, asked = machine(FITS), answers(answer)
    assert command(["run", "acme/Model-8B", "--detach"]) == code
    assert asked == ["Run it?"]
    assert len(started) == number


def test_what_stands_in_the_way_needs_its_own_yes(
    machine: Callable[..., list[Plan]], answers: Callable[[bool], list[str]], capfd: pytest.CaptureFixture[str]
) -> None:
    started = machine(FITS, BLOCKS)
    assert command(["run", "acme/Model-8B", "--detach", "--yes"]) == 2
    assert started == []
    assert capfd.readouterr().err.splitlines()[-3:] == [
        "Something stands in the way", "disk: 1 GB free of 40 GB", "Give --run-anyway to run it all the same.",
    ]  # fmt: skip
    assert command(["run", "acme/Model-8B", "--detach", "--yes", "--run-anyway"]) == 0
    assert len(started) == 1
    asked = answers(False)
    assert command(["run", "acme/Model-8B", "--detach"]) == 130
    assert asked == ["Something stands in the way: run anyway?"]
    assert len(started) == 1


IN_USE = Item(Level.BLOCKING, "cores", "4 cores needed, 0 of 64 not in use", "Wait.")


def test_for_cores_in_use_no_anyway_helps_but_the_queue(
    machine: Callable[..., list[Plan]], capfd: pytest.CaptureFixture[str]
) -> None:
    started = machine(IN_USE)
    for more in ((), ("--run-anyway",)):
        for how in ("--yes", "--dry-run"):
            assert command(["run", "acme/Model-8B", how, *more]) == 2
            assert capfd.readouterr().err.splitlines()[-3:] == [
                "Something stands in the way", "cores: 4 cores needed, 0 of 64 not in use",
                "--queue waits for cores that are in use.",
            ]  # fmt: skip
    machine(IN_USE, BLOCKS)
    assert command(["run", "acme/Model-8B", "--yes"]) == 2
    assert "--queue waits for cores that are in use. Give --run-anyway" in capfd.readouterr().err
    assert started == []


def test_a_person_is_asked_whether_to_wait_for_cores_in_use(
    machine: Callable[..., list[Plan]], answers: Callable[[bool], list[str]]
) -> None:
    started, asked = machine(IN_USE), answers(True)
    assert command(["run", "acme/Model-8B", "--detach"]) == 0
    assert asked == ["Cores are in use: wait in the queue until they are free?"]
    assert [plan.queue for plan in started] == [True]


def test_with_the_queue_cores_in_use_are_not_in_the_way(machine: Callable[..., list[Plan]]) -> None:
    started = machine(IN_USE, plan=replace(PLAN, queue=True))
    assert command(["run", "acme/Model-8B", "--detach", "--yes", "--queue"]) == 0
    assert [plan.queue for plan in started] == [True]


@pytest.mark.parametrize(
    ("now", "words"),
    [
        ("ab12", "SHA-256 ab12; script as recorded; variables or arguments added"),
        ("cd34", "SHA-256 cd34; edited, the record's is ab12"),
    ],
)
def test_the_hash_of_the_record_is_named_only_when_the_script_differs(
    now: str, words: str, machine: Callable[..., list[Plan]], capfd: pytest.CaptureFixture[str]
) -> None:
    machine(FITS, now=now, edited=True)
    assert command(["run", "acme/Model-8B", "--dry-run"]) == 0
    assert f"run.py   {words}\n" in capfd.readouterr().out


def test_a_dry_run_shows_the_command_also_where_it_cannot_be_started(
    machine: Callable[..., list[Plan]], capfd: pytest.CaptureFixture[str]
) -> None:
    machine(plan=None, reason="There is no Neuron device here.")
    assert command(["run", "acme/Model-8B", "--dry-run"]) == 2
    lines = capfd.readouterr().out.splitlines()
    at = lines.index("Run: the exact command")
    assert lines[at + 1 : at + 3] == [
        "  cd FOLDER && /py run.py",
        "  It cannot be started here: There is no Neuron device here.",
    ]
    assert "  PATH=/bin" in lines


def test_variables_reach_the_look_at_this_machine(
    data: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["run", "acme/Model-8B-Base", "--data", str(data), "--any-host", "--dry-run", "--run-anyway"]
    command([*words, "--python", sys.executable, "--env", f"HF_HOME={tmp_path}/hf", "--env",
             f"TORCH_NEURONX_NEFF_CACHE_DIR={tmp_path}/neffs"])  # fmt: skip
    out = capfd.readouterr().out
    assert f"({tmp_path}/hf/hub)" in out
    assert f"dataset  {data}\n" in out
    assert f"({tmp_path}/neffs)" in out


def test_a_step_that_cannot_be_started_tells_the_reason(
    machine: Callable[..., list[Plan]], capfd: pytest.CaptureFixture[str]
) -> None:
    started = machine(FITS, plan=None, reason="No Neuron device: driver not loaded. --any-host allows it.")
    for option in ("--yes", "--dry-run"):
        assert command(["run", "acme/Model-8B", option]) == 2
        assert "driver not loaded" in capfd.readouterr().err
    assert started == []


def test_a_dry_run_prints_command_and_environment_and_no_secret(
    machine: Callable[..., list[Plan]], capfd: pytest.CaptureFixture[str]
) -> None:
    started = machine(FITS, DIFFERS)
    assert command(["run", "acme/Model-8B", "--dry-run"]) == 0
    out, err = capfd.readouterr()
    assert started == []
    assert err == ""
    lines = out.splitlines()
    assert lines[lines.index("Run: the exact command") + 1] == "  cd FOLDER && /py run.py"
    assert "  PATH='/a b:/bin'" in lines
    assert "  HF_TOKEN is set as well and shown nowhere" in lines
    assert "hf_secret" not in out
    assert "SHA-256 ab12" in out


def test_a_dry_run_of_what_would_not_start_exits_2(
    machine: Callable[..., list[Plan]], capfd: pytest.CaptureFixture[str]
) -> None:
    machine(BLOCKS)
    assert command(["run", "acme/Model-8B", "--dry-run"]) == 2
    assert "blocking  disk" in capfd.readouterr().out
    assert command(["run", "acme/Model-8B", "--dry-run", "--run-anyway"]) == 0


def test_the_words_arrive_as_they_were_meant(machine: Callable[..., list[Plan]]) -> None:
    started = machine(FITS)
    words = "--any-host run acme/Model-8B --step install --detach --yes --queue --into-own --cores 4 --neuronx-cc 2.28"
    more = ["--python", "docker exec -i box python", "--env", "A=1", "--env", "B=x=y", "--", "--seconds", "1", "--yes"]
    assert command([*words.split(), *more]) == 0
    got = machine.asked_for  # type: ignore[attr-defined]
    assert got["wish"] == Wish(model="acme/Model-8B", neuronx_cc="2.28", cores=4)
    assert got["changes"] == Changes(environment={"A": "1", "B": "x=y"}, arguments=("--seconds", "1", "--yes"))
    assert (got["queue"], got["into_own"]) == (True, True)
    assert (got["settings"].python, got["settings"].any_host) == ("docker exec -i box python", True)
    assert started[0].kind is Kind.INSTALL


@pytest.mark.parametrize(
    "words",
    ["", "acme/a acme/b", "acme/a --env NOTHING", "acme/a --env 1A=x", "acme/a --step boil", "acme/a --cores 0"],
)
def test_wrong_words_exit_2_before_anything_happens(words: str, machine: Callable[..., list[Plan]]) -> None:
    started = machine(FITS)
    assert command(["run", *words.split(), "--yes"]) == 2
    assert started == []


def test_ctrl_c_ends_the_watching_and_says_that_the_run_goes_on(
    machine: Callable[..., list[Plan]], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def interrupted(folder: Path) -> Run:
        raise KeyboardInterrupt

    machine(FITS)
    monkeypatch.setattr(runs, "read", interrupted)
    monkeypatch.setattr("tui.cli.following.LogReader", lambda folder: None)
    assert command(["run", "acme/Model-8B", "--yes"]) == 130
    assert "run 7 goes on" in capfd.readouterr().err
    monkeypatch.setattr("tui.cli.output.is_terminal", lambda stream: stream is sys.stderr)
    assert command(["run", "acme/Model-8B", "--yes"]) == 130
    assert "\nrun 7 goes on" in capfd.readouterr().err.replace("Ctrl+C ends the watching, not the run.\n", "^C")


@pytest.mark.parametrize(
    ("typed", "answer"), [("y\n", True), ("Yes\n", True), ("n\n", False), ("\n", False), ("", False), ("yep\n", False)]
)
def test_only_a_clear_yes_is_one(
    typed: str, answer: bool, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(readline=lambda: typed))
    assert questions.ask("Run it?") is answer
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("Run it? [y/N] ")


def test_the_script_can_be_read_at_the_question_and_cannot_act_on_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    typed = iter(["s\n", "y\n"])
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(readline=lambda: next(typed)))
    assert questions.ask("Run it?", "import os\nprint('\x1b[2J')")
    assert capfd.readouterr().err == "Run it? [y/N] import os\nprint('\\x1b[2J')\nRun it? [y/N] "


def test_ctrl_c_at_the_question_exits_130(
    machine: Callable[..., list[Plan]], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def interrupted() -> str:
        raise KeyboardInterrupt

    started = machine(FITS)
    monkeypatch.setattr(questions, "can_ask", lambda: True)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(readline=interrupted))
    assert command(["run", "acme/Model-8B"]) == 130
    assert started == []


# start


@pytest.mark.parametrize("words", ["runs", "runs --format json", "run acme/x", "runs show 1", "run --help"])
def test_the_verbs_load_no_ui(words: str) -> None:
    program = (
        "import sys\nfrom tui.cli.command import run\ncode = run(sys.argv[1:])\n"
        "heavy = {'textual', 'rich', 'pyarrow'} & sys.modules.keys()\nsys.exit(f'{code} {sorted(heavy)}')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *words.split()], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    assert done.stderr.splitlines()[-1] in {"0 []", "2 []"}


@pytest.mark.parametrize("verb", ["run", "command", "command run"])
def test_the_help_has_two_examples(verb: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert command([*verb.split(), "--help"]) == 0
    out = capfd.readouterr().out
    assert out.count("  trn-models ") in (2, 3)
    assert max(map(len, out.splitlines())) <= 80
