"""Where compiled graphs are said to be, asked of a loopback Hub."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from loopback_hub import LoopbackHub, rate_limited, status

from tui.catalog import hub as hub_requests
from tui.catalog.neff_bucket import find, from_buckets, from_texts
from tui.settings import Settings

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
DATASET = "acme/support"


@pytest.fixture
def asking(settings: Settings) -> Settings:
    return replace(settings, dataset=DATASET)


def add_dataset(hub: LoopbackHub, card: str = "# Records\n") -> None:
    hub.add_dataset(DATASET, {"README.md": card.encode()})


def test_the_users_setting_comes_first_and_its_folders_are_listed(hub: LoopbackHub, asking: Settings) -> None:
    add_dataset(hub, "NEFF cache: hf://buckets/acme/other\n")
    hub.add_bucket("mine/neffs", {"neuronxcc-2.28.7631.0/ab/cd/x.neff": b"1"})
    search = find(replace(asking, neff_bucket="hf://buckets/mine/neffs/"), now=NOW)
    assert search.bucket is not None
    assert search.bucket.address == "hf://buckets/mine/neffs"
    assert search.bucket.source == "your setting neff_bucket"
    assert search.bucket.folders == ("neuronxcc-2.28.7631.0",)
    assert not search.bucket.candidate
    assert not hub.paths("/datasets")


def test_a_bucket_that_the_hub_does_not_have_is_told_and_asked_again(hub: LoopbackHub, asking: Settings) -> None:
    named = replace(asking, neff_bucket="hf://buckets/mine/neffs")
    search = find(named, now=NOW)
    assert search.note == "From your setting. The Hub has no such bucket, or it is private."
    assert search.bucket is not None
    hub.add_bucket("mine/neffs", {"2.28.7631.0/x": b"1"})
    found = find(named, now=NOW + timedelta(minutes=61)).bucket
    assert found is not None
    assert found.folders == ("2.28.7631.0",)
    assert found.trouble == ""


def test_a_setting_that_is_no_address_is_refused_in_words(asking: Settings) -> None:
    search = find(replace(asking, neff_bucket="hf://buckets/mine;id"), now=NOW)
    assert search.bucket is None
    assert "«hf://buckets/mine;id», is no bucket address" in search.note


def test_an_address_in_the_dataset_card_is_found_with_its_line(hub: LoopbackHub, asking: Settings) -> None:
    add_dataset(hub, "# Records\n\nNEFF cache: `hf://buckets/acme/graphs`\n")
    hub.add_bucket("acme/graphs", {"2.28.7631.0/ab/x.neff": b"1"})
    search = find(asking, now=NOW)
    assert search.bucket is not None
    assert search.bucket.address == "hf://buckets/acme/graphs"
    assert search.bucket.folders == ("2.28.7631.0",)
    assert search.bucket.source == "dataset card README.md, line 3"
    assert search.bucket.line == "NEFF cache: `hf://buckets/acme/graphs`"
    assert not search.bucket.candidate
    assert search.note == "Found in dataset card README.md, line 3."


def test_an_address_of_a_bucket_that_does_not_exist_says_so(hub: LoopbackHub, asking: Settings) -> None:
    add_dataset(hub, "NEFF cache: `hf://buckets/acme/gone`\n")
    first = find(asking, now=NOW)
    assert first.note == "Found in dataset card README.md, line 1. The Hub has no such bucket, or it is private."
    assert first.bucket is not None
    assert first.bucket.trouble == "The Hub has no such bucket, or it is private."
    hub.forget_requests()
    assert find(asking, now=NOW + timedelta(hours=23)) == first
    assert not hub.requests


def test_an_address_in_the_card_spares_the_files_of_the_space(hub: LoopbackHub, asking: Settings) -> None:
    add_dataset(hub, "NEFF cache: hf://buckets/acme/graphs\n")
    hub.add_space(DATASET, {"app.py": b"NEFF_CACHE = 's3://acme-neffs'\n"})
    search = find(asking, now=NOW)
    assert search.bucket is not None
    assert search.bucket.address == "hf://buckets/acme/graphs"
    assert not hub.paths("/api/spaces")
    assert not hub.paths("/spaces")


def test_an_address_of_which_nothing_says_what_it_holds_comes_before_the_organisations_buckets(
    hub: LoopbackHub, asking: Settings
) -> None:
    add_dataset(hub, "Files: hf://buckets/acme/files\n")
    hub.add_bucket("acme/files", {"2.28.7631.0/x": b"1"})
    hub.add_bucket("acme/neff-cache", {"2.28.7631.0/x": b"1"})
    search = find(asking, now=NOW)
    assert search.bucket is not None
    assert (search.bucket.address, search.bucket.candidate) == ("hf://buckets/acme/files", True)
    assert search.bucket.source == "dataset card README.md, line 1"
    assert [bucket.address for bucket in search.others] == ["hf://buckets/acme/neff-cache"]
    assert search.note.startswith("A guess, not verified")


def test_an_address_in_a_file_of_the_space_is_found(hub: LoopbackHub, asking: Settings) -> None:
    add_dataset(hub)
    hub.add_space(DATASET, {"app.py": b'import x\nNEFF_CACHE = "s3://acme-neffs/{neuronx_cc}"\n', "logo.png": b"\x89"})
    search = find(asking, now=NOW)
    assert search.bucket is not None
    assert search.bucket.address == "s3://acme-neffs/{neuronx_cc}"
    assert search.bucket.source == "Space file app.py, line 2"


def test_a_fitting_bucket_of_the_organisation_is_a_candidate(hub: LoopbackHub, asking: Settings) -> None:
    add_dataset(hub)
    hub.add_bucket("acme/logs", {"a/x": b"1"})
    hub.add_bucket("acme/neff-cache", {"2.28.7631.0/ab/x.neff": b"1"})
    search = find(asking, now=NOW)
    assert search.bucket is not None
    assert search.bucket.address == "hf://buckets/acme/neff-cache"
    assert search.bucket.candidate
    assert search.bucket.folders == ("2.28.7631.0",)
    assert search.note.startswith("A guess, not verified")
    assert "acme/logs" not in str(search)


def test_a_bucket_with_folders_of_compilers_is_a_candidate_by_any_name(hub: LoopbackHub, asking: Settings) -> None:
    add_dataset(hub)
    hub.add_bucket("acme/neuron-logs", {"img/x": b"1"})
    hub.add_bucket("acme/trn2", {"neuronxcc-2.28.7631.0/ab/x.neff": b"1"})
    search = find(asking, now=NOW)
    assert search.bucket is not None
    assert search.bucket.address == "hf://buckets/acme/trn2"
    assert "folders named like compiler versions" in search.bucket.source


def test_nothing_found_says_so_and_how_to_set_one(hub: LoopbackHub, asking: Settings) -> None:
    add_dataset(hub)
    search = find(asking, now=NOW)
    assert search.bucket is None
    assert search.note.startswith("No bucket address was found (read: dataset card README.md).")
    assert "TRN_MODELS_NEFF_BUCKET" in search.note


def test_the_answer_is_kept_a_day_also_when_nothing_was_found(hub: LoopbackHub, asking: Settings) -> None:
    add_dataset(hub)
    first = find(asking, now=NOW)
    hub.forget_requests()
    assert find(asking, now=NOW + timedelta(hours=23)) == first
    assert not hub.requests
    hub.datasets[DATASET].add_revision({"README.md": b"NEFF cache: hf://buckets/acme/graphs\n"})
    later = find(asking, now=NOW + timedelta(hours=25))
    assert later.bucket is not None
    assert find(replace(asking, offline=True), now=NOW + timedelta(days=9)) == later


def test_offline_makes_no_request_and_says_so(hub: LoopbackHub, asking: Settings) -> None:
    search = find(replace(asking, offline=True), now=NOW)
    assert search.bucket is None
    assert search.note.startswith("Not looked up: offline.")
    assert not hub.requests


def test_offline_still_knows_the_users_setting(hub: LoopbackHub, asking: Settings) -> None:
    search = find(replace(asking, offline=True, neff_bucket="s3://my-neffs"), now=NOW)
    assert search.bucket is not None
    assert search.bucket.address == "s3://my-neffs"
    assert not hub.requests


def test_without_an_answer_the_last_one_is_used_and_kept(hub: LoopbackHub, asking: Settings) -> None:
    add_dataset(hub, "NEFF cache: hf://buckets/acme/graphs\n")
    first = find(asking, now=NOW)
    hub.set_fault("/", status(500))
    assert find(asking, now=NOW + timedelta(days=2)) == first
    hub.clear_faults()
    assert find(asking, now=NOW + timedelta(days=2)).looked_at == NOW + timedelta(days=2)


def test_without_any_answer_the_reason_is_told_and_nothing_is_kept(hub: LoopbackHub, asking: Settings) -> None:
    add_dataset(hub, "NEFF cache: hf://buckets/acme/graphs\n")
    hub.set_fault("/", rate_limited())
    search = find(asking, now=NOW)
    assert search.bucket is None
    assert search.note.startswith("Not looked up: The Hub asks to wait")
    hub.clear_faults()
    assert find(asking, now=NOW).bucket is not None


def test_half_an_answer_is_told_as_such_and_asked_again_after_an_hour(hub: LoopbackHub, asking: Settings) -> None:
    add_dataset(hub)
    hub.set_fault("/api/buckets", status(500))
    search = find(asking, now=NOW)
    assert search.bucket is None
    assert "Not everything could be asked" in search.note
    hub.clear_faults()
    hub.add_bucket("acme/neff-cache", {"x": b"1"})
    hub.forget_requests()
    assert find(asking, now=NOW + timedelta(minutes=59)) == search
    assert not hub.requests
    assert find(asking, now=NOW + timedelta(minutes=61)).bucket is not None


def test_half_an_answer_is_no_reason_to_forget_a_whole_one(hub: LoopbackHub, asking: Settings) -> None:
    add_dataset(hub)
    hub.add_space(DATASET, {"app.py": b"NEFF_CACHE = 's3://acme-neffs'\n"})
    hub.add_bucket("acme/neff-cache", {"x": b"1"})
    first = find(asking, now=NOW)
    hub.set_fault("/api/spaces", status(500))
    later = NOW + timedelta(days=2)
    second = find(asking, now=later)
    assert (second.bucket, second.note, second.looked_at) == (first.bucket, first.note, NOW)
    hub.forget_requests()
    assert find(asking, now=later + timedelta(minutes=59)) == second
    assert not hub.requests


def test_a_damaged_cache_file_is_asked_for_again(hub: LoopbackHub, asking: Settings) -> None:
    add_dataset(hub, "NEFF cache: hf://buckets/acme/graphs\n")
    first = find(asking, now=NOW)
    (path,) = asking.cache_dir.glob("neff_bucket-*.json")
    for damage in ("{", "[]", '{"bucket": {"x": 1}}', path.read_text().replace("hf://buckets/acme", "$(id)")):
        path.write_text(damage)
        assert find(asking, now=NOW) == first


def test_a_kept_answer_whose_time_says_no_zone_is_asked_for_again(hub: LoopbackHub, asking: Settings) -> None:
    add_dataset(hub, "NEFF cache: hf://buckets/acme/graphs\n")
    first = find(asking, now=NOW)
    (path,) = asking.cache_dir.glob("neff_bucket-*.json")
    path.write_text(path.read_text().replace("+00:00", ""))
    hub.forget_requests()
    assert find(asking, now=NOW) == first
    assert hub.requests
    hub.forget_requests()
    assert find(asking, now=NOW) == first
    assert not hub.requests


def test_the_sample_asks_for_nothing(hub: LoopbackHub, asking: Settings) -> None:
    search = find(replace(asking, sample=True), now=NOW)
    assert search.bucket is None
    assert search.note.startswith("Sample data")
    assert not hub.requests


def test_another_hub_is_another_question(hub: LoopbackHub, asking: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    add_dataset(hub, "NEFF cache: hf://buckets/acme/graphs\n")
    assert find(asking, now=NOW).bucket is not None
    monkeypatch.setattr(hub_requests, "endpoint", lambda: "http://127.0.0.1:9")
    assert find(replace(asking, offline=True), now=NOW).bucket is None


def test_an_address_without_a_word_of_caches_is_a_candidate_and_comes_last() -> None:
    buckets = from_texts(
        [("card", "Results: hf://buckets/acme/results\n"), ("app.py", "# NEFF cache\ns3://acme-neffs\n")]
    )
    assert [(bucket.address, bucket.candidate) for bucket in buckets] == [
        ("s3://acme-neffs", False),
        ("hf://buckets/acme/results", True),
    ]


def test_words_of_strangers_are_clean_in_what_is_shown() -> None:
    (bucket,) = from_texts([("Space file a\x1b[2J.py", "cache \x1b]0;x\x07 hf://buckets/acme/neffs")])
    assert "\x1b" not in bucket.source + bucket.line


def test_buckets_that_do_not_fit_are_no_candidates() -> None:
    assert from_buckets([("neff-org/data", ["img", "12.2.28.1"]), ("acme/neff;id", None)]) == ()
