"""`trn-models script`: run.py byte for byte, to stdout or to a file that is whole or not there."""

from __future__ import annotations

import os
import resource
import stat
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from loopback_hub import LoopbackHub
from parquet_builder import DATASET, parquet

from tui.cli import output
from tui.cli.command import run

SCRIPTS = {
    "acme/lf": "import torch\nprint('hello')\n",
    "acme/crlf": "import torch\r\nprint('hello')\r\n",
    "acme/no-final-newline": "print('the end')",
    "acme/mixed": "a = 1\rb = 2\r\n\n\n\tc = '\x1b[31m\x00\x9b\u202e'\n",
    "acme/bom-and-beyond": "\ufeff# 日本語 🦙 \U0010ffff\u2028\n",
    "-acme/dash": "print('-')\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The records, read once for all tests."""
    folder = tmp_path_factory.mktemp("data")
    records = [{"model_id": model, "run_py": script} for model, script in SCRIPTS.items()]
    old = {"neuronx_cc": "2.27.5334.0", "library_version": "5.21.0"}
    records += [
        {"model_id": "acme/two", "run_py": "print('on 1')\n", "tp": 1, "result": "fail"},
        {"model_id": "acme/two", "run_py": "print('on 8')\n", "tp": 8},
        {"model_id": "acme/two", "run_py": "print('old')\n", **old},
        {"model_id": "acme/old", "run_py": "print('old only')\n", **old},
        {"model_id": "acme/gone", "run_py": None},
        {"model_id": "acme/gone", "run_py": None, "tp": 2, **old},
        {"model_id": "acme/gone", "run_py": "print('4')\n", "tp": 4, **old},
        {"model_id": "acme/never", "run_py": None},
        {"model_id": "acme/never", "run_py": None, **old},
        {"model_id": "acme/none", "run_py": None},
        {"model_id": "acme/left-out", "run_py": None, "result": None, "exclusion": "too large"},
    ]
    (folder / "a.parquet").write_bytes(parquet(*records))
    return folder


@pytest.fixture
def data(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("TRN_MODELS_CACHE_DIR", str(folder / "cache"))
    return str(folder / "a.parquet")


# bytes


@pytest.mark.parametrize("model", [model for model in SCRIPTS if not model.startswith("-")])
def test_stdout_has_run_py_byte_for_byte(model: str, data: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["script", model, "--data", data]) == 0
    assert capfdbinary.readouterr().out == SCRIPTS[model].encode()


@pytest.mark.parametrize("model", ["acme/crlf", "acme/mixed", "acme/no-final-newline"])
def test_so_has_a_file(model: str, data: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["script", model, "--data", data, "-o", str(tmp_path / "run.py")]) == 0
    assert (tmp_path / "run.py").read_bytes() == SCRIPTS[model].encode()
    assert capfdbinary.readouterr().out == b""


def test_no_locale_changes_the_bytes(data: str) -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    words = [sys.executable, "-m", "tui", "script", "acme/bom-and-beyond", "--data", data]
    done = subprocess.run(words, capture_output=True, env={**os.environ, **plain})
    assert (done.returncode, done.stdout) == (0, SCRIPTS["acme/bom-and-beyond"].encode())


@pytest.mark.parametrize("content", [b"print('\xff')\n", b"half a pair: \xed\xa0\xbd\n"])
def test_what_is_not_utf8_is_refused_because_its_bytes_are_not_known(
    content: bytes, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    file = tmp_path / "bytes.parquet"
    table = pq.read_table(pa.BufferReader(parquet({"model_id": "acme/bytes"})))
    place = table.schema.get_field_index("run_py")
    pq.write_table(table.set_column(place, "run_py", pa.array([content], pa.binary())), file)
    assert run(["script", "acme/bytes", "--data", str(file)]) == 5
    out, err = capfdbinary.readouterr()
    assert out == b""
    assert b"The run.py of acme/bytes cannot be given as it was" in err


def test_on_a_terminal_it_cannot_act_on_it(
    data: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(output, "is_terminal", lambda stream: stream is sys.stdout)
    assert run(["script", "acme/mixed", "--data", data]) == 0
    assert capfd.readouterr().out == "a = 1\\rb = 2\n\n\n    c = '\\x1b[31m\\x00\\x9b\\u202e'\n"
    assert run(["script", "acme/no-final-newline", "--data", data]) == 0
    assert capfd.readouterr().out == "print('the end')\n"


# which record


def test_source_and_record_are_told_on_stderr(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["script", "acme/lf", "--data", data]) == 0
    assert capfd.readouterr().err.splitlines() == [
        f"{data}, tested to 2026-11-20",
        "acme/lf, 2.28.7631.0 · transformers 5.23.1: PASS on 1 core, 6 min 12 s with compilation, "
        "peak 18.2 of 24 GB recorded (the only record there)",
    ]


@pytest.mark.parametrize(
    ("words", "script"),
    [
        ("", "print('on 8')\n"),
        ("--cores 1", "print('on 1')\n"),
        ("--neuronx-cc 2.27", "print('old')\n"),
        ("--library-version 5.21", "print('old')\n"),
        ("--neuronx-cc any", "print('on 8')\n"),
        ("--neuronx-cc any --library-version 5.21.0", "print('old')\n"),
        ("--neuronx-cc latest", "print('on 8')\n"),
    ],
)
def test_the_best_record_of_the_newest_stack_or_of_the_one_that_is_named(
    words: str, script: str, data: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["script", "acme/two", "--data", data, *words.split()]) == 0
    assert capfd.readouterr().out == script


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        ("acme/old", 4, "acme/old has no record on 2.28.7631.0 · transformers 5.23.1"),
        ("acme/two --cores 64", 4, "acme/two has no record on 64 cores there"),
        ("acme/none", 5, "There is no run.py of acme/none there"),
        ("acme/none", 5, "It is the only record of this model, so there is nothing to run again."),
        ("acme/left-out", 5, "Left out: too large"),
        ("acme/gone", 5, "Another record has one: --neuronx-cc 2.27.5334.0 --library-version 5.21.0 --cores 4\n"),
        ("acme/never", 5, "No other record of this model has one, so there is nothing to run again."),
        ("acme/nowhere", 7, "acme/nowhere"),
        ("acme", 7, "acme/two"),
        ("acme/two --neuronx-cc 3", 2, "2.27.5334.0"),
        ("acme/two --cores many", 2, "many"),
    ],
)
def test_without_a_script_the_exit_code_and_stderr_tell_why(
    words: str, code: int, told: str, data: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["script", *words.split(), "--data", data]) == code
    out, err = capfd.readouterr()
    assert out == ""
    assert told in err


def test_the_options_that_are_named_lead_to_the_script(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["script", "acme/gone", "--data", data]) == 5
    remedy = capfd.readouterr().err.splitlines()[-1]
    words = remedy.removeprefix("Another record has one: ").split()
    assert run(["script", "acme/gone", "--data", data, *words]) == 0
    assert capfd.readouterr().out == "print('4')\n"


def test_what_is_recorded_elsewhere_is_named(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    run(["script", "acme/old", "--data", data])
    err = capfd.readouterr().err
    assert "acme/old, 2.27.5334.0 · transformers 5.21.0: PASS" in err
    assert run(["script", "acme/old", "--data", data, "--neuronx-cc", "any"]) == 0


def test_a_part_of_a_name_that_fits_one_model_is_enough(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["script", "crlf", "--data", data]) == 0
    assert capfd.readouterr().out.startswith("import torch\r\n")


def test_an_id_that_begins_with_a_dash_works_after_two(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["script", "--data", data, "--", "-acme/dash"]) == 0
    assert capfd.readouterr().out == SCRIPTS["-acme/dash"]


def test_untested_and_not_read_are_not_the_same(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "good.parquet").write_bytes(
        parquet({"model_id": "acme/new"}, {"model_id": "acme/old", "neuronx_cc": "2.27.5334.0"})
    )
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 no PAR1")
    assert run(["script", "acme/old", "--data", str(tmp_path)]) == 5
    assert "in what could be read" in capfd.readouterr().err


# from the Hub


def test_it_fetches_once_and_then_reads_the_disk_until_refresh(
    hub: LoopbackHub, capfd: pytest.CaptureFixture[str]
) -> None:
    hub.add_dataset(DATASET, {"a.parquet": parquet({"run_py": "first\n"})})
    assert run(["script", "acme/one"]) == 0
    hub.datasets[DATASET].add_revision({"a.parquet": parquet({"run_py": "second\n"})})
    hub.forget_requests()
    assert run(["script", "acme/one"]) == 0
    assert hub.requests == []
    assert run(["script", "acme/one", "--refresh"]) == 0
    assert capfd.readouterr().out == "first\nfirst\nsecond\n"
    hub.refuse()
    assert run(["script", "acme/one", "--refresh"]) == 5
    assert run(["script", "acme/one"]) == 0


def test_without_data_it_exits_5_and_never_takes_the_sample(
    hub: LoopbackHub, capfd: pytest.CaptureFixture[str]
) -> None:
    hub.refuse()
    assert run(["script", "sample/Basalt-0.5B"]) == 5
    assert run(["script", "sample/Basalt-0.5B", "--offline"]) == 5
    assert capfd.readouterr().out == ""
    assert run(["script", "sample/Basalt-0.5B", "--sample"]) == 0


# files


def test_a_file_that_is_there_stays_unless_force_is_given(
    data: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "run.py"
    mine.write_text("my own\n")
    assert run(["script", "acme/lf", "--data", data, "-o", str(mine)]) == 2
    assert mine.read_text() == "my own\n"
    assert f"{mine} is there already" in capfd.readouterr().err
    assert run(["script", "acme/lf", "--data", data, "-o", str(mine), "--force"]) == 0
    assert mine.read_text() == SCRIPTS["acme/lf"]


def test_a_link_stays_one(data: str, tmp_path: Path) -> None:
    (tmp_path / "link.py").symlink_to(tmp_path / "target.py")
    assert run(["script", "acme/lf", "--data", data, "-o", str(tmp_path / "link.py")]) == 0
    assert (tmp_path / "link.py").is_symlink()
    assert (tmp_path / "target.py").read_text() == SCRIPTS["acme/lf"]


@pytest.mark.parametrize("place", [".", "no/such/folder/run.py", "x" * 300, "a.parquet/run.py"])
def test_a_place_that_takes_no_file_exits_2_and_nothing_is_made(
    place: str, data: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.parquet").touch()
    assert run(["script", "acme/lf", "--data", data, "-o", str(tmp_path / place)]) == 2
    err = capfd.readouterr().err
    assert len(err.splitlines()) >= 2
    assert "Traceback" not in err
    assert not (tmp_path / "no").exists()


def test_the_name_of_stdout_is_stdout_and_its_file_stays_the_same(data: str, tmp_path: Path) -> None:
    out = tmp_path / "out.py"
    for place in ("/dev/stdout", str(out)):
        out.write_text("# before\n")
        number = out.stat().st_ino
        line = '"$0" -m tui script acme/lf --data "$1" -o "$3" --force >> "$2"; echo $?'
        words = ["bash", "-c", line, sys.executable, data, str(out), place]
        done = subprocess.run(words, capture_output=True, text=True)
        assert done.stdout == "0\n", done.stderr
        assert out.read_text() == "# before\n" + SCRIPTS["acme/lf"]
        assert out.stat().st_ino == number


def test_a_file_that_is_replaced_gives_its_mode_to_the_new_one(data: str, tmp_path: Path) -> None:
    mine = tmp_path / "run.py"
    for mode in (0o600, 0o755, 0o444):
        mine.write_text("my own\n") if not mine.exists() else None
        mine.chmod(mode)
        assert run(["script", "acme/lf", "--data", data, "-o", str(mine), "--force"]) == 0
        assert mine.read_text() == SCRIPTS["acme/lf"]
        assert stat.S_IMODE(mine.stat().st_mode) == mode


def test_an_empty_name_is_no_file(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["script", "acme/lf", "--data", data, "-o", ""]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("FILE of --output is empty\n")


def test_a_dash_is_stdout(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["script", "acme/lf", "--data", data, "-o", "-"]) == 0
    assert capfd.readouterr().out == SCRIPTS["acme/lf"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_device_is_written_to_and_never_replaced(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["script", "acme/lf", "--data", data, "-o", "/dev/full"]) == 2
    assert "/dev/full cannot be written\nNo space left on device" in capfd.readouterr().err
    assert run(["script", "acme/lf", "--data", data, "-o", "/dev/null", "--force"]) == 0
    for device in ("/dev/full", "/dev/null"):
        assert stat.S_ISCHR(Path(device).stat().st_mode)


def test_a_disk_that_fills_up_leaves_nothing_half_written(tmp_path: Path) -> None:
    data, folder = tmp_path / "a.parquet", tmp_path / "out"
    data.write_bytes(parquet({"run_py": "#" * 4_000_000}))
    folder.mkdir()
    (folder / "mine.py").write_text("my own\n")
    words = [sys.executable, "-m", "tui", "script", "acme/one", "--data", str(data), "-o"]
    for name, more in (("new.py", ()), ("mine.py", ("--force",))):
        done = subprocess.run(
            [*words, str(folder / name), *more], capture_output=True, text=True,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},  # a compiled module would be cut too, unnoticed
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000)),
        )  # fmt: skip
        assert done.returncode == 2
        assert f"{folder / name} cannot be written" in done.stderr
        assert "Traceback" not in done.stderr
    assert [(path.name, path.read_text()) for path in folder.iterdir()] == [("mine.py", "my own\n")]


# the process


@pytest.mark.parametrize(
    ("words", "code"),
    [("sample/Basalt-0.5B", 0), ("nothing-like-it", 7), ("sample/Basalt-0.5B --cores 63", 4), ("--no-such", 2)],
)
def test_exit_codes_of_a_real_process(words: str, code: int) -> None:
    done = subprocess.run([sys.executable, "-m", "tui", "script", "--sample", *words.split()], capture_output=True)
    assert done.returncode == code
    assert bool(done.stdout) is (code == 0)


def test_a_reader_that_stops_and_a_closed_stdout_are_no_error() -> None:
    line = '"$0" -m tui script sample/Basalt-0.5B --sample'
    for script, out in ((f'{line} | head -c 3; echo "${{PIPESTATUS[0]}}"', '"""0\n'), (f"{line} >&-; echo $?", "0\n")):
        done = subprocess.run(["bash", "-c", script, sys.executable], capture_output=True, text=True)
        assert done.stdout == out
        assert len(done.stderr.splitlines()) == 2


def test_the_help_has_two_examples(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["script", "--help"]) == 0
    text = capfd.readouterr().out
    assert text.count("trn-models script ") >= 3
