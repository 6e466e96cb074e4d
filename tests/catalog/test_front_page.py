"""The first lines as they were last read: shown only while what they were made from is the same."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from dataset_builder import NEWEST, OLDER, LocalDataset, parquet, record, said, write

from tui.catalog import front_page, views
from tui.catalog import snapshot as snapshots
from tui.catalog.question import first_question
from tui.catalog.snapshot import Snapshot
from tui.catalog.verdict import Verdict
from tui.settings import Settings

COLUMNS = ("model_id", "verdict", "tp", "wall_s", "hbm_peak_gb")


def kept(settings: Settings) -> list[Path]:
    return sorted((settings.cache_dir / "pages").glob("*"))


def keep(settings: Settings, snapshot: Snapshot) -> None:
    lines = views.lines_of(snapshot, None, first_question(snapshot.stacks))
    front_page.write(settings, snapshot, lines, COLUMNS, front_page.made_from(settings))


def ids(settings: Settings) -> list[str] | None:
    """The ids of the page that a start would show."""
    page = front_page.read(settings, COLUMNS)
    return None if page is None else [row["model_id"] for row in page.rows.rows(0, 999, COLUMNS)]


@pytest.fixture
def fetched(dataset: LocalDataset, settings: Settings) -> Snapshot:
    """A dataset that was fetched, and its page kept."""
    snapshot = snapshots.refresh(settings, None, said).snapshot
    keep(settings, snapshot)
    return snapshot


Folder = Callable[..., tuple[Settings, Path]]


@pytest.fixture
def of_folder(settings: Settings, tmp_path: Path) -> Folder:
    """`of_folder(a=bytes, b=bytes)`: settings for a folder of files, its page kept."""

    def make(**files: bytes) -> tuple[Settings, Path]:
        folder = write(tmp_path / "data", **files)
        of_this = replace(settings, data=folder)
        keep(of_this, snapshots.open_path(folder, of_this, said))
        return of_this, folder

    return make


def test_the_page_has_what_the_first_frame_shows(fetched: Snapshot, settings: Settings) -> None:
    page = front_page.read(settings, COLUMNS)
    assert page is not None
    assert ids(settings) == ["acme/one", "acme/two"]
    assert (page.source, page.name, page.revision) == ("hub", settings.dataset, fetched.revision)
    assert (page.checked_at, page.newest_test) == (fetched.checked_at, fetched.newest_test)
    assert page.stack.neuronx_cc == NEWEST["neuronx_cc"]
    assert page.stack.library_version == NEWEST["library_version"]
    assert (page.height, page.total, page.tested, page.hidden_left_out) == (2, 2, 2, 0)
    assert page.counts == {**dict.fromkeys(Verdict, 0), Verdict.PASS: 1, Verdict.FAIL: 1}
    assert page.rows.key(0) == "acme/one"
    assert page.rows.place_of("acme/two") == 1


def test_the_page_is_written_once(fetched: Snapshot, settings: Settings) -> None:
    (path,) = kept(settings)
    before = path.stat()
    keep(settings, fetched)
    after = path.stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_a_check_that_found_nothing_new_is_told_by_the_next_page(fetched: Snapshot, settings: Settings) -> None:
    checked = snapshots.refresh(settings, fetched, said).snapshot
    assert ids(settings) is None
    keep(settings, checked)
    page = front_page.read(settings, COLUMNS)
    assert page is not None
    assert page.checked_at == checked.checked_at
    assert len(kept(settings)) == 1


def test_a_page_of_older_records_is_not_shown(fetched: Snapshot, dataset: LocalDataset, settings: Settings) -> None:
    dataset.add_revision({"a.parquet": parquet(record("three"))})
    newer = snapshots.refresh(settings, fetched, said).snapshot
    assert ids(settings) is None
    keep(settings, newer)
    assert ids(settings) == ["acme/three"]


def test_another_dataset_or_revision_has_its_own_page(fetched: Snapshot, settings: Settings) -> None:
    assert ids(replace(settings, dataset="acme/others")) is None
    assert ids(replace(settings, revision="v2")) is None
    assert ids(replace(settings, data=Path("/nowhere"))) is None
    assert ids(settings) is not None


def test_another_hub_has_its_own_page(fetched: Snapshot, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "https://hub.acme.example")
    assert ids(settings) is None


def test_the_sample_has_no_page(settings: Settings) -> None:
    sample = snapshots.open_sample()
    keep(replace(settings, sample=True), sample)
    keep(settings, sample)
    assert kept(settings) == []
    assert ids(replace(settings, sample=True)) is None


def test_the_sample_in_place_of_a_dataset_leaves_its_page_alone(fetched: Snapshot, settings: Settings) -> None:
    keep(settings, snapshots.open_sample())
    assert ids(settings) == ["acme/one", "acme/two"]


def test_records_that_name_no_stack_have_a_page(of_folder: Folder) -> None:
    settings, _ = of_folder(a=parquet({"model_id": "acme/one", "result": "pass"}))
    page = front_page.read(settings, COLUMNS)
    assert page is not None
    assert page.stack.neuronx_cc is None
    assert ids(settings) == ["acme/one"]


def test_a_page_made_while_the_source_changed_is_not_kept(
    fetched: Snapshot, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path,) = kept(settings)
    path.unlink()
    real = views.select

    def slow(*arguments: Any, **options: Any) -> Any:
        snapshots.refresh(settings, fetched, said)
        return real(*arguments, **options)

    monkeypatch.setattr(views, "select", slow)
    keep(settings, fetched)
    assert kept(settings) == []


# --data


def test_a_folder_has_a_page_while_its_files_are_the_same(of_folder: Folder) -> None:
    settings, folder = of_folder(a=parquet(record("one")), b=parquet(record("two", "fail")))
    assert ids(settings) == ["acme/one", "acme/two"]
    page = front_page.read(settings, COLUMNS)
    assert page is not None
    assert (page.source, page.name, page.revision) == ("data", str(folder), None)
    write(folder, c=parquet(record("three")))
    assert ids(settings) is None


def test_a_single_file_has_a_page(settings: Settings, tmp_path: Path) -> None:
    file = write(tmp_path / "data", a=parquet(record("one"))) / "a.parquet"
    of_file = replace(settings, data=file)
    keep(of_file, snapshots.open_path(file, of_file, said))
    assert ids(of_file) == ["acme/one"]
    assert ids(replace(settings, data=file.parent)) is None


def _touched(file: Path) -> None:
    os.utime(file, ns=(1, 1))


def _replaced(file: Path) -> None:
    status = file.stat()
    other = file.with_suffix(".new")
    other.write_bytes(file.read_bytes())
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    other.replace(file)


def _longer(file: Path) -> None:
    status = file.stat()
    with file.open("ab") as end:
        end.write(b"x")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def _renamed(file: Path) -> None:
    file.rename(file.with_name("other.parquet"))


def _a_folder_now(file: Path) -> None:
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize("change", [_touched, _replaced, _longer, _renamed, Path.unlink, _a_folder_now])
def test_a_file_that_is_another_now_makes_the_page_void(of_folder: Folder, change: Callable[[Path], object]) -> None:
    settings, folder = of_folder(a=parquet(record("one")), b=parquet(record("two")))
    assert ids(settings) is not None
    change(folder / "a.parquet")
    assert ids(settings) is None


def test_a_folder_that_is_gone_has_no_page(of_folder: Folder) -> None:
    settings, folder = of_folder(a=parquet(record("one")))
    folder.rename(folder.with_name("elsewhere"))
    assert ids(settings) is None


def test_a_folder_with_very_many_files_has_no_page(of_folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front_page, "_MOST_FILES", 1)
    settings, _ = of_folder(a=parquet(record("one")), b=parquet(record("two")))
    assert kept(settings) == []


# What stands in it


def test_of_a_long_list_only_the_first_lines_are_kept_and_its_length(of_folder: Folder) -> None:
    settings, _ = of_folder(a=parquet(*(record(f"m{number:04}") for number in range(450))))
    page = front_page.read(settings, COLUMNS)
    assert page is not None
    assert (page.height, page.total, len(page.rows.rows(0, 450, COLUMNS))) == (450, 450, front_page.FIRST_LINES)
    assert page.rows.key(front_page.FIRST_LINES) is None
    assert page.rows.place_of("acme/m0449") is None


def test_figures_that_are_no_numbers_stay_what_they_are(of_folder: Folder) -> None:
    settings, _ = of_folder(
        a=parquet(
            record("1nan", hbm_peak_gb=math.nan),
            record("2inf", hbm_peak_gb=math.inf),
            record("3null", hbm_peak_gb=None),
            record("4zero", hbm_peak_gb=0.0),
        )
    )
    page = front_page.read(settings, COLUMNS)
    assert page is not None
    figures = [row["hbm_peak_gb"] for row in page.rows.rows(0, 4, COLUMNS)]
    assert math.isnan(figures[0])
    assert figures[1:] == [math.inf, None, 0.0]


ODD = ["acme/[bold]x[/]", "acme/\x1b[2J", "acme/漢字", "acme/\u202eabc", 'acme/"quoted\\', "acme/a\nb", " ", ""]


def test_ids_with_odd_text_are_kept_letter_for_letter(of_folder: Folder) -> None:
    settings, folder = of_folder(a=parquet(*({**record("x"), "model_id": odd} for odd in ODD)))
    snapshot = snapshots.open_path(folder, settings, said)
    lines = views.lines_of(snapshot, None, first_question(snapshot.stacks))
    shown = views.select(snapshot, None, first_question(snapshot.stacks), lines).rows.rows(0, 99, COLUMNS)
    assert ids(settings) == [row["model_id"] for row in shown]
    assert {"acme/[bold]x[/]", "acme/\x1b[2J", "acme/漢字"} <= set(ids(settings) or ())


def test_the_stack_of_the_page_is_the_newest(of_folder: Folder) -> None:
    settings, _ = of_folder(a=parquet(record("old", **OLDER)), b=parquet(record("new", **NEWEST)))
    assert ids(settings) == ["acme/new"]


# Damage


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[: len(text) // 2],
        lambda text: "[]",
        lambda text: "null",
        lambda text: "[" * 100_000,
        lambda text: json.dumps({**json.loads(text), "counts": {"WHAT": 1}}),
        lambda text: json.dumps({**json.loads(text), "checked_at": "yesterday"}),
        lambda text: json.dumps({**json.loads(text), "lines": [["acme/one"]]}),
        lambda text: json.dumps({**json.loads(text), "stack": ["2.28"]}),
        lambda text: json.dumps({**json.loads(text), "height": "many"}),
        lambda text: json.dumps({**json.loads(text), "format": 0}),
        lambda text: json.dumps({key: value for key, value in json.loads(text).items() if key != "total"}),
    ],
)
def test_a_damaged_page_is_none_and_is_written_anew(
    fetched: Snapshot, settings: Settings, damage: Callable[[str], str]
) -> None:
    (path,) = kept(settings)
    path.write_text(damage(path.read_text().partition("\n")[0]))
    assert front_page.read(settings, COLUMNS) is None
    keep(settings, fetched)
    assert ids(settings) == ["acme/one", "acme/two"]


def test_bytes_that_are_no_text_are_no_page(fetched: Snapshot, settings: Settings) -> None:
    (path,) = kept(settings)
    path.write_bytes(b"\xff\xfe\x00")
    assert ids(settings) is None


def test_a_page_with_other_columns_is_not_shown_and_is_written_anew(fetched: Snapshot, settings: Settings) -> None:
    more = (*COLUMNS, "note")
    assert front_page.read(settings, more) is None
    front_page.write(
        settings,
        fetched,
        views.lines_of(fetched, None, first_question(fetched.stacks)),
        more,
        front_page.made_from(settings),
    )
    page = front_page.read(settings, more)
    assert page is not None
    assert page.rows.rows(0, 1, more)[0].keys() == {"key", *more}


def test_a_cache_folder_that_cannot_be_written_is_no_error(
    dataset: LocalDataset, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = snapshots.refresh(settings, None, said).snapshot
    (settings.cache_dir / "pages").write_text("in the way")
    keep(settings, snapshot)
    assert ids(settings) is None
