"""The loopback Hub's answers: which address gets what, in the Hub's own shapes and headers."""

from __future__ import annotations

import hashlib
import json
import re
import socket
import struct
import sys
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

import hub_xet

if TYPE_CHECKING:
    from loopback_hub import LoopbackHub, Repository

GOOD_TOKEN = "hf_good"
"""The one token that is accepted; any other gets the Hub's 401 for bad credentials."""

SORT_KEYS = ("trendingScore", "downloads", "likes", "createdAt", "lastModified")
NOT_IN_LISTINGS = {"baseModels", "childrenModelCount", "usedStorage"}
EXPANDABLE = NOT_IN_LISTINGS | {
    "author", "cardData", "config", "createdAt", "disabled", "downloads", "downloadsAllTime", "evalResults",
    "gated", "gguf", "inference", "inferenceProviderMapping", "lastModified", "library_name", "likes", "mask_token",
    "model-index", "pipeline_tag", "private", "resourceGroup", "safetensors", "sha", "siblings", "spaces", "tags",
    "transformersInfo", "trendingScore", "widgetData",
}  # fmt: skip
"""What `expand` may name; anything else is refused."""
SHOWN_WITHOUT_EXPAND = {
    "id", "likes", "downloads", "tags", "pipeline_tag", "library_name", "createdAt", "private",
}  # fmt: skip


class Listener(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], hub: LoopbackHub) -> None:
        self.hub = hub
        super().__init__(address, Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class Answered(Exception):  # noqa: N818
    """Raised once an answer was sent: ends the handling of a request."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Listener

    def setup(self) -> None:
        super().setup()
        with self.server.hub._lock:
            self.server.hub._sockets.add(self.connection)

    def finish(self) -> None:
        with self.server.hub._lock:
            self.server.hub._sockets.discard(self.connection)
        super().finish()

    def log_message(self, *arguments: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.do_GET()

    def do_GET(self) -> None:
        hub = self.server.hub
        authorization = self.headers.get("Authorization")
        self.fault, self.release = hub._note(self.command, self.path, authorization)
        parts = urlsplit(self.path)
        self.query = parse_qs(parts.query, keep_blank_values=True)
        try:
            self.suffer()
            if authorization and authorization not in (f"Bearer {GOOD_TOKEN}", f"Bearer {hub_xet.TOKEN}"):
                self.refuse(401, "Invalid credentials in Authorization header")
            self.route(parts.path)
            self.refuse(404, "Not Found")
        except Answered:
            pass

    def suffer(self) -> None:
        """Apply the faults that come before an answer."""
        fault = self.fault
        if fault is None:
            return
        if fault.kind == "silent" or (fault.kind == "slow" and self.release.wait(fault.seconds)):
            self.release.wait()
            self.close_connection = True
            raise Answered
        if fault.kind == "late" and fault.until is not None:
            fault.until.wait(60)
        if fault.kind == "endless_head":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Name: ")
            while not self.release.wait(fault.seconds):
                self.wfile.write(b"x")
            self.close_connection = True
            raise Answered
        if fault.kind == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            # The descriptor must really close for the RST to go out: rfile and wfile hold it too.
            self.rfile.close()
            self.wfile.close()
            self.connection.close()
            self.close_connection = True
            raise ConnectionResetError
        if fault.kind == "loop":
            self.reply(302, b"", {"Location": self.path})
        if fault.kind == "answer":
            self.reply(fault.status, fault.body, dict(fault.headers))

    def reply(
        self,
        code: int,
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
        length: int | None = None,
    ) -> None:
        """Send an answer (with the faults that concern its body) and end the handling."""
        self.send_response(code)
        every = {"RateLimit": '"api";r=499;t=300', "RateLimit-Policy": '"fixed window";"api";q=500;w=300'}
        every |= {"Content-Type": "application/json", **(headers or {})}
        obeyed = self.fault and self.fault.headers.get("obeying") and self.headers.get("Cache-Control") == "no-cache"
        if self.fault and self.fault.kind == "old" and not obeyed:
            every["Age"] = f"{self.fault.seconds:.0f}"
        for name, value in every.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        if self.command != "HEAD":
            kind = self.fault.kind if self.fault else ""
            if kind == "cut":
                self.wfile.write(body[: len(body) // 2])
                self.close_connection = True
            elif kind == "drip":
                for place in range(len(body)):
                    self.wfile.write(body[place : place + 1])
                    if self.release.wait(self.fault.seconds):
                        self.close_connection = True
                        break
            else:
                self.wfile.write(body)
        raise Answered

    def json(self, value: Any, headers: Mapping[str, str] | None = None) -> None:
        self.reply(200, json.dumps(value).encode(), headers)

    def refuse(self, code: int, message: str, error_code: str | None = None) -> None:
        headers = {"X-Error-Message": message} | ({"X-Error-Code": error_code} if error_code else {})
        self.reply(code, json.dumps({"error": message}).encode(), headers)

    def page(self, items: list[Any], limit: int) -> None:
        """One page of a listing, with the address of the next one in `Link`, as the Hub pages."""
        start = int(self.query.get("cursor", ["0"])[0].removeprefix("c") or 0)
        headers = {}
        if start + limit < len(items):
            rest = [(name, value) for name, values in self.query.items() if name != "cursor" for value in values]
            query = "&".join(f"{quote(name)}={quote(value)}" for name, value in rest)
            address = f"{self.server.hub.url}{urlsplit(self.path).path}?{query}&cursor=c{start + limit}"
            headers["Link"] = f'<{address}>; rel="next"'
        self.json(items[start : start + limit], headers)

    def route(self, path: str) -> None:
        """Every address that is answered; the rest gets 404."""
        hub = self.server.hub
        if path == "/api/models":
            self.list_models()
        elif found := re.fullmatch(r"/api/models/([^/]+/[^/]+)/tree/main", path):
            self.model_files(unquote(found[1]))
        elif found := re.fullmatch(r"/api/models/(.+)", path):
            self.model(unquote(found[1]))
        elif found := re.fullmatch(r"/api/buckets/([^/]+)", path):
            namespace = unquote(found[1])
            self.page([bucket_info(hub, name) for name in hub.buckets if name.startswith(f"{namespace}/")], 1000)
        elif found := re.fullmatch(r"/api/buckets/([^/]+/[^/]+)(?:/tree(?:/(.+))?)?", path):
            self.bucket(unquote(found[1]), "/tree" in path, unquote(found[2] or ""))
        elif found := re.fullmatch(r"/buckets/([^/]+/[^/]+)/resolve/(.+)", path):
            content = hub.buckets.get(unquote(found[1]), {}).get(unquote(found[2]))
            if content is not None:
                self.content(content)
        elif found := re.fullmatch(r"/content/(datasets|spaces)/([^/]+/[^/]+)/([0-9a-f]{40})/(.+)", path):
            self.content(getattr(hub, found[1])[found[2]].revisions[found[3]][unquote(found[4])])
        elif found := re.fullmatch(r"(?:/api/resolve-cache)?/(datasets|spaces)/([^/]+/[^/]+)(?:/resolve)?/(.+)", path):
            self.resolve(found[1], unquote(found[2]), found[3], direct=path.startswith("/api/"))
        elif re.fullmatch(r"/api/(datasets|spaces)/[^/]+/[^/]+/xet-read-token/[0-9a-f]{40}", path):
            cas = {
                "X-Xet-Cas-Url": hub.content_url,
                "X-Xet-Access-Token": hub_xet.TOKEN,
                "X-Xet-Token-Expiration": "4000000000",
            }
            self.json({"casUrl": hub.content_url, "accessToken": hub_xet.TOKEN, "exp": 4_000_000_000}, cas)
        elif found := re.fullmatch(r"/(v1/reconstructions|xorbs)/([0-9a-f]{64})", path):
            content = hub_xet.content_of([each.revisions for each in hub.datasets.values()], found[2])
            if content is not None and found[1] == "xorbs":
                self.content(hub_xet.xorb(content))
            elif content is not None:
                self.json(hub_xet.reconstruction(content, found[2], f"{hub.content_url}/xorbs/{found[2]}"))
        elif found := re.fullmatch(r"/api/(datasets|spaces)/([^/]+/[^/]+)(?:/(revision|tree)/(.+))?", path):
            self.repository(found[1], unquote(found[2]), found[3], found[4])

    # Models

    def list_models(self) -> None:
        hub = self.server.hub
        rows = [model for model in hub.models.values() if self.fits(model)]
        sort = self.query.get("sort", ["trendingScore"])[0]
        expand = self.query.get("expand", []) + self.query.get("expand[]", [])
        if sort not in SORT_KEYS or set(expand) - (EXPANDABLE - NOT_IN_LISTINGS):
            self.refuse(400, "Invalid sort or expand")
        rows.sort(key=lambda model: model[sort], reverse=True)
        limit = min(int(self.query.get("limit", ["1000"])[0]), hub.largest_page)
        self.page([shown(model, expand) for model in rows], limit)

    def fits(self, model: Mapping[str, Any]) -> bool:
        task = self.query.get("pipeline_tag", [None])[0]
        words = self.query.get("search", [""])[0].lower()
        return (task is None or model.get("pipeline_tag") == task) and words in str(model["id"]).lower()

    def model(self, model_id: str) -> None:
        hub = self.server.hub
        if model_id in hub.renamed:
            self.redirect(f"/api/models/{hub.renamed[model_id]}", with_query=True)
        if model_id not in hub.models:
            self.refuse(404, "Repository not found", "RepoNotFound")
        expand = self.query.get("expand", []) + self.query.get("expand[]", [])
        if set(expand) - EXPANDABLE:
            self.refuse(400, "Invalid expand")
        self.json(shown(hub.models[model_id], expand) if expand else hub.models[model_id])

    def model_files(self, model_id: str) -> None:
        """The files at the top of a model's repository: its `siblings`, with their sizes."""
        if model_id not in self.server.hub.models:
            self.refuse(404, "Repository not found", "RepoNotFound")
        files = self.server.hub.models[model_id].get("siblings", [])
        entries = [
            {"type": "file", "path": each["rfilename"], "oid": git_oid(b""), "size": each.get("size", 0)}
            for each in files
            if "/" not in each["rfilename"]
        ]
        self.page(entries, self.server.hub.largest_page)

    def redirect(self, location: str, *, with_query: bool = False, headers: Mapping[str, str] | None = None) -> None:
        query = urlsplit(self.path).query
        address = f"{location}?{query}" if with_query and query else location
        self.reply(307, b"", {"Location": address, **(headers or {})})

    # Datasets and Spaces

    def repository(self, kind: str, repo_id: str, part: str | None, rest: str | None) -> None:
        repository = self.find(kind, repo_id)
        revision, _, folder = (rest or "main").partition("/")
        sha = repository.sha_of(unquote(revision))
        if sha is None:
            self.refuse(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        files = repository.revisions[sha]
        if part == "tree":
            recursive = self.query.get("recursive", ["false"])[0].lower() == "true"
            entries = tree(files, unquote(folder), recursive)
            if self.server.hub.xet:
                entries = [{**each, "xetHash": each["sha256"]} if "lfs" in each else each for each in entries]
            self.page(entries, self.server.hub.largest_page)
        info: dict[str, Any] = {"_id": sha[:24], "id": repo_id, "sha": sha}
        if not self.query.get("expand"):
            info |= {"private": False, "gated": "manual" if repository.gated else False, "tags": []}
            info["siblings"] = [{"rfilename": name} for name in sorted(files)]
        self.json(info)

    def find(self, kind: str, repo_id: str) -> Repository:
        repository: Repository | None = getattr(self.server.hub, kind).get(repo_id)
        if repository is None:
            self.refuse(404, "Repository not found", "RepoNotFound")
        return repository  # type: ignore[return-value]

    def resolve(self, kind: str, repo_id: str, rest: str, *, direct: bool) -> None:
        """A file's address: parquet redirects to the content server, text to the cache of the Hub itself."""
        repository = self.find(kind, repo_id)
        revision, _, name = rest.partition("/")
        sha, name = repository.sha_of(unquote(revision)), unquote(name)
        if repository.gated and self.headers.get("Authorization") is None:
            self.refuse(401, f"Access to dataset {repo_id} is restricted", "GatedRepo")
        if sha is None:
            self.refuse(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        content = repository.revisions[sha].get(name)
        commit = {"X-Repo-Commit": sha}
        if content is None:
            self.reply(404, b'{"error":"Entry not found"}', commit | {"X-Error-Code": "EntryNotFound"})
        if is_large(name):
            etag = f'"{hashlib.sha256(content).hexdigest()}"'
            linked = {"X-Linked-Etag": etag, "X-Linked-Size": str(len(content)), "ETag": etag}
            if self.server.hub.xet:
                token = f"{self.server.hub.url}/api/{kind}/{repo_id}/xet-read-token/{sha}"
                linked |= {"X-Xet-Hash": hashlib.sha256(content).hexdigest(), "Link": f'<{token}>; rel="xet-auth"'}
            address = f"{self.server.hub.content_url}/content/{kind}/{repo_id}/{sha}/{quote(name)}"
            self.reply(302, b"", commit | linked | {"Location": address})
        if not direct:
            address = f"/api/resolve-cache/{kind}/{repo_id}/{sha}/{quote(name)}"
            self.redirect(address, headers=commit)
        self.content(content, commit | {"ETag": f'"{git_oid(content)}"'})

    def content(self, content: bytes, headers: Mapping[str, str] | None = None) -> None:
        """Bytes of a file; `Range: bytes=N-` is served, as resumed downloads need it."""
        every = {"Content-Type": "application/octet-stream", "Accept-Ranges": "bytes", **(headers or {})}
        found = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range") or "")
        if found and int(found[1]) < len(content):
            first, last = int(found[1]), min(int(found[2] or len(content)), len(content) - 1)
            every["Content-Range"] = f"bytes {first}-{last}/{len(content)}"
            self.reply(206, content[first : last + 1], every)
        self.reply(200, content, every)

    # Buckets

    def bucket(self, bucket_id: str, of_tree: bool, prefix: str) -> None:
        hub = self.server.hub
        if bucket_id not in hub.buckets:
            self.refuse(404, "Repository not found", "RepoNotFound")
        if not of_tree:
            self.json(bucket_info(hub, bucket_id))
        recursive = self.query.get("recursive", ["false"])[0].lower() == "true"
        entries = [
            {**entry, "xetHash": entry["sha256"], "mtime": "2026-01-02T00:00:00.000Z"}
            if entry["type"] == "file"
            else entry
            for entry in tree(hub.buckets[bucket_id], prefix, recursive)
        ]
        self.page(entries, hub.largest_page)


def shown(model: Mapping[str, Any], expand: list[str]) -> dict[str, Any]:
    """The fields of a model that a listing shows: the asked ones, or the Hub's own choice."""
    wanted = {"_id", "id", *expand} if expand else {"_id", "modelId", *SHOWN_WITHOUT_EXPAND}
    fields = {name: value for name, value in model.items() if name in wanted}
    if "siblings" in fields:
        fields["siblings"] = [{"rfilename": each["rfilename"]} for each in fields["siblings"]]
    return fields


def is_large(name: str) -> bool:
    return name.endswith(".parquet")


def git_oid(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def tree(files: Mapping[str, bytes], folder: str, recursive: bool) -> list[dict[str, Any]]:
    """The entries below `folder` as the Hub's tree listing gives them."""
    entries: dict[str, dict[str, Any]] = {}
    start = f"{folder}/" if folder else ""
    for name, content in sorted(files.items()):
        if not name.startswith(start):
            continue
        below = name.removeprefix(start).split("/")
        folders = below[:-1] if recursive else below[:-1][:1]
        for depth in range(1, len(folders) + 1):
            path = start + "/".join(below[:depth])
            oid = hashlib.sha1(path.encode()).hexdigest()
            entries.setdefault(path, {"type": "directory", "path": path, "oid": oid, "size": 0})
        if len(below) > 1 and not recursive:
            continue
        entry = {"type": "file", "path": name, "oid": git_oid(content), "size": len(content)}
        digest = hashlib.sha256(content).hexdigest()
        if is_large(name):
            entry["lfs"] = {"oid": digest, "size": len(content), "pointerSize": 134}
        entries[name] = {**entry, "sha256": digest}
    return list(entries.values())


def bucket_info(hub: LoopbackHub, bucket_id: str) -> dict[str, Any]:
    files = hub.buckets[bucket_id]
    return {
        "id": bucket_id,
        "private": False,
        "createdAt": "2026-01-01T00:00:00.000Z",
        "size": sum(len(content) for content in files.values()),
        "totalFiles": len(files),
    }
