"""What a person reads after typing a search with terms, on records that tell each term apart."""

from __future__ import annotations

from datetime import UTC, datetime

import fake_hosts
import pytest

from tui.catalog import kept_rankings
from tui.errors import TrnModelsError
from tui.host.interpreters import Interpreter
from tui.screens import arrivals, host_arrivals, search_arrivals, search_keys
from tui.screens.host_arrivals import InterpretersArrived

OLDER = datetime(2026, 9, 1, tzinfo=UTC)
RECORDS = (
    {"model_id": "acme/small-1b", "tp": 1, "hbm_peak_gb": 4.0},
    {"model_id": "acme/large-70b", "tp": 16, "result": "fail", "error": "Traceback\nRuntimeError: NRT_OOM on nc 3"},
    {"model_id": "beta/noted-8b", "tp": 4, "result": "fail", "error": "exit 1", "notes": "looks like an oom to me"},
    {"model_id": "beta/slow-8b", "tp": 4, "result": "timeout", "wall_s": 3600, "tested_at": OLDER},
    {"model_id": "beta/huge-400b", "result": None, "exclusion": "needs more than 16 cores", "tp": None},
)
IDS = [str(record["model_id"]) for record in RECORDS]


def listed(reader) -> set[str]:
    """The models on screen."""
    table = [line.split("│")[0] for line in reader.lines[4:-2]]
    return {model_id for model_id in IDS if any(model_id in line for line in table)}


def status(reader) -> str:
    """The line above the keys."""
    return reader.lines[-2]


def underlined(reader) -> str:
    """What is underlined in the search box."""
    box = reader.browse.query_one("#search")
    strip = box.render_line(0)
    return "".join(segment.text for segment in strip if segment.style is not None and segment.style.underline)


@pytest.fixture(autouse=True)
def _typing_rests_at_once(monkeypatch) -> None:
    monkeypatch.setattr(search_keys, "READ_AFTER_S", 0.01)


@pytest.fixture
def search(start, records_of):
    """`async with search("is:fail") as reader` has these records on screen and types that."""
    from contextlib import asynccontextmanager

    path = records_of(*RECORDS)

    @asynccontextmanager
    async def typed(text: str, width: int = 120, height: int = 24, **changes: object):
        async with start(width, height, data=path, **changes) as reader:
            await reader.until(lambda: IDS[0] in reader.text)
            await reader.press("slash")
            await reader.type(text)
            yield reader

    return typed


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("is:fail", {1, 2}),
        ("is:timeout", {3}),
        ("is:excluded", {4}),
        ("8b -is:fail", {3}),
        ("cores<=4 is:pass", {0}),
        ("cores>4", {1}),
        ("mem<5", {0}),
        ("wall>=1h", {3}),
        ("tested<2026-10-01", {3}),
        ("org:Beta is:fail", {2}),
        ('reason:"more than 16"', {4}),
    ],
)
async def test_only_what_all_terms_find_is_listed_and_counted(search, text, found):
    async with search(text) as reader:
        assert listed(reader) == {IDS[place] for place in found}
        assert f"{len(found)} of 5" in reader.text


async def test_an_unknown_name_is_underlined_with_a_hint_and_the_rest_works(search):
    async with search("8b corse<=4 is:fail") as reader:
        assert listed(reader) == {"beta/noted-8b"}
        assert underlined(reader) == "corse<=4"
        assert "there is no corse; did you mean cores?" in status(reader)
        await reader.press("enter")
        assert "did you mean" not in status(reader)
        assert underlined(reader) == "corse<=4"


async def test_an_unfinished_term_is_underlined_until_it_is_finished(search):
    async with search("8b wall<") as reader:
        assert listed(reader) == {"beta/noted-8b", "beta/slow-8b"}
        assert underlined(reader) == "wall<"
        assert "wall<  seconds, or 5m, 1h" in status(reader)
        await reader.type("2")
        assert underlined(reader) == ""
        assert listed(reader) == set()
        assert "no model has all of «8b» · wall<2" in reader.text
        assert "seconds" not in status(reader)


async def test_words_alone_change_nothing_in_the_status_line(search):
    async with search("") as reader:
        before = status(reader)
        assert "records.parquet" in before
        for letter in "8b beta/slow":
            await reader.press("space" if letter == " " else letter)
            assert status(reader) == before


async def test_a_model_that_nobody_has_names_the_terms_that_were_applied_and_those_that_were_not(search):
    async with search("small is:fail iss:x", width=140) as reader:
        assert "no model has all of «small» · is:fail" in reader.text
        assert "iss:x does not count: there is no iss; did you mean is?" in reader.text


async def test_a_value_that_no_model_has_is_answered_with_the_nearest_one(search):
    async with search("8b is:fial") as reader:
        await reader.until(lambda: "no model has all of «8b» · is:fial; did you mean 8b is:fail?" in reader.text)
        await reader.press("escape")
        await reader.type("org:bteta")
        await reader.until(lambda: "no model has org:bteta; did you mean org:beta?" in reader.text)
        await reader.press("escape")
        await reader.type("noetd is:fail")
        await reader.until(lambda: "did you mean noted is:fail?" in reader.text)


async def test_errors_and_notes_are_found_by_their_text(search):
    async with search("") as reader:
        await reader.type("error:OOM")
        await reader.until(lambda: listed(reader) == {"acme/large-70b", "beta/noted-8b"})
        assert "2 of 5" in reader.text
        await reader.press("escape")
        await reader.type('error:"nrt_oom on"')
        await reader.until(lambda: listed(reader) == {"acme/large-70b"})


async def test_errors_are_read_once_for_a_text_as_long_as_the_records_are_the_same(search, monkeypatch):
    read = []
    real = search_arrivals.search_errors
    monkeypatch.setattr(search_arrivals, "search_errors", lambda *given: (read.append(given[2]), real(*given)))
    async with search("error:oom") as reader:
        await reader.until(lambda: len(listed(reader)) == 2)
        await reader.type(" is:fail")
        await reader.press("enter", "2", "1")
        assert len(listed(reader)) == 2
        await reader.press("slash", "escape")
        await reader.type("error:exit")
        await reader.until(lambda: listed(reader) == {"beta/noted-8b"})
        await reader.press("escape")
        await reader.type("error:oom")
        assert len(listed(reader)) == 2
        assert [tuple(texts) for texts in read] == [("oom",), ("exit",)]


async def test_errors_are_searched_anew_in_other_records(search, records_of):
    async with search("error:oom") as reader:
        await reader.until(lambda: len(listed(reader)) == 2)
        await reader.press("enter")
        records_of(*RECORDS[2:], {"model_id": IDS[0], "result": "fail", "error": "OOM"})
        await reader.press("u")
        await reader.until(lambda: listed(reader) == {IDS[0], "beta/noted-8b"})


async def test_keys_go_on_while_errors_are_read_and_the_cursor_keeps_its_model_when_they_come(search, monkeypatch):
    held = []
    monkeypatch.setattr(search_arrivals, "search_errors", lambda *given: held.append(given))
    async with search("error:o") as reader:
        await reader.until(lambda: len(held) == 1)
        assert "reading errors" in status(reader)
        assert underlined(reader) == "error:o"
        await reader.type("om")
        await reader.pause(0.05)
        assert "error:oom" in reader.text
        assert len(held) == 1
        await reader.press("enter")
        await reader.rest_on("beta/noted-8b")
        monkeypatch.undo()
        search_arrivals.search_errors(*held[0])
        await reader.until(lambda: listed(reader) == {"acme/large-70b", "beta/noted-8b"})
        assert reader.browse.current_line()["model_id"] == "beta/noted-8b"
        assert underlined(reader) == ""


async def test_tasks_come_from_the_rankings_and_are_read_once_a_search_asks_for_them(start, monkeypatch):
    read = []
    real = search_arrivals.read_kinds
    monkeypatch.setattr(search_arrivals, "read_kinds", lambda *given, **more: (read.append(more), real(*given, **more)))
    async with start(sample=True) as reader:
        await reader.press("slash")
        await reader.type("quartz")
        assert read == []
        await reader.press("escape")
        await reader.type("task:image-text-to-text")
        await reader.until(lambda: read and "reading" not in status(reader))
        shown = reader.browse.selection.lines["model_id"].to_list()
        assert shown
        assert read == [{"sample": True}]
        await reader.press("escape")
        await reader.type("task:unknown")
        rest = reader.browse.selection.lines["model_id"].to_list()
        assert rest
        assert not set(rest) & set(shown)
        ranking = next(iter(kept_rankings.every_of_sample()))
        reader.browse.post_message(arrivals.RankingArrived(ranking.view, ranking.task, ranking, fresh=True))
        await reader.until(lambda: len(read) == 2)


def python(**packages: str) -> Interpreter:
    named = {name.replace("_", "-"): version for name, version in packages.items()}
    return Interpreter(("/venv/bin/python",), "PATH", version="3.12.4", prefix="/venv", packages=named)


@pytest.fixture
def pythons(monkeypatch):
    """The Python that is found has the stack of the records."""
    found = python(torch_neuronx="2.14.3.0", neuronx_cc="2.28.7631.0", transformers="5.23.1")
    monkeypatch.setattr(
        host_arrivals, "bring_interpreters", lambda target, *_: target.post_message(InterpretersArrived((found,)))
    )


@pytest.mark.usefixtures("pythons")
async def test_fits_here_lists_what_the_cores_of_this_host_suffice_for(search, tmp_path):
    root = fake_hosts.trn2_3xlarge(tmp_path / "host")
    async with search("fits:here", host_root=root) as reader:
        assert "looking at this host" in status(reader)
        assert len(listed(reader)) > 2
        reader.browse.look_at_machine()
        await reader.until(lambda: listed(reader) == {"acme/small-1b", "beta/noted-8b", "beta/slow-8b"})
        assert underlined(reader) == ""
        assert "looking at this host" not in status(reader)


@pytest.mark.usefixtures("pythons")
async def test_without_a_neuron_device_nothing_fits_and_the_hint_says_why(search, tmp_path):
    root = fake_hosts.no_driver(tmp_path / "host")
    async with search("fits:here", host_root=root) as reader:
        reader.browse.look_at_machine()
        await reader.until(lambda: "no model has fits:here" in reader.text)
        assert "fits:here  nothing fits here: no Neuron device" in status(reader)


async def test_a_host_that_cannot_be_looked_at_is_said_to_be_so(search):
    async with search("fits:here") as reader:
        reader.browse.post_message(host_arrivals.LookFailed(TrnModelsError("neuron-ls hangs")))
        await reader.until(lambda: "this host could not be looked at" in status(reader))


async def test_a_search_at_the_start_is_understood_as_if_it_were_typed(start, records_of):
    async with start(data=records_of(*RECORDS), search="is:fail is:") as reader:
        await reader.until(lambda: listed(reader) == {"acme/large-70b", "beta/noted-8b"})
        assert underlined(reader) == "is:"


async def test_the_palette_finds_a_model_by_its_id_whatever_that_means_in_the_search(start, records_of):
    odd = "is:fail/one"
    async with start(data=records_of({"model_id": odd}, *RECORDS)) as reader:
        await reader.until(lambda: odd in reader.text)
        assert reader.browse.models_named("is:fail", 5) == [(odd, "PASS")]
        await reader.press("slash")
        await reader.type("is:fail")
        await reader.press("enter")
        assert odd not in reader.browse.selection.lines["model_id"].to_list()
        reader.browse.go_to(odd)
        await reader.until(lambda: (reader.browse.current_line() or {}).get("model_id") == odd)


async def test_hostile_values_are_shown_as_escapes_in_the_hint_and_behind_the_cursor(start, records_of):
    hostile = "bad\x1b[31m\u202eword"
    async with start(data=records_of({"result": hostile}, {"model_id": "acme/two"})) as reader:
        await reader.until(lambda: "acme/two" in reader.text)
        await reader.press("slash")
        await reader.type("is:ba")
        assert "bad\\x1b[31m\\u202eword" in status(reader)
        assert "\x1b" not in reader.text
        assert "\u202e" not in reader.text
