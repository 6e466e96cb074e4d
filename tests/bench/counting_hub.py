"""The loopback Hub behind a port that counts the bytes of both directions."""

from __future__ import annotations

import contextlib
import socket
import threading
from pathlib import Path

from loopback_hub import LoopbackHub, read_folder


class CountingHub:
    """Serves a folder at `port`; `requests` and `bytes` since `forget()`."""

    def __init__(self, folder: Path, port: int) -> None:
        self.bytes = 0
        self._lock = threading.Lock()
        self._hub = LoopbackHub()
        read_folder(self._hub, folder)
        self._door = socket.create_server(("127.0.0.1", port))
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> CountingHub:
        return self

    def __exit__(self, *error: object) -> None:
        # A thread that waits in accept() holds the port: it has to be woken before the close.
        with contextlib.suppress(OSError):
            self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()
        self._hub.refuse()

    @property
    def requests(self) -> list[tuple[str, str]]:
        """(method, path) of each."""
        return list(self._hub.requests)

    def forget(self) -> None:
        """Count anew."""
        self._hub.forget_requests()
        with self._lock:
            self.bytes = 0

    def _accept(self) -> None:
        port = int(self._hub.url.rpartition(":")[2])
        while True:
            try:
                here, _ = self._door.accept()
            except OSError:
                return
            there = socket.create_connection(("127.0.0.1", port))
            for source, target in ((here, there), (there, here)):
                threading.Thread(target=self._pass_on, args=(source, target), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                with self._lock:
                    self.bytes += len(data)
                target.sendall(data)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)
