"""The maintainers' guide is true: in a copy of the lab, following a recipe adds what it says; nothing is missing."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.maintaining.maintaining import GUIDE, ROOT, Recipe, follow, in_chinese, recipes, translate

RECIPES = recipes()
NEW_LANGUAGE = "xx"
A_PAGE = 95  # lines, blank ones and fences among them


def copied(target: Path) -> Path:
    """The lab, without what is made again or drives a browser."""
    skipped = shutil.ignore_patterns(".*_cache", "browser", "benchmarks", "test_maintaining.py")
    for name in ("lab", "lessons", "assets", "tests", ".streamlit"):
        shutil.copytree(ROOT / name, target / name, ignore=skipped)
    for name in ("app.py", "pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, target / name)
    return target


# Importing torch and Streamlit takes longer than most commands, so one process has them and nothing of the lab's, and
# forks for each line that it reads: a folder, a file for what is said, and the arguments of some pytests.
_PYTESTS = """
import json, os, sys
import pandas, plotly.graph_objects, pytest, streamlit.testing.v1, torch
assert not {"lab", "lessons", "tests"} & set(sys.modules)
for line in sys.stdin:
    root, said, commands = json.loads(line)
    if child := os.fork():
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    os.chdir(root)
    told = os.open(said, os.O_CREAT | os.O_WRONLY, 0o600)
    os.dup2(told, 1)
    os.dup2(told, 2)
    code = next((int(code) for arguments in commands if (code := pytest.main(arguments))), 0)
    sys.stdout.flush()
    os._exit(code)
"""
KEPT = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "PYTHONPATH"))}
ENVIRONMENT = {**KEPT, "PYTEST_ADDOPTS": "-n 0 -q -p no:cacheprovider"}
Run = Callable[[list[str], Path], tuple[int, str]]


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    """Run commands of the guide below a folder, with nothing of ours: pytests up to the first failure, or another one.

    The function returns the exit status and what was said.
    """
    with subprocess.Popen(
        [sys.executable, "-c", _PYTESTS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=ENVIRONMENT,
        cwd="/",
        text=True,
    ) as process:
        assert process.stdin
        assert process.stdout
        ask, told = process.stdin, process.stdout

        def run_(commands: list[str], root: Path) -> tuple[int, str]:
            words = [[word.strip('"') for word in re.findall(r'"[^"]*"|\S+', command)] for command in commands]
            tests = [each[3:] for each in words if each[:3] == ["python", "-m", "pytest"]]
            assert len(tests) in (0, len(words))
            if tests:
                said = root / "said.txt"
                print(json.dumps([str(root), str(said), tests]), file=ask, flush=True)
                return int(told.readline()), said.read_text(encoding="utf-8")
            done = subprocess.run(
                [sys.executable, *words[0][1:]], cwd=root, env=ENVIRONMENT, capture_output=True, text=True, check=False
            )
            return done.returncode, done.stdout + done.stderr

        yield run_
        ask.close()


def followed(recipe: Recipe, root: Path) -> Path:
    """A copy of the lab in which this recipe has been followed."""
    follow(recipe, copied(root))
    if recipe.title.endswith("language"):
        translate(root, NEW_LANGUAGE)
    return root


@pytest.mark.thorough
@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_is_complete(name: str, tmp_path: Path, run: Run) -> None:
    """Its own commands pass, and so does what a learner sees of it; new code is as tidy as the rest."""
    recipe = RECIPES[name]
    root = followed(recipe, tmp_path)
    changed = sorted({path for path, _ in recipe.files} | {change.path for change in recipe.changes})
    code = [path for path in changed if path.endswith(".py")]
    checks = f'python -m pytest tests/maintaining/maintaining_checks.py -k "test_{name}"'
    tidy = [f"python -m ruff check {' '.join(code)}", f"python -m ruff format --check {' '.join(code)}"]
    told = [command for command in recipe.commands if "pytest" in command]
    alone = [[command] for command in (*tidy, *recipe.commands) if command not in told]
    for commands in (*alone, [*told, checks]):
        status, said = run(commands, root)
        assert status == 0, f"{commands}\n{said[-8000:]}"


@pytest.mark.thorough
def test_a_change_that_is_left_out_is_missed(tmp_path: Path, run: Run) -> None:
    """The check can fail: a scenario without its words."""
    recipe = RECIPES["scenario"]
    part = [change for change in recipe.changes if not change.path.endswith(".toml")]
    root = followed(Recipe(recipe.title, recipe.text, recipe.files, part), tmp_path)
    assert run([f"{recipe.commands[0]} -k every_string_belongs"], root)[0] == 1


def test_a_recipe_is_short_and_has_a_test() -> None:
    """All that the guide promises, each under a page."""
    assert list(RECIPES) == ["lesson", "question", "misconception", "scenario", "activity", "language"]
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
