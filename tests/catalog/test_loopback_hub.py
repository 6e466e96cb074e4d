"""The loopback Hub answers the real huggingface_hub as the Hub does."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import loopback_hub
import pytest
from loopback_hub import LoopbackHub, rate_limited, silent

from tui.catalog import hub_session


@pytest.fixture
def library() -> Any:
    return hub_session.library()


def test_a_long_ranking_comes_in_pages_in_the_order_of_its_sort(hub: LoopbackHub, library: Any) -> None:
    ids = hub.add_models(1200)
    hub.add_model("acme/other-task", pipeline_tag="text-to-image", downloads=10**9)
    listed = library.HfApi(endpoint=hub.url).list_models(
        pipeline_tag="text-generation", sort="downloads", limit=1100, expand=["downloads", "gated"]
    )
    assert [model.id for model in listed] == ids[:1100]
    assert len(hub.requests) == 2
    assert "cursor" in hub.requests[1][1]


def test_a_renamed_model_redirects_and_a_missing_one_is_not_found(hub: LoopbackHub, library: Any) -> None:
    api = library.HfApi(endpoint=hub.url)
    hub.add_model("acme/new", downloads=5)
    hub.rename_model("acme/old", "acme/new")
    found = api.model_info("acme/old", expand=["downloads", "usedStorage"])
    assert (found.id, found.downloads) == ("acme/new", 5)
    with pytest.raises(library.errors.RepositoryNotFoundError):
        api.model_info("acme/none")


def test_main_moves_and_only_the_changed_file_is_fetched_again(hub: LoopbackHub, library: Any, tmp_path: Path) -> None:
    records = hub.add_dataset("acme/records", {"a.parquet": b"one", "data/b.parquet": b"two", "README.md": b"#"})
    first = records.main
    second = records.add_revision({**records.files, "a.parquet": b"three"})
    for sha, content in ((first, b"one"), (second, b"three")):
        assert library.HfApi(endpoint=hub.url).dataset_info("acme/records", revision=sha).sha == sha
        folder = library.snapshot_download(
            "acme/records",
            repo_type="dataset",
            revision=sha,
            allow_patterns="*.parquet",
            endpoint=hub.url,
            cache_dir=tmp_path / "cache",
        )
        assert (Path(folder) / "a.parquet").read_bytes() == content
        assert (Path(folder) / "data" / "b.parquet").read_bytes() == b"two"
    assert [path.rpartition("/")[2] for path in hub.paths("/content/")].count("b.parquet") == 1
    assert library.HfApi(endpoint=hub.url).dataset_info("acme/records").sha == second


def test_a_gated_dataset_needs_the_token_which_the_content_server_never_sees(
    hub: LoopbackHub, library: Any, tmp_path: Path
) -> None:
    hub.add_dataset("acme/gated", {"a.parquet": b"one"}, gated=True)
    options = {"repo_type": "dataset", "endpoint": hub.url, "cache_dir": tmp_path / "cache"}
    with pytest.raises(library.errors.GatedRepoError):
        library.hf_hub_download("acme/gated", "a.parquet", token=False, **options)
    path = library.hf_hub_download("acme/gated", "a.parquet", token=loopback_hub.GOOD_TOKEN, **options)
    assert Path(path).read_bytes() == b"one"
    assert [sent for path, sent in hub.authorizations if path.startswith("/content/")] == [None]


def test_a_bucket_lists_its_folders(hub: LoopbackHub, library: Any) -> None:
    hub.add_bucket("acme/neff", {"2.28/a.neff": b"1", "2.28/deep/b.neff": b"2", "index": b"3"})
    api = library.HfApi(endpoint=hub.url)
    assert [bucket.id for bucket in api.list_buckets("acme")] == ["acme/neff"]
    assert [entry.path for entry in api.list_bucket_tree("acme/neff")] == ["2.28", "index"]
    assert "2.28/deep/b.neff" in [entry.path for entry in api.list_bucket_tree("acme/neff", recursive=True)]


def test_faults_concern_their_prefix_until_they_are_cleared(hub: LoopbackHub, library: Any) -> None:
    session = library.get_session()
    hub.add_dataset("acme/records", {})
    hub.set_fault("/", rate_limited(7))
    hub.set_fault("/api/models", silent())
    assert session.get(f"{hub.url}/api/datasets/acme/records").headers["RateLimit"] == '"api";r=0;t=7'
    started = time.monotonic()
    with pytest.raises(Exception, match="timed out"):
        session.get(f"{hub.url}/api/models", timeout=0.2)
    assert time.monotonic() - started < 2
    hub.clear_faults()
    assert session.get(f"{hub.url}/api/models").json() == []


def test_a_closed_port_refuses_and_opens_again_at_the_same_address(hub: LoopbackHub, library: Any) -> None:
    session = library.get_session()
    assert session.get(f"{hub.url}/api/models").status_code == 200
    hub.refuse()
    with pytest.raises(Exception, match="refused"):
        session.get(f"{hub.url}/api/models")
    hub.accept()
    assert session.get(f"{hub.url}/api/models").status_code == 200


def test_a_folder_is_served_from_the_command_line(tmp_path: Path, library: Any) -> None:
    (tmp_path / "datasets" / "acme" / "records").mkdir(parents=True)
    (tmp_path / "datasets" / "acme" / "records" / "a.parquet").write_bytes(b"one")
    (tmp_path / "models.json").write_text('[{"id": "acme/one", "pipeline_tag": "text-generation"}]')
    server = subprocess.Popen(
        [sys.executable, loopback_hub.__file__, "--port", "0", str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        url = server.stdout.readline().strip().removeprefix("export HF_ENDPOINT=")
        api = library.HfApi(endpoint=url)
        assert [model.id for model in api.list_models()] == ["acme/one"]
        assert [entry.path for entry in api.list_repo_tree("acme/records", repo_type="dataset")] == ["a.parquet"]
    finally:
        server.kill()
        server.communicate()
