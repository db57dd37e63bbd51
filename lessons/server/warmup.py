"""The heavy modules, imported once, before a page needs them.

torch takes seconds to import, so no module imports it before it is used (lab.trace.late_imports). The server starts
``warm_up`` in a thread; a page shows its text first and calls ``wait_until_warm`` when it needs the engine. Without a
server (AppTest, a script) there is no such thread, and ``wait_until_warm`` imports the modules itself.
"""

from __future__ import annotations

import gc
import importlib
import threading

from lab.trace.late_imports import MODULES, import_late

# What brings most of the lab's own modules.
OWN_MODULES = ("lab.trace.timeline", "lab.figures.memory.memory_picture")

_lock = threading.Lock()
_warm = threading.Event()


def warm_up() -> None:
    """Import the heavy modules, once; other callers wait for the first. Raises what an import raises; call it again."""
    # A lock of our own: with several threads in one circular import, Python's import locks may hand out half-made
    # modules instead of waiting.
    with _lock:
        if _warm.is_set():
            return
        for name in MODULES.values():
            import_late(name)
        for name in OWN_MODULES:
            importlib.import_module(name)
        # Everything alive now stays alive: later collections need not look at it.
        gc.collect()
        gc.freeze()
        _warm.set()


def is_warm() -> bool:
    """Are the heavy modules imported? Never blocks."""
    return _warm.is_set()


def wait_until_warm() -> None:
    """Return once the heavy modules are imported; import them here if no other thread has begun."""
    if not _warm.is_set():
        warm_up()
