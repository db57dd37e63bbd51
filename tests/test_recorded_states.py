"""Links, files and records that the first version of the lab made still open the same state."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.pages.test_report import opened, rows_of
from tests.recorded import DESCRIBE, PATH, describe, load

STATES = load()


@pytest.mark.parametrize("kind", DESCRIBE)
def test_what_people_have_opens_the_same_state(kind: str) -> None:
    """Each recorded text of this kind, down to the token ids, the queue in order and the answers."""
    recorded = [each for each in STATES if each["kind"] == kind]
    assert recorded
    for each in recorded:
        assert describe(kind, each["text"]) == each["state"], each["text"]


def test_a_record_that_a_browser_has_is_read_whole() -> None:
    """Every answer in it stands in the report, as right or wrong as it was, and as its owner's."""
    recorded: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))
    rows = rows_of(opened(record=recorded["record"]))
    told = sorted([row.part, row.right, row.sure, row.mark] for row in rows)
    for each in recorded["rows"]:  # recorded before there was one scale: "no" was a box that was not ticked
        each[2] = {"no": "think"}.get(each[2], each[2])
    memory = [["memory", "", "", "own"]] * 3  # it was in the record then, and not yet in the report
    assert [each for each in told if each[0] == "memory"] == memory
    assert [each for each in told if each[0] != "memory"] == sorted(recorded["rows"])
