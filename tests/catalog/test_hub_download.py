"""Fetching the dataset in a child process that never outlives its purpose."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest
from loopback_hub import GOOD_TOKEN, Fault, LoopbackHub, cut, login_page, rate_limited, reset, silent, status

from tui.catalog import hub as asked
from tui.catalog import hub_download
from tui.errors import HubError, HubGatedError, HubRateLimitedError, HubUnreachableError
from tui.settings import Settings

FILES = {"a.parquet": b"one" * 100_000, "data/b.parquet": b"two", "README.md": b"# records"}


def nobody(_line: str) -> None:
    pass


def downloads() -> list[psutil.Process]:
    return [child for child in psutil.Process().children() if any("hub_download" in part for part in child.cmdline())]


def test_parquet_files_arrive_with_progress_and_a_second_time_nothing_is_asked(
    hub: LoopbackHub, settings: Settings, tmp_path: Path
) -> None:
    records = hub.add_dataset(settings.dataset, FILES)
    lines: list[str] = []
    fetched = asked.fetch_dataset(settings, records.main, lines.append)
    assert [(name, path.read_bytes()) for name, path in fetched] == [
        ("a.parquet", FILES["a.parquet"]),
        ("data/b.parquet", b"two"),
    ]
    assert all(path.is_relative_to(tmp_path / "huggingface" / "hub") for _, path in fetched)
    assert lines[0] == "0 of 2 files"
    assert lines[-1] == "2 of 2 files, 300 KB"
    assert not [path for path in hub.paths() if "agent" in path or "README" in path]

    hub.forget_requests()
    assert asked.fetch_dataset(settings, records.main, nobody) == fetched
    assert hub.requests == []


def test_of_a_new_revision_only_the_changed_file_is_fetched_into_the_users_cache(
    hub: LoopbackHub, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "elsewhere"))
    records = hub.add_dataset(settings.dataset, FILES)
    asked.fetch_dataset(settings, records.main, nobody)
    hub.forget_requests()
    sha = records.add_revision({**records.files, "data/b.parquet": b"three", "c.parquet": b"four"})
    fetched = dict(asked.fetch_dataset(settings, sha, nobody))
    assert {name: path.read_bytes() for name, path in fetched.items()} == {
        "a.parquet": FILES["a.parquet"],
        "data/b.parquet": b"three",
        "c.parquet": b"four",
    }
    assert sorted(path.rpartition("/")[2] for path in hub.paths("/content/")) == ["b.parquet", "c.parquet"]
    assert all(path.is_relative_to(tmp_path / "elsewhere") for path in fetched.values())


@pytest.mark.parametrize(
    ("prefix", "fault", "kind", "title"),
    [
        ("/api/datasets/", status(500), HubUnreachableError, "The Hub has a problem of its own"),
        ("/api/datasets/", reset(), HubUnreachableError, "The connection to the Hub broke off"),
        ("/api/datasets/", cut(), HubUnreachableError, "The connection to the Hub broke off"),
        ("/api/datasets/", login_page(), HubUnreachableError, "The answer is not one of the Hub's"),
        ("/datasets/", login_page(), HubUnreachableError, "The answer is not one of the Hub's"),
        ("/datasets/", status(403), HubError, "The Hub does not allow this"),
        ("/content/", status(503), HubUnreachableError, "The Hub has a problem of its own"),
        ("/content/", login_page(), HubError, "The Hub gave no usable answer"),
    ],
)
def test_a_failing_download_ends_at_once_with_the_reason(
    hub: LoopbackHub, settings: Settings, prefix: str, fault: Fault, kind: type[HubError], title: str
) -> None:
    records = hub.add_dataset(settings.dataset, FILES)
    hub.set_fault(prefix, fault)
    started = time.monotonic()
    with pytest.raises(HubError) as caught:
        asked.fetch_dataset(settings, records.main, nobody)
    assert (type(caught.value), caught.value.title) == (kind, title)
    assert settings.dataset in caught.value.detail
    assert time.monotonic() - started < 15
    assert downloads() == []


def test_a_rate_limit_is_told_with_its_end_and_not_waited_for(hub: LoopbackHub, settings: Settings) -> None:
    records = hub.add_dataset(settings.dataset, FILES)
    hub.set_fault("/datasets/", rate_limited(300))
    with pytest.raises(HubRateLimitedError) as caught:
        asked.fetch_dataset(settings, records.main, nobody)
    assert caught.value.until is not None


def test_a_gated_dataset_says_so_and_opens_with_the_token(
    hub: LoopbackHub, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = hub.add_dataset(settings.dataset, FILES, gated=True)
    with pytest.raises(HubGatedError):
        asked.fetch_dataset(settings, records.main, nobody)
    monkeypatch.setenv("HF_TOKEN", GOOD_TOKEN)
    assert len(asked.fetch_dataset(settings, records.main, nobody)) == 2
    assert {sent for path, sent in hub.authorizations if path.startswith("/content/")} == {None}


def test_a_bad_token_does_not_keep_public_files_away(
    hub: LoopbackHub, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = hub.add_dataset(settings.dataset, FILES)
    monkeypatch.setenv("HF_TOKEN", "hf_expired")
    assert len(asked.fetch_dataset(settings, records.main, nobody)) == 2


def test_a_cache_that_cannot_be_written_is_named(
    hub: LoopbackHub, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "file"))
    records = hub.add_dataset(settings.dataset, FILES)
    with pytest.raises(HubError) as caught:
        asked.fetch_dataset(settings, records.main, nobody)
    assert caught.value.title == "The Hugging Face cache cannot be written"
    assert "HF_HOME" in caught.value.remedy


def test_a_file_name_that_leads_out_of_the_cache_is_refused(
    hub: LoopbackHub, settings: Settings, tmp_path: Path
) -> None:
    records = hub.add_dataset(settings.dataset, {"../../../../../../evil.parquet": b"one"})
    with pytest.raises(HubError):
        asked.fetch_dataset(settings, records.main, nobody)
    assert list(tmp_path.rglob("evil.parquet")) == []


def test_a_download_that_brings_nothing_more_is_ended_and_tells_how_far_it_came(
    hub: LoopbackHub, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_download, "STALLED_S", 3.0)
    records = hub.add_dataset(settings.dataset, FILES)
    content = f"/content/datasets/{settings.dataset}/{records.main}/a.parquet"
    hub.set_fault(content, silent())
    with pytest.raises(HubUnreachableError) as caught:
        asked.fetch_dataset(settings, records.main, nobody)
    assert caught.value.title == "Fetching stopped: nothing arrived for 3 s"
    assert "1 of 2 files" in caught.value.detail
    assert downloads() == []


def test_an_abandoned_download_ends_within_a_moment(hub: LoopbackHub, settings: Settings) -> None:
    records = hub.add_dataset(settings.dataset, FILES)
    hub.set_fault("/content/", silent())
    abandoned = threading.Event()
    told: list[float] = []

    def leave(_line: str) -> None:
        told.append(time.monotonic())
        abandoned.set()

    with pytest.raises(HubError) as caught:
        asked.fetch_dataset(settings, records.main, leave, abandoned)
    assert caught.value.title == "Fetching was given up"
    assert time.monotonic() - told[0] < 1
    assert downloads() == []


def test_the_download_ends_when_the_app_is_killed(hub: LoopbackHub, settings: Settings) -> None:
    records = hub.add_dataset(settings.dataset, FILES)
    hub.set_fault("/content/", silent())
    script = f"""
from pathlib import Path
from tui.catalog import hub
from tui.settings import Settings
print("started", flush=True)
hub.fetch_dataset(Settings(cache_dir=Path("x")), "{records.main}", lambda line: print(line, flush=True))
"""
    app = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=dict(os.environ))
    assert app.stdout is not None
    assert [app.stdout.readline().strip() for _ in range(2)] == ["started", "0 of 2 files"]
    children = psutil.Process(app.pid).children()
    assert len(children) == 1
    app.send_signal(signal.SIGKILL)
    app.communicate()
    _, alive = psutil.wait_procs(children, timeout=5)
    assert alive == []


def test_a_file_that_was_damaged_in_the_cache_is_fetched_again(hub: LoopbackHub, settings: Settings) -> None:
    records = hub.add_dataset(settings.dataset, FILES)
    fetched = dict(asked.fetch_dataset(settings, records.main, nobody))
    damaged = fetched["a.parquet"].resolve()
    damaged.write_bytes(b"ona" + FILES["a.parquet"][3:])
    hub.forget_requests()
    again = dict(asked.fetch_dataset(settings, records.main, nobody))
    assert {name: path.read_bytes() for name, path in again.items()} == {
        name: content for name, content in FILES.items() if name.endswith(".parquet")
    }
    assert not [path for path in hub.paths() if "b.parquet" in path]
