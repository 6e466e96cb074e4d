"""`doctor`: what it finds, what it advises, and what it never tells."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import fake_hosts
import polars as pl
import pytest
import run_folders
from loopback_hub import LoopbackHub, silent
from parquet_builder import DATASET, parquet

from tui import __version__
from tui.catalog import hub_session
from tui.cli import doctor, doctor_data, findings
from tui.cli.command import run
from tui.cli.findings import Finding, Level
from tui.host import interpreters
from tui.rerun import runs
from tui.settings import Settings

Found = list[dict[str, str]]
Look = Callable[..., Found]
TOKEN = "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz012345"


@pytest.fixture(autouse=True)
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Somebody with a home, on a machine without devices, with the Python of these tests."""
    home = tmp_path / "home" / "lea"
    home.mkdir(parents=True)
    host = fake_hosts.other_machine(tmp_path / "host")
    for name, value in {
        "HOME": home, "USER": "lea", "LOGNAME": "lea", "PATH": "/nowhere", "TERM": "xterm-256color",
        "TRN_MODELS_PYTHON": sys.executable, "TRN_MODELS_HOST_ROOT": host, "HF_HOME": home / "huggingface",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, str(value))
    for name in ("TMUX", "STY", "SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT", "DISPLAY", "WAYLAND_DISPLAY", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    interpreters.forget()
    return home


@pytest.fixture
def look(capfd: pytest.CaptureFixture[str]) -> Look:
    """The findings of a run of the verb, which ended with this exit code."""

    def found(*options: str, code: int = 0) -> Found:
        assert run(["doctor", "--format", "json", *options]) == code
        return json.loads(capfd.readouterr().out)

    return found


def of(found: Found, check: str) -> list[tuple[str, str]]:
    return [(each["level"], each["text"]) for each in found if each["check"] == check]


def advice(found: Found, check: str) -> str:
    return "\n".join(each["advice"] for each in found if each["check"] == check)


@pytest.fixture
def fetched(hub: LoopbackHub, capfd: pytest.CaptureFixture[str]) -> LoopbackHub:
    """A Hub whose dataset is on this machine."""
    hub.add_dataset(DATASET, {"a.parquet": parquet({}, {"model_id": "acme/two"}), "b.parquet": parquet({"tp": 4})})
    assert run(["refresh"]) == 0
    capfd.readouterr()
    hub.forget_requests()
    return hub


def test_all_is_well_where_the_dataset_was_fetched(fetched: LoopbackHub, look: Look) -> None:
    found = look()
    revision = fetched.datasets[DATASET].main[:7]
    assert of(found, "source") == [
        ("OK", f"{DATASET} @ {revision}, checked just now, tested to 2026-11-20: 3 records, 1 stack")
    ]
    assert of(found, "own files") == [("OK", "2 files can be read")]
    ((level, text),) = of(found, "Hub")
    assert level == "OK"
    assert text.startswith(f"{fetched.url} answered in ")
    assert "newer" not in text
    assert of(found, "own runs") == [("OK", "0 runs, 0 of them live")]
    assert not [each for each in found if each["level"] == "problem"]
    assert all(each["advice"] for each in found if each["level"] == "warning")


def test_one_request_is_made_and_none_with_offline(fetched: LoopbackHub, look: Look) -> None:
    look()
    assert len(fetched.paths()) == 1
    fetched.forget_requests()
    found = look("--offline")
    assert fetched.paths() == []
    assert of(found, "Hub") == [("OK", f"{fetched.url} was not asked: offline use")]


def test_a_newer_revision_is_told(fetched: LoopbackHub, look: Look) -> None:
    newer = fetched.datasets[DATASET].add_revision({"a.parquet": parquet({})})
    assert f"it has a newer revision, {newer[:7]}: trn-models refresh" in of(look(), "Hub")[0][1]


def test_versions_are_those_that_are_installed(look: Look) -> None:
    ((level, text),) = of(look("--sample", "--offline"), "versions")
    assert level == "OK"
    assert f"trn-models {__version__}" in text
    assert f"polars {metadata.version('polars')}" in text
    assert f"Python {'.'.join(map(str, sys.version_info[:3]))}" in text


def test_a_library_that_is_too_old_or_missing_is_a_problem(look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    real = metadata.version

    def version(name: str) -> str:
        if name == "pyarrow":
            raise metadata.PackageNotFoundError(name)
        return "7.9" if name == "textual" else real(name)

    monkeypatch.setattr(doctor_data.metadata, "version", version)
    found = look("--sample", "--offline")
    assert ("problem", "textual 7.9 does not do: >=8.2 is needed") in of(found, "versions")
    assert ("problem", "pyarrow is not installed") in of(found, "versions")
    assert 'pip install "textual>=8.2"' in advice(found, "versions")


# records


def test_nothing_fetched_and_no_hub_is_exit_code_5(look: Look) -> None:
    found = look(code=5)
    assert of(found, "source") == [("warning", f"{DATASET} was never fetched to this machine")]
    assert of(found, "Hub")[0][0] == "problem"
    assert "cannot be reached" in of(found, "Hub")[0][1]
    look("--offline", code=5)


def test_nothing_fetched_and_a_hub_that_answers_is_no_failure(hub: LoopbackHub, look: Look) -> None:
    hub.add_dataset(DATASET, {"a.parquet": parquet({})})
    found = look()
    assert of(found, "source")[0][0] == "warning"
    assert "trn-models refresh" in advice(found, "source")


def test_a_hub_that_is_silent_is_a_warning_beside_a_snapshot_and_does_not_hold_up(
    fetched: LoopbackHub, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_session, "TOTAL_S", 0.3)
    fetched.set_fault("/", silent())
    began = time.monotonic()
    found = look()
    assert time.monotonic() - began < 10
    assert of(found, "Hub")[0][0] == "warning"


def test_data_that_cannot_be_read_is_a_problem_and_exit_code_5(tmp_path: Path, look: Look) -> None:
    found = look("--offline", "--data", str(tmp_path / "nowhere"), code=5)
    ((level, text),) = of(found, "source")
    assert level == "problem"
    assert "nowhere cannot be read: No such file or directory" in text


def test_a_file_of_which_nothing_could_be_read_is_named(tmp_path: Path, look: Look) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.parquet").write_bytes(parquet({}))
    (tmp_path / "data" / "broken.parquet").write_bytes(b"PAR1 nonsense PAR1")
    found = look("--offline", "--data", str(tmp_path / "data"))
    assert [level for level, text in of(found, "records") if "broken.parquet" in text] == ["warning"]


def test_an_own_file_that_is_damaged_is_a_problem(fetched: LoopbackHub, tmp_path: Path, look: Look) -> None:
    for own in (tmp_path / "cache" / "records").glob("*.parquet"):
        own.write_bytes(b"PAR1" + bytes(own.stat().st_size - 8) + b"PAR1")
    found = look()
    assert {level for level, _ in of(found, "own files")} == {"problem"}
    assert "Refresh" in advice(found, "own files")


def test_an_old_snapshot_is_a_warning(fetched: LoopbackHub, look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_data, "OLD_AFTER", doctor_data.timedelta(0))
    found = look()
    assert of(found, "source")[0][0] == "warning"
    assert advice(found, "source") == "trn-models refresh"


# folders


def test_folders_tell_size_room_and_place_below_the_home(person: Path, look: Look) -> None:
    (person / "huggingface" / "hub").mkdir(parents=True)
    (person / "huggingface" / "hub" / "blob").write_bytes(bytes(12_300))
    ((level, text),) = of(look("--sample", "--offline"), "Hugging Face cache")
    assert level == "OK"
    assert text.startswith("~/huggingface/hub, 12.3 KB, ")
    assert text.endswith(" free")


def test_a_file_in_the_place_of_a_folder_is_a_problem(
    tmp_path: Path, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in-the-way").write_text("")
    monkeypatch.setenv("TRN_MODELS_CACHE_DIR", str(tmp_path / "in-the-way" / "cache"))
    ((level, text),) = of(look("--sample", "--offline"), "cache")
    assert level == "problem"
    assert "in-the-way is no folder" in text


def test_a_folder_that_may_not_be_written_is_a_problem(look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_data.os, "access", lambda path, mode: False)
    found = look("--sample", "--offline")
    assert of(found, "cache")[0][0] == "problem"
    assert "not writable" in of(found, "cache")[0][1]


def test_little_room_is_a_warning(look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.host.surroundings.free_bytes", lambda folder: 900_000_000)
    found = look("--sample", "--offline")
    assert of(found, "state")[0][0] == "warning"
    assert "900 MB free" in of(found, "state")[0][1]


# machine


def test_the_terminal_is_told(look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMUX", "/tmp/tmux-1000/default,1,0")
    monkeypatch.setenv("SSH_CONNECTION", "198.51.100.7 50000 198.51.100.9 22")
    found = look("--sample", "--offline")
    ((level, text),) = of(found, "terminal")
    assert level == "OK"
    assert text == "TERM=xterm-256color, no terminal here, utf-8, 256 colours, in tmux, over ssh"
    assert "tmux's buffer" in of(found, "clipboard")[0][1]
    assert "198.51.100" not in json.dumps(found)


def test_a_terminal_that_takes_no_copies_is_a_warning(look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "linux")
    found = look("--sample", "--offline")
    assert of(found, "clipboard") == [("warning", "none: this terminal takes no copies")]
    assert advice(found, "clipboard") == "In the app w writes to a file instead."


def test_a_machine_without_devices_is_a_warning(look: Look) -> None:
    found = look("--sample", "--offline")
    assert of(found, "host") == [("warning", "no Neuron device: not an EC2 accelerator machine")]
    assert "--any-host" in advice(found, "host")


def test_a_trn2_host_is_told(tmp_path: Path, look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRN_MODELS_HOST_ROOT", str(fake_hosts.trn2_48xlarge(tmp_path / "trn2")))
    level, text = of(look("--sample", "--offline"), "host")[0]
    assert level == "OK"
    assert text.startswith("trn2.48xlarge · 64 cores, 64 not in use ")


def test_pythons_are_told_with_the_one_that_is_taken(look: Look) -> None:
    found = look("--sample", "--offline")
    (first, last) = of(found, "Python")
    assert first[0] == "OK"
    assert "(--python), Python 3." in first[1]
    assert first[1].endswith("; it is the one that is taken")
    assert last == ("warning", "the one that is taken has no stack")


def test_a_python_that_does_not_answer_is_a_warning(look: Look) -> None:
    found = look("--sample", "--offline", "--python", "/nowhere/python")
    assert ("warning", "/nowhere/python (--python); it is the one that is taken: no such file") in of(found, "Python")


def test_a_lost_run_is_a_warning(tmp_path: Path, look: Look) -> None:
    settings = Settings(state_dir=tmp_path / "state", cache_dir=tmp_path / "cache")
    kept = runs.create(settings, run_folders.plan())
    lost = runs.create(settings, run_folders.plan())
    run_folders.end(kept)
    runs.update_state(lost.folder, state="running", supervisor={"pid": 999_999_999, "started": 1, "boot_id": "x"})
    found = look("--sample", "--offline")
    assert of(found, "own runs") == [("OK", "2 runs, 0 of them live"), ("warning", f"1 run lost: {lost.id}")]
    assert f"trn-models runs show {lost.id}" in advice(found, "own runs")


# what it never tells


def test_the_report_has_no_token_no_home_no_user_and_no_host(
    person: Path, tmp_path: Path, look: Look, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.setenv("HF_ENDPOINT", f"http://lea:{TOKEN}@127.0.0.1:9")
    monkeypatch.setenv("USER", "leabetasmith")
    monkeypatch.setattr(findings.platform, "node", lambda: "gpubox17.acme.internal")
    monkeypatch.setenv("TRN_MODELS_CACHE_DIR", str(person / "leabetasmith" / "gpubox17" / "cache"))
    found = look("--sample")
    assert of(found, "token") == [("OK", "there is one")]
    assert of(found, "cache")[0][1].startswith("~/[user]/[host]/cache, ")
    assert run(["doctor", "--sample"]) == 0
    out, err = capfd.readouterr()
    told = out + err + json.dumps(found)
    for secret in (TOKEN, TOKEN[4:], str(person), "leabetasmith", "gpubox17"):
        assert secret not in told


def test_without_a_token_that_is_fine(look: Look) -> None:
    assert of(look("--sample", "--offline"), "token") == [("OK", "none; what is public needs none")]


# the report


def test_the_table_says_what_to_do_below_and_counts(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "--sample", "--offline"]) == 0
    out, err = capfd.readouterr()
    lines = out.splitlines()
    assert lines[0].startswith("OK       versions            trn-models ")
    at = next(number for number, line in enumerate(lines) if line.startswith("warning  host"))
    assert lines[at + 1].strip().startswith("Models run on a trn2 host.")
    assert lines[-1] == "0 problems, 2 warnings"
    assert err == ""


FINDINGS = (Finding(Level.OK, "token", "there is one"), Finding(Level.WARNING, "host", 'no "device"', "Try, or wait."))
GOLDEN = {
    "table": 'OK       token  there is one\nwarning  host   no "device"\n                Try, or wait.\n'
    "0 problems, 1 warning\n",
    "json": '[\n{"check": "token", "level": "OK", "text": "there is one", "advice": "", "sample": true},\n'
    '{"check": "host", "level": "warning", "text": "no \\"device\\"", "advice": "Try, or wait.", "sample": true}\n]\n',
    "csv": "check,level,text,advice,sample\n"
    'token,OK,there is one,"",true\nhost,warning,"no ""device""","Try, or wait.",true\n',
}
GOLDEN["jsonl"] = GOLDEN["json"].removeprefix("[\n").removesuffix("]\n").replace("},\n", "}\n")


@pytest.fixture
def only_these(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_findings", lambda *_: iter(FINDINGS))


@pytest.mark.parametrize("form", GOLDEN)
def test_each_format_is_exactly_this(form: str, only_these: None, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "--sample", "--offline", "--format", form]) == 0
    assert capfd.readouterr() == (GOLDEN[form], "")


def test_parquet_has_the_findings(only_these: None, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["doctor", "--sample", "--offline", "--format", "parquet"]) == 0
    frame = pl.read_parquet(capfdbinary.readouterr().out)
    assert frame.schema == {**dict.fromkeys(("check", "level", "text", "advice"), pl.String()), "sample": pl.Boolean()}
    assert frame.row(1) == ("host", "warning", 'no "device"', "Try, or wait.", True)


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_the_exit_code_is_that_of_the_table(form: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "--offline", "--format", form]) == 5


def test_lines_are_broken_to_fit_a_narrow_terminal() -> None:
    found = [Finding(Level.PROBLEM, "records", "one two three four five six seven " * 4, "do this " * 9)]
    lines = doctor.report(found, 40)
    assert max(map(len, lines)) <= 40
    assert lines[0].startswith("problem  records  one two")
    assert all(line.startswith(" " * 18) for line in lines[1:-1])


def test_text_from_outside_acts_on_no_terminal() -> None:
    (line, _) = doctor.report([Finding(Level.OK, "Python", "a\x1b[31mb\nc")], None)
    assert "\x1b" not in line


def test_a_check_that_fails_is_told_and_the_others_go_on(look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("tui.host.neuron.look", broken)
    found = look("--sample", "--offline")
    assert of(found, "host") == [("problem", "could not be looked at: ZeroDivisionError: oh")]
    assert of(found, "own runs")


def test_it_works_with_polars_broken_and_loads_no_ui(tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "polars.py").write_text("raise ImportError('no shared object')\n")
    program = (
        "import sys\nfrom tui.cli.command import run\n"
        "code = run(['doctor', '--sample', '--offline', '--format', 'json'])\n"
        'sys.exit(f\'{code} {sorted({"textual", "rich", "huggingface_hub"} & sys.modules.keys())}\')'
    )
    environ = {**os.environ, "PYTHONPATH": str(tmp_path / "broken")}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environ)
    assert done.stderr.splitlines()[-1] == "5 []"
    assert "could not be looked at: ImportError: no shared object" in done.stdout


def test_the_help_has_two_examples(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "--help"]) == 0
    assert capsys.readouterr().out.count("  trn-models doctor") == 2


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("not toml", "The config file cannot be read: "),
        ("nonsense = 1", "Unknown setting «nonsense»: In "),
        ("offline = 'perhaps'", "«perhaps» is no value for offline: It comes from "),
    ],
)
def test_a_config_file_that_stops_every_other_verb_is_a_finding(
    content: str, told: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text(content)
    assert run(["list", "--sample"]) == 2
    capfd.readouterr()
    assert run(["doctor", "--sample", "--offline", "--format", "json"]) == 0
    first, *others = json.loads(capfd.readouterr().out)
    assert (first["check"], first["level"]) == ("config file", "problem")
    assert first["text"].startswith(told)
    assert first["text"].endswith("; left out here")
    assert first["advice"]
    assert "source" in {each["check"] for each in others}
    assert run(["doctor", "--sample", "--offline"]) == 0
    assert "1 problem" in capfd.readouterr().out.splitlines()[-1]
