"""One prediction for a scenario, kept in the browser's record; whose prediction it is; in which order it was run."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lessons.text.translations import Language, get_translations
from tests.links import new, saved
from tests.pages.session_state import STORED, session_of
from tests.pages.test_pages import DONE, P, address, fill, go, keys, press, sound, task, texts, verdicts
from tests.sample import every_language, some

COMMITTED = new(f"4.used_{P}_")
OTHERS = new("4.used_P9-1-1-0-1-7-010000_")
SCENARIO = new("4.used__")
TASK = "task.4.used"
OURS = saved(COMMITTED)


def opened(record: Any = None, language: Language = "en", **parameters: str) -> AppTest:
    """A session whose browser has told this record."""
    return task(language, told={} if record is None else record, **parameters)


def record_of(at: AppTest) -> dict[str, Any]:
    """What the browser is told to keep, once everything waiting has been written."""
    kept: dict[str, Any] = session_of(sound(at.run()))[STORED]
    return kept


# --- committed once ------------------------------------------------------------------------------------------------


@every_language
def test_the_form_is_not_offered_twice(language: Language) -> None:
    """Back at a fresh address the page says so and leads on; the run stays locked, what was committed stays."""
    say, at = get_translations(language), fill(opened(language=language))
    assert (address(at), record_of(at)) == (COMMITTED, OURS)
    for fresh in ({}, {"run": SCENARIO}):
        at = go(at, **fresh)
        assert say.text("task.committed_before") in [info.value for info in at.info]
        assert {"commit", "operations"} & keys(at) == set()
        assert not [*at.text_input, *at.checkbox]
        assert say.text("task.run_locked") in texts(at)
    at = press(at, "resume")
    assert (address(at), verdicts(at), "operations" in keys(at)) == (COMMITTED, ["waiting"] * 6, True)
    assert say.text("task.committed_before") not in texts(at)


def test_another_scenario_is_another_prediction() -> None:
    """Another pool, or the same task at another size: the form is there."""
    kept = OURS
    assert "commit" not in keys(opened(kept))
    for run in ("4.fresh__", "5.used__", "4.0-1-2-3-4__"):
        assert "commit" in keys(opened(kept, run=run))
    assert "commit" in keys(opened(kept, part="eight"))
    assert "commit" not in keys(opened(saved("8.used_Q2-5-0-3-0000_"), part="eight"))


SECOND_COMMIT = """
import streamlit as st
from lessons.state import url
from lessons.state.session import get_session
from lab.activities.attempt import Answer
from lessons.state.runs import MAIN, commit
get_session()["record"] = {record}
commit(MAIN, *(Answer((value,), "sure") for value in (9, 9, 0, 1, 9, 9)))
url.sync_browser()
st.markdown(st.query_params.get("run", "nothing"))
st.markdown(str(len(get_session().get("record.changes", []))))
"""


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (OURS, ["nothing", "0"]),
        (saved("4.fresh_P1-1-1-0-1-7-000000_"), [new("4.used_P9-9-0-1-9-9-111111_"), "1"]),
        ({}, [new("4.used_P9-9-0-1-9-9-111111_"), "1"]),
    ],
)
def test_a_second_commit_is_ignored(record: dict[str, Any], told: list[str]) -> None:
    """A form that an old page still shows: the record knows of a prediction for this scenario."""
    at = sound(AppTest.from_string(SECOND_COMMIT.replace("{record}", repr(record))).run())
    assert [element.value for element in at.markdown] == told


def test_starting_over_keeps_the_attempt() -> None:
    """It waits until the browser has told what it holds, and is added to that; the new scenario has its form."""
    at = press(task(run=DONE), "start_over_yesother")
    assert address(at) == new("4.fresh__")
    told = {"earlier": [new("8.used__aA")], "other": 1, "attempts": {TASK: COMMITTED, "task.8.used": "8"}}
    session_of(at)[STORED] = told  # as the component reports it
    kept = {"earlier": [new("8.used__aA"), DONE], "other": 1, "attempts": {"task.8.used": "8"}}
    assert record_of(sound(at.run())) == kept
    assert get_translations("en").text("task.attempts", count=2) in [expander.label for expander in at.expander]
    assert "commit" in keys(at)


def test_starting_over_on_the_same_pool_offers_the_form_again() -> None:
    """What was committed is an attempt now."""
    at = fill(opened())
    record_of(at)
    at = press(at, "start_over_yesagain")
    assert (record_of(at), address(at)) == ({"earlier": [COMMITTED], "attempts": {}}, SCENARIO)
    assert "commit" in keys(at)
    assert address(fill(at, blocks="4")) == COMMITTED.replace("_3t", "_4t")


def test_starting_over_at_a_fresh_address_keeps_the_attempt_too() -> None:
    """The page promises that it stays in the record."""
    at = press(opened(OURS), "start_over")
    assert record_of(at) == {"earlier": [COMMITTED], "attempts": {}}
    assert "commit" in keys(at)


@pytest.mark.parametrize("text", some(["nonsense", "4.used__aC", "", 5, None, ["4"]], 2))
def test_a_commitment_that_somebody_edited_does_no_harm(text: Any) -> None:
    """No traceback, and the buttons lead to the form."""
    for attempts in ({TASK: text}, text):
        at = opened({"attempts": attempts})
        for button in ("resume", "start_over"):
            if button in keys(at):
                at = press(at, button)
                record_of(at)
                sound(at.run())
        assert "commit" in keys(at)
        assert address(fill(at)) == COMMITTED


# --- whose prediction ----------------------------------------------------------------------------------------------


@every_language
@pytest.mark.parametrize(
    ("record", "owner"),
    [
        (OURS, "you"),
        (saved(OTHERS), "in_link"),
        ({"attempts": {"task.4.fresh": COMMITTED}}, "in_link"),
        ({}, "in_link"),
        (None, "you"),  # the browser has not told yet
    ],
)
def test_a_prediction_of_somebody_else_is_called_the_link_s(
    record: dict[str, Any] | None, owner: str, language: Language
) -> None:
    """On every card, whatever has run since; sure or not."""
    say = get_translations(language)
    at = task(language) if record is None else opened(record, language)
    for run, sure in ((COMMITTED, False), (DONE, False), (OTHERS, True), (OTHERS + "aA.aB", True)):
        mine = owner if run.startswith(COMMITTED) or record is None else "in_link"
        mine = "you" if run.startswith(OTHERS) and owner == "in_link" and OTHERS in str(record) else mine
        at, told = go(at, run=run), {}
        for whose in ("you", "in_link"):
            start = say.text(f"task.card.{whose}", answer="|").split("|")[0]
            told[whose] = texts(at).count(f'class="a">{start}')
        assert told == {"you": 0, "in_link": 0, mine: 6}, run
        assert (say.text(f"task.card.{mine}_sure", answer=1) in texts(at)) is sure


@pytest.mark.parametrize(
    ("operations", "other"),
    some(
        [
            ("", False),
            ("aA.aB.tB.rA.rB", False),
            ("aA.aA.tB.aB.rA", True),
            ("aA.aA.tB.aB.tB", False),
            ("rB.tA", False),
            ("aB", True),
            ("aA.aB.tB.tB", True),
            ("aA.rA.aB", True),
        ],
        4,
    ),
)
def test_an_order_that_is_not_the_plan_s_is_said(operations: str, other: bool) -> None:
    """What was refused is no part of the order; a run that is on its way follows the plan so far."""
    at = task(run=f"4.used_{P}_{operations}")
    assert (get_translations("en").text("task.other_order") in texts(at)) is other
    if other:
        assert get_translations("en").text("task.other_order") not in texts(
            go(at, run=f"4.used_{P}_{operations}", at="0")
        )


LATE_PRESSES = """
import streamlit as st
from lessons.state import url
from lab.activities.attempt import Answer
from lessons.state.runs import MAIN, Cursor, commit, operate, seek
operate(MAIN, "aA", 0)  # nothing is predicted yet
commit(MAIN, *(Answer((value,), "think") for value in (3, 1, 1, 0, 1, 7)))
commit(MAIN, *(Answer((value,), "sure") for value in (9, 9, 0, 1, 9, 9)))
for operation, index in (("aA", 0), ("aA", 0), ("aB", 0), ("aB", 1), ("rA", 7), ("aC", 2)):
    operate(MAIN, operation, index)
commit(MAIN, *(Answer((value,), "sure") for value in (9, 9, 0, 1, 9, 9)))
seek(MAIN, Cursor(1))
operate(MAIN, "tB", 2)  # while one only looks
url.sync_browser()
st.markdown(st.query_params["run"])
"""


def test_a_prediction_stays_and_a_press_counts_once() -> None:
    """Too late, too early or twice: only a press drawn with the current index counts, and only at the end."""
    assert sound(AppTest.from_string(LATE_PRESSES).run()).markdown[0].value == new(f"4.used_{P}_aA.aB")
