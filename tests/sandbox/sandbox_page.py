"""The sandbox's page for tests: open it at a scenario, press operations, read its address."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import cycle
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from lab.sandbox.link import encode_scenario
from lab.sandbox.request_specs import RequestSpec
from lab.sandbox.scenario import Scenario
from lab.trace.operations import encode_operation, parse_operation
from lessons.sandbox import operations
from lessons.sandbox.writing import editing
from lessons.text.translations import LANGUAGES, Language
from lessons.widgets.operation_buttons import OperationButton
from tests.links import parse_scenario
from tests.pages.test_pages import address, press, sound, task


def in_turn(cases: Iterable[str]) -> list[tuple[str, Language]]:
    """The cases with the languages in turn; test_text checks that both languages have every sentence."""
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
        **_about: object,
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

    for module in (operations, editing):
        monkeypatch.setattr(module, "draw_operation_buttons", row)


def scenario(
    log: str = "", requests: Sequence[RequestSpec] = (RequestSpec("A", 11), RequestSpec("B", 4)), **pool: object
) -> Scenario:
    """A scenario on four blocks of four slots."""
    operations = tuple(map(parse_operation, log.split()))
    made: dict[str, object] = {"num_blocks": 4, "block_size": 4, "queue": "fresh", **pool}
    return Scenario(requests=tuple(requests), operations=operations, **made)  # type: ignore[arg-type]


def opened(of: Scenario, language: Language = "en", *, told: Any = None, **parameters: str) -> AppTest:
    """The page at this scenario; `told`: the record that the browser has."""
    return task(language, "sandbox", told=told, lang=language, sandbox=encode_scenario(of), **parameters)


def now(at: AppTest) -> Scenario:
    """The scenario in the address."""
    return parse_scenario(address(at, "sandbox"))


def log(at: AppTest) -> str:
    return " ".join(map(encode_operation, now(at).operations))


def act(at: AppTest, operation: str) -> AppTest:
    """Press an operation of a request."""
    if str(at.pills(key="sandbox_request").value) != operation[1:]:
        at = sound(at.pills(key="sandbox_request").set_value(operation[1:]).run())
    row = "sandbox_operations" if operation[0] in "atr" else "sandbox_single"
    return press(at, f"{row}.{operation}")
