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

from lab.serving.jobs import get_runner
from lessons.server import (
    compression,
    frames,
    index_page,
    memory_cleanup,
    network,
    plotly_js,
    reconnect,
    security,
    sticky_process,
    warmup,
)
from lessons.server.base_path import add_base_path

_log = logging.getLogger(__name__)


# ------------------------------------------------------------------ routes


def _serve_plotly(request: Request) -> Response:
    """plotly.js, cacheable for ever because its URL carries its hash."""
    etag = f'"{plotly_js.compute_digest()}"'
    headers = {"Cache-Control": "public, max-age=31536000, immutable", "ETag": etag, "Vary": "Accept-Encoding"}
    if etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if compression.accepts_gzip(request.headers):
        headers["Content-Encoding"] = "gzip"
        return Response(compression.compress_file(plotly_js.SOURCE), media_type="text/javascript", headers=headers)
    return FileResponse(plotly_js.SOURCE, media_type="text/javascript", headers=headers)


def _report_ready(request: Request) -> Response:
    """200 once a learner would not have to wait for an import. Streamlit's own health route is green long before."""
    warm = warmup.is_warm()
    return PlainTextResponse(
        "ready" if warm else "warming up", status_code=200 if warm else 503, headers={"Cache-Control": "no-store"}
    )


def _answer_not_ready(request: Request) -> Response:
    """No lab is here. Streamlit answers any address with its page: a check would take that for a green."""
    return PlainTextResponse("no lab below this path", status_code=404, headers={"Cache-Control": "no-store"})


def _answer_connection(request: Request) -> Response:
    """Whether a websocket of the page that asks is refused, and under which host it asks; see assets/connection.js."""
    answer = {"refused": security.is_foreign(request.scope), "host": request.headers.get("host", "")}
    return JSONResponse(answer, headers={"Cache-Control": "no-store"})


def build_routes() -> list[BaseRoute]:
    """The lab's own routes; Streamlit's come after them."""
    return [
        Route(add_base_path(plotly_js.get_file_name()), _serve_plotly),
        Route(add_base_path(sticky_process.READY), _report_ready),
        Route(sticky_process.READY, _report_ready),  # a check beside the process needs no path
        Route(f"/{{path:path}}{sticky_process.READY}", _answer_not_ready),
        Route(add_base_path("/connection"), _answer_connection, methods=["POST"]),
    ]


# ------------------------------------------------------------------ middleware


def build_middleware() -> list[Middleware]:
    """What every request passes on its way to Streamlit, the outermost first."""
    return [
        *security.build_middleware(),
        *frames.build_middleware(),
        *sticky_process.build_middleware(),
        *index_page.build_middleware(),
        *compression.build_middleware(),
        *reconnect.build_middleware(),
    ]


# ------------------------------------------------------------------ lifespan


def _warm() -> None:
    """Thread: compress plotly.js, then make the heavy imports. One of several processes that cannot, ends with 1."""
    try:
        compression.compress_file(plotly_js.SOURCE)
        warmup.warm_up()
    except Exception:
        # /ready stays 503; the page that needs the engine tries again and shows the error.
        _log.exception("warm-up failed")
        if sticky_process.get_process_name():
            # Nobody gets as far as such a page: it would answer 503 for ever. Ended, it is started again.
            os._exit(1)


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[None]:
    """Runs with the server: starts the warm-up and the sweep, prints where others find it; then ends the sweep, and
    the simulations if there are any."""
    memory_cleanup.limit_arenas()
    threading.Thread(target=_warm, name="warm-up", daemon=True).start()
    sweeping = asyncio.create_task(memory_cleanup.clean_forever())
    network.print_addresses()
    try:
        yield
    finally:
        sweeping.cancel()
        if get_runner.cache_info().currsize:
            get_runner().close()
            get_runner.cache_clear()
