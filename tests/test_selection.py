"""Which tests run: in CI the README's command, the journeys and the recipes; and every test file can be collected."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
EVERYTHING = ' -m ""'


def read_readme_command() -> str:
    """The command that the README gives for the tests."""
    found = re.findall(r"^pip install .* && python -m pytest.*$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    assert len(found) == 1
    return str(found[0])


def test_ci_runs_the_readme_s_command_and_every_journey_and_recipe() -> None:
    *_, usual, more = (ROOT / ".ci/run").read_text("utf-8").strip().splitlines()
    assert usual.replace("pip install -q ", "pip install ") == read_readme_command()
    more_in_a_browser = "tests/browser/journeys tests/browser/looks/test_present_fits.py"
    assert more == f"python -m pytest -m thorough {more_in_a_browser} tests/maintaining"


def test_the_readme_s_command_leaves_out_only_what_is_marked_as_thorough() -> None:
    options = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]["ini_options"]
    assert re.findall(r"-m '([^']*)'", options["addopts"]) == ["not thorough"]
    assert f"`python -m pytest{EVERYTHING}`" in (ROOT / "README.md").read_text("utf-8")


def test_every_test_file_has_a_name_of_its_own() -> None:
    """pytest imports a test file by its bare name; of two alike it collects one, and stops the whole run."""
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert len(names) > 100
    assert [name for name, count in names.items() if count > 1] == []
