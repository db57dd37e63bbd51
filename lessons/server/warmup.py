"""The heavy imports, made once and ahead of need.

torch takes seconds to import, so no module imports it before it is used (lab.trace.late_imports). The server starts
``warm_up`` in a thread; a page shows its words first and calls ``wait_until_warm`` only when it needs the engine.
Without a server (AppTest, a script) nobody has started the thread, and ``wait_until_warm`` then imports them itself.
"""

from __future__ import annotations

import gc
import importlib
import threading

from lab.trace.late_imports import MODULES

# What the lab imports late, then what brings most of its own modules.
HEAVY_MODULES = (*MODULES.values(), "lab.trace.timeline", "lab.figures.memory.memory_picture")

_lock = threading.Lock()
_warm = threading.Event()


def warm_up() -> None:
    """Import the heavy modules; a second caller waits for the first. What an import raises is raised; try again."""
    # Our own lock, not the import system's: with several threads inside one circular import the latter may hand out
    # half-made modules rather than wait.
    with _lock:
        if _warm.is_set():
            return
        for name in HEAVY_MODULES:
            importlib.import_module(name)
        # What is alive now lives as long as the process: no later collection needs to walk it.
        gc.collect()
        gc.freeze()
        _warm.set()


def is_warm() -> bool:
    """Whether the heavy modules are imported; never blocks."""
    return _warm.is_set()


def wait_until_warm() -> None:
    """Return once the heavy modules are imported, importing them here if nobody has begun."""
    if not _warm.is_set():
        warm_up()
