"""Watching a log: what a reader gets, at whatever moment it looks."""

import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tui.rerun import log_segments
from tui.rerun.run_log import LogReader, LogWriter, end_of, whole

GAP = re.compile(rb"--- ([0-9,]+) bytes left out here[^\n]*\n")


def lines(first: int, last: int) -> bytes:
    """Numbered lines of 20 bytes."""
    return b"".join(b"line %014d\n" % number for number in range(first, last))


def all_of(reader: LogReader, at_most: int = 1 << 20) -> bytes:
    parts = []
    while data := reader.read(at_most):
        parts.append(data)
    return b"".join(parts)


def test_a_reader_gets_what_came_since_its_last_look(tmp_path):
    writer, reader = LogWriter(tmp_path, 10_000), LogReader(tmp_path)
    assert reader.read() == b""
    writer.write(b"a")
    assert reader.read() == b"a"
    assert reader.read() == b""
    writer.write(b"bcd\n")
    assert [reader.read(3), reader.read(3), reader.read(3)] == [b"bcd", b"\n", b""]
    writer.close()
    assert reader.read() == b""


def test_a_reader_that_keeps_up_gets_every_byte_once_however_long_the_log(tmp_path):
    writer, reader = LogWriter(tmp_path, 10_000), LogReader(tmp_path)
    got = []
    for number in range(5_000):
        writer.write(lines(number, number + 1))
        if number % 50 == 0:
            got.append(all_of(reader))
    writer.close()
    got.append(all_of(reader))
    assert b"".join(got) == lines(0, 5_000)


@pytest.mark.parametrize("looks_until", [0, 100, 250, 300, 374, 375, 376])
def test_a_reader_goes_on_where_it_was_when_the_log_is_closed(tmp_path, looks_until):
    writer, reader = LogWriter(tmp_path, 10_000), LogReader(tmp_path)
    writer.write(lines(0, looks_until))
    got = all_of(reader, 999)
    writer.write(lines(looks_until, 1_200))
    writer.close()
    got += all_of(reader, 999)
    gaps = [int(text.replace(b",", b"")) for text in GAP.findall(got)]
    assert len(gaps) == 1
    kept = GAP.sub(b"", got)
    assert len(kept) + gaps[0] == len(lines(0, 1_200))
    before = got.index(b"--- ")
    assert kept[:before] == lines(0, before // 20) and before >= 20 * looks_until
    assert kept[before:] == lines(1_200 - (len(kept) - before) // 20, 1_200)


def test_a_reader_that_is_too_slow_is_told_how_much_it_missed(tmp_path):
    writer, reader = LogWriter(tmp_path, 10_000), LogReader(tmp_path)
    writer.write(lines(0, 260) + b"half")
    assert all_of(reader) == lines(0, 260) + b"half"
    writer.write(b" a line\n" + lines(1_000, 1_400))
    got = all_of(reader)
    first, gap, rest = got.partition(b" bytes left out here ---\n")
    assert re.fullmatch(rb"\n--- [0-9,]+", first), "after half a line the gap has a line of its own"
    assert gap and rest == lines(1_400 - len(rest) // 20, 1_400)
    writer.write(b"on\n")
    assert all_of(reader) == b"on\n"


def test_a_reader_at_the_very_moment_of_closing_gets_no_byte_twice(tmp_path, monkeypatch):
    writer, reader = LogWriter(tmp_path, 10_000), LogReader(tmp_path)
    late = LogReader(tmp_path)
    writer.write(lines(0, 375))
    got = all_of(reader)
    unlink = Path.unlink

    def looked_at(path: Path, missing_ok: bool = False) -> None:
        if path.name.startswith("log.tail"):
            # `log` is whole by now and the segments are still there.
            between.append(all_of(reader))
            between_late.append(all_of(late))
        unlink(path, missing_ok=missing_ok)

    between: list[bytes] = []
    between_late: list[bytes] = []
    writer.write(lines(375, 380))
    monkeypatch.setattr(Path, "unlink", looked_at)
    writer.close()
    assert between
    assert got + b"".join(between) + all_of(reader) == lines(0, 380)
    assert b"".join(between_late) + all_of(late) == lines(0, 380)


@pytest.mark.parametrize("looks", [1, 2])
@pytest.mark.parametrize("before", [0, 200, 370, 495])
def test_what_the_writer_does_between_two_looks_of_a_reader_hides_nothing_from_it(tmp_path, monkeypatch, looks, before):
    writer, reader = LogWriter(tmp_path, 10_000), LogReader(tmp_path)
    writer.write(lines(0, before))
    got, seen = all_of(reader), []
    open_segment = log_segments.open_segment

    def slowly(path: Path) -> log_segments.Segment | None:
        seen.append(path.name)
        if len(seen) == looks:
            # Head and first segment come to be, or the segment that is written becomes the old one.
            writer.write(lines(before, max(before + 10, 380)))
        return open_segment(path)

    monkeypatch.setattr(log_segments, "open_segment", slowly)
    got += all_of(reader)
    assert got + all_of(reader) == lines(0, max(before + 10, 380))


def test_readers_at_random_moments_get_the_lines_in_order_and_none_twice(tmp_path):
    chance = random.Random(4711)
    for attempt in range(12):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        writer = LogWriter(folder, chance.choice([1_000, 3_000, 10_000]))
        readers, got = [LogReader(folder) for _ in range(3)], [b"", b"", b""]
        last, number = chance.randrange(0, 900), 0
        while number < last:
            size = min(chance.randrange(1, 60), last - number)
            writer.write(lines(number, number + size))
            number += size
            who = chance.randrange(0, 9)
            if who < 3:
                got[who] += readers[who].read(chance.choice([20, 500, 100_000]))
        writer.close()
        for which, reader in enumerate(readers):
            got[which] += all_of(reader, chance.choice([7, 20, 5_000]))
            left_out = sum(int(text.replace(b",", b"")) for text in GAP.findall(got[which]))
            kept = GAP.sub(b"", got[which])
            assert len(kept) + left_out == 20 * last
            seen = [int(text) for text in re.findall(rb"line ([0-9]{14})\n", kept)]
            assert seen == sorted(set(seen))
            assert 20 * len(seen) == len(kept)
            assert not last or seen[-1] == last - 1


WRITER = """
import sys
from pathlib import Path
from tui.rerun import log_segments
from tui.rerun.run_log import LogWriter
writer = LogWriter(Path(sys.argv[1]), 20_000)
print("up", flush=True)
for number in range(0, 20_001, 3):
    writer.write(b"".join(b"line %014d\\n" % one for one in range(number, number + 3)))
writer.close()
"""


def test_a_reader_beside_a_writer_in_another_process_gets_no_line_twice_or_torn(tmp_path):
    reader, got = LogReader(tmp_path), []
    with subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE) as writer:
        assert writer.stdout.readline() == b"up\n"
        while writer.poll() is None:
            got.append(reader.read())
    got.append(all_of(reader))
    content = b"".join(got)
    left_out = sum(int(text.replace(b",", b"")) for text in GAP.findall(content))
    kept = GAP.sub(b"", content)
    seen = [int(text) for text in re.findall(rb"line ([0-9]{14})\n", kept)]
    assert seen == sorted(set(seen)) and seen[-1] == 20_000
    assert 20 * len(seen) == len(kept) and len(kept) + left_out == 20 * 20_001


def test_a_log_that_was_cut_short_from_outside_is_read_from_its_beginning_and_says_so(tmp_path):
    writer, reader = LogWriter(tmp_path, 10_000), LogReader(tmp_path)
    writer.write(lines(0, 10))
    assert reader.read() == lines(0, 10)
    os.truncate(tmp_path / "log", 0)
    writer.write(b"new\n")
    assert reader.read() == b"--- the log was cut short from outside; from its beginning: ---\nnew\n"
    assert reader.read() == b""


def test_a_folder_that_is_gone_reads_as_nothing(tmp_path):
    reader = LogReader(tmp_path / "gone")
    assert reader.read() == b""
    assert whole(tmp_path / "gone") == b""


def test_what_stands_in_place_of_a_log_and_is_none_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "log")
    assert LogReader(tmp_path).read() == b""
    (tmp_path / "log").unlink()
    (tmp_path / "log").mkdir()
    assert LogReader(tmp_path).read() == b""


def test_a_damaged_segment_is_left_out(tmp_path):
    writer = LogWriter(tmp_path, 10_000)
    writer.write(lines(0, 300))
    (tmp_path / "log.tail").write_bytes(b"\x00" * 500)
    assert whole(tmp_path) == lines(0, 250)


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("written", [0, 100, 260, 1_200])
def test_the_end_of_a_log_is_that_of_the_whole_one(tmp_path, written, closed):
    writer = LogWriter(tmp_path, 10_000)
    writer.write(lines(0, written))
    if closed:
        writer.close()
    everything = whole(tmp_path)
    for at_most in (1, 20, 3_000, 6_000, 1_000_000):
        # What tells of a gap is not counted.
        assert everything.endswith(end_of(tmp_path, at_most)[-at_most:])
        assert len(end_of(tmp_path, at_most)) >= min(at_most, len(everything) - 100)
    assert end_of(tmp_path, 1_000_000) == everything
    assert end_of(tmp_path / "gone", 100) == b""
