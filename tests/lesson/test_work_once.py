"""A press runs one operation on the engine that is there: no engine is made, nothing is run again or read twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any
from unittest.mock import patch

import pytest
import streamlit as st
from streamlit.runtime.state.query_params_proxy import QueryParamsProxy
from streamlit.testing.v1 import AppTest

from lab.activities.cases import CASES, LESSONS
from lab.activities.question import observe_outcomes
from lab.activities.run import Run, encode_run
from lab.trace.kv_cache import KVCache
from lab.trace.operations import encode_operation
from lab.trace.presets import PLAN, build_task_config
from lab.trace.runner import Runner
from lab.trace.timeline import Timeline
from lessons.activity import run_panel
from lessons.activity.course import get_page_file
from lessons.state import runs
from lessons.widgets.operation_buttons import OperationButton
from tests.links import predict
from tests.pages.test_pages import press, task
from tests.sample import some


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """How often engines are made, operations applied, outcomes observed, addresses read and written."""
    found: Counter[str] = Counter()

    def count(name: str, done: Any) -> Any:
        @wraps(done)
        def call(*given: Any, **named: Any) -> Any:
            found[name] += 1
            return done(*given, **named)

        return call

    with (
        patch.object(Runner, "__init__", count("engines", Runner.__init__)),
        patch.object(Timeline, "apply", count("operations", Timeline.apply)),
        patch.object(KVCache, "read", count("words", KVCache.read)),
        patch.object(runs, "observe_outcomes", count("outcomes", observe_outcomes)),
        patch.object(QueryParamsProxy, "__getitem__", count("read", QueryParamsProxy.__getitem__)),
        patch.object(QueryParamsProxy, "to_dict", count("read", QueryParamsProxy.to_dict)),
        patch.object(QueryParamsProxy, "from_dict", count("written", QueryParamsProxy.from_dict)),
    ):
        yield found


def draw_buttons(buttons: Sequence[OperationButton], *, index: int, on_press: Any, **_: Any) -> None:
    """The operations as buttons that AppTest can press."""
    for each in buttons:
        st.button(each.id, key=f"press.{each.id}", on_click=on_press, args=(each.id, index))


def predicted(case_id: str) -> tuple[str, dict[str, str], list[str]]:
    """The page, the address with a wrong prediction, and the operations of the plan."""
    if not case_id:
        run = predict(Run.of_task(build_task_config()), (3, 1, 1, 0, 1, 7), sure=True)
        return "task", {"run": encode_run(run)}, [encode_operation(each) for each in PLAN]
    case = CASES[case_id]
    lesson = next(name for name, cases in LESSONS.items() if case in cases)
    pick = 1 if case.pick_from else None
    run = predict(Run.of(case), (0,) * len(case.questions(pick)), sure=True, pick=pick)
    plan = [encode_operation(each) for each in case.plan[case.prepared :]]
    return lesson, {lesson: encode_run(run)}, plan


@pytest.mark.parametrize("case_id", some(["", "exact", "boundary", "prefix", "release"], 2))
def test_a_press_runs_one_operation_and_makes_no_engine(case_id: str) -> None:
    """From the first operation of the plan to its last, for the task and for cases of the lessons.

    Not in the lesson on the code, which runs the operation in view once more to see the lines that it runs.
    """
    page, parameters, plan = predicted(case_id)
    with patch.object(run_panel, "draw_operation_buttons", draw_buttons):
        at: AppTest = task("en", page, **parameters)
        for operation in plan:
            with counted() as found:
                at = press(at, f"press.{operation}")
            assert (found["operations"], found["engines"]) == (1, 0), operation
            assert found["outcomes"] <= 1, operation
            assert (found["read"] <= 1, found["written"]) == (True, 1), operation


@pytest.mark.parametrize("page", ["task", "allocate", "intuition", "quiz", "memory", "sandbox", "report"])
def test_an_address_is_read_once(page: str) -> None:
    """As the page opens; then it is known, in a redraw and after a press, until another one comes."""
    address = {"run": encode_run(Run.of_task(build_task_config())), "lang": "en"}
    at = task("en", "task", **address)
    at.query_params["run"] = encode_run(Run.of_task(build_task_config()).at(PLAN[:2]))
    with counted() as found:
        at = at.switch_page(get_page_file(page)).run()
        assert (found["read"], found["written"]) == (1, 0)
        at = at.run()
        assert (found["read"], found["written"]) == (1, 0)
        at.segmented_control(key="language").set_value("zh").run()
        assert (found["read"], found["written"]) == (1, 1)


def test_who_does_the_same_gets_what_was_read_before() -> None:
    """Drawn again, or opened by somebody else at the same place, the next words are there."""
    address = {"run": encode_run(Run.of_task(build_task_config()).at(PLAN[:3]))}
    at = task("en", **address)
    with counted() as found:
        at.run()
        task("zh", **address)
    assert found["words"] == 0
