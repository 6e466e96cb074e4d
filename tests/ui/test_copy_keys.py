"""Keys that copy, write or open something of the model on the cursor's line."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import pytest
from parquet_builder import DATASET, parquet

from tui.catalog import neff_bucket

PASSING = "sample/Quartz-8B-Instruct"
NEWEST = {"neuronx_cc": "2.28.7631.0", "library_version": "5.23.1"}


@pytest.fixture
def records(hub):
    return hub.add_dataset(DATASET, {"a.parquet": parquet({"model_id": "acme/one", **NEWEST})})


@pytest.fixture
def opened(monkeypatch):
    """The addresses that a browser was opened with; without a display unless the test sets one."""
    addresses: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda url, *_, **__: not addresses.append(url))
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    return addresses


@pytest.mark.parametrize(
    ("key", "has"), [("y", "MODEL_ID"), ("i", "pip install transformers==5.23.1"), ("m", "sample/Quartz-8B-Instruct")]
)
async def test_copy_keys_copy_what_they_say(start, copies, key, has):
    async with start(sample=True) as reader:
        await reader.rest_on(PASSING)
        await reader.press(key)
        await reader.until(lambda: copies)
        assert has in copies[0]
        await reader.until(lambda: any("sent to your terminal, 4.1 KB" in each for each in reader.said))


async def test_y_copies_the_script_exactly_as_it_is_in_the_dataset(start, copies):
    async with start(sample=True) as reader:
        await reader.rest_on(PASSING)
        await reader.press("y")
        await reader.until(lambda: copies)
        assert f'MODEL_ID = "{PASSING}"' in copies[0]
        assert copies[0].endswith("\n")


async def test_y_with_several_records_says_which_one_it_took(start, copies):
    async with start(sample=True) as reader:
        line = reader.browse.selection.lines.filter(reader.browse.selection.lines["disagree"] != "").row(0, named=True)
        reader.browse.go_to(line["model_id"])
        await reader.press("y")
        await reader.until(lambda: copies)
        await reader.until(lambda: any("records)" in each and f"on {line['tp']} core" in each for each in reader.said))


async def test_n_without_a_known_bucket_says_how_to_set_one(start, copies):
    async with start(sample=True) as reader:
        await reader.rest_on(PASSING)
        await reader.press("n")
        await reader.until(lambda: any("TRN_MODELS_NEFF_BUCKET" in each for each in reader.said))
        assert not copies


async def test_n_copies_the_command_for_the_bucket_that_is_set(start, copies, tmp_path):
    async with start(sample=True, neff_bucket="hf://buckets/acme/neff", neff_cache_dir=tmp_path) as reader:
        await reader.rest_on(PASSING)
        await reader.press("n")
        await reader.until(lambda: copies)
        assert copies == [f"hf buckets sync hf://buckets/acme/neff {tmp_path}"]


def found(monkeypatch, **fields: object) -> None:
    bucket = neff_bucket.Bucket("hf://buckets/acme/neff", "a bucket of acme that has a name that fits", **fields)
    search = neff_bucket.Search(bucket, (), None, "A guess.")
    monkeypatch.setattr(neff_bucket, "find", lambda settings, **_: search)


async def test_n_says_that_a_candidate_is_unverified(start, copies, monkeypatch):
    found(monkeypatch, candidate=True)
    async with start(sample=True) as reader:
        await reader.rest_on(PASSING)
        await reader.press("n")
        await reader.until(lambda: any("(candidate, unverified)" in each for each in reader.said))
        assert copies[0].startswith("hf buckets sync hf://buckets/acme/neff")
        await reader.until(lambda: "compiled graphs · candidate, unverified" in reader.text)


async def test_n_does_not_call_a_known_bucket_a_candidate(start, copies, monkeypatch):
    found(monkeypatch)
    async with start(sample=True) as reader:
        await reader.rest_on(PASSING)
        await reader.press("n")
        await reader.until(lambda: any("cache command" in each and "sent" in each for each in reader.said))
        assert copies
        assert not any("candidate" in each for each in reader.said)
        assert "candidate" not in reader.text


async def test_e_copies_the_error_of_a_failed_record(start, copies):
    async with start(sample=True, height=60) as reader:
        fail = reader.browse.selection.lines.filter(reader.browse.selection.lines["verdict"] == "FAIL")["model_id"][0]
        reader.browse.go_to(fail)
        await reader.press("e")
        await reader.until(lambda: copies)
        assert "Traceback" in copies[0]
        await reader.press("f")
        assert "Traceback (most recent call last)" in reader.text
        await reader.press("escape")


async def test_e_on_a_passing_record_says_that_there_is_no_error(start, copies):
    async with start(sample=True) as reader:
        await reader.rest_on(PASSING)
        await reader.press("e")
        assert not copies
        assert any("No error is recorded" in each for each in reader.said)


async def test_brackets_show_and_copy_the_other_records_of_the_model(start, copies):
    async with start(sample=True) as reader:
        lines = reader.browse.selection.lines
        line = lines.filter((lines["disagree"] == "+1 FAIL") & (lines["verdict"] == "PASS")).row(0, named=True)
        reader.browse.go_to(line["model_id"])
        await reader.press("right_square_bracket")
        detail = reader.browse.pane.detail
        while detail.record.verdict != "FAIL" or detail.record.stack.neuronx_cc != line["neuronx_cc"]:
            await reader.press("right_square_bracket")
            detail = reader.browse.pane.detail
        assert "✗ FAIL on" in reader.browse.pane.text
        await reader.press("e")
        await reader.until(lambda: copies)
        assert "Traceback" in copies[0]
        await reader.press("j", "k", "e")
        await reader.until(lambda: any("No error is recorded" in each for each in reader.said))


async def test_keys_on_a_model_without_a_record_say_why(start, copies):
    async with start(sample=True) as reader:
        await reader.press("2")
        await reader.rest_on("sample/Newcomer-3B")
        await reader.press("y")
        assert not copies
        assert any("sample/Newcomer-3B has no record on this stack" in each for each in reader.said)


async def test_w_writes_run_py_and_does_not_overwrite_unasked(start, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    async with start(sample=True) as reader:
        await reader.rest_on(PASSING)
        await reader.press("w")
        assert "run-Quartz-8B-Instruct.py" in reader.text
        await reader.press("enter")
        written = tmp_path / "run-Quartz-8B-Instruct.py"
        await reader.until(written.exists)
        assert f'MODEL_ID = "{PASSING}"' in written.read_text()
        written.write_text("mine")
        await reader.press("w", "enter")
        assert "exists" in reader.text
        assert written.read_text() == "mine"
        await reader.press("enter")
        await reader.until(lambda: written.read_text() != "mine")


async def test_w_typed_in_one_breath_with_a_name_writes_that_file(start, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    async with start(sample=True) as reader:
        await reader.rest_on(PASSING)
        reader.type_in_one_breath("w", "q", "enter")
        await reader.until((tmp_path / "run-Quartz-8B-Instruct.pyq").exists)
        assert reader.app.is_running


async def test_a_name_that_cannot_be_looked_at_is_refused_and_the_dialog_stays(start, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    real = Path.is_dir

    def forbidden(path: Path, **more: bool) -> bool:
        if path.name == "secret":
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, **more)

    monkeypatch.setattr(Path, "is_dir", forbidden)
    async with start(sample=True) as reader:
        await reader.rest_on(PASSING)
        await reader.press("w")
        for name in ("secret/x.py", "nowhere/x.py"):
            await reader.press("ctrl+u")
            await reader.type(name)
            await reader.press("enter")
            assert "⏎ again" not in reader.text
            assert "Permission denied" in reader.text or "There is no folder nowhere" in reader.text


async def test_o_on_an_invented_model_says_that_the_hub_has_no_page_of_it(start, copies):
    async with start(sample=True) as reader:
        await reader.rest_on(PASSING)
        await reader.press("o")
        assert not copies
        assert any("the Hub has no page of them" in each for each in reader.said)


@pytest.mark.parametrize("display", ["DISPLAY", "WAYLAND_DISPLAY"])
async def test_o_opens_a_browser_where_there_is_a_display_and_says_so(
    start, hub, records, opened, copies, monkeypatch, display
):
    monkeypatch.setenv(display, ":0")
    async with start() as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        await reader.press("o")
        await reader.until(lambda: copies)
        assert opened == copies == [f"{hub.url}/acme/one"]
        await reader.until(lambda: any("opened in the browser" in each for each in reader.said))


async def test_o_opens_no_browser_without_a_display(start, hub, records, opened, copies):
    async with start() as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        await reader.press("o")
        await reader.until(lambda: copies)
        assert copies == [f"{hub.url}/acme/one"]
        await reader.until(lambda: any(f"{hub.url}/acme/one" in each for each in reader.said))
        assert not opened
        assert not any("opened" in each for each in reader.said)


async def test_ctrl_c_copies_what_the_mouse_selected_and_asks_nothing(start, copies):
    async with start(sample=True) as reader:
        await reader.rest_on(PASSING)
        await reader.until(lambda: "PASS on" in reader.browse.pane.text)
        await reader.mouse_down("#detail", offset=(9, 0))
        await reader.hover("#detail", offset=(14, 0))
        await reader.mouse_up("#detail", offset=(14, 0))
        await reader.press("ctrl+c")
        await reader.until(lambda: copies)
        assert copies == ["Quartz"]
        await reader.until(lambda: any("the selection: sent" in each for each in reader.said))
        await reader.press("ctrl+c")
        assert reader.app.is_running
        assert not any("again quits" in each for each in reader.said)
