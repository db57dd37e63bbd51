"""A wire between browser and server that a test can cut, hold and mend: a TCP proxy, in threads of its own."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from threading import Condition, Thread

_STREAM = b"/_stcore/stream"
_LINGER_0 = struct.pack("ii", 1, 0)  # closing then resets the connection: nothing that is under way arrives


@dataclass(eq=False)
class Connection:
    """One connection through the wire. `stream`: it is a page's websocket.

    `held`: what the server answers waits here; `waiting`: something does.
    """

    browser: socket.socket
    server: socket.socket
    stream: bool = False
    held: bool = False
    waiting: bool = False


@dataclass
class Wire:
    """Its address stands for the server's. After `cut()` nothing comes through and nobody gets a connection."""

    server_port: int
    port: int = 0
    connections: list[Connection] = field(default_factory=list)
    whole: bool = True
    refused: int = 0
    carried: int = 0  # bytes that the server has sent through it
    _changed: Condition = field(default_factory=Condition)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def streams(self) -> list[Connection]:
        """The websockets of the pages, in the order in which they came."""
        with self._changed:
            return [each for each in self.connections if each.stream]

    def cut(self) -> None:
        """Reset every connection, and every new one until `mend()`."""
        with self._changed:
            self.whole, self.refused = False, 0
            gone, self.connections = self.connections, []
            self._changed.notify_all()
        for each in gone:
            _end(each)

    def mend(self) -> None:
        """Let new connections through again."""
        with self._changed:
            self.whole = True

    def hold(self, connection: Connection, held: bool = True) -> None:
        """Let what the server answers on this connection wait, or arrive after all."""
        with self._changed:
            connection.held, connection.waiting = held, False
            self._changed.notify_all()

    def wait_for_refused(self, seconds: float = 60.0) -> None:
        """Wait until somebody has tried in vain since the cut."""
        with self._changed:
            assert self._changed.wait_for(lambda: self.refused > 0, seconds)

    def wait_for_answer(self, connection: Connection, seconds: float = 60.0) -> None:
        """Wait until an answer waits on a connection that is held."""
        with self._changed:
            assert self._changed.wait_for(lambda: connection.waiting, seconds)

    def accept(self, listener: socket.socket) -> None:
        """Take connections until the listener is closed."""
        while True:
            try:
                browser, _ = listener.accept()
            except OSError:
                return
            with self._changed:
                whole = self.whole
                if not whole:
                    self.refused += 1
                    self._changed.notify_all()
            if not whole:
                _reset(browser)
                continue
            try:
                server = socket.create_connection(("127.0.0.1", self.server_port), 5)
            except OSError:
                _reset(browser)
                continue
            server.settimeout(None)
            connection = Connection(browser, server)
            with self._changed:
                self.connections.append(connection)
            for source, target in ((browser, server), (server, browser)):
                Thread(target=self._carry, args=(connection, source, target), daemon=True).start()

    def _carry(self, connection: Connection, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                with self._changed:
                    if source is connection.browser and _STREAM in data[:200]:
                        connection.stream = True
                    if source is connection.server and connection.held:
                        connection.waiting = True
                        self._changed.notify_all()
                        self._changed.wait_for(lambda: not connection.held or connection not in self.connections)
                target.sendall(data)
                if source is connection.server:
                    with self._changed:
                        self.carried += len(data)
        with self._changed:
            if connection in self.connections:
                self.connections.remove(connection)
            self._changed.notify_all()
        _end(connection)


def _reset(end: socket.socket) -> None:
    with suppress(OSError):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_0)
        end.shutdown(socket.SHUT_RDWR)
    end.close()


def _end(connection: Connection) -> None:
    _reset(connection.browser)
    _reset(connection.server)


@contextmanager
def wire(server_url: str) -> Iterator[Wire]:
    """A wire to this server, for the time of a block."""
    with closing(socket.create_server(("127.0.0.1", 0), backlog=64)) as listener:
        made = Wire(int(server_url.rpartition(":")[2]), listener.getsockname()[1])
        Thread(target=made.accept, args=(listener,), daemon=True).start()
        try:
            yield made
        finally:
            made.cut()
