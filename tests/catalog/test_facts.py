"""Facts of a model for what it would take: asked for, kept on disk, read again from what earlier versions kept."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from loopback_hub import LoopbackHub, answer, status

from tui.catalog import facts
from tui.catalog import hub as asked
from tui.catalog.facts import ModelFacts
from tui.settings import Settings

NOW = datetime(2026, 12, 1, tzinfo=UTC)
KNOWN = ModelFacts(
    id="acme/new", task="text-generation", library="transformers", downloads=5, likes=1, gated=False, license="mit",
    parameters=7, url="https://hub/acme/new", size_bytes=9, fetched_at=NOW, model_type="qwen3",
    parameters_by_dtype={"BF16": 6, "F32": 1}, weights_file_bytes=None,
)  # fmt: skip
SINCE = ("model_type", "parameters_by_dtype", "weights_file_bytes", "all_asked")


def rewrite(settings: Settings, **values: object) -> None:
    """The kept file with other values, as an earlier version or somebody else would have written it."""
    (path,) = (settings.cache_dir / "facts").glob("*.json")
    kept = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    kept |= values
    path.write_text(json.dumps({name: value for name, value in kept.items() if value != "gone"}), encoding="utf-8")


def test_model_type_and_weights_by_dtype_are_asked_for_in_one_request(hub: LoopbackHub, settings: Settings) -> None:
    hub.add_model(
        "acme/new",
        config={"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3"},
        safetensors={"parameters": {"F32": 1, "BF16": 8_000_000_000}, "total": 333},
    )
    found = asked.model_facts(settings, "acme/new")
    assert found.model_type == "qwen3"
    assert found.parameters == 8_000_000_001, "the total is what the files claim"
    assert list(found.parameters_by_dtype.items()) == [("BF16", 8_000_000_000), ("F32", 1)]
    assert found == asked.cached_facts(settings, "acme/new")
    assert len(hub.requests) == 1


def test_of_packed_weights_the_sizes_of_the_files_are_asked_for_once_a_day(
    hub: LoopbackHub, settings: Settings
) -> None:
    parts = [{"rfilename": f"model-0000{number}-of-00002.safetensors", "size": 20 * 10**9} for number in (1, 2)]
    hub.add_model("acme/awq", safetensors={"parameters": {"I32": 70, "F16": 2}}, siblings=[*parts, {"rfilename": "x"}])
    for _ in range(2):
        assert asked.model_facts(settings, "acme/awq").weights_file_bytes == 40 * 10**9
    assert [path.partition("?")[0] for path in hub.paths()] == [
        "/api/models/acme/awq", "/api/models/acme/awq/tree/main",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "fault", [status(500), answer(b"[7, null]"), answer(b"{}"), answer(b'[{"path": [], "size": "x"}]')]
)
def test_facts_are_told_without_the_sizes_of_files_that_the_hub_does_not_tell(
    hub: LoopbackHub, settings: Settings, fault: object
) -> None:
    hub.add_model("acme/awq", likes=3, safetensors={"parameters": {"I32": 70}})
    hub.set_fault("/api/models/acme/awq/tree", fault)  # type: ignore[arg-type]
    found = asked.model_facts(settings, "acme/awq")
    assert (found.likes, found.weights_file_bytes) == (3, None)


def test_what_an_earlier_version_kept_is_read_and_asked_for_again(hub: LoopbackHub, settings: Settings) -> None:
    hub.add_model("acme/new", likes=4, config={"model_type": "qwen3"})
    fresh = replace(KNOWN, fetched_at=datetime.now(UTC))
    facts.remember(settings.cache_dir, hub.url, "acme/new", fresh)
    assert asked.model_facts(settings, "acme/new") == fresh
    rewrite(settings, **dict.fromkeys(SINCE, "gone"))
    kept = asked.cached_facts(settings, "acme/new")
    assert kept is not None
    assert (kept.likes, kept.model_type, kept.parameters_by_dtype, kept.all_asked) == (1, None, {}, False)
    again = asked.model_facts(settings, "acme/new")
    assert (again.likes, again.model_type, again.all_asked) == (4, "qwen3", True)


def test_odd_values_in_a_kept_file_count_as_not_told(hub: LoopbackHub, settings: Settings) -> None:
    facts.remember(settings.cache_dir, hub.url, "acme/new", KNOWN)
    rewrite(settings, model_type=["x"], parameters_by_dtype={"BF16": "x", "F32": 5}, weights_file_bytes=-1, all_asked=1)
    kept = asked.cached_facts(settings, "acme/new")
    assert kept is not None
    assert (kept.model_type, kept.parameters_by_dtype, kept.weights_file_bytes, kept.all_asked) == (
        None, {"F32": 5}, None, False,
    )  # fmt: skip


def test_all_facts_of_one_hub_are_read_and_what_is_damaged_is_left_out(settings: Settings) -> None:
    assert facts.every(settings.cache_dir, "https://hub") == []
    for name in ("one", "two", "bad"):
        known = replace(KNOWN, id=f"acme/{name}", url=f"https://hub/acme/{name}")
        facts.remember(settings.cache_dir, "https://hub", f"acme/{name}", known)
    elsewhere = replace(KNOWN, id="acme/other", url="https://hub.example/acme/other")
    facts.remember(settings.cache_dir, "https://hub.example", "acme/other", elsewhere)
    next((settings.cache_dir / "facts").glob("acme--bad*")).write_bytes(b"\xff")
    assert sorted(each.id for each in facts.every(settings.cache_dir, "https://hub")) == ["acme/one", "acme/two"]
    changed = replace(KNOWN, id="acme/one", url="https://hub/acme/one", likes=77)
    facts.remember(settings.cache_dir, "https://hub", "acme/one", changed)
    assert changed in facts.every(settings.cache_dir, "https://hub")
