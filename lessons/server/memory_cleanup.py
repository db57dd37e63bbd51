"""Memory goes back when a class has gone: once a minute what nobody needs any more is dropped, and given back.

What stays then is the allocators' (see "For a class" in the README): Python frees in pieces of 1 MB, and only those
in which nothing is alive.
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
    """A function of the C library; None where it has none of this name."""
    try:
        found: Callable[..., int] = getattr(ctypes.CDLL(None), name)
    except (AttributeError, OSError, TypeError):
        return None
    return found


def limit_arenas() -> None:
    """Threads to come share the heaps that glibc has by now, two at least.

    Of itself it makes up to eight for each core, so that threads need not wait for one another. Ours wait for Python's
    lock anyhow, and each heap keeps its own leavings.
    """
    mallopt = _find_libc_function("mallopt")
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, _ARENAS)


def forget_left_sessions() -> None:
    """Drop the sessions whose time to come back is over, with their uploads. Call it on the event loop.

    Streamlit drops them only when the next student leaves: the last class of the day would stay in memory for the
    night. It has no public call for this; tests/test_load.py sees when this one no longer works.
    """
    if Runtime.exists():
        storage = Runtime.instance()._session_mgr._session_storage  # type: ignore[attr-defined]
        for _, left in storage._cache.expire():
            left.session.shutdown()
            # Streamlit's loop keeps the session that it served last: at least empty.
            left.session._session_state = SessionState()


def give_back() -> None:
    """Collect garbage and give free pages back to the system. Mutates nothing that is in use."""
    # Streamlit would collect after every run, which costs more than most of our runs: postScriptGC is off.
    # The cache of attribute look-ups keeps up to 4,096 names, those made for one look-up too (protobuf and torch make
    # such), and each of them may hold 1 MB of Python's in which nothing else is alive. It fills again at once.
    clear = getattr(sys, "_clear_type_cache", None)
    if clear is not None:
        clear()
    gc.collect()
    # Without the trim, glibc keeps memory at its peak for ever; other C libraries have no such call.
    trim = _find_libc_function("malloc_trim")
    if trim is not None:
        trim(0)


async def clean_once() -> None:
    """Forget who has left and give back what he held; the second in a thread."""
    try:
        forget_left_sessions()
    finally:
        await asyncio.to_thread(give_back)


async def clean_forever() -> None:
    """Sweep once a minute until cancelled."""
    while True:
        await asyncio.sleep(SECONDS)
        try:
            await clean_once()
        except Exception:
            _log.exception("a sweep failed")
