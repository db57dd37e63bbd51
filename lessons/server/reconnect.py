"""After a reconnect, drop the rest of a run whose beginning was sent over the old connection.

Streamlit sends the rest of an interrupted run over the new websocket. If the browser missed the beginning, it cannot
place the rest, and its message queue stops until the page is reloaded (streamlit 1.67,
`WebsocketConnection.handleMessage`). Nothing is lost: the browser asks for a new run as soon as it is connected.
"""

from __future__ import annotations

from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

_BEGINNING = "new_session"
_OF_A_RUN = {"delta", "ref_hash", "script_finished"}


class WholeRuns:
    """Drops messages of a run until a websocket has carried the beginning of a run."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def send_whole(message: Message) -> None:
            nonlocal begun
            if not begun and message["type"] == "websocket.send":
                kind = ForwardMsg.FromString(message.get("bytes") or b"").WhichOneof("type")
                begun = kind == _BEGINNING
                if kind in _OF_A_RUN:
                    return
            await send(message)

        await self.app(scope, receive, send_whole if scope["type"] == "websocket" else send)


def build_middleware() -> list[Middleware]:
    """The middleware of this module; it must be nearest to Streamlit."""
    return [Middleware(WholeRuns)]
