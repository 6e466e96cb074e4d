"""Small files that are never trusted."""

from __future__ import annotations

import logging
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tui.catalog.json_files import moment, read_kept, write_json


def whole(value: Any) -> Any:
    return value


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "kept.json"
    write_json(path, {"é": [1, None]})
    assert read_kept(path, whole) == {"é": [1, None]}
    umask = os.umask(0)
    os.umask(umask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~umask
    assert list(path.parent.iterdir()) == [path]


def test_what_cannot_be_written_is_logged_and_leaves_what_was_there(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "kept.json"
    write_json(path, "good")
    write_json(path / "below.json", 1)
    assert read_kept(path, whole) == "good"
    assert len(caplog.records) == 1
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_not_there_is_nothing_to_tell_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert read_kept(tmp_path / "kept.json", whole) is None
    assert caplog.records == []


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff", b"[" * 200_000, b"null", b"[]", b"{}", b'{"at": 5}', b'{"at": "2026-11-30T10:00:00"}'],
    ids=["empty", "cut off", "no text", "nested", "null", "a list", "no key", "a number", "no zone"],
)
def test_what_is_not_as_expected_is_logged_and_not_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, content: bytes
) -> None:
    path = tmp_path / "kept.json"
    path.write_bytes(content)
    assert read_kept(path, lambda value: moment(value["at"])) is None
    assert [(record.levelno, path.name in record.getMessage()) for record in caplog.records] == [
        (logging.WARNING, True)
    ]


def test_a_file_that_cannot_be_read_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert read_kept(tmp_path, whole) is None
    assert "cannot be read" in caplog.text


def test_a_moment_is_utc_and_says_its_zone() -> None:
    assert moment("2026-11-30T12:00:00+02:00") == datetime(2026, 11, 30, 10, tzinfo=UTC)
    assert moment("2026-11-30T12:00:00+02:00").tzinfo is UTC
    for text in ("2026-11-30T12:00:00", "2026-11-30", "yesterday"):
        with pytest.raises(ValueError):
            moment(text)


def test_a_file_with_one_bit_turned_over_or_its_end_gone_is_not_used(tmp_path: Path) -> None:
    path, value = tmp_path / "kept.json", {"result": "fail", "rows": [30, 1.5, None], "at": "2026-11-30T10:00:00Z"}
    write_json(path, value)
    good = path.read_bytes()
    for place in range(len(good)):
        for bit in range(8):
            path.write_bytes(good[:place] + bytes([good[place] ^ 1 << bit]) + good[place + 1 :])
            assert read_kept(path, whole) is None, (place, bit)
    whole_value = good.index(b"\n")
    for length in range(1, len(good)):
        path.write_bytes(good[:length])
        expected = value if length in (whole_value, whole_value + 1) else None
        assert read_kept(path, whole) == expected, length


def test_json_by_hand_or_of_an_earlier_version_has_no_digest_and_is_read(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    path.write_text('{\n "sha256": "1f",\n "sizes": [1,\n2]}\n')
    assert read_kept(path, whole) == {"sha256": "1f", "sizes": [1, 2]}
