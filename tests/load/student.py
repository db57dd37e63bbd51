"""One student: a websocket to the server that is told what a browser would tell it. Draws nothing.

The protocol is Streamlit's own (streamlit/proto: BackMsg, ForwardMsg), of the version that is installed.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

LONGEST_SECONDS = 60.0  # of one run
_STORE = "browser_store"
_FINISHED = (
    ForwardMsg.FINISHED_SUCCESSFULLY,
    ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY,
)


class StudentError(Exception):
    """The page showed an exception, or lacks what the student wants to press."""


class Student:
    """A session. `query` and `page` are where it is; `record` is what its browser keeps.

    elements  what the page shows, by widget key.
    alerts    the texts of its notices, as of the last run.
    heard     every message from the server, if it is to be kept.
    """

    def __init__(self, port: int, page: str, query: str, record: dict[str, object] | None = None) -> None:
        self.url, self.page, self.query = f"ws://127.0.0.1:{port}/_stcore/stream", page, query
        self.record = record or {}
        self.elements: dict[str, Any] = {}
        self.alerts: list[str] = []
        self.heard: list[bytes] | None = None
        self.frames: set[str] = set()  # of the player, by the ids of their chunks
        self._script = ""
        self._fragments: dict[str, str] = {}  # by the id of a widget, the fragment that it draws again
        self._values: dict[str, WidgetState] = {}
        self._socket: ClientConnection | None = None

    async def open(self) -> float:
        """Open the page as a browser does, which sends its record. Seconds until it is there."""
        start = time.perf_counter()
        self._socket = await connect(self.url, subprotocols=["streamlit"], max_size=None, open_timeout=60)  # type: ignore[list-item]
        await self._rerun()
        if _STORE in self.elements:
            await self.trigger(_STORE, "report", {"record": self.record, "at": 1})
        return time.perf_counter() - start

    async def close(self) -> None:
        """Leave."""
        if self._socket is not None:
            await self._socket.close()

    async def draw(self) -> float:
        """Have the page drawn again, as a component does that has news. Seconds until it is there."""
        return await self._rerun()

    async def press(self, key: str) -> float:
        """Press a button of Streamlit. Seconds until the page is there again."""
        return await self._rerun(WidgetState(id=self._id(key), trigger_value=True))

    async def trigger(self, key: str, event: str, value: object) -> float:
        """An event of a component of the lab. Seconds until the page is there again."""
        events = json.dumps([{"event": event, "value": value}])
        name = f"$$STREAMLIT_INTERNAL_KEY_{self._id(key)}__events"
        return await self._rerun(WidgetState(id=name, json_trigger_value=events))

    def fill(self, key: str, **value: Any) -> None:
        """Give a field its value, `string_value="3"` or the like; sent with the next press."""
        self._values[key] = WidgetState(id=self._id(key), **value)

    def shown(self, kind: str) -> Iterator[tuple[str, Any]]:
        """The elements of one kind on the page, with their keys."""
        for key, element in self.elements.items():
            if element.WhichOneof("type") == kind:
                yield key, getattr(element, kind)

    def _id(self, key: str) -> str:
        element = self.elements.get(key)
        if element is None:
            raise StudentError(f"{key} is not on the page: {sorted(self.elements)}")
        return str(getattr(element, element.WhichOneof("type")).id)

    async def _rerun(self, *pressed: WidgetState) -> float:
        message = BackMsg()
        rerun = message.rerun_script
        rerun.query_string, rerun.page_script_hash, rerun.page_name = self.query, self._script, self.page
        rerun.fragment_id = next((self._fragments[each.id] for each in pressed if each.id in self._fragments), "")
        rerun.widget_states.widgets.extend([*self._values.values(), *pressed])
        assert self._socket is not None
        start = time.perf_counter()
        await self._socket.send(message.SerializeToString())
        async with asyncio.timeout(LONGEST_SECONDS):  # what it raises is an OSError
            await self._drain(self._socket)
        return time.perf_counter() - start

    async def _drain(self, socket: ClientConnection) -> None:
        """Read until the run is over; a run that another one overtook does not count."""
        shown: dict[str, Any] = {}
        self.alerts = []
        while True:
            data = await socket.recv()
            if self.heard is not None:
                self.heard.append(data if isinstance(data, bytes) else data.encode())
            message = ForwardMsg.FromString(data if isinstance(data, bytes) else data.encode())
            kind = message.WhichOneof("type")
            if kind == "new_session":
                shown = {}
            elif kind == "navigation":
                self._script = message.navigation.page_script_hash
            elif kind == "page_info_changed":
                self.query = message.page_info_changed.query_string
            elif kind == "delta":
                element = message.delta.new_element
                what = element.WhichOneof("type")
                if what == "exception":
                    raise StudentError(element.exception.message)
                if what == "alert":
                    self.alerts.append(element.alert.body)
                name = str(getattr(getattr(element, what), "id", "")) if what else ""
                if name and message.delta.fragment_id:
                    self._fragments[name] = message.delta.fragment_id
                if name:
                    shown[name.split("-", 2)[2] if name.startswith("$$ID-") else name] = element
            elif kind == "script_finished" and message.script_finished in _FINISHED:
                is_part = message.script_finished == ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY
                self.elements = {**self.elements, **shown} if is_part else shown
                self._values = {key: value for key, value in self._values.items() if key in shown}
                return
