"""The header's figures, what colours tell, and every section of the detail, as they read on screen."""

from __future__ import annotations

import io
import json
import threading
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from parquet_builder import DATASET, parquet
from rich.style import Style

from tui.catalog import neff_bucket, rankings

NEWEST = {"neuronx_cc": "2.28.7631.0", "library_version": "5.23.1"}
OLDER = {"neuronx_cc": "2.27.5334.0", "library_version": "5.21.0"}
OLDEST = {"neuronx_cc": "2.26.4100.0", "library_version": "5.18.2"}
LONG_AGO = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)


def cells(reader, line: int) -> list[tuple[str, Style]]:
    """Every letter of a line of the screen with its style."""
    strip = reader.app.screen._compositor.render_strips()[line]
    return [(letter, segment.style or Style()) for segment in strip for letter in segment.text]


def style_of(reader, line: int, words: str) -> Style:
    """The style in which these words stand there."""
    drawn = cells(reader, line)
    at = "".join(letter for letter, _ in drawn).index(words)
    (style,) = {style for letter, style in drawn[at : at + len(words)] if letter != " "}
    return style


def contrast(style: Style) -> float:
    """How far a text is from its background, 0 to 1."""
    colour, ground = style.color.get_truecolor(), style.bgcolor.get_truecolor()
    return sum(abs(one - other) for one, other in zip(colour, ground, strict=True)) / (3 * 255)


def line_with(reader, words: str) -> int:
    """The one line of the screen with these words."""
    (line,) = [number for number, text in enumerate(reader.lines) if words in text]
    return line


def pane(reader) -> str:
    """The text of the detail beside the table, wrapped lines joined."""
    parts = [line.split("│", 1)[1] for line in reader.lines if "│" in line]
    parts += [line.split("┃", 1)[1] for line in reader.lines if "┃" in line]
    return " ".join(" ".join(parts).split())


def header(reader) -> str:
    """The lines above the table."""
    end = next(number for number, line in enumerate(reader.lines) if line.lstrip("# ").startswith("result "))
    return " ".join(" ".join(reader.lines[:end]).split())


def with_columns(content: bytes, **columns: pa.Array) -> bytes:
    """The same file with these columns added, or in place of those it has."""
    table = pq.read_table(io.BytesIO(content))
    for name, values in columns.items():
        if name in table.column_names:
            table = table.set_column(table.column_names.index(name), name, values)
        else:
            table = table.append_column(name, values)
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    return buffer.getvalue()


# The footer


async def test_the_footer_dims_what_does_not_apply_to_the_line(start):
    async with start(160, 40, sample=True, theme="dark") as reader:
        footer = len(reader.lines) - 1
        await reader.press("2")
        for model_id, with_a_record in (("sample/Quartz-8B-Instruct", True), ("sample/Newcomer-3B", False)):
            await reader.rest_on(model_id)
            plain, dimmed = style_of(reader, footer, "search"), style_of(reader, footer, "copy run.py")
            assert (contrast(dimmed) < contrast(plain) - 0.05) is not with_a_record
            assert bool(style_of(reader, footer, "y").bold) is with_a_record
            assert contrast(style_of(reader, footer, "detail")) == contrast(plain)


async def test_the_footer_dims_every_key_of_a_model_where_none_is_listed(start):
    async with start(160, 40, sample=True, theme="dark") as reader:
        footer = len(reader.lines) - 1
        await reader.press("slash", *"zzz", "enter")
        plain = contrast(style_of(reader, footer, "search"))
        for words in ("detail", "copy run.py", "copy cache command", "copy install line"):
            assert contrast(style_of(reader, footer, words)) < plain - 0.05
        for words in ("compiler", "library", "help", "quit"):
            assert contrast(style_of(reader, footer, words)) == plain


# The search


async def test_the_words_of_the_search_stand_out_in_the_ids(start):
    async with start(sample=True, theme="dark") as reader:
        await reader.press("slash", *"STRU", "space", *"sample", "enter")
        rows = [number for number, line in enumerate(reader.lines) if "sample/" in line.split("│")[0]]
        assert len(rows) >= 2
        for row in rows:
            table = cells(reader, row)[: reader.lines[row].index("│")]
            marked = "".join(letter if style.underline and style.bold else " " for letter, style in table)
            assert marked.replace("…", " ").split() == ["sample", "stru"]
        (plain_row, *_) = [row for row in rows if not reader.lines[row].startswith("▌")]
        assert style_of(reader, plain_row, "sample").color != style_of(reader, plain_row, "/").color
        await reader.press("escape")
        assert not any(style.underline for row in rows for _, style in cells(reader, row))


# Rankings


@pytest.fixture
def one_ranking(hub):
    hub.add_model("acme/one", pipeline_tag="text-generation", trendingScore=90, library_name="transformers")
    hub.add_model("acme/two", pipeline_tag="text-generation", trendingScore=80, library_name="transformers")
    return hub.add_dataset(
        DATASET, {"a.parquet": parquet({"model_id": "acme/one", **NEWEST}, {"model_id": "acme/two", **NEWEST})}
    )


async def keep_ranking_of(start, settings, moment: datetime) -> None:
    """Fetch the ranking once, and have it on disk as one of that moment."""
    async with start() as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        await reader.press("2")
        await reader.until(lambda: "ranking of " in header(reader))
    (kept,) = (settings.cache_dir / "rankings").rglob("trending-*.json")
    kept.write_text(json.dumps({**json.loads(kept.read_text().partition("\n")[0]), "fetched_at": moment.isoformat()}))


@pytest.mark.parametrize("minutes", [5, 8])
async def test_the_time_of_a_ranking_is_when_it_was_fetched(start, settings, one_ranking, minutes):
    then = datetime.now(UTC) - timedelta(minutes=minutes)
    await keep_ranking_of(start, settings, then)
    async with start(width=160) as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        await reader.press("2")
        said = header(reader).split("ranking of ")[1].split(" · ")[0]
        assert said.split()[-1] == f"{then.astimezone():%H:%M}"


async def test_an_old_ranking_keeps_its_time_and_is_dimmed_until_the_new_one_is_there(
    start, settings, one_ranking, monkeypatch
):
    await keep_ranking_of(start, settings, LONG_AGO)
    gate, fetch = threading.Event(), rankings.fetch

    def late(*arguments):
        gate.wait(10)
        return fetch(*arguments)

    monkeypatch.setattr(rankings, "fetch", late)
    old = f"ranking of {LONG_AGO.astimezone():%Y-%m-%d %H:%M}"
    try:
        async with start(width=160, theme="dark") as reader:
            await reader.until(lambda: "acme/one" in reader.text)
            pass_colour = style_of(reader, line_with(reader, "  ● PASS          acme/two"), "●").color
            await reader.press("2")
            await reader.until(lambda: old in header(reader) and "refreshing" in header(reader))
            await reader.until(lambda: "● PASS          acme/two" in reader.text)
            row = line_with(reader, "● PASS          acme/two")
            dimmed = {style_of(reader, row, words).color for words in ("●", "PASS", "acme/two")}
            assert len(dimmed) == 1
            assert pass_colour not in dimmed
            gate.set()
            await reader.until(lambda: "refreshing" not in header(reader))
            assert old not in header(reader)
            assert "ranking of " in header(reader)
            assert style_of(reader, row, "●").color == pass_colour
            assert style_of(reader, row, "acme/two").color not in dimmed
    finally:
        gate.set()


# The figures of the header


@pytest.fixture
def mixed(records_of):
    """On the newest stack 2 PASS, 1 FAIL, 1 other word, 1 without a result, 2 left out; 2 models on another."""
    return records_of(
        {"model_id": "acme/good", **NEWEST},
        {"model_id": "acme/good-too", **NEWEST},
        {"model_id": "acme/bad", "result": "fail", **NEWEST},
        {"model_id": "acme/late", "result": "timeout", **NEWEST},
        {"model_id": "acme/blank", "result": None, **NEWEST},
        {"model_id": "acme/out", "result": None, "exclusion": "too large", **NEWEST},
        {"model_id": "acme/out-too", "result": None, "exclusion": "too large", **NEWEST},
        {"model_id": "acme/good", **OLDER},
        {"model_id": "acme/elsewhere", **OLDER},
        {"model_id": "acme/elsewhere-too", "result": "fail", **OLDER},
    )


async def test_the_header_tells_how_many_are_shown_and_the_share_that_passed(start, mixed):
    async with start(200, 40, data=mixed) as reader:
        await reader.until(lambda: " of 7 " in header(reader))
        said = header(reader)
        assert " 4 of 7 " in said
        assert "50 % of 4 tested" in said
        for kind in ("● 2 PASS", "✗ 1 FAIL", "? 1 other", "? 1 no result", "– 2 left out", "(3 hidden, a shows)"):
            assert kind in said
        await reader.press("a")
        assert " 7 of 7 " in header(reader)
        assert "50 % of 4 tested" in header(reader)
        assert "hidden" not in header(reader)
        await reader.press("a", "slash", *"good", "enter")
        assert " 2 of 7 " in header(reader)
        assert "100 % of 2 tested" in header(reader)
        await reader.press("escape", "slash", *"out", "enter")
        assert " 2 of 7 " in header(reader)
        assert "none tested" in header(reader)
        await reader.press("escape", "c", *"2.27", "enter")
        assert " 3 of 3 " in header(reader)
        assert "67 % of 3 tested" in header(reader)


async def test_the_header_of_a_ranking_counts_its_models(start, hub, mixed):
    for place, name in enumerate(("good", "bad", "new", "elsewhere")):
        hub.add_model(f"acme/{name}", pipeline_tag="text-generation", trendingScore=9 - place)
    async with start(200, 40, data=mixed) as reader:
        await reader.until(lambda: "acme/good" in reader.text)
        await reader.press("2")
        await reader.until(lambda: "acme/new" in reader.text and " of 4 " in header(reader))
        assert " 4 of 4 " in header(reader)
        assert "50 % of 2 tested" in header(reader)
        assert "2 without a record" in header(reader)
        assert header(reader).split("ranking of ")[1].split(" · ")[1].startswith("4 ")
        await reader.press("slash", *"new", "enter")
        assert " 1 of 4 " in header(reader)
        assert "none tested" in header(reader)


# The detail


async def test_the_detail_shows_notes_unknown_columns_and_values_that_did_not_fit(start, records_of):
    plain = parquet({"model_id": "acme/one", "notes": "attention kept in float32", **NEWEST})
    content = with_columns(
        plain, hint=pa.array(["warm up twice"]), parts=pa.array([["a", "b"]]), wall_s=pa.array(["about ten minutes"])
    )
    async with start(160, 60, data=records_of(content=content)) as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        await reader.until(lambda: "More columns" in pane(reader))
        assert "Notes attention kept in float32" in pane(reader)
        assert "hint warm up twice" in pane(reader)
        assert 'parts ["a", "b"]' in pane(reader)
        assert "wall_s (does not fit its column) about ten minutes" in pane(reader)
        assert "time «about ten minutes» as recorded" in pane(reader)


async def test_the_detail_lists_the_other_records_newest_first_and_marks_the_one_shown(start, records_of):
    rows = [
        {"model_id": "acme/one", "wall_s": 61, **OLDEST},
        {"model_id": "acme/one", "result": "fail", "tp": 4, "wall_s": 95, **OLDER},
        {"model_id": "acme/one", "tp": 2, "wall_s": 125, **NEWEST},
        {"model_id": "acme/other", **OLDER},
    ]
    async with start(160, 60, data=records_of(*rows)) as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        await reader.until(lambda: "Records of this model" in pane(reader))

        def records() -> list[tuple[bool, list[str]]]:
            lines = [line.split("│", 1)[1] for line in reader.lines if "│" in line]
            found = [line for line in lines if line.strip(" ▌").startswith("2.2") and ("●" in line or "✗" in line)]
            return [("▌" in line, line.strip(" ▌").replace("·", "").split()[:6]) for line in found]

        newest = ["2.28.7631.0", "5.23.1", "●", "PASS", "2", "2m05s"]
        older = ["2.27.5334.0", "5.21.0", "✗", "FAIL", "4", "1m35s"]
        oldest = ["2.26.4100.0", "5.18.2", "●", "PASS", "1", "1m01s"]
        assert records() == [(True, newest), (False, older), (False, oldest)]
        assert "● PASS on 2 cores" in pane(reader)
        await reader.press("right_square_bracket")
        await reader.until(lambda: "✗ FAIL on 4 cores" in pane(reader))
        assert [shown for shown, _ in records()] == [False, True, False]
        await reader.press("left_square_bracket", "left_square_bracket")
        await reader.until(lambda: "● PASS on 1 core," in pane(reader))
        assert [shown for shown, _ in records()] == [False, False, True]


async def test_the_only_record_of_a_model_has_no_list(start, records_of):
    async with start(160, 60, data=records_of({"model_id": "acme/one", **NEWEST})) as reader:
        await reader.until(lambda: "Run it again" in pane(reader))
        assert "Records of this model" not in pane(reader)
        await reader.press("right_square_bracket")
        assert any("no other record of this model" in each for each in reader.said)


async def test_the_detail_tells_the_new_name_of_a_model(start, hub):
    hub.add_dataset(DATASET, {"a.parquet": parquet({"model_id": "oldorg/thing", **NEWEST})})
    hub.add_model("neworg/thing", pipeline_tag="text-generation", library_name="transformers")
    hub.rename_model("oldorg/thing", "neworg/thing")
    async with start(160, 70) as reader:
        await reader.until(lambda: "oldorg/thing" in reader.text)
        assert "renamed" not in reader.text
        await reader.press("enter")
        await reader.until(lambda: "renamed to neworg/thing" in pane(reader))


async def test_a_model_with_its_old_name_is_not_called_renamed(start, hub):
    hub.add_dataset(DATASET, {"a.parquet": parquet({"model_id": "acme/Thing", **NEWEST})})
    hub.add_model("ACME/thing", pipeline_tag="text-generation", library_name="transformers")
    hub.rename_model("acme/Thing", "ACME/thing")
    async with start(160, 70) as reader:
        await reader.until(lambda: "acme/Thing" in reader.text)
        await reader.press("enter")
        await reader.until(lambda: "library transformers" in pane(reader))
        assert "renamed" not in reader.text


@pytest.mark.parametrize("candidate", [False, True])
async def test_the_detail_says_on_which_line_the_bucket_was_found(start, monkeypatch, candidate):
    bucket = neff_bucket.Bucket(
        "hf://buckets/acme/neff", "the dataset card, line 12", "Graphs are in hf://buckets/acme/neff", candidate
    )
    search = neff_bucket.Search(bucket, (), None, "Found.")
    monkeypatch.setattr(neff_bucket, "find", lambda settings, **_: search)
    async with start(160, 60, sample=True) as reader:
        await reader.press("enter")
        await reader.until(lambda: "hf buckets sync hf://buckets/acme/neff" in pane(reader))
        assert "From the dataset card, line 12: Graphs are in hf://buckets/acme/neff." in pane(reader)
        assert ("compiled graphs · candidate, unverified" in pane(reader)) is candidate
