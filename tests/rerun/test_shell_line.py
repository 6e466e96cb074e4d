"""The line for a colleague: really run, by the shells that a colleague may have."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sample_records

from tui.catalog.schema import COLUMN_NAMES, LONG_TEXT
from tui.catalog.verdict import Record, Verdict
from tui.errors import NoDataError, UsageError
from tui.rerun.preparation import Changes, Wanted
from tui.rerun.shell_line import shell_line

SHOW = """
import os, sys
names = ("NEURON_RT_NUM_CORES", "TORCH_NEURONX_NEFF_CACHE_DIR", "TORCH_NEURONX_NEFF_LOCAL_CACHE_DIR", "A", "HF_TOKEN")
for name in names:
    print(name, os.environ.get(name))
print(os.environ["PATH"].split(":")[:2], os.getcwd(), sys.argv[1:])
sys.exit(7)
"""
SHELLS = [shell for shell in ("sh", "bash", "dash", "zsh", "ksh") if shutil.which(shell)]


def wanted(script: str | None = SHOW, **values: Any) -> Wanted:
    all_values: dict[str, Any] = dict.fromkeys(set(COLUMN_NAMES) - LONG_TEXT)
    recorded = {"model_id": "acme/Model", "tp": 8, "neuronx_cc": "2.28.7631.0", "transformers": "5.23.1"}
    record = Record({**all_values, **recorded, **values}, {}, {}, 0, 0, Verdict.PASS)
    return Wanted(record=record, script=script, dataset="acme/records", revision="abc", sample=False)


def run(line: str, home: Path, shell: str = "sh", **environ: str) -> subprocess.CompletedProcess[str]:
    assert "\n" not in line
    home.mkdir(parents=True, exist_ok=True)
    inherited = {"PATH": os.environ["PATH"], "HOME": str(home), **environ}
    return subprocess.run(
        [shell, "-c", line], env=inherited, cwd=home, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize("shell", SHELLS)
def test_the_line_runs_the_script_in_its_own_folder_and_gives_its_exit_code(shell: str, tmp_path: Path) -> None:
    line = shell_line(wanted(), Changes(), python=sys.executable)
    done = run(line, tmp_path / "a home", shell)
    home = tmp_path / "a home"
    digest = hashlib.sha256(SHOW.encode()).hexdigest()
    assert done.returncode == 7, done.stderr
    folder = home / "trn-models-runs" / f"acme-Model-{digest[:12]}"
    assert done.stdout.splitlines() == [
        "NEURON_RT_NUM_CORES 8",
        f"TORCH_NEURONX_NEFF_CACHE_DIR {home}/.cache/neff_cache",
        f"TORCH_NEURONX_NEFF_LOCAL_CACHE_DIR {home}/.cache/trn-models/neff_locks",
        "A None",
        "HF_TOKEN None",
        f"{[str(Path(sys.executable).parent), '/opt/aws/neuron/bin']} {folder} []",
    ]
    assert [path.name for path in folder.iterdir()] == ["run.py"]
    assert (folder / "run.py").read_text() == SHOW


@pytest.mark.parametrize("shell", [shell for shell in ("bash", "dash") if shutil.which(shell)])
def test_shells_read_the_line_without_complaint(shell: str) -> None:
    line = shell_line(wanted(model_id="it's $(id) `id` \\ \" !x"), Changes(arguments=("a'b", "$(id)")))
    checked = subprocess.run([shell, "-n", "-c", line], capture_output=True, text=True, timeout=10, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize("number", range(2))
def test_the_samples_script_runs_from_the_line(number: int, tmp_path: Path) -> None:
    rows = sample_records.complete_rows(sample_records.NEWEST, sample_records.NEWEST_ROWS)
    fits = [row for row in rows if row.get("result") == "pass" and row.get("run_py")]
    row = fits[number]
    values = {name: value for name, value in row.items() if name in COLUMN_NAMES and name not in LONG_TEXT}
    line = shell_line(wanted(row["run_py"], **values), Changes(arguments=("--seconds", "0.2")), python=sys.executable)
    done = run(line, tmp_path)
    assert done.returncode == 0, done.stderr
    cores = list(range(row["tp"]))
    assert f"{row['model_id']} on {row['tp']} of cores {cores}" in done.stdout
    assert done.stdout.endswith("result: pass (a demonstration: nothing was tested)\n")


def test_a_damaged_script_is_not_run(tmp_path: Path) -> None:
    line = shell_line(wanted(), Changes(), python=sys.executable)
    digest = hashlib.sha256(SHOW.encode()).hexdigest()
    done = run(line.replace(f"{digest} ", f"{'0' * 64} "), tmp_path)
    assert done.returncode == 1
    assert done.stdout == ""
    assert list(tmp_path.rglob("run.py")) == []


def test_a_missing_python_stops_the_line_before_it_writes_anything(tmp_path: Path) -> None:
    done = run(shell_line(wanted(), Changes(), python="/no/such/python"), tmp_path)
    assert done.returncode == 127
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text", ["'; touch owned; '", "$(touch owned)", "`touch owned`", '"; touch owned #', "a\ntouch owned"]
)
def test_nothing_from_outside_is_acted_on(text: str, tmp_path: Path) -> None:
    hostile = wanted(model_id=text, library=text, neuronx_cc=text, library_version=text)
    line = shell_line(replace(hostile, dataset=text, revision=text), Changes(), python=sys.executable)
    done = run(line, tmp_path)
    assert done.returncode == 7, done.stderr
    assert list(tmp_path.rglob("owned")) == []


def test_changes_are_in_the_line_and_secrets_are_not(tmp_path: Path) -> None:
    changes = Changes(environment={"A": "it's $HOME", "HF_TOKEN": "s3cret"}, arguments=("--x", "a 'b' $c"))
    line = shell_line(wanted(), changes, python=sys.executable)
    assert "s3cret" not in line
    assert "run.py (edited) of acme/records at abc" in line
    done = run(line, tmp_path, HF_TOKEN="theirs")
    assert "A it's $HOME\n" in done.stdout
    assert "HF_TOKEN theirs\n" in done.stdout
    assert done.stdout.endswith("""['--x', "a 'b' $c"]\n""")
    without = run(line, tmp_path)
    assert without.returncode not in {0, 7}
    assert "HF_TOKEN" in without.stderr


def test_folders_that_are_set_there_are_kept(tmp_path: Path) -> None:
    line = shell_line(wanted(), Changes(), python=sys.executable)
    neffs = tmp_path / "neffs"
    done = run(line, tmp_path, TORCH_NEURONX_NEFF_CACHE_DIR=str(neffs), TRN_MODELS_FOLDER=str(tmp_path / "runs"))
    assert f"TORCH_NEURONX_NEFF_CACHE_DIR {neffs}\n" in done.stdout
    assert list((tmp_path / "runs").iterdir())


def test_the_folders_for_graphs_and_locks_are_made(tmp_path: Path) -> None:
    run(shell_line(wanted(), Changes(), python=sys.executable), tmp_path)
    assert (tmp_path / ".cache" / "neff_cache").is_dir()
    assert (tmp_path / ".cache" / "trn-models" / "neff_locks").is_dir()
    changes = Changes(
        environment={
            "TORCH_NEURONX_NEFF_CACHE_DIR": f"{tmp_path}/my graphs",
            "TORCH_NEURONX_NEFF_LOCAL_CACHE_DIR": f"{tmp_path}/-locks",
        }
    )
    assert run(shell_line(wanted(), changes, python=sys.executable), tmp_path).returncode == 7
    assert (tmp_path / "my graphs").is_dir()
    assert (tmp_path / "-locks").is_dir()
    empty = Changes(environment={"TORCH_NEURONX_NEFF_CACHE_DIR": ""})
    assert run(shell_line(wanted(), empty, python=sys.executable), tmp_path).returncode == 7


def test_the_line_begins_with_what_it_is_and_what_it_needs() -> None:
    line = shell_line(wanted(library="transformers", library_version="5.23.1", accelerate="1.14.0"), Changes())
    digest = hashlib.sha256(SHOW.encode()).hexdigest()
    assert line.startswith(
        ": 'trn-models: acme/Model on 8 cores; recorded with 2.28.7631.0 · transformers 5.23.1; "
        f"run.py of acme/records at abc; SHA-256 {digest}; "
        "it needs, and does not install: pip install transformers==5.23.1 accelerate==1.14.0'; ( "
    )


def test_the_line_of_a_sample_asks_for_no_packages() -> None:
    assert "pip install" in shell_line(wanted(), Changes())
    assert "pip install" not in shell_line(replace(wanted(), sample=True), Changes())


def test_a_relative_python_is_found_from_where_the_line_is_started(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    assert run(shell_line(wanted(), Changes(), python="bin/python"), tmp_path).returncode == 7


def test_there_is_no_line_without_a_script_or_with_a_line_break() -> None:
    with pytest.raises(NoDataError):
        shell_line(wanted(None), Changes())
    with pytest.raises(UsageError):
        shell_line(wanted(), Changes(arguments=("a\nb",)))


@pytest.mark.parametrize("text", ["a\x1b[2J", "\x9b", "\u202egpj", "a\u200bb", "\u2028", "\udc80", "a\tb"])
def test_no_line_has_characters_that_a_terminal_acts_on(text: str) -> None:
    escaped = text.strip("agpjb[2J").encode("unicode_escape", "surrogatepass").decode()
    for changes, python in (
        (Changes(arguments=(text,)), "python3"),
        (Changes(environment={"A": text}), "python3"),
        (Changes(), f"/opt/{text}/python"),
    ):
        with pytest.raises(UsageError) as raised:
            shell_line(wanted(), changes, python=python)
        assert escaped in raised.value.detail
