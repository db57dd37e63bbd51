"""The lab with a route that sweeps and then says how much is alive of what a session is made of."""

import gc
from collections import Counter
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from lab.trace.timeline import run_whole
from lessons.server import memory_cleanup, server

KINDS = ("AppSession", "ScriptRunner", "WidgetMetadata", "Timeline")


async def _alive(request: Request) -> JSONResponse:
    await memory_cleanup.clean_once()
    names = Counter(type(each).__name__ for each in gc.get_objects())
    names["Timeline"] -= run_whole.cache_info().currsize  # kept for everybody, and bounded
    return JSONResponse({kind: names[kind] for kind in KINDS})


app = st.App(
    Path(__file__).resolve().parent.parent.parent / "lessons" / "shell.py",
    routes=[Route("/alive", _alive), *server.build_routes()],
    middleware=server.build_middleware(),
    lifespan=server.lifespan,
)
