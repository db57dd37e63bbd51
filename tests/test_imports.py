"""Imports run one way: app -> lessons -> lab, and between rooms only downwards. Read from the source; nothing runs."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from lab.trace.late_imports import MODULES

ROOT = Path(__file__).parent.parent
HOME = {"lab": 0, "lessons": 1, "app": 2}
# The rooms from the bottom up. A module may import its own room and rooms of earlier lines; rooms of one line may
# import each other, but not in a circle.
LAB = [
    ("engine",),
    ("trace",),
    ("activities",),
    ("quiz", "misconceptions", "serving", "sandbox", "figures", "training", "classroom"),
    ("course_reports",),
]
LESSONS = [
    ("text", "server"),
    ("state",),
    ("widgets",),
    ("presenter",),
    ("activity",),
    ("votable",),
    ("start", "lesson", "intuition", "task", "quiz", "memory", "report", "sandbox", "library", "classroom"),
    ("course_reports",),
]
ROOMS = {"lab": LAB, "lessons": LESSONS}
LEVEL = {f"{top}.{room}": level for top, lines in ROOMS.items() for level, line in enumerate(lines) for room in line}
# The same within the rooms that are read from the bottom up: a file may import files of earlier lines only.
FILES = [
    ("lab.engine.errors", "lab.engine.words"),
    ("lab.engine.invariants", "lab.engine.sequence"),
    ("lab.engine.block_manager",),
    ("lab.engine.vllm_manager",),
    ("lab.trace.operations", "lab.trace.events", "lab.trace.config", "lab.trace.late_imports"),
    ("lab.trace.presets", "lab.trace.vocabulary"),
    ("lab.trace.snapshot", "lab.trace.recorder", "lab.trace.tiny_lm"),
    ("lab.trace.attention",),
    ("lab.trace.kv_cache",),
    ("lab.trace.runner",),
    ("lab.trace.timeline",),
]
FILE_LEVEL = {name: level for level, names in enumerate(FILES) for name in names}
HEAVY = {"torch", "pandas", "plotly"}
LATE = "lab.trace.late_imports"  # imports these when they are first used; all others take them from it
# Outside packages, and the only modules or rooms of lab that may use them.
ALLOWED = {
    "torch": {LATE, "lab.trace.attention", "lab.trace.kv_cache", "lab.trace.tiny_lm", "lab.training.train"},
    "pandas": {LATE, "lab.figures"},
    "plotly": {LATE, "lab.figures"},
    "streamlit": set[str](),
}
# Figures are drawn from snapshots, never from the engine that changes.
CHANGING = {"lab.engine.block_manager", "lab.engine.vllm_manager", "lab.engine.sequence", "lab.trace.recorder"}
MOST_FILES = 20  # of code in a folder, beside its subfolders


def module_name(path: Path) -> str:
    """Dotted name of a file below the root: lab/figures/__init__.py is lab.figures."""
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room(name: str) -> str:
    """The room of a dotted name: its first two parts."""
    return ".".join(name.split(".")[:2])


def imports(source: str, package: str) -> Iterator[str]:
    """Dotted names that the source imports anywhere in it, relative ones and those for type checking included."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


def is_in(name: str, places: set[str]) -> bool:
    """Is the module one of these, or below one?"""
    return any(name == place or name.startswith(f"{place}.") for place in places)


def file_level(name: str) -> int | None:
    """The line of FILES on which the module of a dotted name stands; the name may end in a name of the module."""
    return next((level for known, level in FILE_LEVEL.items() if is_in(name, {known})), None)


def wrong_arrow(importer: str, imported: str) -> str | None:
    """Why this import is not allowed, or None. Both are dotted names; `imported` may end in a name of the module."""
    top, target = importer.split(".", maxsplit=1)[0], imported.split(".", maxsplit=1)[0]
    if importer != LATE and (target in HEAVY or imported == LATE):
        return f"{target} is taken from {LATE} by its name"
    if imported.startswith(f"{LATE}."):
        target = MODULES.get(imported.removeprefix(f"{LATE}."), target).split(".", maxsplit=1)[0]
    if HOME.get(target, 0) > HOME[top]:
        return f"{top} must not import {target}"
    if top == "lab" and target in ALLOWED and not is_in(importer, ALLOWED[target]):
        return f"{importer} must not import {target}"
    if top != "lab" and target == "torch":
        return "torch belongs to lab.trace.kv_cache and the model"
    return wrong_between_rooms(importer, imported) if top == imported.split(".", maxsplit=1)[0] else None


def wrong_between_rooms(importer: str, imported: str) -> str | None:
    """Why one module of lab, or of lessons, must not import another, or None."""
    own, other = room(importer), room(imported)
    if own == "lab.figures" and is_in(imported, CHANGING):
        return f"figures must read snapshots, not {imported}"
    if own == other:
        upper, lower = file_level(importer), file_level(imported)
        if upper is None or importer == imported:
            return None
        return None if lower is not None and upper > lower else f"{importer} is not above {imported}"
    if own not in LEVEL:  # the shell
        return None
    if other not in LEVEL:
        return f"{other} is above all rooms"
    return None if LEVEL[own] >= LEVEL[other] else f"{own} is not above {other}"


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
    assert {Path("app.py"), Path("lab/trace/timeline.py"), Path("lessons/shell.py")} <= set(files)
    assert [wrong for path in files for wrong in wrong_arrows((ROOT / path).read_text(encoding="utf-8"), path)] == []


def test_every_file_has_a_room_and_every_room_exists() -> None:
    """A new folder must be given its place in LAB or LESSONS."""
    rooms = {room(module_name(path)) for path in source_files() if len(path.parts) > 2}
    assert rooms == set(LEVEL)
    loose = {path.as_posix() for path in source_files() if len(path.parts) == 2}
    assert loose == {"lab/__init__.py", "lessons/__init__.py", "lessons/shell.py"}


def test_no_folder_is_crowded() -> None:
    """Code files beside its subfolders: about as many as one takes in at a look."""
    folders = [ROOT, *(path for top in ("lab", "lessons", "assets", "tests") for path in (ROOT / top).rglob("*/"))]
    counts = {
        path.relative_to(ROOT).as_posix(): sum(each.suffix in {".py", ".js", ".css"} for each in path.iterdir())
        for path in folders
        if path.is_dir() and path.name != "__pycache__"
    }
    assert len(counts) > 40
    assert {folder: count for folder, count in counts.items() if count > MOST_FILES} == {}


def circle(sources: Iterable[tuple[Path, str]]) -> list[str]:
    """Rooms that import each other in a circle, if any."""
    graph: dict[str, set[str]] = {}
    for path, source in sources:
        name = module_name(path)
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        own = room(name)
        found = {room(imported) for imported in imports(source, package)}
        graph.setdefault(own, set()).update(each for each in found - {own} if each.startswith(("lab.", "lessons.")))
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_rooms_import_each_other_in_a_circle() -> None:
    """Imports for type checking count."""
    assert circle((path, (ROOT / path).read_text(encoding="utf-8")) for path in source_files()) == []
    made = [
        ("lab/a/x.py", "from lab.b import y"),
        ("lab/b/y.py", "from lab.c.d import x"),
        ("lab/c/d.py", "import lab.a.x"),
    ]
    assert set(circle((Path(path), source) for path, source in made)) == {"lab.a", "lab.b", "lab.c"}
    assert circle((Path(path), source) for path, source in made[:2]) == []


def test_no_module_needs_anything_heavy_to_be_imported() -> None:
    """A page's first words wait for nothing but the lab's own code. Read from a new interpreter.

    The pages are scripts: of each file of lessons, only what it imports at the top is run. Streamlit brings Plotly.
    """
    lab = [f"import {module_name(path)}" for path in source_files() if path.parts[0] == "lab"]
    lessons = [
        ast.unparse(node)
        for path in source_files()
        if path.parts[0] == "lessons"
        for node in ast.parse((ROOT / path).read_text(encoding="utf-8")).body
        if isinstance(node, ast.Import | ast.ImportFrom) and "__future__" not in ast.unparse(node)
    ]
    assert (len(lab) > 100, len(lessons) > 500) == (True, True)
    lines = ["import sys", *lab, f"print({HEAVY | {'streamlit'}} & set(sys.modules))"]
    lines += [*lessons, "print({'torch', 'pandas'} & set(sys.modules))"]
    run = [sys.executable, "-c", "\n".join(lines)]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.split("\n") == ["set()", "set()", ""], done.stderr


def test_nothing_is_imported_in_passing() -> None:
    """Every import stands at the top of its file: late imports have one place."""
    for path in source_files():
        if path != Path(*LATE.split(".")).with_suffix(".py"):
            tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
            found = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
            assert [ast.unparse(node) for node in found if node not in tree.body] == [], path


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("lab/trace/snapshot.py", "import streamlit as st"),
        ("lab/figures/memory/pool.py", "def f():\n    from streamlit import session_state"),
        ("lab/trace/timeline.py", "from lessons.state.url import read"),
        ("lab/trace/timeline.py", "import lessons"),
        ("lessons/text/translations.py", "import app"),
        ("lessons/state/url.py", "import torch"),
        ("lab/trace/timeline.py", "import torch.nn.functional as f"),
        ("lab/trace/timeline.py", "from lab.trace.late_imports import functional"),
        ("lab/trace/kv_cache.py", "def f():\n    import torch"),
        ("lab/figures/theme.py", "import pandas as pd"),
        ("lab/figures/theme.py", "from lab.trace import late_imports"),
        ("lab/activities/novelty.py", "from lab.trace.late_imports import pandas as pd"),
        ("lab/trace/late_imports.py", "import streamlit"),
        ("lessons/task/page.py", "import pandas as pd"),
        ("lessons/task/page.py", "from lab.trace.late_imports import torch"),
        ("lab/engine/block_manager.py", "from torch import Tensor"),
        ("lab/trace/snapshot.py", "if TYPE_CHECKING:\n    import pandas as pd"),
        ("lab/trace/kv_cache.py", "import plotly.graph_objects as go"),
        ("lab/engine/sequence.py", "from lab.engine.block_manager import BlockManager"),
        ("lab/engine/sequence.py", "from lab.engine import block_manager"),
        ("lab/engine/sequence.py", "from .block_manager import BlockManager"),
        ("lab/engine/sequence.py", "from . import block_manager"),
        ("lab/trace/snapshot.py", "from lab.trace.kv_cache import KVCache"),
        ("lab/engine/block_manager.py", "import lab.trace.timeline"),
        ("lab/engine/block_manager.py", "from lab.engine.novelty import thing"),
        ("lab/trace/timeline.py", "from lab.figures.memory.pool import draw"),
        ("lab/figures/theme.py", "from lab.engine.block_manager import BlockManager"),
        ("lab/figures/theme.py", "from lab.trace import recorder"),
        ("lab/activities/novelty.py", "import torch"),
        ("lab/activities/question.py", "from lab.quiz.draw import Draw"),
        ("lessons/widgets/plot.py", "from lessons.sandbox import attempt"),
        ("lessons/text/sentences.py", "from lessons.state import url"),
        ("lessons/activity/flow.py", "from lessons.task.page import draw"),
        ("lessons/task/page.py", "from lessons.shell import page"),
    ],
)
def test_a_wrong_arrow_is_caught(path: str, source: str) -> None:
    """The checker itself can fail."""
    assert len(wrong_arrows(source, Path(path))) == 1


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("app.py", "import streamlit\nfrom lessons import shell\nfrom lab.trace.timeline import Timeline"),
        (
            "lessons/task/page.py",
            "import streamlit\nfrom lab.trace.late_imports import pandas\nfrom lessons.text import x",
        ),
        (
            "lab/trace/kv_cache.py",
            "from lab.trace.late_imports import functional, torch\nfrom lab.engine.errors import LabError",
        ),
        (
            "lab/figures/theme.py",
            "from lab.trace.late_imports import graph_objects, pandas\nfrom lab.trace.snapshot import Snapshot",
        ),
        (
            "lab/figures/picture.py",
            "from lab.figures.theme import Theme\nfrom . import theme\nfrom ..engine.words import Words",
        ),
        ("lab/quiz/__init__.py", "from lab.figures import memory\nfrom .grade import grade"),
        (
            "lab/activities/novelty.py",
            "from lab.trace.timeline import Timeline\nfrom lab.activities.other import thing",
        ),
        ("lab/trace/timeline.py", "from __future__ import annotations\nfrom lab.trace import recorder, snapshot"),
        ("lab/trace/late_imports.py", "import torch\nfrom plotly import graph_objects"),
        ("lessons/server/warmup.py", "from lab.trace.late_imports import MODULES"),
        ("lessons/state/browser_store.py", ""),
        ("lessons/shell.py", "from lessons.task.page import draw"),
    ],
)
def test_a_right_arrow_is_not(path: str, source: str) -> None:
    """Nor does it fail on everything."""
    assert wrong_arrows(source, Path(path)) == []
