"""The sandbox's page for tests: opened at a scenario, its operations pressed, its address read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import cycle

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from lab.operations import operation_text, parse_operation
from lab.sandbox.link import parse_scenario, scenario_text
from lab.sandbox.scenario import Asked, Scenario
from lessons import sandbox_operate
from lessons.operation_buttons import OperationButton
from lessons.text import LANGUAGES, Language
from tests.test_lessons import address, go, press, sound, task


def in_turn(cases: Iterable[str]) -> list[tuple[str, Language]]:
    """Each case in one language, the next one in the other: that both have the sentence is test_text's."""
    return list(zip(cases, cycle(LANGUAGES), strict=False))


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of operations as buttons that AppTest can press."""

    def row(
        buttons: Sequence[OperationButton],
        *,
        index: int,
        key: str,
        on_press: Callable[[str, int], None],
        label: str,
        enter_in: str = "",
    ) -> None:
        assert label
        for each in buttons:
            st.button(
                each.label,
                key=f"{key}.{each.id}",
                help=each.hint,
                disabled=each.disabled,
                on_click=on_press,
                args=(each.id, index),
            )

    monkeypatch.setattr(sandbox_operate, "operation_buttons", row)


def scenario(log: str = "", requests: Sequence[Asked] = (Asked("A", 11), Asked("B", 4)), **pool: object) -> Scenario:
    """On four blocks of four slots."""
    operations = tuple(map(parse_operation, log.split()))
    made: dict[str, object] = {"num_blocks": 4, "block_size": 4, "queue": "fresh", **pool}
    return Scenario(requests=tuple(requests), operations=operations, **made)  # type: ignore[arg-type]


def opened(of: Scenario, language: Language = "en", **parameters: str) -> AppTest:
    """The page at this scenario."""
    return go(task(language, "sandbox"), lang=language, sandbox=scenario_text(of), **parameters)


def now(at: AppTest) -> Scenario:
    """What the address says."""
    return parse_scenario(address(at, "sandbox"))


def log(at: AppTest) -> str:
    return " ".join(map(operation_text, now(at).operations))


def act(at: AppTest, operation: str) -> AppTest:
    """Press an operation, for whichever request it is."""
    if str(at.pills(key="sandbox_request").value) != operation[1:]:
        at = sound(at.pills(key="sandbox_request").set_value(operation[1:]).run())
    row = "sandbox_operations" if operation[0] in "atr" else "sandbox_single"
    return press(at, f"{row}.{operation}")
