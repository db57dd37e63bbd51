"""Whatever somebody writes into the browser's store by hand, every part of the task is drawn, and can be left."""

from __future__ import annotations

from typing import Any

import pytest

from tests.pages.test_explain_page import opened, record_of
from tests.pages.test_pages import keys, press, sound

P = "4.used_P2-3-0-1-2-9-111111_"
RUN = P + "aA.aB.tB.rA.rB"
RECORDS: list[dict[str, Any]] = [
    {"again": {f"{P}new_page": [-1], f"{P}blocks": [10**9], f"{P}empty_slots": "x", f"{P}consecutive": [7]}},
    {"again": [1, 2]},
    {"explanation": "\ud800 page"},
    {"explanation": 5},
    {"explanation": "x" * 5000},
    {"quiz": "move"},
    {"quiz": [["move"]]},
    {"attempts": ["\ud800", 5, None, "4.used__", "nonsense"]},
    {"attempts": ["4.used__"] * 3000},
    {"committed": {"P4.used__": "4.used_Q1-1-1-1-1111_"}},
    {"committed": {"P4.used__": "4.used__aA"}},
    {"committed": "4.used__aA"},
    {"checks": {RUN: {"a": 1}}},
]


PARTS = ["run", "explain", "eight"]


@pytest.mark.parametrize(
    ("record", "part"),
    [
        pytest.param(
            record,
            part,
            id=f"{str(record)[:40].encode('ascii', 'replace').decode()}-{part}",
            marks=() if number % 4 == PARTS.index(part) else pytest.mark.thorough,
        )
        for number, record in enumerate(RECORDS)
        for part in PARTS
    ],
)
def test_an_edited_record_does_no_harm(record: dict[str, Any], part: str) -> None:
    """No exception, and `forget me` empties it. By default three records of four in one part each."""
    at = opened(record=record, part=part, run=RUN)
    assert len([key for key in keys(at) if key.startswith("attempt_")]) <= 50
    assert record_of(sound(press(at, "forget_yes").run())) == {}


def test_what_is_no_commitment_is_none() -> None:
    """Only a run of this form and scenario with a prediction keeps the form away."""
    for text in ("4.used_Q1-1-1-1-1111_", "4.used__aA", "4.fresh_P1-1-1-0-1-7-000000_", "\ud800"):
        assert "commit" in keys(opened(part="run", record={"committed": {"P4.used__": text}}))
