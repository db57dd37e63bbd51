"""Imports run one way: app -> lessons -> lab, and within lab only downwards. Read from the source, nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# The engine from the bottom up: a module may import modules of earlier lines only. All else in lab lies above.
LAYERS = [
    ("errors", "events", "words"),
    ("invariants", "operations", "sequence", "config"),
    ("block_manager", "scenarios"),
    ("snapshot", "recording", "kv_cache", "vllm_manager"),
    ("runner",),
    ("timeline",),
]
ABOVE = len(LAYERS)  # what is not the engine: these may import each other too, but not in a circle
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
HOME = {"lab": 0, "lessons": 1, "app": 2}
HEAVY = {"torch", "pandas", "plotly"}
LIGHT = ["errors", "sequence", "invariants", "block_manager", "recording", "events", "snapshot", "operations"]
LIGHT += ["config", "scenarios", "words", "runner", "vllm_manager"]
LIGHT += ["workload", "workload_csv", "workload_file"]
LIGHT += ["serving", "serving_paged", "serving_pools", "serving_worker", "serving_jobs"]
# Outside packages that only these modules of lab may import.
ALLOWED = {"torch": {"kv_cache"}, "pandas": {"figures"}, "plotly": {"figures"}, "streamlit": set[str]()}
# Figures are drawn from snapshots, never from the engine that changes.
ENGINE = {"block_manager", "recording", "sequence"}


def module_name(path: Path) -> str:
    """Dotted name of a file below the root: lab/figures/__init__.py is lab.figures."""
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(source: str, package: str) -> Iterator[str]:
    """Dotted names that the source imports anywhere in it, relative ones and those for type checking included."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


def wrong_arrow(importer: str, imported: str) -> str | None:
    """Why this import is not allowed, or None. Both are dotted names; `imported` may end in a name of the module."""
    top, own, *_ = [*importer.split("."), ""]
    target, other, *_ = [*imported.split("."), ""]
    reason = None
    if HOME.get(target, 0) > HOME[top]:
        reason = f"{top} must not import {target}"
    elif top == "lab" and target in ALLOWED and own not in ALLOWED[target]:
        reason = f"lab.{own} must not import {target}"
    elif top != "lab" and target == "torch":
        reason = "torch belongs to lab.kv_cache"
    elif top == target == "lab" and own and own != other:
        reason = wrong_within_lab(own, other)
    return reason


def wrong_within_lab(own: str, other: str) -> str | None:
    """Why lab.own must not import lab.other, or None."""
    if own == "figures" and other in ENGINE:
        return f"lab.figures must read snapshots, not lab.{other}"
    upper, lower = LEVEL.get(own, ABOVE), LEVEL.get(other, ABOVE)
    return None if upper > lower or upper == lower == ABOVE else f"lab.{own} is not above lab.{other}"


def wrong_arrows(source: str, path: Path) -> list[str]:
    """Each import of this file that is not allowed, with the reason."""
    name = module_name(path)
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found = [(imported, wrong_arrow(name, imported)) for imported in imports(source, package)]
    return [f"{path.as_posix()} imports {imported}: {reason}" for imported, reason in found if reason]


def source_files() -> list[Path]:
    """Every Python file of the lab, relative to the root."""
    found = [ROOT / "app.py", *(ROOT / "lab").rglob("*.py"), *(ROOT / "lessons").rglob("*.py")]
    return sorted(path.relative_to(ROOT) for path in found)


def test_imports_run_one_way() -> None:
    """No file of the project has a wrong arrow."""
    files = source_files()
    assert {Path("app.py"), Path("lab/timeline.py"), Path("lessons/__init__.py")} <= set(files)
    assert [wrong for path in files for wrong in wrong_arrows((ROOT / path).read_text(encoding="utf-8"), path)] == []


def circle(sources: Iterable[tuple[Path, str]]) -> list[str]:
    """Modules of lab that import each other in a circle, if any; a package counts as one module."""
    graph: dict[str, set[str]] = {}
    for path, source in sources:
        name = module_name(path)
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        found = [imported.split(".") for imported in imports(source, package)]
        own = ".".join(name.split(".")[:2])
        graph.setdefault(own, set()).update(".".join(f[:2]) for f in found if f[0] == "lab")
        graph[own].discard(own)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_nothing_in_lab_imports_in_a_circle() -> None:
    """Imports for type checking count."""
    files = [path for path in source_files() if path.parts[0] == "lab"]
    assert circle((path, (ROOT / path).read_text(encoding="utf-8")) for path in files) == []
    made = [("lab/a.py", "from lab import b"), ("lab/b.py", "from lab.c.d import x"), ("lab/c/d.py", "import lab.a")]
    assert set(circle((Path(path), source) for path, source in made)) == {"lab.a", "lab.b", "lab.c"}
    assert circle((Path(path), source) for path, source in made[:2]) == []


@pytest.mark.parametrize("name", LIGHT)
def test_the_engine_needs_nothing_heavy(name: str) -> None:
    """The files that students read, and those that only describe, import neither torch nor pandas nor plotly."""
    source = (ROOT / "lab" / f"{name}.py").read_text(encoding="utf-8")
    found = {imported.split(".")[0] for imported in imports(source, "lab")}
    assert found
    assert found & (HEAVY | {"streamlit", "lessons", "app"}) == set()


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("lab/snapshot.py", "import streamlit as st"),
        ("lab/figures/memory.py", "def f():\n    from streamlit import session_state"),
        ("lab/timeline.py", "from lessons.state import read"),
        ("lab/timeline.py", "import lessons"),
        ("lessons/text.py", "import app"),
        ("lessons/state.py", "import torch"),
        ("lab/timeline.py", "import torch.nn.functional as f"),
        ("lab/block_manager.py", "from torch import Tensor"),
        ("lab/snapshot.py", "if TYPE_CHECKING:\n    import pandas as pd"),
        ("lab/kv_cache.py", "import plotly.graph_objects as go"),
        ("lab/sequence.py", "from lab.block_manager import BlockManager"),
        ("lab/sequence.py", "from lab import block_manager"),
        ("lab/sequence.py", "from .block_manager import BlockManager"),
        ("lab/sequence.py", "from . import block_manager"),
        ("lab/snapshot.py", "from lab.kv_cache import KVCache"),
        ("lab/block_manager.py", "import lab.timeline"),
        ("lab/timeline.py", "from lab.figures.memory import draw"),
        ("lab/figures/__init__.py", "from lab.block_manager import BlockManager"),
        ("lab/timeline.py", "from lab.novelty import thing"),
        ("lab/novelty.py", "import torch"),
    ],
)
def test_a_wrong_arrow_is_caught(path: str, source: str) -> None:
    """The checker itself can fail."""
    assert len(wrong_arrows(source, Path(path))) == 1


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("app.py", "import streamlit\nfrom lessons import shell\nfrom lab.timeline import Timeline"),
        (
            "lessons/page_task.py",
            "import streamlit, pandas\nfrom lab.timeline import Timeline\nfrom lessons import text",
        ),
        ("lab/kv_cache.py", "import torch\nfrom torch.nn import functional\nfrom lab.errors import LabError"),
        ("lab/figures/memory.py", "import pandas\nfrom plotly import graph_objects\nfrom lab.snapshot import Snapshot"),
        (
            "lab/figures/memory.py",
            "from lab.figures.theme import Theme\nfrom . import theme\nfrom ..words import Words",
        ),
        ("lab/quiz/__init__.py", "from lab.figures import memory\nfrom .grade import grade"),
        ("lab/novelty.py", "from lab.timeline import Timeline\nfrom lab.other_novelty import thing"),
        ("lab/timeline.py", "from __future__ import annotations\nfrom lab import recording, snapshot"),
    ],
)
def test_a_right_arrow_is_not(path: str, source: str) -> None:
    """Nor does it fail on everything."""
    assert wrong_arrows(source, Path(path)) == []
