"""Presses that come too early or with an old address, a record that another tab has changed: nothing is lost."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
from streamlit.runtime.scriptrunner import StopException
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.testing.v1 import AppTest

from lab.quiz.round import Round
from lab.sandbox.link import encode_scenario
from lessons.activity.course import get_page_file
from tests.links import encode_round, new, saved
from tests.pages.session_state import STORED, session_of
from tests.pages.test_pages import P, address, go, press, sound, task
from tests.player import report
from tests.sandbox.sandbox_page import plain, scenario

__all__ = ["plain"]
COMMITTED = new(f"4.used_{P}_")
NINE = COMMITTED.replace("_3t", "_9t")
OURS = saved(COMMITTED)
ROUND = encode_round(Round(473, 4, "easy", 5))
SCRIPT = """
import streamlit as st
from lab.activities.attempt import Answer, decode
from lessons.state import record, runs, url
from lessons.state.slots import MAIN

url.sync_browser()
record.mount("en", "")
for each in ("aA", "rA"):
    st.button(each, key=each, on_click=runs.operate, args=(MAIN, each, 0))
answers = tuple(Answer((value,), "think") for value in (9, 1, 1, 0, 1, 7))
st.button("commit", key="commit", on_click=runs.commit, args=(MAIN, *answers))
for text in {rounds}:
    st.button(text, key=text, on_click=lambda text=text: record.update(lambda kept: kept.keep(decode(text))))
"""


def opened(record: dict[str, Any] | None, *rounds: str, **parameters: str) -> AppTest:
    """A page with buttons that do at once what a learner does; None: its browser has told nothing yet."""
    at = AppTest.from_string(SCRIPT.replace("{rounds}", repr(rounds)))
    at.query_params.update(parameters)
    if record is not None:
        session_of(at)[STORED] = record
    return sound(at.run())


def told(at: AppTest, record: dict[str, Any]) -> dict[str, Any]:
    """The browser tells its record now; what it is then told to keep."""
    session_of(at)[STORED] = record
    for _ in range(2):
        sound(at.run())
    kept: dict[str, Any] = session_of(at)[STORED]
    return kept


def after(at: AppTest, key: str) -> dict[str, Any]:
    """What the browser is told to keep after a press."""
    kept: dict[str, Any] = session_of(sound(press(at, key).run()))[STORED]
    return kept


def test_a_press_with_the_address_from_before_another_takes_nothing_back() -> None:
    """The browser has not heard of the first one when the second is pressed; Back is another matter."""
    before = {"run": f"{COMMITTED}aA.aB"}
    at = report(task(**before), "1")
    assert address(at, "at") == "1"
    at.query_params.clear()
    at.query_params.update(before)  # another tab of the page is opened, say, or the line was cut
    assert address(sound(at.run()), "at") == "1"
    for then in ("hurried", "after Back"):
        if then == "after Back":
            go(at, **before)
        at.query_params.clear()
        at.query_params.update(before)
        at = sound(at.segmented_control(key="language").set_value("zh").run())
        assert (address(at), address(at, "lang")) == (before["run"], "zh")
        assert address(at, "at") == ("1" if then == "hurried" else "")


@pytest.mark.usefixtures("plain")
def test_a_link_on_another_page_leads_to_where_one_has_been() -> None:
    """It is drawn with an address of before on purpose; one that is outdated is drawn on the page of the press."""
    opened = {"sandbox": encode_scenario(scenario())}
    at = press(task(page="sandbox", **opened), "sandbox_operations.aA")
    acted = address(at, "sandbox")
    assert acted != opened["sandbox"]
    for page, asked, led in (("library", opened, acted), ("sandbox", opened, opened["sandbox"])):
        at.query_params.clear()
        at.query_params.update(asked)
        at = sound(at.switch_page(get_page_file(page)).run())
        assert address(at, "sandbox") == led, page


@pytest.mark.parametrize("key", ["aA", "commit"])
def test_a_press_that_is_interrupted_is_done_as_a_whole_or_not_at_all(key: str) -> None:
    """The line is cut, or the next press is there, while Python works on this one: wherever Streamlit may stop it."""
    before = {"run": COMMITTED if key == "aA" else new("4.used__")}
    record: dict[str, Any] = OURS if key == "aA" else {}
    done = (f"{COMMITTED}aA", saved(f"{COMMITTED}aA"))
    if key == "commit":
        done = (NINE, saved(NINE))
    found = []
    for stop in itertools.count(1):
        at = opened(record, **before)
        at.query_params.update(before)
        with stopped_at(stop) as touches:
            at.button(key=key).click().run()
        at.query_params.clear()
        at.query_params.update(before)  # the answer did not come through
        sound(sound(at.run()).run())
        found.append((address(at), session_of(at)[STORED]))
        if next(touches) <= stop:
            break
    undone = (before["run"], record)
    assert [each for each in found if each not in (done, undone)] == []
    assert (found[0], found[-1]) == (undone, done)
    assert len(found) > 10


@contextmanager
def stopped_at(stop: int) -> Iterator[Iterator[int]]:
    """Streamlit ends the script at its `stop`-th look whether it should; gives the count of its looks."""
    looks = itertools.count(1)

    def look(runner: ScriptRunner) -> None:
        if runner._execing and next(looks) == stop:
            raise StopException

    with patch.object(ScriptRunner, "_maybe_handle_execution_control_request", look):
        yield looks


@pytest.mark.parametrize(
    ("record", "kept"),
    [
        (OURS, saved(f"{COMMITTED}aA")),
        ({}, {"shared": [COMMITTED]}),
    ],
)
def test_an_operation_before_the_browser_has_told_its_record(record: dict[str, Any], kept: dict[str, Any]) -> None:
    """Whose prediction it is shows when the record is there; so does what the operation counts for."""
    at = press(opened(None, run=COMMITTED), "aA")
    assert address(at) == f"{COMMITTED}aA"
    assert told(at, record) == kept


def test_a_prediction_before_the_browser_has_told_its_record() -> None:
    """The one that was committed before stays the browser's own."""
    at = press(opened(None), "commit")
    assert address(at) == NINE
    assert told(at, OURS) == OURS
    assert told(press(opened(None), "commit"), {}) == saved(NINE)


def test_a_run_that_has_gone_on_further_stays() -> None:
    """In another tab, or before the Back button: a part of it is no news, another way is."""
    record = saved(f"{COMMITTED}aA.aB")
    assert after(opened(record, run=COMMITTED), "aA") == record
    assert after(opened(record, run=COMMITTED), "rA") == saved(f"{COMMITTED}rA")


def test_an_answer_counts_once_in_whichever_tab() -> None:
    """A round that was answered otherwise or further meanwhile is not replaced; one answer more is added."""
    one, two, other = (f"{ROUND[:-1]}{answers}_" for answers in ("0g", "0g.1s", "1g"))
    for stale in (one, other):
        assert after(opened(saved(two), stale), stale) == saved(two)
    assert after(opened(saved(one), two), two) == saved(two)
