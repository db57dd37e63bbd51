"""What an operation will draw, for a browser that asks as its button is pressed: its picture comes before the page.

Only the suggested operation's frames come along with the page; those of any other are fetched here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from weakref import WeakValueDictionary

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from lessons.server.base_path import add_base_path

_FOLDER = "ahead"


@dataclass(frozen=True, eq=False)
class Outlook:
    """What each operation would draw now.

    log   names the run that the operations go on from.
    look  gives the frames for an operation's id, None if it is not offered. Called in any thread, without a session.
    """

    log: str
    look: Callable[[str], Mapping[str, object] | None]


_outlooks: WeakValueDictionary[str, Outlook] = WeakValueDictionary()  # by the session's secret; the session holds them


def offer_outlook(secret: str, outlook: Outlook) -> str:
    """Answer for this outlook, in place of an earlier one, as long as the caller holds it. Returns the address."""
    _outlooks[secret] = outlook
    return f"./{_FOLDER}/{secret}/{outlook.log}"


def _send(request: Request) -> Response:
    outlook, headers = _outlooks.get(request.path_params["secret"]), {"Cache-Control": "no-store"}
    found = None
    if outlook is not None and outlook.log == request.path_params["log"]:
        found = outlook.look(request.path_params["operation"])
    # Not 404, which a browser would log as an error: the page's own answer is on its way.
    return JSONResponse(found, headers=headers) if found else Response(status_code=204, headers=headers)


def build_route() -> BaseRoute:
    """The route of all sessions' outlooks. It runs in a thread: drawing would hold up everybody else."""
    return Route(add_base_path(f"/{_FOLDER}/{{secret}}/{{log}}/{{operation}}"), _send)
