"""torch, pandas and plotly, each imported on its first use.

They take seconds to import, and a page shows its first words before it needs a tensor, a table or a figure. The lab's
modules import them from here, so that any module can import the lab at the top at no cost.
"""

from __future__ import annotations

from importlib import import_module
from sys import modules
from typing import TYPE_CHECKING, Any

__all__ = ["functional", "graph_objects", "pandas", "torch"]

# Name here -> the module that it stands for.
MODULES = {
    "graph_objects": "plotly.graph_objects",
    "pandas": "pandas",
    "torch": "torch",
    "functional": "torch.nn.functional",
}

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

        def __getattr__(self, attribute: str) -> Any:
            return getattr(modules.get(self._name) or import_module(self._name), attribute)

    functional, graph_objects, pandas, torch = (_LateModule(MODULES[name]) for name in __all__)
