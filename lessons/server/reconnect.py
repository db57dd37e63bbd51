"""What a websocket carries first: nothing of a run whose beginning went over another one that was cut.

Streamlit sends what is left of an interrupted run over the next connection. A browser that missed the beginning has no
place for the rest: its queue of messages stops there for good, until the page is reloaded (streamlit 1.67,
`WebsocketConnection.handleMessage`). The browser asks for a run anyway as soon as it is connected.
"""

from __future__ import annotations

from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

_BEGINNING = "new_session"
_OF_A_RUN = {"delta", "ref_hash", "script_finished"}


class WholeRuns:
    """Lets through what belongs to a run only after the beginning of one."""

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
    """For the server; nearest to Streamlit."""
    return [Middleware(WholeRuns)]
