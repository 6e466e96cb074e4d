"""The log file: where, how private, how large, and what never gets into it or onto the screen."""

from __future__ import annotations

import logging
import os
import re
import stat
import threading
import warnings
from collections.abc import Iterator
from logging.handlers import RotatingFileHandler
from pathlib import Path

import pytest

from tui import log_file
from tui.settings import Settings

TOKEN = "hf_" + "aB3dE5gH7jK9mN1pQ3sT5vX7zA2cD4fG6h"


@pytest.fixture(autouse=True)
def logging_as_it_was(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = [*root.handlers], root.level
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    yield
    logging.captureWarnings(False)
    for handler in root.handlers:
        if handler not in handlers:
            handler.close()
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.fixture
def file(settings: Settings) -> Path:
    started = log_file.start(settings)
    assert started == log_file.path(settings) == settings.state_dir / "trn-models.log"
    return started


def test_a_line_has_its_time_in_utc_and_says_who(file: Path) -> None:
    record = logging.LogRecord("tui.catalog", logging.WARNING, "x.py", 1, "3 files %s", ("read",), None)
    record.created, record.msecs = 1_796_000_000.25, 250
    logging.getLogger().handle(record)
    assert file.read_text() == f"2026-11-30T00:53:20.250Z {os.getpid()} WARNING tui.catalog: 3 files read\n"


def test_details_for_developers_are_left_out(file: Path) -> None:
    logging.getLogger("tui").debug("a detail")
    logging.getLogger("tui").info("a fact")
    assert file.read_text().endswith("INFO tui: a fact\n")
    assert "detail" not in file.read_text()


def test_only_the_owner_can_read_it_even_when_it_was_open_before(settings: Settings) -> None:
    settings.state_dir.mkdir()
    file = log_file.path(settings)
    file.touch(0o644)
    log_file.start(settings)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"token {TOKEN}.", "token hf_***"),
        (f"{{'authorization': 'Bearer {TOKEN}'}}", "{'authorization': 'Bearer ***'}"),
        ("GET /x?a=1&X-Amz-Signature=0123456789abcdef&b=2", "GET /x?a=1&X-Amz-Signature=***&b=2"),
        ("hf_oauth_eyJhbGciOi.J9_x-y", "hf_oauth_***"),
        ("hf_hub_download(repo_id='acme/hf_transformer')", "hf_hub_download(repo_id='acme/hf_transformer')"),
        ("basic tests of tokens=5 and signature=odd", "basic tests of tokens=5 and signature=odd"),
    ],
)
def test_secrets_are_masked_and_nothing_else(file: Path, text: str, line: str) -> None:
    logging.getLogger("hub").info("%s", text)
    assert file.read_text().split("hub: ", 1)[1].rstrip("\n") == line


def test_secrets_are_masked_in_tracebacks_and_whatever_their_shape(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "own-odd-token")
    try:
        raise RuntimeError(f"bad {TOKEN} and own-odd-token")
    except RuntimeError:
        logging.getLogger("hub").exception("request failed")
    text = file.read_text()
    assert "Traceback (most recent call last):" in text
    assert "RuntimeError: bad hf_*** and ***" in text
    assert TOKEN not in text
    assert "own-odd-token" not in text


def test_hostile_text_is_harmless_to_whoever_reads_the_log(file: Path) -> None:
    # Straight to the handler of the file: pytest's own cannot pass a lone surrogate on to another process.
    handler = next(each for each in logging.getLogger().handlers if isinstance(each, RotatingFileHandler))
    handler.handle(logging.makeLogRecord({"name": "hub", "msg": "card says \x1b]0;x\x07 \u202e \udc80"}))
    assert file.read_text().endswith("hub: card says \\x1b]0;x\\x07 \\u202e \\udc80\n")


def test_it_never_grows_over_two_files_of_a_megabyte(file: Path) -> None:
    for _ in range(35):
        logging.getLogger("loud").info("x" * 100_000)
    logging.getLogger("loud").info("the last")
    names = sorted(path.name for path in file.parent.iterdir())
    assert names == ["trn-models.log", "trn-models.log.1"]
    for name in names:
        assert (file.parent / name).stat().st_size <= 1_000_000
        assert stat.S_IMODE((file.parent / name).stat().st_mode) == 0o600
    assert file.read_text().endswith("the last\n")


def test_an_error_of_a_thread_is_logged_and_not_printed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        raise RuntimeError("boom")

    thread = threading.Thread(target=fail, name="refresh")
    thread.start()
    thread.join()
    text = file.read_text()
    assert "ERROR tui.log_file: refresh failed\nTraceback" in text
    assert "RuntimeError: boom" in text
    assert capsys.readouterr() == ("", "")


def test_warnings_are_logged_and_not_printed(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        file = log_file.start(settings)
        warnings.warn("something is old", DeprecationWarning, stacklevel=1)
        logging.captureWarnings(False)
    assert file is not None
    assert "DeprecationWarning: something is old" in file.read_text()
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("obstacle", ["folder is a file", "log is a folder", "log is a link"])
def test_where_it_cannot_be_written_nothing_is_logged_or_printed(
    settings: Settings, tmp_path: Path, obstacle: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if obstacle == "folder is a file":
        settings.state_dir.touch()
    elif obstacle == "log is a folder":
        log_file.path(settings).mkdir(parents=True)
    else:
        settings.state_dir.mkdir()
        log_file.path(settings).symlink_to(tmp_path / "elsewhere")
    root = logging.getLogger()
    root.handlers[:] = []
    assert log_file.start(settings) is None
    logging.getLogger("hub").error("lost")
    assert capsys.readouterr() == ("", "")
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_silent(file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (handler,) = (item for item in logging.getLogger().handlers if getattr(item, "baseFilename", "") == str(file))
    full = os.open("/dev/full", os.O_WRONLY)
    stream = open(full, "w", closefd=False)  # noqa: SIM115 - closing it would raise
    with monkeypatch.context() as patch:
        patch.setattr(handler, "stream", stream)
        patch.setattr(handler, "_follow_the_name", lambda: None)
        logging.getLogger("hub").error("lost")
        with pytest.raises(OSError, match="No space left"):
            stream.close()
    os.close(full)
    logging.getLogger("hub").error("space again")
    assert capsys.readouterr() == ("", "")
    assert file.read_text().endswith("space again\n")


def test_a_second_start_does_not_write_twice(settings: Settings, file: Path) -> None:
    log_file.start(settings)
    logging.getLogger("hub").info("once")
    assert re.findall("once", file.read_text()) == ["once"]


def test_a_handler_that_prints_is_taken_away(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    logging.getLogger().addHandler(logging.StreamHandler())
    log_file.start(settings)
    logging.getLogger("hub").error("loud")
    assert capsys.readouterr() == ("", "")


def test_a_log_that_somebody_removed_is_begun_again_in_a_private_folder(file: Path) -> None:
    logging.getLogger("hub").info("before")
    file.unlink()
    file.parent.rmdir()
    logging.getLogger("hub").error("after")
    assert file.read_text().endswith("ERROR hub: after\n")
    assert (stat.S_IMODE(file.stat().st_mode), stat.S_IMODE(file.parent.stat().st_mode)) == (0o600, 0o700)
    assert log_file.is_open()


def test_where_the_removed_log_cannot_come_back_the_app_goes_on_in_silence(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.unlink()
    file.parent.rmdir()
    file.parent.touch()
    logging.getLogger("hub").error("lost")
    assert not log_file.is_open()
    file.parent.unlink()
    logging.getLogger("hub").error("found")
    assert file.read_text().endswith("found\n")
    assert capsys.readouterr() == ("", "")


def test_two_apps_write_into_the_same_file_after_one_of_them_began_a_new_one(file: Path) -> None:
    logging.getLogger("one").info("old")
    file.rename(file.with_name(f"{file.name}.1"))
    file.write_text("by the other app\n")
    logging.getLogger("one").info("new")
    assert file.with_name(f"{file.name}.1").read_text().endswith("one: old\n")
    assert file.read_text().startswith("by the other app\n")
    assert file.read_text().endswith("one: new\n")


def test_a_pipe_of_its_name_holds_nothing_up(settings: Settings) -> None:
    settings.state_dir.mkdir()
    os.mkfifo(log_file.path(settings))
    assert log_file.start(settings) is None
