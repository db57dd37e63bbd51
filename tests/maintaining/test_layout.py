"""The READMEs name what is there: the layout shows every room, and the paths in the sentences exist."""

from __future__ import annotations

import re
from itertools import takewhile

import pytest

from tests.maintaining.maintaining import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
LAYOUT = README.partition("## Layout\n\n```\n")[2].partition("```")[0]
TOPS = ("lab", "lessons", "assets", "tests")


def read_layout() -> set[str]:
    """Paths of the layout, folders without their slash. An indented line lies in the last folder that is not."""
    found, top = set(), ""
    for line in LAYOUT.splitlines():
        names = [name.rstrip("/") for name in takewhile(re.compile(r"[\w]+(/|\.py)$").match, line.split())]
        if line.startswith(" "):
            names = [f"{top}/{name}" for name in names]
        else:
            top = names[0]
        found.update(names)
    return found


def list_folders(top: str) -> set[str]:
    """Folders right below that one which hold a file of the project."""
    files = (path for path in (ROOT / top).rglob("*.*") if path.is_file() and "__pycache__" not in path.parts)
    return {f"{top}/{path.relative_to(ROOT / top).parts[0]}" for path in files if path.parent != ROOT / top}


@pytest.mark.parametrize("top", TOPS[:3])
def test_layout_shows_every_room(top: str) -> None:
    """The tests' folders are named like the rooms and need no lines of their own."""
    named = {path for path in read_layout() if path.startswith(f"{top}/") and not path.endswith(".py")}
    assert named == list_folders(top)


def test_layout_shows_nothing_else() -> None:
    """What was moved or renamed is not there under its old name."""
    named = read_layout()
    assert {"app.py", *TOPS} <= named
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


def test_paths_in_sentences_exist() -> None:
    """Files, folders and modules to be run."""
    others = ("assets/deploy", "tests/benchmarks")
    text = "\n".join([README, *((ROOT / folder / "README.md").read_text(encoding="utf-8") for folder in others)])
    paths = set(re.findall(rf"[`(]((?:{'|'.join(TOPS)})/[\w./-]+)[`)]", text))
    modules = set(re.findall(r"(?:python -m |`)((?:lessons|tests)(?:\.\w+)+)", text))
    assert len(paths) > 15
    assert len(modules) > 4
    places = {path: [path] for path in paths}
    places |= {name: [f"{name.replace('.', '/')}{end}" for end in (".py", "/__main__.py")] for name in modules}
    assert [name for name, files in places.items() if not any((ROOT / file).exists() for file in files)] == []
