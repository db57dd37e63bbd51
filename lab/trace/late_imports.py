"""torch, pandas and plotly, each imported when something of it is first used.

They take seconds to import, and a page shows its first words before it needs a tensor, a table or a figure. So the
modules of the lab take them from here, and can themselves be imported at the top, by anyone, at no cost.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["functional", "graph_objects", "pandas", "torch"]

# What is imported late, by the name under which it is taken from here.
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
        """Stands for a module; asked for anything, it imports the module and hands out the module's own."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, attribute: str) -> Any:
            return getattr(import_module(self._name), attribute)

    functional, graph_objects, pandas, torch = (_LateModule(MODULES[name]) for name in __all__)
