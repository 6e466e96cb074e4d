"""Completion: the list of ids, what is offered at a Tab, and that real shells offer it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pexpect
import pytest
from loopback_hub import LoopbackHub
from parquet_builder import DATASET, parquet

from tui.catalog import model_ids
from tui.cli.command import run

IDS = ("acme/One-7B", "acme/one-8B", "beta/Two", "gamma/three.v2_x")
PROGRAMS = Path(sys.executable).parent

Tab = Callable[[str], list[str]]


def needs(shell: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"{shell} is not installed")


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    model_ids.write(tmp_path / "cache", IDS)
    return {
        "PATH": f"{PROGRAMS}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "TERM": "dumb",
        "LANG": "C.UTF-8",
        "TRN_MODELS_CACHE_DIR": str(tmp_path / "cache"),
        "TRN_MODELS_STATE_DIR": str(tmp_path / "state"),
        "TRN_MODELS_CONFIG_DIR": str(tmp_path / "config"),
    }


@pytest.fixture
def tab(environ: dict[str, str]) -> Tab:
    """What is offered when Tab is pressed at the end of a line."""

    def offered(line: str) -> list[str]:
        asked = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" ")), "_TRN_MODELS_COMPLETE": "bash_complete"}
        done = subprocess.run(
            [sys.executable, "-m", "tui"], capture_output=True, text=True, env={**environ, **asked}, check=False
        )
        assert done.stderr == ""
        return [each.removeprefix("plain,") for each in done.stdout.split("\n") if each]

    return offered


# the list of ids


def test_a_refresh_writes_the_ids_of_all_models_once_and_sorted(hub: LoopbackHub, tmp_path: Path) -> None:
    rows = ({"model_id": "beta/Two"}, {"model_id": "acme/one"}, {"model_id": "acme/one", "tp": 4}, {"model_id": None})
    hub.add_dataset(DATASET, {"a.parquet": parquet(*rows)})
    assert run(["refresh"]) == 0
    file = tmp_path / "cache" / "model-ids.txt"
    assert file.read_text() == "acme/one\nbeta/Two\n"
    file.unlink()
    assert run(["refresh"]) == 0
    assert file.read_text() == "acme/one\nbeta/Two\n"
    hub.datasets[DATASET].add_revision({"a.parquet": parquet({"model_id": "acme/new"})})
    assert run(["refresh"]) == 0
    assert file.read_text() == "acme/new\n"


def test_neither_data_nor_the_sample_write_ids(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(parquet({}))
    assert run(["--data", str(tmp_path / "a.parquet")]) == 0
    assert run(["--sample"]) == 0
    assert not (tmp_path / "cache" / "model-ids.txt").exists()


@pytest.mark.parametrize(
    "hostile",
    [
        "acme/$(touch x)", "acme/`id`", "acme/a b", "acme/a;b", "acme/a\nb", "-rf/x", "--help", "acme/*", "acme/a'b",
        'acme/a"b', "acme/\x1b[31m", "acme/é", "a/b/c", "", "acme/", "/one", "acme/a\\b", "acme/a,b", "acme/a:b",
        "~root/x", "x" * 300,
    ],
)  # fmt: skip
def test_ids_that_a_shell_would_act_on_are_left_out(tmp_path: Path, hostile: str) -> None:
    model_ids.write(tmp_path, [hostile, "acme/one", None])
    assert (tmp_path / model_ids.FILE_NAME).read_bytes() == b"acme/one\n"
    (tmp_path / model_ids.FILE_NAME).write_text(f"{hostile}\nacme/one\n", encoding="utf-8")
    assert set(model_ids.read(tmp_path)) - set(hostile.split("\n")) == {"acme/one"}
    assert hostile not in model_ids.read(tmp_path)


def test_a_list_that_cannot_be_written_or_read_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    model_ids.write(tmp_path / "cache", IDS)
    assert model_ids.read(tmp_path / "cache") == ()


# what is offered


def test_verbs_options_and_choices_are_offered(tab: Tab) -> None:
    verbs = [
        "command",
        "compare",
        "completion",
        "diff",
        "doctor",
        "list",
        "open",
        "refresh",
        "run",
        "runs",
        "script",
        "show",
        "sql",
        "stacks",
    ]
    assert tab("trn-models ") == verbs
    assert tab("trn-models do") == ["doctor"]
    assert {"--format", "--data", "--sample", "--refresh"} <= set(tab("trn-models sql --"))
    assert tab("trn-models sql --format ") == ["table", "json", "jsonl", "csv", "parquet", "markdown"]
    assert tab("trn-models completion ") == ["bash", "zsh", "fish"]
    assert "stop" in tab("trn-models runs ")


@pytest.mark.parametrize(
    "verb", ["show", "compare", "run", "script", "command run", "command cache", "command install", "open"]
)
def test_model_ids_are_offered_in_any_case(tab: Tab, verb: str) -> None:
    assert tab(f"trn-models {verb} ACME/o") == ["acme/One-7B", "acme/one-8B"]


def test_a_part_of_a_name_is_completed_when_it_fits_one_model(tab: Tab) -> None:
    assert tab("trn-models show three") == ["gamma/three.v2_x"]
    assert tab("trn-models show one") == []
    assert tab("trn-models show nothing") == []


def test_with_nothing_typed_every_model_is_offered(tab: Tab) -> None:
    assert tab("trn-models show ") == ["acme/One-7B", "acme/one-8B", "beta/Two", "gamma/three.v2_x"]


def test_ids_of_the_dataset_are_not_offered_for_another_source(tab: Tab) -> None:
    assert tab("trn-models --sample show acme/") == []
    assert tab("trn-models show --data /x acme/") == []
    assert tab("trn-models show --offline acme/") == ["acme/One-7B", "acme/one-8B"]


def test_what_cannot_be_completed_stays_silent(tab: Tab, tmp_path: Path) -> None:
    assert tab("trn-models nonsense x") == []
    assert tab("trn-models run --cores many acme/o") in ([], ["acme/One-7B", "acme/one-8B"])
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text("not toml")
    assert tab("trn-models show acme/o") == []


@pytest.fixture
def loaded(environ: dict[str, str]) -> Callable[[str], set[str]]:
    """The modules that are loaded for what is offered at the end of a line."""

    def modules(line: str) -> set[str]:
        program = (
            "import sys\nfrom tui.cli import main\n"
            "try:\n    main()\nfinally:\n    print(*sorted(sys.modules), file=sys.stderr)"
        )
        asked = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" ")), "_TRN_MODELS_COMPLETE": "bash_complete"}
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env={**environ, **asked})
        assert done.stdout.startswith("plain,")
        return set(done.stderr.split())

    return modules


@pytest.mark.parametrize("line", ["trn-models ", "trn-models run acme", "trn-models sql --"])
def test_a_tab_loads_neither_data_libraries_nor_the_ui(loaded: Callable[[str], set[str]], line: str) -> None:
    assert not {"polars", "textual", "rich", "pyarrow", "huggingface_hub", "httpx2", "psutil"} & loaded(line)


def test_a_model_is_completed_without_loading_the_other_verbs(loaded: Callable[[str], set[str]]) -> None:
    modules = loaded("trn-models open ac")
    assert {"tui.cli.open", "tui.catalog.model_ids"} <= modules
    assert not {"tui.cli.runs", "tui.cli.sql", "tui.cli.doctor", "logging", "tui.export", "tui.numbers"} & modules


@pytest.mark.parametrize("verb", ["show", "compare", "diff", "list", "script", "sql"])
def test_what_a_verb_works_with_is_not_loaded_at_a_tab(loaded: Callable[[str], set[str]], verb: str) -> None:
    heavy = {"tomllib", "packaging", "logging", "tui.catalog.stacks", "tui.catalog.snapshot", "tui.numbers"}
    assert not heavy & loaded(f"trn-models {verb} --")


# real shells


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_printed(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", shell]) == 0
    out, err = capsys.readouterr()
    assert "_TRN_MODELS_COMPLETE" in out
    assert f"{shell}_complete" in out
    assert err == ""


def test_another_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", "tcsh"]) == 2
    assert "'bash', 'zsh', 'fish'" in capsys.readouterr().err


def pressed(shell: list[str], environ: dict[str, str], setup: str, line: str, expected: str) -> str:
    """What a shell in a terminal shows after `line` and Tab."""
    process = pexpect.spawn(shell[0], shell[1:], env=environ, encoding="utf-8", timeout=20, dimensions=(24, 200))
    try:
        process.sendline(f"{setup}; echo ready''now")
        process.expect("readynow\r\n")
        process.send(f"{line}\t")
        process.expect(expected)
        return process.after
    finally:
        process.close(force=True)


@needs("bash")
def test_bash_completes_a_model_at_tab(environ: dict[str, str]) -> None:
    shell, setup = ["bash", "--norc", "--noprofile", "-i"], 'PS1="> "; eval "$(trn-models completion bash)"'
    assert pressed(shell, environ, setup, "trn-models show beta", r"show beta/Two ")
    assert pressed(shell, environ, setup, "trn-models scr", r"trn-models script ")
    assert pressed(shell, environ, setup, "trn-models run three", r"gamma/three\.v2_x ")


@needs("bash")
def test_bash_takes_the_script_without_a_word(environ: dict[str, str]) -> None:
    command = 'set -eu; eval "$(trn-models completion bash)"; complete -p trn-models'
    done = subprocess.run(["bash", "--norc", "-c", command], capture_output=True, text=True, env=environ)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "complete -o nosort -F _trn_models_completion trn-models\n"


@needs("zsh")
def test_zsh_completes_a_model_at_tab(environ: dict[str, str]) -> None:
    setup = "PS1='> '; autoload -U compinit; compinit -u -D; eval \"$(trn-models completion zsh)\""
    assert pressed(["zsh", "-f", "-i"], environ, setup, "trn-models show beta", r"beta/Two")
    assert pressed(["zsh", "-f", "-i"], environ, setup, "trn-models scr", r"script")


@needs("fish")
def test_fish_completes_models_and_verbs(environ: dict[str, str]) -> None:
    def offered(line: str) -> list[str]:
        command = f'trn-models completion fish | source; complete -C "{line}"'
        done = subprocess.run(["fish", "--no-config", "-c", command], capture_output=True, text=True, env=environ)
        assert done.stderr == ""
        return [each.partition("\t")[0] for each in done.stdout.splitlines()]

    assert offered("trn-models show acme") == ["acme/One-7B", "acme/one-8B"]
    assert offered("trn-models sc") == ["script"]


@needs("fish")
def test_fish_shows_the_help_of_a_word_whole(environ: dict[str, str]) -> None:
    def helps(line: str) -> dict[str, str]:
        command = f'trn-models completion fish | source; complete -C "{line}"'
        done = subprocess.run(["fish", "--no-config", "-c", command], capture_output=True, text=True, env=environ)
        return dict(each.split("\t") for each in done.stdout.splitlines())

    assert helps("trn-models sho")["show"] == (
        "Verdict, figures, stack and recipe of a model; the exit code tells the verdict."
    )
    assert helps("trn-models show --neu")["--neuronx-cc"].endswith("(2.28).  [default: the newest stack]")


def test_the_help_has_an_example_for_each_shell(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", "--help"]) == 0
    out = capsys.readouterr().out
    assert all(f"trn-models completion {shell}" in out for shell in ("bash", "zsh", "fish"))
