"""A lecture: scenarios in order, as one file, opened as one."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lab.sandbox.errors import FileFieldError, FileVersionError
from lab.sandbox.files import LECTURE_FORMAT, MAX_SCENARIOS, read_lecture, write_lecture
from lab.sandbox.library import LIBRARY
from lab.sandbox.link import encode_scenario
from lab.sandbox.request_specs import RequestSpec
from lab.sandbox.scenario import Scenario, State
from lab.sandbox.script import AuthorPrompt, BilingualText, Script
from lab.trace.operations import Allocate
from lessons.text.translations import get_translations
from tests.links import parse_scenario
from tests.pages.test_pages import address, go, keys, press, sound, texts
from tests.sandbox.test_library_page import library, shelf, upload

SCRIPT = Script(BilingualText("Mine", "我的"), prompts=(AuthorPrompt(1, "table"),))
OWN = Scenario(8, 4, "fresh", (RequestSpec("A", 5, called="system"),), (Allocate("A"),), script=SCRIPT)
LECTURE = [("One", State(OWN, 1)), ("Twins", State(LIBRARY["twins"].scenario, 0)), ("三", State(OWN, 0))]


def test_a_lecture_is_one_file_and_comes_back_in_order() -> None:
    """With every name and text; a file of one scenario is none."""
    assert read_lecture(write_lecture(LECTURE)) == LECTURE
    assert read_lecture(b'{"format": "paged-kv-lab scenario"}') is None


@pytest.mark.parametrize(
    ("path", "value", "where"),
    [
        ("scenarios", {}, "scenarios"),
        ("scenarios", [], "scenarios"),
        ("scenarios", [{"name": "x"}] * (MAX_SCENARIOS + 1), "scenarios[0].scenario.format"),
        ("scenarios.1", 7, "scenarios[1]"),
        ("scenarios.1.name", "", "scenarios[1].name"),
        ("scenarios.1.name", 7, "scenarios[1].name"),
        ("scenarios.1.color", 7, "scenarios[1].color"),
        ("scenarios.1.scenario", [], "scenarios[1].scenario.format"),
        ("scenarios.0.scenario.requests.0.own", [], "scenarios[0].scenario.requests[0].own"),
        ("scenarios.0.scenario.steps.0.asks", "x", "scenarios[0].scenario.steps[0].asks"),
        ("scenarios.0.scenario.operations.0", "x", "scenarios[0].scenario.operations[0]"),
        ("author", "x", "author"),
    ],
)
def test_a_wrong_field_of_a_lecture_is_named(path: str, value: object, where: str) -> None:
    """By its place in the whole file."""
    content: Any = json.loads(write_lecture(LECTURE))
    *way, last = path.split(".")
    at = content
    for key in way:
        at = at[int(key) if key.isdigit() else key]
    at[int(last) if last.isdigit() else last] = value
    with pytest.raises(FileFieldError) as refused:
        read_lecture(json.dumps(content).encode())
    assert refused.value.numbers == {"where": where}


def test_another_version_of_a_lecture_is_refused() -> None:
    with pytest.raises(FileVersionError):
        read_lecture(json.dumps({"format": LECTURE_FORMAT, "version": 2, "scenarios": []}).encode())


@pytest.fixture
def opened() -> AppTest:
    """The library page after the lecture's file was opened: its first scenario is in view."""
    return sound(upload(library(), write_lecture(LECTURE)).switch_page("sandbox/page.py").run())


def test_an_opened_lecture_is_kept_and_walked_through(opened: AppTest) -> None:
    """Each from its beginning; the place is shown, and there is nothing before the first or after the last."""
    say, at = get_translations("en"), opened
    assert [name for name, _ in shelf(at)] == [name for name, _ in LECTURE]
    for number, (_, state) in enumerate(LECTURE, 1):
        assert parse_scenario(address(at, "sandbox")) == state.scenario
        assert say.text("authoring.place", number=number, total=3) in texts(at)
        assert at.button(key="lecture_previous").disabled == (number == 1)
        assert at.button(key="lecture_next").disabled == (number == 3)
        at = press(at, "lecture_next") if number < 3 else at
        assert address(at, "at_sandbox") == "0" or number == 3
    at = press(at, "lecture_previous")
    assert parse_scenario(address(at, "sandbox")) == LECTURE[1][1].scenario


def test_another_scenario_is_no_part_of_the_lecture(opened: AppTest) -> None:
    """One that comes by a link; a change of the one in view stays in its place."""
    at = go(opened, sandbox=encode_scenario(LIBRARY["task"].scenario))
    assert "lecture_next" not in keys(at)


def test_forget_me_asks_about_scenarios_separately(opened: AppTest) -> None:
    """Answers go, scenarios stay; or all of it goes."""
    at = press(opened, "forget_answers").run()
    assert len(shelf(at)) == 3
    assert shelf(press(at, "forget_yes").run()) is None


def test_the_names_of_a_lecture_stay_apart(opened: AppTest) -> None:
    """Opened twice, it is there once; another scenario of the same name gets a number."""
    other = [("One", State(replace(OWN, num_blocks=9), 0))]
    at = upload(library(kept=shelf(opened)), write_lecture([*LECTURE, *other]))
    assert [name for name, _ in shelf(at)] == [*(name for name, _ in LECTURE), "One 2"]
