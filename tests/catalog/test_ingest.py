"""Foreign parquet files become the app's own files, once."""

import json
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from foreign_files import own_rows, three_groups, write

from tui.catalog import ingest as ingest_module
from tui.catalog.ingest import ingest, ingest_all
from tui.catalog.json_files import decoded
from tui.catalog.schema import COLUMN_NAMES
from tui.catalog.source_file import SourceFile, from_json, to_json
from tui.errors import NoDataError, UnreadableFileError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "records"


def no_child(*argv, **options):
    pytest.fail("a child was started")


def test_a_file_with_missing_and_extra_columns_is_read_with_nulls_and_extras(tmp_path: Path, folder: Path):
    source = write(tmp_path / "a.parquet", {"model_id": ["acme/a"], "tp": [" 8 "], "power": [{"watt": 500}]})
    file = ingest(source, "stack \x1b[2J/a.parquet", folder)
    (row,) = own_rows(file)
    assert (row["model_id"], row["tp"], row["exclusion"], row["tested_at"]) == ("acme/a", 8, None, None)
    assert row["extra"] == '{"power":{"watt":500}}'
    assert row["unconverted"] is None
    assert file.name == "stack \x1b[2J/a.parquet"
    assert (file.rows, file.lost_rows, file.problems, file.complete) == (1, 0, (), True)
    assert file.missing == tuple(name for name in COLUMN_NAMES if name not in ("model_id", "tp"))
    assert file.extra == ("power",)
    assert file.own == folder / f"{file.sha256}.parquet"


def test_values_that_do_not_fit_are_kept_as_text_and_counted(tmp_path: Path, folder: Path):
    source = write(
        tmp_path / "a.parquet", {"tp": ["8", "many", ""], "tested_at": [1, 2, None], "hbm_peak_gb": ["None", "1", "2"]}
    )
    file = ingest(source, "a", folder)
    assert file.unconverted == {"tp": 2, "tested_at": 2, "hbm_peak_gb": 1}
    assert [json.loads(row["unconverted"] or "null") for row in own_rows(file)] == [
        {"hbm_peak_gb": "None", "tested_at": "1"},
        {"tp": "many", "tested_at": "2"},
        {"tp": ""},
    ]


@pytest.mark.parametrize(
    "table",
    [
        pa.table({}),
        pa.table({"model_id": pa.array([], pa.string())}),
        pa.table({"model_id": pa.array([], pa.string()), "new": pa.array([], pa.list_(pa.int8()))}),
    ],
)
def test_a_file_without_records_is_fine(tmp_path: Path, folder: Path, table: pa.Table):
    source = tmp_path / "a.parquet"
    pq.write_table(table, source)
    file = ingest(source, "a", folder)
    assert (file.rows, file.lost_rows, file.problems) == (0, 0, ())
    assert own_rows(file) == []
    assert file.extra == tuple(name for name in table.schema.names if name == "new")


def test_a_file_without_row_groups_is_fine(tmp_path: Path, folder: Path):
    with pq.ParquetWriter(tmp_path / "a.parquet", pa.schema([("model_id", pa.string())])):
        pass
    assert ingest(tmp_path / "a.parquet", "a", folder).complete


def test_two_columns_of_one_name_are_both_kept(tmp_path: Path, folder: Path):
    table = pa.Table.from_arrays([pa.array(["pass"]), pa.array(["fail"])], names=["result", "result"])
    pq.write_table(table, tmp_path / "a.parquet")
    file = ingest(tmp_path / "a.parquet", "a", folder)
    (row,) = own_rows(file)
    assert (row["result"], row["extra"]) == ("pass", '{"result (2)":"fail"}')


def test_text_that_is_not_utf8_is_readable_and_counted(tmp_path: Path, folder: Path):
    texts = pa.array([b"caf\xe9", b"fine"]).view(pa.string())
    pq.write_table(pa.table({"result": texts, "new": texts}), tmp_path / "a.parquet")
    file = ingest(tmp_path / "a.parquet", "a", folder)
    first, second = own_rows(file)
    assert (first["result"], first["extra"], first["unconverted"]) == (
        "caf\\xe9",
        '{"new":"caf\\\\xe9"}',
        '{"result":"caf\\\\xe9"}',
    )
    assert (second["result"], second["unconverted"]) == ("fine", None)
    assert file.unconverted == {"result": 1}


def test_a_file_is_read_once_whatever_it_is_called(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch):
    first = ingest(three_groups(tmp_path / "a.parquet"), "a", folder)
    monkeypatch.setattr(ingest_module, "run_bounded", no_child)
    again = ingest((tmp_path / "a.parquet").rename(tmp_path / "b.parquet"), "b", folder)
    assert again.name == "b"
    assert (again.own, again.sha256, again.rows) == (first.own, first.sha256, 30)


def test_damage_is_read_once_too_and_named_by_the_newest_name(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "a").write_bytes(b"PAR1 nothing of the kind PAR1")
    ingest(tmp_path / "a", "old name", folder)
    monkeypatch.setattr(ingest_module, "run_bounded", no_child)
    assert ingest(tmp_path / "a", "new name", folder).problems[0].startswith("new name cannot be read")


@pytest.mark.parametrize("harm", ["own file cut", "own file gone", "report cut", "report of another format"])
def test_an_own_file_that_cannot_be_right_is_made_anew(tmp_path: Path, folder: Path, harm: str):
    source = three_groups(tmp_path / "a.parquet")
    file = ingest(source, "a", folder)
    report = folder / f"{file.sha256}.json"
    match harm:
        case "own file cut":
            file.own.write_bytes(file.own.read_bytes()[:-9])
        case "own file gone":
            file.own.unlink()
        case "report cut":
            report.write_text(report.read_text()[:40])
        case _:
            report.write_text(json.dumps(decoded(report.read_bytes()) | {"format": -1, "rows": 99}))
    assert ingest(source, "a", folder) == file
    assert len(own_rows(file)) == 30


@pytest.mark.parametrize("kind", ["missing", "folder", "pipe", "name with a zero"])
def test_a_source_without_bytes_is_told(tmp_path: Path, folder: Path, kind: str):
    source = tmp_path / "a.parquet"
    match kind:
        case "folder":
            source.mkdir()
        case "pipe":
            os.mkfifo(source)
        case "name with a zero":
            source = Path("a\0b")
    with pytest.raises(UnreadableFileError, match=r"a\.parquet cannot be read") as caught:
        ingest(source, "a.parquet", folder)
    assert caught.value.remedy
    assert str(source) in caught.value.detail


def test_a_source_without_permission_is_told(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch):
    source = three_groups(tmp_path / "a.parquet")
    source.chmod(0)
    if os.access(source, os.R_OK):  # root may read everything
        real_open = Path.open

        def refusing(path: Path, *args, **options):
            if path == source:
                raise PermissionError(13, "Permission denied")
            return real_open(path, *args, **options)

        monkeypatch.setattr(Path, "open", refusing)
    with pytest.raises(UnreadableFileError, match="Permission denied"):
        ingest(source, "a", folder)


def test_a_source_that_changes_meanwhile_is_not_kept(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch):
    source = three_groups(tmp_path / "a.parquet")
    real = ingest_module.run_bounded

    def run(*argv, **options):
        finished = real(*argv, **options)
        with source.open("ab") as file:
            file.write(b"more")
        return finished

    monkeypatch.setattr(ingest_module, "run_bounded", run)
    with pytest.raises(UnreadableFileError, match="changed meanwhile"):
        ingest(source, "a", folder)
    assert list(folder.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path):
    (tmp_path / "file").touch()
    with pytest.raises(NoDataError, match="Records cannot be kept") as caught:
        ingest(three_groups(tmp_path / "a.parquet"), "a", tmp_path / "file" / "records")
    assert "TRN_MODELS_CACHE_DIR" in caught.value.remedy


def test_a_full_disk_is_told_and_leaves_nothing_behind(tmp_path: Path, folder: Path):
    """The limit of a file's size stands for the full disk: both are an error of writing.

    Under it Python would write the first bytes of its own compiled modules, and not notice.
    """
    source = write(tmp_path / "a.parquet", {"run_py": [os.urandom(50_000).hex()]})
    program = (
        "import pathlib, resource, sys\n"
        "from tui.catalog.ingest import ingest\n"
        "from tui.errors import NoDataError\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (8_192, 8_192))\n"
        "try: ingest(pathlib.Path(sys.argv[1]), 'a', pathlib.Path(sys.argv[2]))\n"
        "except NoDataError as error: print(error)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, source, folder], capture_output=True, text=True, timeout=60,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert "Records cannot be kept" in ran.stdout
    assert "File too large" in ran.stdout
    assert list(folder.iterdir()) == []


def test_a_reader_that_does_not_start_is_told(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch):
    broken = [sys.executable, "-c", "raise ImportError('libarrow is missing')"]
    monkeypatch.setattr(ingest_module, "module_argv", lambda *words: broken)
    with pytest.raises(NoDataError, match="libarrow is missing"):
        ingest(three_groups(tmp_path / "a.parquet"), "a", folder)
    assert list(folder.iterdir()) == []


def test_several_apps_may_read_one_file_at_once(tmp_path: Path, folder: Path):
    source = three_groups(tmp_path / "a.parquet")
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        files = pool.starmap(ingest, [(source, "a", folder)] * 3)
    assert files[0] == files[1] == files[2]
    assert len(own_rows(files[0])) == 30
    assert sorted(path.suffix for path in folder.iterdir()) == [".json", ".parquet"]


def test_many_files_keep_their_order_and_one_bad_file_harms_no_other(tmp_path: Path, folder: Path):
    sources = [(f"{index}", write(tmp_path / f"{index}", {"tp": [index]})) for index in range(4)]
    sources[1][1].write_bytes(b"PAR1")
    sources[2][1].unlink()
    steps: list[tuple[int, int]] = []
    files = ingest_all(sources, folder, lambda done, of: steps.append((done, of)))
    assert [file.name for file in files] == ["0", "1", "2", "3"]
    assert [file.rows for file in files] == [1, 0, 0, 1]
    assert [file.lost_rows for file in files] == [0, None, None, 0]
    assert "its footer is damaged" in files[1].problems[0]
    assert files[2].problems[0].startswith("2 cannot be read: ")
    assert files[2].problems[0].endswith("No such file or directory; how many records it holds is not known")
    assert steps == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_of_no_files_there_is_nothing_to_read(folder: Path):
    assert ingest_all([], folder) == []


def test_a_fault_of_the_folder_ends_the_reading_of_many_files(tmp_path: Path):
    sources = [(f"{index}", write(tmp_path / f"{index}", {"tp": [index]})) for index in range(3)]
    with pytest.raises(NoDataError, match="Records cannot be kept"):
        ingest_all(sources, sources[0][1])


def test_what_a_killed_app_left_behind_is_removed_after_a_day(tmp_path: Path, folder: Path):
    folder.mkdir()
    old, new = folder / "0.1-ab.part", folder / "0.2-cd.part"
    for part in (old, new):
        part.touch()
    os.utime(old, (0, 0))
    ingest_all([("a", three_groups(tmp_path / "a"))], folder)
    assert not old.exists()
    assert new.exists()


def test_a_source_file_goes_through_json(tmp_path: Path):
    file = SourceFile("a", tmp_path / "b", "c" * 64, 3, None, ("p",), {"tp": 2}, ("exclusion",), ("new",))
    assert from_json(json.loads(json.dumps(to_json(file)))) == file
    unread = SourceFile("a", None, "", 0, 4)
    assert from_json(json.loads(json.dumps(to_json(unread)))) == unread
    with pytest.raises(KeyError):
        from_json({})


def test_the_parent_needs_neither_polars_nor_pyarrow():
    program = "import sys, tui.catalog.ingest; sys.exit(bool({'polars', 'pyarrow', 'textual'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", program], timeout=30).returncode == 0
