"""Once a minute the server drops expired sessions and returns free memory to the system.

Some memory stays with the allocators (see assets/deploy/README.md): Python frees memory in pieces of 1 MB, and a
piece stays as long as one object in it is alive.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import logging
import sys
from collections.abc import Callable

from streamlit.runtime import Runtime
from streamlit.runtime.state import SessionState

SECONDS = 60.0
_M_ARENA_MAX = -8  # of glibc's malloc.h
_ARENAS = 2
_log = logging.getLogger(__name__)


def _find_libc_function(name: str) -> Callable[..., int] | None:
    """A function of the C library; None if the library does not have it."""
    try:
        function: Callable[..., int] = getattr(ctypes.CDLL(None), name)
    except (AttributeError, OSError, TypeError):
        return None
    return function


def limit_arenas() -> None:
    """Limit glibc to two heaps, or to those that it has already. Later threads share them.

    By default glibc makes up to eight heaps per core, so that threads need not wait for each other. Python's lock makes
    our threads wait anyway, and each heap keeps free memory of its own.
    """
    mallopt = _find_libc_function("mallopt")
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, _ARENAS)


def collect_rarely() -> None:
    """Have Python look through all old objects less often: a class of 40 made it do so every 55 clicks, 100 ms each.

    Once in 275 clicks leaves up to 12 MB of garbage for a while.
    """
    gc.set_threshold(*gc.get_threshold()[:2], 50)


def drop_expired_sessions() -> None:
    """Drop disconnected sessions that can no longer reconnect, with their uploads. Call this on the event loop.

    Streamlit drops them only when another student leaves, so the last class of the day would stay in memory all night.
    It has no public call for this; tests/test_load.py fails if these private calls stop working.
    """
    if Runtime.exists():
        storage = Runtime.instance()._session_mgr._session_storage  # type: ignore[attr-defined]
        for _, left in storage._cache.expire():
            left.session.shutdown()
            # Streamlit's event loop keeps a reference to the last session: empty it.
            left.session._session_state = SessionState()


def release_memory() -> None:
    """Collect garbage and return free memory to the system. Changes nothing that is in use."""
    # postScriptGC is off: Streamlit would collect after every run, which costs more than most of our runs.
    # Python's cache of attribute look-ups keeps up to 4,096 names, even names that protobuf and torch made for a single
    # look-up. Each may keep 1 MB of Python's memory alive. The cache fills again at once.
    clear = getattr(sys, "_clear_type_cache", None)
    if clear is not None:
        clear()
    gc.collect()
    # Without the trim glibc keeps its peak of memory for ever; other C libraries have no such call.
    trim = _find_libc_function("malloc_trim")
    if trim is not None:
        trim(0)


async def clean_once() -> None:
    """Drop expired sessions, then return memory to the system in a thread."""
    try:
        drop_expired_sessions()
    finally:
        await asyncio.to_thread(release_memory)


async def clean_forever() -> None:
    """Clean up every ``SECONDS`` seconds until cancelled. An error is logged and does not stop the loop."""
    while True:
        await asyncio.sleep(SECONDS)
        try:
            await clean_once()
        except Exception:
            _log.exception("a memory clean-up failed")
