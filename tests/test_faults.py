"""Presses that come too early or with an old address, a record that another tab has changed: nothing is lost."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lab.quiz.round import Round
from lab.quiz.round_link import round_text
from tests.test_lessons import P, address, go, press, sound, task

COMMITTED = f"4.used_{P}_"
SCENARIO = "P4.used__"  # the form, then the scenario
OURS = {"committed": {SCENARIO: COMMITTED}}
ROUND = round_text(Round(473, 4, "easy", 5))
SCRIPT = """
import streamlit as st
from lab.prediction import Prediction
from lab.quiz.round_link import parse_round
from lessons import quiz_record, record, state
from lessons.place import MAIN

record.mount("en", "")
for each in ("aA", "rA"):
    st.button(each, key=each, on_click=state.operate, args=(MAIN, each, 0))
prediction = Prediction((9, 1, 1, 0, 1, 7), (False,) * 6, "P")
st.button("commit", key="commit", on_click=state.commit, args=(MAIN, prediction))
for text in {rounds}:
    st.button(text, key=text, on_click=lambda text=text: quiz_record.add(parse_round(text), "sure"))
"""


def opened(record: dict[str, Any] | None, *rounds: str, **parameters: str) -> AppTest:
    """A page with buttons that do at once what a learner does; None: its browser has told nothing yet."""
    at = AppTest.from_string(SCRIPT.replace("{rounds}", repr(rounds)))
    at.query_params.update(parameters)
    if record is not None:
        at.session_state["browser_store.record"] = record
    return sound(at.run())


def told(at: AppTest, record: dict[str, Any]) -> dict[str, Any]:
    """The browser tells its record now; what it is then told to keep."""
    at.session_state["browser_store.record"] = record
    for _ in range(2):
        sound(at.run())
    kept: dict[str, Any] = at.session_state["browser_store.record"]
    return kept


def after(at: AppTest, key: str) -> dict[str, Any]:
    """What the browser is told to keep after a press."""
    kept: dict[str, Any] = sound(press(at, key).run()).session_state["browser_store.record"]
    return kept


def test_a_press_with_the_address_from_before_another_takes_nothing_back() -> None:
    """The browser has not heard of the first one when the second is pressed; Back is another matter."""
    before = {"run": f"{COMMITTED}aA.aB"}
    at = press(go(task(), **before), "go_back")
    assert address(at, "at") == "1"
    for then in ("hurried", "after Back"):
        at.query_params.clear()
        at.query_params.update(before)
        if then == "after Back":
            sound(at.run())
        at = sound(at.segmented_control(key="language").set_value("zh").run())
        assert (address(at), address(at, "lang")) == (before["run"], "zh")
        assert address(at, "at") == ("1" if then == "hurried" else "")


@pytest.mark.parametrize(
    ("record", "kept"),
    [
        (
            {"committed": {SCENARIO: COMMITTED}},
            {"committed": {SCENARIO: COMMITTED}, "ran": {SCENARIO: f"{COMMITTED}aA"}},
        ),
        ({}, {"foreign": [COMMITTED]}),
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
    assert address(at) == COMMITTED.replace("P3", "P9")
    assert told(at, {"committed": {SCENARIO: COMMITTED}}) == {"committed": {SCENARIO: COMMITTED}}
    assert told(press(opened(None), "commit"), {}) == {"committed": {SCENARIO: COMMITTED.replace("P3", "P9")}}


def test_a_run_that_has_gone_on_further_stays() -> None:
    """In another tab, or before the Back button: a part of it is no news, another way is."""
    record = {"committed": {SCENARIO: COMMITTED}, "ran": {SCENARIO: f"{COMMITTED}aA.aB"}}
    assert after(opened(record, run=COMMITTED), "aA")["ran"] == record["ran"]
    assert after(opened(record, run=COMMITTED), "rA")["ran"] == {SCENARIO: f"{COMMITTED}rA"}


def test_an_answer_counts_once_in_whichever_tab() -> None:
    """A round that was answered otherwise or further meanwhile is not replaced; one answer more is added."""
    one, two, other = (f"{ROUND}_{answers}" for answers in ("0", "0.1", "1"))
    record = {"rounds": [two], "rounds_sure": {ROUND: "00"}}
    for stale in (one, other):
        assert after(opened(record, stale), stale) == record
    assert after(opened({"rounds": [one], "rounds_sure": {ROUND: "0"}}, two), two) == {
        "rounds": [two],
        "rounds_sure": {ROUND: "02"},
    }
