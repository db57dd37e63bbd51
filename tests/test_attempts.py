"""The rules of every activity: what its owner of address and record does with an attempt, whichever it is."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lab.activities.attempt import decode
from tests.links import new, saved

SCRIPT = """
import json
import streamlit as st
from lab.activities.attempt import decode
from lessons.state import attempts, record, url
from lessons.state.session import get_session
from lessons.state.slots import Slot

given = json.loads({given!r})
get_session()["record"] = given["record"]
slot = Slot(given["key"], "at_" + given["key"])
for name, *texts in given["calls"]:
    found = [decode(text) if text.startswith("2.") else text for text in texts]
    if name == "known":
        get_session()["record"] = json.loads(texts[0])
        record._apply_changes()
    elif name in ("keep_operations", "add_beside"):
        record.update(lambda kept, name=name, found=found: getattr(kept, name)(*found))
    elif name == "restart":
        attempts.restart(slot, *found, None)
    else:
        getattr(attempts, name)(slot, *found)
    if record.is_known():
        record._apply_changes()
url.sync_browser()
mine = [record.is_mine(decode(text)) for text in given["asked"]]
writes = "record.write" in get_session()
st.markdown(json.dumps([dict(st.query_params), get_session()["record"], mine, writes]))
"""


@dataclass(frozen=True)
class Kind:
    """An activity: its key in the address, an attempt that goes on twice, and one with another first answer."""

    key: str
    less: str
    more: str
    other: str


P, MEMORY = "4.used_P3-1-1-0-1-7-100000_", "memory"
KINDS = {
    "task": Kind("run", new(P), new(f"{P}aA.aB"), new(P.replace("P3", "P9"))),
    "resized": Kind("run8", new("8.used_Q2-5-0-3-0000_"), new("8.used_Q2-5-0-3-0000_aA"), new("8.used_Q1-5-0-3-0000_")),
    "case": Kind("allocate", new("exact_0@1-8-11_"), new("exact_0@1-8-11_aB"), new("exact_0@2-8-11_")),
    "film": Kind("intuition", new("01_1.1", "intuition"), new("01-20_3.1", "intuition"), new("11_1.1", "intuition")),
    "quiz": Kind("quiz", "2.quiz.t.17.4.easy.10_3s_", "2.quiz.t.17.4.easy.10_3s.0g_", "2.quiz.t.17.4.easy.10_2s_"),
    "memory": Kind("memory", new("code.paged.90.5to15", MEMORY), "", new("code.paged.10.5to15", MEMORY)),
}  # fmt: skip
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
with_more = pytest.mark.parametrize("kind", [each for each in KINDS.values() if each.more], ids=lambda kind: kind.key)


def call(
    kind: Kind, *calls: tuple[str, ...], record: Any = None, asked: tuple[str, ...] = ()
) -> tuple[dict[str, str], Any, list[bool]]:
    """The address, the record and whose the asked attempts are after these calls. `record` None: not reported yet."""
    given = json.dumps({"key": kind.key, "record": record, "calls": calls, "asked": asked})
    at = AppTest.from_string(SCRIPT.replace("{given!r}", repr(given)), default_timeout=60).run()
    assert not at.exception
    address, kept, mine, writes = json.loads(at.markdown[0].value)
    before = next((json.loads(each[1]) for each in calls if each[0] == "known"), record)
    assert writes == (kept != before)  # what changes nothing is not sent to the browser
    return address, kept, mine


@every_kind
def test_what_is_committed_is_shown_and_saved(kind: Kind) -> None:
    """By its activity; as the browser's own."""
    address, kept, mine = call(kind, ("commit", kind.less), record={}, asked=(kind.less, kind.other))
    assert (address, kept) == ({kind.key: kind.less}, saved(kind.less))
    assert mine == [True, False]
    assert list(kept["attempts"]) == [decode(kind.less).activity]


@every_kind
def test_the_first_answer_stands(kind: Kind) -> None:
    """Also if the record is only known after another one was committed; until then it counts as one's own."""
    before = saved(kind.less)
    assert call(kind, ("commit", kind.other), record=before)[1] == before
    assert call(kind, ("commit", kind.other), ("known", json.dumps(before)))[1] == before
    assert call(kind, ("commit", kind.other), asked=(kind.less, kind.other))[2] == [True, True]


@with_more
def test_the_longest_attempt_is_kept(kind: Kind) -> None:
    """An address from before takes nothing back; what goes on is added."""
    assert call(kind, ("commit", kind.less), record=saved(kind.more))[1] == saved(kind.more)
    assert call(kind, ("commit", kind.more), record=saved(kind.less))[1] == saved(kind.more)
    assert call(kind, ("keep_operations", kind.more), record=saved(kind.more))[1] == saved(kind.more)


@every_kind
def test_going_on_leads_to_what_is_saved(kind: Kind) -> None:
    """Nothing saved leads nowhere."""
    activity = decode(kind.less).activity
    assert call(kind, ("resume", activity), record=saved(kind.less))[0] == {kind.key: kind.less}
    assert call(kind, ("resume", activity), record={})[0] == {}


@every_kind
def test_starting_over_puts_the_attempt_away(kind: Kind) -> None:
    """It is an earlier one then, once; somebody else's is also marked, and one's own is not lost beside it."""
    over = call(kind, ("commit", kind.less), ("restart", kind.less), record={}, asked=(kind.less,))
    assert over == ({}, {"earlier": [kind.less], "attempts": {}}, [True])
    both = call(kind, ("show", kind.other), ("restart", kind.other), record=saved(kind.less))[1]
    beginning = "_".join([*kind.other.split("_")[:-1], ""])
    assert both == {"earlier": [kind.less, kind.other], "attempts": {}, "shared": [beginning]}


@every_kind
def test_what_came_with_a_link_is_no_own_one(kind: Kind) -> None:
    """Going on with its operations notes that; committing the same answers oneself takes the note away."""
    shared = call(kind, ("keep_operations", kind.other), record=saved(kind.less), asked=(kind.other,))
    assert shared[1] == {**saved(kind.less), "shared": [kind.other]}
    assert shared[2] == [False]
    own = call(kind, ("commit", kind.other), record={"shared": [kind.other]}, asked=(kind.other,))
    assert (own[1], own[2]) == ({**saved(kind.other), "shared": []}, [True])


@every_kind
def test_an_answer_beside_an_attempt_is_kept_with_it(kind: Kind) -> None:
    """Whatever was done since, by the attempt's answers."""
    beside = call(kind, ("add_beside", kind.less, "check.aA", "table"), record={})[1]
    assert beside == {"answers": {kind.less: {"check.aA": "table"}}}
