"""The sandbox's state in the address: act, cut off, change, undo; states too long for a link; broken links."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lab.activities.attempt import Cursor
from lab.activities.record import Record
from lab.engine.errors import LabError
from lab.sandbox.editing import Entry
from lab.sandbox.library import LIBRARY
from lab.sandbox.link import MAX_LINK, encode_scenario
from lab.sandbox.request_specs import RequestSpec
from lab.sandbox.scenario import Scenario, State
from lab.trace.operations import AppendToken, encode_operation, parse_operation
from lessons.sandbox.attempt import DEFAULT, SandboxView
from lessons.sandbox.oversized_links import MAX_KEPT
from tests.links import parse_scenario
from tests.pages.session_state import come_back, session_of
from tests.pages.test_pages import address
from tests.sample import some

A, B, TOKEN, RELEASE = map(parse_operation, ("aA", "aB", "tA", "rA"))
LONG = Scenario(16, 4, "fresh", (RequestSpec("A", "长" * 120), RequestSpec("B", "b" * 1500)))


def _script() -> None:
    import streamlit as st  # noqa: PLC0415  (a script of its own)

    from lessons.sandbox import attempt  # noqa: PLC0415
    from lessons.state import url  # noqa: PLC0415

    for name, *arguments in st.session_state.pop("do", ()):
        getattr(attempt, name)(*arguments)
    url.sync_browser()
    st.session_state["here"] = here = attempt.get_view()
    attempt.arrive(here)
    st.session_state["history"] = here.history  # needs the session, so it runs in the script
    st.session_state["asked"] = attempt.get_waiting()
    st.session_state["compared"] = attempt.get_compared()


def sandbox(**parameters: str) -> AppTest:
    at = AppTest.from_function(_script)
    session_of(at)["record"] = {}
    at.query_params.update(parameters)
    return at.run()


def do(at: AppTest, name: str, *arguments: Any) -> SandboxView:
    """Call one of the callbacks and return the new history."""
    at.session_state["do"] = [(name, *arguments)]
    at.run()
    assert not at.exception
    return here(at)


def here(at: AppTest) -> SandboxView:
    found = at.session_state["here"]
    assert isinstance(found, SandboxView)
    return found


def log(at: AppTest) -> str:
    return ".".join(map(encode_operation, here(at).scenario.operations))


def shown_problem(at: AppTest) -> LabError | None:
    found = session_of(at).get("flash")
    return found if isinstance(found, LabError) else None


def test_an_operation_is_one_step_of_the_address() -> None:
    at = sandbox()
    do(at, "operate", A, 0)
    assert address(at, "sandbox") == encode_scenario(DEFAULT.then(A))
    assert address(at, "at_sandbox") == ""
    assert here(at).timeline.steps[-1].refusal is None
    do(at, "operate", B, 0)  # pressed on a page that was drawn earlier
    assert log(at) == "aA"
    reopened = sandbox(sandbox=address(at, "sandbox"))
    assert here(reopened).scenario == here(at).scenario


def test_several_at_once_end_with_the_first_refusal() -> None:
    at = sandbox(sandbox=encode_scenario(Scenario(2, 4, "fresh", (RequestSpec("A", 4),), (A,))))
    do(at, "operate", TOKEN, 1, 9)
    assert [step.refusal is None for step in here(at).timeline.steps] == [True] * 5 + [False]


def test_acting_earlier_asks_and_one_undo_brings_it_back() -> None:
    at = sandbox(sandbox=encode_scenario(DEFAULT.then(A, TOKEN, B)), at_sandbox="1")
    do(at, "operate", RELEASE, 1)
    assert log(at) == "aA.tA.aB"
    assert at.session_state["asked"] == Entry(RELEASE)
    do(at, "dismiss")
    assert at.session_state["asked"] is None
    do(at, "operate", RELEASE, 1)
    do(at, "move", Cursor(2))  # a move is an answer too
    assert at.session_state["asked"] is None
    do(at, "move", Cursor(1))
    do(at, "operate_anyway")
    assert (log(at), here(at).cursor) == ("aA.rA", Cursor(2))
    do(at, "undo")
    assert (log(at), here(at).cursor) == ("aA.tA.aB", Cursor(1))
    do(at, "undo")
    assert log(at) == "aA.tA.aB"


def test_a_change_runs_the_log_again_and_can_be_undone() -> None:
    at = sandbox(sandbox=encode_scenario(DEFAULT.then(A, TOKEN, B)), at_sandbox="1")
    before = here(at).scenario
    do(at, "change", replace(before, block_size=8))
    assert here(at).scenario.block_size == 8
    assert here(at).cursor == Cursor(1)
    assert at.session_state["compared"] == before
    do(at, "operate", TOKEN, 1)
    do(at, "operate_anyway")
    assert at.session_state["compared"] is None
    do(at, "undo")
    do(at, "undo")
    assert (here(at).scenario, here(at).cursor) == (before, Cursor(1))


def test_what_a_limit_refuses_changes_nothing_and_is_told() -> None:
    full = Scenario(16, 16, "fresh", (RequestSpec("A", 128),), (A,))
    at = sandbox(sandbox=encode_scenario(full))
    do(at, "operate", AppendToken("A"), 1)
    assert here(at).scenario == full
    problem = shown_problem(at)
    assert problem is not None
    assert problem.code == "limit"
    long = tuple(RequestSpec(f"{letter}", 1) for letter in "ABCDEFGHIJKLM")
    do(
        at,
        "change",
        replace(full, requests=long, operations=tuple(parse_operation(f"a{each.seq_id}") for each in long)),
    )
    assert here(at).scenario == full


@pytest.mark.parametrize("key", some(LIBRARY, 4))
def test_a_prepared_scenario_opens_at_its_beginning_and_is_reset_to_it(key: str) -> None:
    prepared = LIBRARY[key].scenario
    at = sandbox()
    do(at, "open_state", State(prepared, 0))
    assert (here(at).scenario, here(at).cursor) == (prepared, Cursor(0))
    do(at, "move", Cursor(1))
    do(at, "operate", RELEASE, 1)
    do(at, "operate_anyway")
    do(at, "reset")
    assert (here(at).scenario, here(at).cursor) == (prepared, Cursor(0))


def test_an_own_scenario_is_reset_to_what_was_opened() -> None:
    at, opened = sandbox(), State(DEFAULT.then(A, B), 1)
    do(at, "open_state", opened)
    do(at, "move", Cursor(2))
    do(at, "operate", TOKEN, 2)
    do(at, "reset")
    assert here(at).history.state == opened


def remembered(at: AppTest) -> dict[str, Any]:
    """The browser stores the state and reports it."""
    record = Record(session_of(at)["record"])
    for change in session_of(at)["record.changes"]:
        record = change(record)
    session_of(at)["record"] = record
    session_of(at)["record.changes"] = []
    at.run()
    return record


def test_a_state_too_long_for_a_link_stays_in_the_browser() -> None:
    """Its scenario is stored once and its log is in the address: Back and another tab find it."""
    at = sandbox()
    do(at, "open_state", State(LONG, 0))
    first = address(at, "sandbox")
    assert first.startswith("2.sandbox.kept.")
    remembered(at)
    assert here(at).scenario == LONG
    for count in range(3):
        do(at, "operate", A if not count else TOKEN, count)
    assert len(remembered(at)["long_states"]) == 1
    assert address(at, "sandbox").endswith("_aA.tA-2")
    assert here(at).scenario == LONG.then(A, TOKEN, TOKEN)
    come_back(at, sandbox=first)
    assert here(at).scenario == LONG
    elsewhere = here(sandbox(sandbox=first))
    assert elsewhere.problem is not None
    assert elsewhere.scenario == DEFAULT


def test_the_oldest_long_scenarios_make_room() -> None:
    """The browser's store is bounded, and always has the newest."""
    at = sandbox()
    do(at, "open_state", State(LONG, 0))
    record = remembered(at)
    record["long_states"] = {f"{i:016x}": "x" * (MAX_KEPT // 4) for i in range(5)} | record["long_states"]
    session_of(at)["record"] = record
    do(at, "open_state", State(replace(LONG, block_size=8), 0))
    stored = remembered(at)["long_states"]
    assert sum(map(len, stored.values())) <= MAX_KEPT
    assert list(stored)[-1] == address(at, "sandbox").removeprefix("2.sandbox.kept.").rstrip("_")


@pytest.mark.parametrize("kept", ["junk", {"0123456789abcdef": 5}, {"0123456789abcdef": "{}"}, ["x"], None])
def test_a_kept_state_that_somebody_edited_is_a_problem_and_no_more(kept: object) -> None:
    at = sandbox(sandbox="kept.0123456789abcdef_aA")
    session_of(at)["record"] = {"long_states": kept}
    at.run()
    assert not at.exception
    assert here(at).problem is not None


@pytest.mark.parametrize(
    ("text", "at_sandbox"),
    [
        ("1", ""),
        ("<script>", ""),
        ("1.16.4.used_A.n11_rB", ""),
        (encode_scenario(DEFAULT.then(A)), "2"),
        (encode_scenario(DEFAULT.then(A)), "1.99"),
        (encode_scenario(DEFAULT.then(A)), "x"),
        ("1.4.4.fresh" + "_A.n1" * MAX_LINK, ""),
    ],
)
def test_a_broken_link_is_one_problem(text: str, at_sandbox: str) -> None:
    found = here(sandbox(sandbox=text, at_sandbox=at_sandbox))
    assert found.problem is not None
    assert (found.scenario, found.cursor) == (DEFAULT, Cursor(0))


def test_a_place_inside_a_step_is_one_of_the_address_too() -> None:
    text = encode_scenario(DEFAULT.then(A))
    at = sandbox(sandbox=text, at_sandbox="1.2")
    assert here(at).cursor == Cursor(1, 2)
    events = len(here(at).timeline.steps[0].events)
    assert here(sandbox(sandbox=text, at_sandbox=f"1.{events}")).cursor == Cursor(1)
    assert parse_scenario(text) == here(at).scenario


def test_undo_and_reset_do_not_reach_behind_a_link() -> None:
    """Somebody who opens another state by a link cannot go back to the state before."""
    at = sandbox()
    do(at, "operate", A, 0)
    assert at.session_state["history"].can_undo
    linked = DEFAULT.then(B, TOKEN)
    at.query_params["sandbox"] = encode_scenario(linked)
    at.run()
    assert not at.session_state["history"].can_undo
    do(at, "operate", A, 2)
    do(at, "operate", RELEASE, 3)
    do(at, "reset")
    assert here(at).history.state == State(linked, 2)
    do(at, "undo")
    assert log(at) == "aB.tA.aA.rA"


def test_undo_and_reset_after_the_browsers_back() -> None:
    """The earlier changes can still be undone, and reset returns to what was opened."""
    opened = DEFAULT.then(A, B)
    at = sandbox(sandbox=encode_scenario(opened), at_sandbox="1")
    do(at, "move", Cursor(2))
    for count in range(2, 5):
        do(at, "operate", TOKEN, count)
    come_back(at, sandbox=encode_scenario(opened.then(TOKEN)))
    assert len(at.session_state["history"].before) == 1
    do(at, "undo")
    assert log(at) == "aA.aB"
    do(at, "reset")
    assert here(at).history.state == State(opened, 1)


def test_a_linked_state_is_what_a_reset_brings_back() -> None:
    at = sandbox(sandbox=encode_scenario(DEFAULT.then(A, B, TOKEN)), at_sandbox="2")
    do(at, "move", Cursor(3))
    do(at, "reset")
    assert here(at).cursor == Cursor(2)
