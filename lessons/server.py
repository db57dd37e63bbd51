"""What the lab adds to Streamlit's web server: routes, middleware, a warm start and tidy memory."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from lab.serving_jobs import runner
from lessons import compressed, frames, index_page, network, new_line, plotly_js, replica, security, sweep, warmup
from lessons.base_path import below

_log = logging.getLogger(__name__)


# ------------------------------------------------------------------ routes


def _plotly(request: Request) -> Response:
    """plotly.js, cacheable for ever because its URL carries its hash."""
    etag = f'"{plotly_js.digest()}"'
    headers = {"Cache-Control": "public, max-age=31536000, immutable", "ETag": etag, "Vary": "Accept-Encoding"}
    if etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if compressed.takes_gzip(request.headers):
        headers["Content-Encoding"] = "gzip"
        return Response(compressed.gzipped(plotly_js.SOURCE), media_type="text/javascript", headers=headers)
    return FileResponse(plotly_js.SOURCE, media_type="text/javascript", headers=headers)


def _ready(request: Request) -> Response:
    """200 once a learner would not have to wait for an import. Streamlit's own health route is green long before."""
    warm = warmup.is_warm()
    return PlainTextResponse(
        "ready" if warm else "warming up", status_code=200 if warm else 503, headers={"Cache-Control": "no-store"}
    )


def _not_ready(request: Request) -> Response:
    """No lab is here. Streamlit answers any address with its page: a check would take that for a green."""
    return PlainTextResponse("no lab below this path", status_code=404, headers={"Cache-Control": "no-store"})


def _connection(request: Request) -> Response:
    """Whether a websocket of the page that asks is refused, and under which host it asks; see assets/connection.js."""
    answer = {"refused": security.foreign(request.scope), "host": request.headers.get("host", "")}
    return JSONResponse(answer, headers={"Cache-Control": "no-store"})


def routes() -> list[BaseRoute]:
    """The lab's own routes; Streamlit's come after them."""
    return [
        Route(below(plotly_js.file_name()), _plotly),
        Route(below(replica.READY), _ready),
        Route(replica.READY, _ready),  # a check beside the process needs no path
        Route(f"/{{path:path}}{replica.READY}", _not_ready),
        Route(below("/connection"), _connection, methods=["POST"]),
    ]


# ------------------------------------------------------------------ middleware


def middleware() -> list[Middleware]:
    """What every request passes on its way to Streamlit, the outermost first."""
    return [
        *security.middleware(),
        *frames.middleware(),
        *replica.middleware(),
        *index_page.middleware(),
        *compressed.middleware(),
        *new_line.middleware(),
    ]


# ------------------------------------------------------------------ lifespan


def _warm() -> None:
    """Thread: compress plotly.js, then make the heavy imports. One of several processes that cannot, ends with 1."""
    try:
        compressed.gzipped(plotly_js.SOURCE)
        warmup.warm_up()
    except Exception:
        # /ready stays 503; the page that needs the engine tries again and shows the error.
        _log.exception("warm-up failed")
        if replica.process_name():
            # Nobody gets as far as such a page: it would answer 503 for ever. Ended, it is started again.
            os._exit(1)


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[None]:
    """Runs with the server: starts the warm-up and the sweep, prints where others find it; then ends the sweep, and
    the simulations if there are any."""
    sweep.few_arenas()
    threading.Thread(target=_warm, name="warm-up", daemon=True).start()
    sweeping = asyncio.create_task(sweep.for_ever())
    network.announce()
    try:
        yield
    finally:
        sweeping.cancel()
        if runner.cache_info().currsize:
            runner().close()
            runner.cache_clear()
