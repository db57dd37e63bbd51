"""Over a new websocket a browser gets no messages of a run whose beginning it missed."""

from __future__ import annotations

from starlette.testclient import TestClient
from starlette.websockets import WebSocket
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from lessons.server.reconnect import WholeRuns


def message(kind: str) -> ForwardMsg:
    found = ForwardMsg()
    if kind == "script_finished":
        found.script_finished = ForwardMsg.FINISHED_SUCCESSFULLY
    elif kind == "ref_hash":
        found.ref_hash = "of a delta that the browser keeps"
    else:
        getattr(found, kind).SetInParent()
    return found


def told(*kinds: str) -> list[str | None]:
    """Those of these messages that reach the browser."""

    async def app(scope: object, receive: object, send: object) -> None:
        socket = WebSocket(scope, receive, send)  # type: ignore[arg-type]
        await socket.accept()
        for kind in kinds:
            await socket.send_bytes(message(kind).SerializeToString())
        await socket.send_text("the end")
        await socket.close()

    found: list[str | None] = []
    with TestClient(WholeRuns(app)).websocket_connect("/") as client:
        while data := client.receive().get("bytes"):
            found.append(ForwardMsg.FromString(data).WhichOneof("type"))
    return found


def test_the_rest_of_a_run_that_began_elsewhere_is_left_out() -> None:
    rest = ("page_info_changed", "delta", "ref_hash", "delta", "script_finished", "session_status_changed")
    run = ("new_session", "delta", "ref_hash", "script_finished", "page_info_changed", "delta")
    assert told(*rest, *run) == ["page_info_changed", "session_status_changed", *run]
