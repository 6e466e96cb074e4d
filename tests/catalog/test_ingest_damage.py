"""Damage in a parquet file is named with the number of its records and hides nothing else."""

import os
import sys
import threading
import time
from pathlib import Path

import pytest
from foreign_files import damage, own_rows, three_groups, write

from tui.catalog import ingest as ingest_module
from tui.catalog.ingest import ingest
from tui.catalog.source_file import from_report
from tui.errors import NoDataError

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="limits of memory: Linux only")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "records"


@pytest.fixture
def misbehave(monkeypatch: pytest.MonkeyPatch):
    """Have the reader do something when it comes to a row group: {number from 0: Python statement}."""

    def install(deeds: dict[int, str]) -> None:
        cases = "".join(f"    if group == {group}: {deed}\n" for group, deed in deeds.items())
        program = (
            "import os, sys, time\n"
            "from tui.catalog import conform\n"
            "read = conform._batches\n"
            f"def batches(file, group):\n{cases}    yield from read(file, group)\n"
            "conform._batches = batches\n"
            "sys.exit(conform.main(sys.argv[1:]))\n"
        )
        monkeypatch.setattr(
            ingest_module, "module_argv", lambda module, *words: [sys.executable, "-c", program, *words]
        )

    return install


@pytest.mark.parametrize("content", [b"PAR1", b"PAR1" + b"\xff" * 100 + b"PAR1"])
def test_a_damaged_footer_is_named(tmp_path: Path, folder: Path, content: bytes):
    (tmp_path / "a").write_bytes(content)
    file = ingest(tmp_path / "a", "stack.parquet", folder)
    assert file.problems == (
        "stack.parquet cannot be read: its footer is damaged; how many records it holds is not known",
    )
    assert (file.own, file.rows, file.lost_rows, file.complete) == (None, 0, None, False)


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"4d7a" * 16 + b"\nsize 12345\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (POINTER, "it is a Git LFS pointer and not the file itself, which `git lfs pull` fetches"),
    ],
)
def test_what_is_no_parquet_file_at_all_is_called_what_it_is(tmp_path: Path, folder: Path, content: bytes, said: str):
    (tmp_path / "a").write_bytes(content)
    for _ in ("read", "known"):
        file = ingest(tmp_path / "a", "stack.parquet", folder)
        assert file.problems == (f"stack.parquet cannot be read: {said}; how many records it holds is not known",)


def test_a_download_that_broke_off_is_named(tmp_path: Path, folder: Path):
    source = three_groups(tmp_path / "a.parquet")
    source.write_bytes(source.read_bytes()[:-50])
    assert ingest(source, "a", folder).lost_rows is None


def test_a_damaged_row_group_is_named_and_the_others_are_kept(tmp_path: Path, folder: Path):
    source = three_groups(tmp_path / "a.parquet")
    damage(source, b"acme/1-4")
    file = ingest(source, "a.parquet", folder)
    (problem,) = file.problems
    assert problem.startswith("a.parquet: 10 records in row group 2 of 3 could not be read: ")
    assert (file.rows, file.lost_rows, file.complete) == (20, 10, False)
    assert [row["model_id"] for row in own_rows(file)] == [
        f"acme/{group}-{row}" for group in (0, 2) for row in range(10)
    ]


def test_a_footer_that_counts_fewer_records_than_there_are_is_not_believed(tmp_path: Path, folder: Path):
    source = write(tmp_path / "a.parquet", {"tp": [1] * 77})
    content = bytearray(source.read_bytes())
    end = content.rindex(b"\x16\x9a\x01")  # 77 as thrift writes it, last in the footer: the count of the row group
    content[end + 1 : end + 3] = b"\x98\x01"
    source.write_bytes(content)
    file = ingest(source, "a", folder)
    assert file.lost_rows is None
    assert "the footer contradicts itself" in file.problems[0]


@pytest.mark.parametrize(
    ("deed", "why"),
    [
        ("os.abort()", "it crashed the reader (SIGABRT)"),
        ("os._exit(7)", "it ended the reader (7)"),
        ("raise ValueError('odd\\npage')", "odd"),
        ("raise MemoryError", "it does not fit into the memory allowed"),
    ],
)
def test_a_row_group_that_kills_the_reader_is_left_out(tmp_path: Path, folder: Path, misbehave, deed: str, why: str):
    misbehave({1: deed})
    file = ingest(three_groups(tmp_path / "a.parquet"), "a", folder)
    assert file.problems == (f"a: 10 records in row group 2 of 3 could not be read: {why}",)
    assert (file.rows, file.lost_rows) == (20, 10)
    assert {row["model_id"][5] for row in own_rows(file)} == {"0", "2"}


def test_a_row_group_that_takes_too_long_is_left_out(
    tmp_path: Path, folder: Path, misbehave, monkeypatch: pytest.MonkeyPatch
):
    misbehave({2: "time.sleep(600)"})
    monkeypatch.setattr(ingest_module, "TIME_LIMIT_S", 3.0)
    file = ingest(three_groups(tmp_path / "a.parquet"), "a", folder)
    assert file.problems == ("a: 10 records in row group 3 of 3 could not be read: reading took longer than 3 s",)


@needs_linux
def test_a_row_group_that_needs_too_much_memory_is_left_out(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(ingest_module, "MEMORY_LIMIT_BYTES", 110 << 20)
    source = write(
        tmp_path / "a.parquet", {"run_py": ["short"]}, {"run_py": ["x" * (32 << 20)]}, {"run_py": ["short too"]}
    )
    file = ingest(source, "a", folder)
    assert file.lost_rows == 1
    assert "1 record in row group 2 of 3 could not be read: it does not fit into" in file.problems[0]
    assert [row["run_py"] for row in own_rows(file)] == ["short", "short too"]


def test_after_too_many_deaths_the_rest_is_named_and_the_beginning_kept(
    tmp_path: Path, folder: Path, misbehave, monkeypatch: pytest.MonkeyPatch
):
    misbehave(dict.fromkeys(range(1, 6), "os.abort()"))
    monkeypatch.setattr(ingest_module, "_TRIES", 2)
    source = write(tmp_path / "a.parquet", *({"tp": [group]} for group in range(9)))
    file = ingest(source, "a", folder)
    assert [row["tp"] for row in own_rows(file)] == [0]
    assert file.lost_rows == 8
    assert file.problems == (
        "a: 1 record in row group 2 of 9 could not be read: it crashed the reader (SIGABRT)",
        "a: 1 record in row group 3 of 9 could not be read: it crashed the reader (SIGABRT)",
        "a: 6 records in row group 4 of 9 and 5 more places could not be read: "
        "too many row groups before it could not be read",
    )


def test_a_death_outside_the_row_groups_is_named_with_all_records(tmp_path: Path, folder: Path, monkeypatch):
    program = "import sys; from tui.catalog import conform; conform._copy = None; conform.main(sys.argv[1:])"
    monkeypatch.setattr(ingest_module, "module_argv", lambda module, *words: [sys.executable, "-c", program, *words])
    file = ingest(three_groups(tmp_path / "a.parquet"), "a", folder)
    assert file.problems == ("a cannot be read: it ended the reader (1); its 30 records are missing",)
    assert (file.own, file.lost_rows) == (None, 30)


def test_a_death_is_believed_for_a_day(tmp_path: Path, folder: Path, misbehave):
    source = three_groups(tmp_path / "a.parquet")
    misbehave({1: "os.abort()"})
    file = ingest(source, "a", folder)
    misbehave({})
    assert ingest(source, "a", folder).rows == 20
    yesterday = time.time() - 90_000
    os.utime(folder / f"{file.sha256}.json", (yesterday, yesterday))
    assert ingest(source, "a", folder).rows == 30


def test_an_own_file_read_again_tells_the_same(tmp_path: Path, folder: Path):
    source = write(
        tmp_path / "a.parquet",
        {"model_id": ["acme/a"], "tp": ["many"], "new": [[1]]},
        {"model_id": ["acme/1", "acme/2", "acme/3"], "tp": ["8"] * 3, "new": [[2]] * 3},
        compression="none",
        use_dictionary=False,
    )
    damage(source, b"acme/2")
    first = ingest(source, "a", folder)
    again = ingest(first.own, "a", folder)
    assert own_rows(again) == own_rows(first)
    assert own_rows(again)[0]["unconverted"] == '{"tp":"many"}'
    assert (again.rows, again.lost_rows, again.problems) == (1, 3, first.problems)
    assert (again.unconverted, again.extra) == (first.unconverted, ("new",))


def test_reading_can_be_abandoned(tmp_path: Path, folder: Path, misbehave):
    misbehave({0: "open(sys.argv[1] + '.reached', 'w'); time.sleep(600)"})
    source = three_groups(tmp_path / "a.parquet")
    abandon = threading.Event()
    errors: list[BaseException] = []

    def read() -> None:
        try:
            ingest(source, "a", folder, abandon=abandon)
        except NoDataError as error:
            errors.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    while not (tmp_path / "a.parquet.reached").exists():
        time.sleep(0.01)
    abandon.set()
    thread.join(timeout=5)
    assert not thread.is_alive()
    assert errors[0].title == "Reading was abandoned"
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(("rows", "said"), [(1, "its 1 record is missing"), (1204, "its 1,204 records are missing")])
def test_lost_records_are_told_in_good_english(tmp_path: Path, rows: int, said: str):
    file = from_report({"unopened": "no", "counts": [rows]}, "a", "0" * 64, tmp_path)
    assert file.problems == (f"a cannot be read: its footer is damaged; {said}",)
