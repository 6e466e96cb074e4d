"""The log on disk: what is kept of it, also where it cannot be written."""

import os
import re
import resource
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tui.rerun import log_segments
from tui.rerun.run_log import LogReader, LogWriter, whole

GAP = re.compile(rb"--- ([0-9,]+) bytes left out here[^\n]*\n")


def lines(first: int, last: int) -> bytes:
    """Numbered lines of 20 bytes."""
    return b"".join(b"line %014d\n" % number for number in range(first, last))


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_log_below_its_limit_is_one_file_with_all_bytes(tmp_path):
    writer = LogWriter(tmp_path, 10_000)
    writer.write(b"\xff\x00 no text\r")
    writer.write(b"100%\n")
    assert whole(tmp_path) == b"\xff\x00 no text\r100%\n"
    writer.close()
    assert files(tmp_path) == ["log"]
    assert (tmp_path / "log").read_bytes() == b"\xff\x00 no text\r100%\n"
    assert stat.S_IMODE((tmp_path / "log").stat().st_mode) == 0o600
    assert (writer.total_bytes, writer.dropped_bytes, writer.trouble) == (16, 0, "")


def test_without_a_byte_there_is_no_log_and_nothing_is_read(tmp_path):
    LogWriter(tmp_path, 10_000).close()
    assert files(tmp_path) == []
    assert whole(tmp_path) == b""
    assert LogReader(tmp_path).read() == b""


def test_a_log_just_above_half_of_its_limit_loses_nothing(tmp_path):
    writer = LogWriter(tmp_path, 10_000)
    writer.write(lines(0, 370))
    assert files(tmp_path) == ["log", "log.tail"]
    assert whole(tmp_path) == lines(0, 370)
    writer.close()
    assert files(tmp_path) == ["log"]
    assert (tmp_path / "log").read_bytes() == lines(0, 370)
    assert writer.dropped_bytes == 0


def test_a_long_log_keeps_whole_lines_of_its_beginning_and_its_end_and_says_what_is_missing(tmp_path):
    writer = LogWriter(tmp_path, 10_000)
    for first in range(0, 5_000, 7):
        writer.write(lines(first, min(first + 7, 5_000)))
        assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 10_000 + 2 * 100
    writer.close()
    assert files(tmp_path) == ["log"]
    content = (tmp_path / "log").read_bytes()
    head, line, tail = content.partition(b"--- 90,000 bytes left out here: the log keeps 10 KB ---\n")
    assert line
    assert head == lines(0, 250)
    assert tail == lines(4_750, 5_000)
    assert (writer.total_bytes, writer.dropped_bytes) == (100_000, 90_000)
    assert whole(tmp_path) == content


def test_one_write_larger_than_the_limit_keeps_head_and_tail(tmp_path):
    writer = LogWriter(tmp_path, 10_000)
    writer.write(lines(0, 5_000))
    writer.close()
    content = (tmp_path / "log").read_bytes()
    assert content.startswith(lines(0, 250) + b"--- ") and content.endswith(lines(4_900, 5_000))
    assert len(content) < 10_100


def test_a_line_that_has_no_end_is_cut_and_the_gap_has_a_line_of_its_own(tmp_path):
    writer = LogWriter(tmp_path, 2_000)
    for _ in range(100):
        writer.write(b"." * 999)
    writer.close()
    content = (tmp_path / "log").read_bytes()
    head, tail = re.split(rb"\n--- [0-9,]+ bytes left out here: the log keeps 2 KB ---\n", content)
    assert head == b"." * 1_000
    assert set(tail) == {ord(".")} and 500 <= len(tail) <= 1_000
    assert writer.dropped_bytes == 99_900 - len(head) - len(tail)


def test_a_limit_of_nothing_keeps_a_little(tmp_path):
    writer = LogWriter(tmp_path, 0)
    writer.write(lines(0, 1_000))
    writer.close()
    assert 500 < len(whole(tmp_path)) < 1_100


def test_a_log_whose_writer_was_killed_can_be_read_whole(tmp_path):
    writer = LogWriter(tmp_path, 10_000)
    writer.write(lines(0, 5_000))
    content = whole(tmp_path)
    assert content.startswith(lines(0, 250) + b"--- ") and content.endswith(lines(4_900, 5_000))
    assert len(GAP.findall(content)) == 1


def test_nothing_is_written_through_a_link(tmp_path):
    (tmp_path / "precious").write_bytes(b"mine")
    (tmp_path / "run").mkdir()
    (tmp_path / "run/log").symlink_to(tmp_path / "precious")
    writer = LogWriter(tmp_path / "run", 10_000)
    writer.write(b"theirs\n")
    assert writer.trouble.startswith("the log cannot be written: ")
    writer.close()
    assert (tmp_path / "precious").read_bytes() == b"mine"
    assert whole(tmp_path / "run") == b""


# Where it cannot be written


def test_a_removed_folder_stops_the_log_and_not_the_run_and_does_not_come_back(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    writer = LogWriter(folder, 1_000, retry_s=0)
    writer.write(lines(0, 100))
    shutil.rmtree(folder)
    writer.write(b"lost\n")
    assert writer.trouble == "the log cannot be written: No such file or directory"
    assert writer.total_bytes == 2_005
    writer.close()
    writer.write(b"too late\n")
    assert not folder.exists()
    assert writer.dropped_bytes >= 5


def test_a_removed_log_is_begun_anew_and_says_so(tmp_path):
    writer = LogWriter(tmp_path, 10_000, retry_s=0)
    writer.write(lines(0, 10))
    (tmp_path / "log").unlink()
    writer.write(b"goes on\n")
    assert whole(tmp_path) == b"--- 200 bytes could not be written here: it was removed ---\ngoes on\n"
    assert (writer.total_bytes, writer.dropped_bytes, writer.trouble) == (208, 200, "")


class Disk:
    """A disk with so many bytes left, for `os.write` in the log's writer."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, left: int) -> None:
        self.left = left
        write = os.write

        def limited(file: int, data: bytes) -> int:
            if self.left <= 0:
                raise OSError(28, "No space left on device")
            written = write(file, data[: self.left])
            self.left -= written
            return written

        monkeypatch.setattr("tui.rerun.run_log.os.write", limited)


def test_a_full_disk_drops_and_counts_and_the_log_goes_on_when_there_is_room(tmp_path, monkeypatch):
    disk = Disk(monkeypatch, 45)
    writer = LogWriter(tmp_path, 10_000, retry_s=0)
    writer.write(lines(0, 3))
    assert writer.trouble == "the log cannot be written: No space left on device"
    assert (writer.total_bytes, writer.dropped_bytes) == (60, 15)
    writer.write(lines(3, 4))
    assert writer.dropped_bytes == 35
    disk.left = 1_000
    writer.write(lines(4, 5))
    assert (writer.total_bytes, writer.dropped_bytes, writer.trouble) == (100, 35, "")
    told = b"\n--- 35 bytes could not be written here: No space left on device ---\n"
    assert whole(tmp_path) == lines(0, 3)[:45] + told + lines(4, 5)


def test_a_full_disk_is_not_asked_again_with_every_write(tmp_path, monkeypatch):
    disk = Disk(monkeypatch, 0)
    writer = LogWriter(tmp_path, 10_000, retry_s=3_600)
    writer.write(b"a\n")
    disk.left = 1_000
    writer.write(b"b\n")
    assert writer.trouble and writer.dropped_bytes == 4
    writer.close()
    assert whole(tmp_path) == b"--- 4 bytes could not be written here: No space left on device ---\n"


def test_a_disk_that_is_full_when_a_segment_begins_loses_no_segment_before_it(tmp_path, monkeypatch):
    disk = Disk(monkeypatch, 1_000_000)
    writer = LogWriter(tmp_path, 10_000, retry_s=0)
    writer.write(lines(0, 375))
    disk.left = 30  # not enough for the line that a segment begins with
    writer.write(lines(375, 380))
    assert writer.trouble
    disk.left = 1_000_000
    writer.write(lines(380, 381))
    assert (writer.dropped_bytes, writer.trouble) == (100, "")
    content = whole(tmp_path)
    told = b"--- 100 bytes could not be written here: No space left on device ---\n"
    assert content == lines(0, 375) + told + lines(380, 381)
    writer.close()
    assert (tmp_path / "log").read_bytes() == content


def test_without_room_to_join_them_head_and_tail_stay_and_are_read_as_one(tmp_path, monkeypatch):
    writer = LogWriter(tmp_path, 10_000)
    writer.write(lines(0, 5_000))
    before = whole(tmp_path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(log_segments.shutil, "copyfileobj", full)
    writer.close()
    assert writer.trouble == "the log cannot be written: No space left on device"
    assert files(tmp_path) == ["log", "log.tail", "log.tail.old"]
    assert whole(tmp_path) == before


LIMITED = """
import resource, signal, sys
from pathlib import Path
from tui.rerun.run_log import LogWriter
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000))
writer = LogWriter(Path(sys.argv[1]), 1_000_000)
for _ in range(100):
    writer.write(b"." * 99 + b"\\n")
writer.close()
print(writer.total_bytes, writer.dropped_bytes, writer.trouble)
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="no such limit here")
def test_a_file_that_the_system_does_not_let_grow_stops_the_log_and_not_the_program(tmp_path):
    done = subprocess.run([sys.executable, "-c", LIMITED, str(tmp_path)], capture_output=True, text=True)
    assert done.stdout == "10000 9000 the log cannot be written: File too large\n", done.stderr
    assert (tmp_path / "log").stat().st_size == 1_000
