"""torch, pandas and plotly, each imported on its first use.

They take seconds to import, and a page shows its first words before it needs a tensor, a table or a figure. The lab's
modules import them from here, so that any module can import the lab at the top at no cost.

One of them at a time is imported, by one thread: while torch is being imported, Python's own locks would hand other
threads a half-made torch, or begin with its submodules, which breaks both.
"""

from __future__ import annotations

from importlib import import_module
from threading import RLock
from types import ModuleType
from typing import TYPE_CHECKING, Any

__all__ = ["functional", "graph_objects", "pandas", "torch"]

# Name here -> the module that it stands for.
MODULES = {
    "graph_objects": "plotly.graph_objects",
    "pandas": "pandas",
    "torch": "torch",
    "functional": "torch.nn.functional",
}

_lock = RLock()


def import_late(name: str) -> ModuleType:
    """Import a module of MODULES, or wait until the thread that has begun is done."""
    with _lock:
        return import_module(name)


if TYPE_CHECKING:
    import pandas
    import torch
    from plotly import graph_objects
    from torch.nn import functional
else:

    class _LateModule:
        """Stands for a module; the first access to an attribute imports the module."""

        def __init__(self, name: str) -> None:
            self._name = name
            self._module: ModuleType | None = None

        def __getattr__(self, attribute: str) -> Any:
            self._module = self._module or import_late(self._name)
            return getattr(self._module, attribute)

    functional, graph_objects, pandas, torch = (_LateModule(MODULES[name]) for name in __all__)
