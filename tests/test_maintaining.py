"""The maintainers' guide is true: in a copy of the lab, following a recipe adds what it says; nothing is missing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.maintaining import GUIDE, ROOT, Recipe, follow, in_chinese, recipes, translate

RECIPES = recipes()
NEW_LANGUAGE = "xx"
A_PAGE = 70  # lines, blank ones and fences among them


def copied(target: Path) -> Path:
    """The lab, without what is made again or drives a browser."""
    skipped = shutil.ignore_patterns("__pycache__", ".*_cache", "browser", "benchmarks", "test_maintaining.py")
    for name in ("lab", "lessons", "assets", "tests", ".streamlit"):
        shutil.copytree(ROOT / name, target / name, ignore=skipped)
    for name in ("app.py", "pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, target / name)
    return target


# Several pytest commands in one process: what takes longest is importing torch and Streamlit.
_ALL = """
import sys, pytest
for arguments in {arguments!r}:
    if code := pytest.main(arguments):
        sys.exit(f"{{int(code)}}: {{arguments}}")
"""


def run(commands: list[str], root: Path) -> subprocess.CompletedProcess[str]:
    """Commands of the guide, below `root`, with nothing of ours: pytests up to the first failure, or another one."""
    words = [[word.strip('"') for word in re.findall(r'"[^"]*"|\S+', command)] for command in commands]
    tests = [each[3:] for each in words if each[:3] == ["python", "-m", "pytest"]]
    assert len(tests) in (0, len(words))
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "PYTHONPATH"))}
    return subprocess.run(
        [sys.executable, "-c", _ALL.format(arguments=tests)] if tests else [sys.executable, *words[0][1:]],
        cwd=root,
        env={**kept, "PYTEST_ADDOPTS": "-n 0 -q -p no:cacheprovider"},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


def followed(recipe: Recipe, root: Path) -> Path:
    """A copy of the lab in which this recipe has been followed."""
    follow(recipe, copied(root))
    if recipe.title.endswith("language"):
        translate(root, NEW_LANGUAGE)
    return root


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_is_complete(name: str, tmp_path: Path) -> None:
    """Its own commands pass, and so does what a learner sees of it; new code is as tidy as the rest."""
    recipe = RECIPES[name]
    root = followed(recipe, tmp_path)
    changed = sorted({path for path, _ in recipe.files} | {change.path for change in recipe.changes})
    code = [path for path in changed if path.endswith(".py")]
    checks = f'python -m pytest tests/maintaining_checks.py -k "test_{name}"'
    tidy = [f"python -m ruff check {' '.join(code)}", f"python -m ruff format --check {' '.join(code)}"]
    told = [command for command in recipe.commands if "pytest" in command]
    alone = [[command] for command in (*tidy, *recipe.commands) if command not in told]
    for commands in (*alone, [*told, checks]):
        done = run(commands, root)
        assert done.returncode == 0, f"{commands}\n{done.stdout[-6000:]}\n{done.stderr[-2000:]}"


def test_a_change_that_is_left_out_is_missed(tmp_path: Path) -> None:
    """The check can fail: a scenario without its words."""
    recipe = RECIPES["scenario"]
    part = [change for change in recipe.changes if not change.path.endswith(".toml")]
    root = followed(Recipe(recipe.title, recipe.text, recipe.files, part), tmp_path)
    assert run([f"{recipe.commands[0]} -k every_string_belongs"], root).returncode == 1


def test_a_recipe_is_short_and_has_a_test() -> None:
    """All that the guide promises, each under a page."""
    assert list(RECIPES) == ["lesson", "question", "misconception", "scenario", "language"]
    for recipe in RECIPES.values():
        assert recipe.text.count("\n") <= A_PAGE
        assert any("pytest" in command for command in recipe.commands)
    assert GUIDE.relative_to(ROOT).as_posix() in (ROOT / "README.md").read_text(encoding="utf-8")


def test_files_that_the_guide_names_are_there() -> None:
    """Also those in its sentences."""
    made = {path for recipe in RECIPES.values() for path, _ in recipe.files}
    named = set(re.findall(r"`((?:lab|lessons|tests)/[\w/]+\.\w+)", GUIDE.read_text(encoding="utf-8")))
    assert len(named) > 10
    assert [path for path in sorted(named - made) if not (ROOT / path).exists()] == []


def test_the_stand_in_for_a_translation_uses_the_agreed_terms() -> None:
    """Else the words of the examples would fail in Chinese for want of a translator."""
    assert in_chinese("The free queue of {n}") == "「The 空闲队列 of {n}」"
