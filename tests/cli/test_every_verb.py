"""Every verb that prints, as a process of its own: pipes, disks, locales and terminals that are not as one wishes."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

MODEL = "sample/Quartz-8B-Instruct"
VERBS = {
    "compare": f"compare {MODEL} --sample",
    "diff": "diff 2.26 2.27 --sample",
    "list": "list --sample",
    "show": f"show {MODEL} --sample",
    "sql": "sql --sample 'select model_id, verdict, error from records'",
    "stacks": "stacks --sample",
    "script": f"script {MODEL} --sample",
    "install": f"command install {MODEL} --sample",
    "run": f"command run {MODEL} --sample",
    "doctor": "doctor --sample --offline",
    "runs": "runs",
    "completion": "completion bash",
    "plain": "--sample",
    "help": "--help",
}
ASKED = {
    "compare sample/Quartz-VL-8B --sample": 1,
    "compare sample/Amber --sample": 7,
    "diff 2.27 2.28 --sample": 1,
    "diff 2.27 3 --sample": 2,
    "list --sample": 0,
    f"show {MODEL} --sample": 0,
    "show sample/Amber --sample": 7,
    "show sample/Quartz-8B-Instruct --sample --neuronx-cc 9": 2,
    "sql --sample 'drop table records'": 2,
    "sql --sample '-- one\nselect 1 as one'": 0,
    "stacks --data /nowhere": 5,
    f"script {MODEL} --sample": 0,
    f"script {MODEL} --sample -o /nowhere/run.py": 2,
    f"command install {MODEL} --sample": 0,
    f"command cache {MODEL} --sample": 5,
    f"command run {MODEL} --sample": 0,
    "open quartz --sample": 2,
    "runs show x": 2,
    "runs show 99": 2,
    "refresh --sample": 2,
    "refresh --dataset 'bad id'": 2,
    "completion tcsh": 2,
    "doctor --offline": 5,
}


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {**os.environ, "TERM": "xterm-256color"}


def sh(script: str, words: str, environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    line = script.replace("TRN", f"{shlex.quote(sys.executable)} -m tui {words}")
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, env=environ, stdin=subprocess.DEVNULL, timeout=60
    )


def test_exit_codes_and_that_the_ui_is_never_loaded() -> None:
    """All in one fresh interpreter: a process for each takes a minute; that codes arrive in the shell is seen below."""
    program = (
        "import json, shlex, sys\nfrom tui.cli.command import run\n"
        "codes = [run(shlex.split(words)) for words in json.loads(sys.argv[1])]\n"
        "print(json.dumps([codes, sorted({'textual', 'rich'} & sys.modules.keys())]), file=sys.stderr)"
    )
    asked = {**dict.fromkeys(VERBS.values(), 0), **ASKED}
    done = subprocess.run(
        [sys.executable, "-c", program, json.dumps(list(asked))],
        capture_output=True, text=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    codes, loaded = json.loads(done.stderr.splitlines()[-1])
    assert dict(zip(asked, codes, strict=True)) == asked
    assert loaded == []


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (f"show {MODEL} --sample", 0),
        ("show sample/Amber --sample", 7),
        ("sql --sample 'drop table records'", 2),
        ("stacks --data /nowhere", 5),
        ("runs show x", 2),
    ],
)
def test_the_shell_gets_the_exit_code(words: str, code: int, environ: dict[str, str]) -> None:
    done = sh("TRN; echo code=$?", words, environ)
    assert done.stdout.splitlines()[-1] == f"code={code}"
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("verb", ["sql", "run", "doctor", "plain", "help"])
def test_a_reader_that_stops_reading_and_a_closed_stdout_are_no_error(verb: str, environ: dict[str, str]) -> None:
    done = sh('TRN | head -n 1; echo "code=${PIPESTATUS[0]}"; TRN >&-; echo "code=$?"', VERBS[verb], environ)
    assert done.stdout.splitlines()[1:] == ["code=0", "code=0"]
    assert "Traceback" not in done.stderr
    assert "Broken pipe" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("verb", ["list", "show", "sql", "script", "install", "doctor", "completion"])
def test_a_full_disk_is_told_and_exits_2(verb: str, environ: dict[str, str]) -> None:
    done = sh("TRN > /dev/full; echo code=$?", VERBS[verb], environ)
    assert done.stdout == "code=2\n"
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_below_the_file_of_a_script_is_told_and_exits_2(environ: dict[str, str]) -> None:
    done = sh("TRN; echo code=$?", f"script {MODEL} --sample -o /dev/full", environ)
    assert done.stdout == "code=2\n"
    assert "/dev/full cannot be written\nNo space left on device\n" in done.stderr


@pytest.mark.parametrize("verb", ["list", "show", "compare", "diff", "sql", "plain", "help"])
def test_the_c_locale_gets_the_same_in_ascii(verb: str, environ: dict[str, str]) -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done, usual = (sh("TRN", VERBS[verb], environ | {"PYTHONUTF8": "1"} | extra) for extra in (plain, {}))
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert done.stderr.isascii()
    signs = str.maketrans("–…·«»", '-~-""')
    assert done.stdout == usual.stdout.translate(signs).encode("ascii", "replace").decode()


@pytest.mark.parametrize("verb", ["list", "show", "compare", "diff", "sql", "stacks", "plain"])
def test_a_terminal_of_40_columns_is_enough(verb: str, environ: dict[str, str]) -> None:
    line = f"{shlex.quote(sys.executable)} -m tui {VERBS[verb]} 2> /dev/null"
    asked = {name: value for name, value in environ.items() if name not in ("COLUMNS", "LINES")}
    process = pexpect.spawn("bash", ["-c", line], env=asked, dimensions=(24, 40), encoding="utf-8", timeout=60)
    lines = process.read().replace("\r", "").splitlines()
    process.close()
    assert process.exitstatus == 0
    # Commands stand alone, indented, and are as long as they have to be: broken they would not work.
    shown = [each for each in lines if not (verb == "show" and each.startswith("  "))]
    assert len(shown) > 3
    assert max(map(len, shown)) <= 40
