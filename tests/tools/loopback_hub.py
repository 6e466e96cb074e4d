"""A Hub on 127.0.0.1 for the real huggingface_hub: repositories, rankings, buckets, and faults on demand.

In a test::

    with LoopbackHub() as hub:                      # hub.url is what HF_ENDPOINT must be
        records = hub.add_dataset("acme/records", {"a.parquet": b"..."})
        hub.add_model("acme/one", pipeline_tag="text-generation", trendingScore=9)
        sha = records.add_revision({"a.parquet": b"...", "b.parquet": b"..."})   # main moves
        hub.set_fault("/api/models", silent())      # until hub.clear_faults()
        hub.requests                                # [("GET", "/api/datasets/acme/records?expand=sha"), ...]

By hand (`--help` tells the layout of FOLDER)::

    python tests/tools/loopback_hub.py --port 8900 FOLDER
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import socket
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hub_faults import (
    Fault,
    answer,
    cut,
    drip,
    endless_head,
    late,
    login_page,
    old_copy,
    rate_limited,
    redirect_loop,
    reset,
    silent,
    slow,
    status,
)
from hub_handler import GOOD_TOKEN, Listener

__all__ = [
    "GOOD_TOKEN", "Fault", "LoopbackHub", "Repository", "answer", "cut", "drip", "endless_head", "late",
    "login_page", "old_copy", "rate_limited", "redirect_loop", "reset", "silent", "slow", "status",
]  # fmt: skip


class Repository:
    """A dataset or Space: whole revisions, `main` being the newest."""

    def __init__(self, repo_id: str, *, gated: bool = False) -> None:
        self.id = repo_id
        self.gated = gated
        self.revisions: dict[str, dict[str, bytes]] = {}
        self.main = ""

    @property
    def files(self) -> dict[str, bytes]:
        """The files of `main`."""
        return dict(self.revisions[self.main])

    def add_revision(self, files: Mapping[str, bytes]) -> str:
        """A new revision with exactly these files; `main` moves to it. Returns its sha (40 hex digits)."""
        digest = hashlib.sha1(f"{self.id} {len(self.revisions)}".encode())
        for name in sorted(files):
            digest.update(name.encode() + hashlib.sha1(files[name]).digest())
        sha = digest.hexdigest()
        self.revisions[sha] = dict(files)
        self.main = sha
        return sha

    def sha_of(self, revision: str) -> str | None:
        return self.main if revision == "main" else revision if revision in self.revisions else None


class LoopbackHub:
    """The server. `url` is its address; everything can be changed while it runs.

    File contents come from a second address (`content_url`), as the real Hub's come from a CDN.
    """

    def __init__(self, port: int = 0) -> None:
        self.models: dict[str, dict[str, Any]] = {}
        self.renamed: dict[str, str] = {}
        self.datasets: dict[str, Repository] = {}
        self.spaces: dict[str, Repository] = {}
        self.buckets: dict[str, dict[str, bytes]] = {}
        self.largest_page = 1000
        self.xet = False
        """Whether large files are in Xet storage, at `content_url`."""
        self.requests: list[tuple[str, str]] = []
        self.authorizations: list[tuple[str, str | None]] = []
        self._faults: dict[str, Fault] = {}
        self._lock = threading.Lock()
        self._release = threading.Event()
        self._sockets: set[socket.socket] = set()
        self.listeners: list[Listener] = []
        self._ports = [port, 0]
        self.accept()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._ports[0]}"

    @property
    def content_url(self) -> str:
        return f"http://127.0.0.1:{self._ports[1]}"

    def __enter__(self) -> LoopbackHub:
        return self

    def __exit__(self, *exception: object) -> None:
        self.refuse()

    # What is on it

    def add_model(self, model_id: str, **fields: Any) -> None:
        """A model with the Hub's own field names: pipeline_tag, trendingScore, downloads, likes, tags...

        `config` is what the Hub keeps of config.json (`{"model_type": "qwen3", ...}`), `safetensors` its count of the
        weights (`{"parameters": {"BF16": 8}, "total": 8}`), `siblings` the files (`[{"rfilename": ..., "size": ...}]`).
        """
        self.models[model_id] = {
            "_id": hashlib.sha1(model_id.encode()).hexdigest()[:24],
            "id": model_id,
            "modelId": model_id,
            "private": False,
            "gated": False,
            "downloads": 0,
            "likes": 0,
            "trendingScore": 0,
            "tags": [],
            "createdAt": "2026-01-01T00:00:00.000Z",
            "lastModified": "2026-01-02T00:00:00.000Z",
            **fields,
        }

    def add_models(self, count: int, *, task: str = "text-generation", org: str = "acme") -> list[str]:
        """Models `acme/model-0001`... of transformers with falling scores; returns their ids in order."""
        ids = [f"{org}/model-{number:04d}" for number in range(1, count + 1)]
        for place, model_id in enumerate(ids):
            self.add_model(
                model_id,
                pipeline_tag=task,
                library_name="transformers",
                trendingScore=count - place,
                downloads=1000 * (count - place),
                likes=count - place,
            )
        return ids

    def rename_model(self, old: str, new: str) -> None:
        """`old` redirects to `new` from now on."""
        self.renamed[old] = new
        if old in self.models:
            self.add_model(new, **{**self.models.pop(old), "id": new, "modelId": new})

    def add_dataset(self, repo_id: str, files: Mapping[str, bytes], *, gated: bool = False) -> Repository:
        """A dataset with a first revision; see `Repository.add_revision`."""
        return self._add(self.datasets, repo_id, files, gated)

    def add_space(self, repo_id: str, files: Mapping[str, bytes]) -> Repository:
        """A Space with a first revision."""
        return self._add(self.spaces, repo_id, files, False)

    def _add(
        self, repositories: dict[str, Repository], repo_id: str, files: Mapping[str, bytes], gated: bool
    ) -> Repository:
        repository = repositories[repo_id] = Repository(repo_id, gated=gated)
        repository.add_revision(files)
        return repository

    def add_bucket(self, bucket_id: str, files: Mapping[str, bytes]) -> None:
        """A bucket with these paths."""
        self.buckets[bucket_id] = dict(files)

    # What goes wrong

    def set_fault(self, prefix: str, fault: Fault) -> None:
        """Requests whose path begins with `prefix` get `fault` ("/" is all, "/content/" file contents).

        The longest prefix that fits counts. Works on requests that come from now on.
        """
        with self._lock:
            self._faults[prefix] = fault

    def clear_faults(self) -> None:
        """Everything is answered rightly again; requests held by silent(), slow() and drip() are dropped."""
        with self._lock:
            self._faults.clear()
        self._drop_held()

    def _drop_held(self) -> None:
        with self._lock:
            released, self._release = self._release, threading.Event()
        released.set()

    def refuse(self) -> None:
        """Close the ports: connections are refused until `accept()`."""
        listeners, self.listeners = self.listeners, []
        for listener in listeners:
            listener.shutdown()
            listener.server_close()
        self._drop_held()
        with self._lock:
            sockets = list(self._sockets)
        for connection in sockets:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def accept(self) -> None:
        """Listen (again, on the same ports)."""
        for place, port in enumerate(self._ports):
            listener = Listener(("127.0.0.1", port), self)
            self._ports[place] = listener.server_address[1]
            self.listeners.append(listener)
            threading.Thread(target=listener.serve_forever, args=(0.02,), daemon=True).start()

    # What was asked

    def forget_requests(self) -> None:
        with self._lock:
            self.requests.clear()
            self.authorizations.clear()

    def paths(self, prefix: str = "/") -> list[str]:
        """Paths (with query) that were asked, in order."""
        with self._lock:
            return [path for _, path in self.requests if path.startswith(prefix)]

    def _note(self, method: str, path: str, authorization: str | None) -> tuple[Fault | None, threading.Event]:
        with self._lock:
            self.requests.append((method, path))
            self.authorizations.append((path, authorization))
            fitting = [prefix for prefix in self._faults if path.startswith(prefix)]
            return (self._faults[max(fitting, key=len)] if fitting else None), self._release


# By hand

LAYOUT = """\
FOLDER/models.json              list of models with the Hub's field names: id, pipeline_tag, downloads...
FOLDER/renamed.json             {"old/id": "new/id"}
FOLDER/datasets/ORG/NAME/...    files of a dataset
FOLDER/spaces/ORG/NAME/...      files of a Space
FOLDER/buckets/ORG/NAME/...     files of a bucket
All of it may be missing. On the terminal, while it runs:
  read           read FOLDER again: changed datasets get a new revision
  silent | reset | login | cut | refuse | 500 | 429 [SECONDS] | slow SECONDS
  ok             all is well again
"""


def read_folder(hub: LoopbackHub, folder: Path) -> None:
    """Put what is in `folder` on `hub`; repositories whose files changed get a new revision."""
    if (folder / "models.json").exists():
        hub.models.clear()
        for model in json.loads((folder / "models.json").read_text(encoding="utf-8")):
            hub.add_model(model["id"], **{name: value for name, value in model.items() if name != "id"})
    if (folder / "renamed.json").exists():
        hub.renamed.update(json.loads((folder / "renamed.json").read_text(encoding="utf-8")))
    for kind in ("datasets", "spaces", "buckets"):
        for repository in sorted((folder / kind).glob("*/*")):
            repo_id = "/".join(repository.parts[-2:])
            files = {
                str(path.relative_to(repository)): path.read_bytes()
                for path in sorted(repository.rglob("*"))
                if path.is_file()
            }
            known = getattr(hub, kind)
            if kind == "buckets":
                hub.add_bucket(repo_id, files)
            elif repo_id not in known:
                hub._add(known, repo_id, files, False)
            elif known[repo_id].files != files:
                known[repo_id].add_revision(files)


def obey(hub: LoopbackHub, folder: Path, line: str) -> None:
    """Do what a line typed on the terminal says."""
    word, _, number = line.strip().partition(" ")
    faults = {"silent": silent, "reset": reset, "login": login_page, "cut": cut}
    hub.clear_faults()
    if not hub.listeners:
        hub.accept()
    if word == "read":
        read_folder(hub, folder)
    elif word == "refuse":
        hub.refuse()
    elif word == "429":
        hub.set_fault("/", rate_limited(int(number) if number else None))
    elif word == "slow":
        hub.set_fault("/", slow(float(number or 5)))
    elif word in faults:
        hub.set_fault("/", faults[word]())
    elif word.isdigit():
        hub.set_fault("/", status(int(word)))
    elif word != "ok":
        print(LAYOUT)


def main() -> None:
    parser = argparse.ArgumentParser(
        description="A Hub on 127.0.0.1 for trying the app by hand.",
        epilog=LAYOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--port", type=int, default=8900)
    arguments = parser.parse_args()
    with LoopbackHub(arguments.port) as hub:
        read_folder(hub, arguments.folder)
        print(f"export HF_ENDPOINT={hub.url}", flush=True)
        try:
            for line in sys.stdin:
                obey(hub, arguments.folder, line)
            threading.Event().wait()
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    main()
