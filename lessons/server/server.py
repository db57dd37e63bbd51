"""What the lab adds to Streamlit's web server: routes, middleware, a warm-up and a memory clean-up."""

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
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from lab.serving.jobs import get_runner
from lessons.server import (
    ahead,
    compression,
    frames,
    hashed_files,
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


def _report_ready(request: Request) -> Response:
    """Answer 200 once the heavy modules are imported, 503 before. Streamlit's own health route says 200 long before."""
    warm = warmup.is_warm()
    return PlainTextResponse(
        "ready" if warm else "warming up", status_code=200 if warm else 503, headers={"Cache-Control": "no-store"}
    )


def _answer_not_ready(request: Request) -> Response:
    """Answer 404 for a readiness check below a wrong path: Streamlit would answer it with its page and status 200."""
    return PlainTextResponse("no lab below this path", status_code=404, headers={"Cache-Control": "no-store"})


def _answer_connection(request: Request) -> Response:
    """Tell a page whether its websocket is refused, and which host its request names; see assets/connection.js."""
    answer = {"refused": security.is_foreign(request.scope), "host": request.headers.get("host", "")}
    return JSONResponse(answer, headers={"Cache-Control": "no-store"})


def build_routes() -> list[BaseRoute]:
    """The lab's own routes; they take precedence over Streamlit's."""
    return [
        hashed_files.build_route(),
        ahead.build_route(),
        Route(add_base_path(sticky_process.READY), _report_ready),
        Route(sticky_process.READY, _report_ready),  # a check on the same machine needs no base path
        Route(f"/{{path:path}}{sticky_process.READY}", _answer_not_ready),
        Route(add_base_path("/connection"), _answer_connection, methods=["POST"]),
    ]


# ------------------------------------------------------------------ middleware


def build_middleware() -> list[Middleware]:
    """All middleware before Streamlit, the outermost first."""
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
    """Compress plotly.js, then import the heavy modules; runs in a thread.

    If this fails in one of several processes, the process exits with status 1.
    """
    try:
        hashed_files.compress_served(plotly_js.get_url())
        warmup.warm_up()
    except Exception:
        # /ready stays 503. A page that needs the engine tries the import again and shows the error.
        _log.exception("warm-up failed")
        if sticky_process.get_process_name():
            # A named process answers every page with 503 until it is warm. After it exits, it is started again.
            os._exit(1)


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[None]:
    """While the server runs: warm up, clean up memory every minute. At the end stop the clean-up and the simulations.

    Prints the addresses for other devices.
    """
    memory_cleanup.limit_arenas()
    memory_cleanup.collect_rarely()
    threading.Thread(target=_warm, name="warm-up", daemon=True).start()
    cleanup = asyncio.create_task(memory_cleanup.clean_forever())
    network.print_addresses()
    try:
        yield
    finally:
        cleanup.cancel()
        if get_runner.cache_info().currsize:
            get_runner().close()
            get_runner.cache_clear()
