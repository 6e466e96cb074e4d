"""A `docker` that runs what it is given in a "container": processes of a daemon, which go on when the client ends.

As with the real one a signal to the client ends only the client; the program inside keeps its pipes. The container
has no wall: what runs in it is an ordinary process of this machine, in a session of its own, with an environment of
its own. `calls` has the command line of each call, without `exec -i NAME`.
"""

from __future__ import annotations

import array
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType

_CLIENT = """#!{python} -ISE
import array, json, socket, sys
words = sys.argv[1:]
if words[:3] != ["exec", "-i", "box"]:
    sys.exit("Error response from daemon: No such container: " + " ".join(words[2:3]))
connection = socket.socket(socket.AF_UNIX)
try:
    connection.connect({path!r})
except OSError:
    sys.exit("Cannot connect to the Docker daemon")
data = json.dumps(words[3:]).encode() + b"\\n"
connection.sendmsg([data[:1]], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))])
connection.sendall(data[1:])
sys.exit(int(connection.recv(16) or b"137"))
"""


class FakeDocker:
    """The daemon, and the client in `folder`, which belongs on PATH."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.calls: list[list[str]] = []
        self._children: list[subprocess.Popen[bytes]] = []
        # Names of sockets are short: 107 bytes.
        self._listener = socket.socket(socket.AF_UNIX)
        name = f"\0trn-models-fake-docker-{os.getpid()}-{id(self)}"
        self._listener.bind(name)
        self._listener.listen()
        folder.mkdir(parents=True, exist_ok=True)
        client = folder / "docker"
        client.write_text(_CLIENT.format(python=sys.executable, path=name))
        client.chmod(0o755)

    def __enter__(self) -> FakeDocker:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._listener.close()
        for child in self._children:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)

    def _accept(self) -> None:
        while True:
            try:
                connection = self._listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            descriptors = array.array("i")
            data, ancillary, _, _ = connection.recvmsg(1, socket.CMSG_LEN(3 * descriptors.itemsize))
            for _level, _kind, content in ancillary:
                descriptors.frombytes(content)
            while not data.endswith(b"\n"):
                data += connection.recv(65_536)
            words = json.loads(data)
            self.calls.append(words)
            child = subprocess.Popen(
                [sys.executable if words[0] == "python" else words[0], *words[1:]],
                stdin=descriptors[0],
                stdout=descriptors[1],
                stderr=descriptors[2],
                cwd="/",
                env={"PATH": "/usr/bin:/bin", "INSIDE": "yes"},
                start_new_session=True,
            )
            self._children.append(child)
            for descriptor in descriptors:
                os.close(descriptor)
            code = child.wait()
            with contextlib.suppress(OSError):
                connection.sendall(str(code if code >= 0 else 128 - code).encode())
