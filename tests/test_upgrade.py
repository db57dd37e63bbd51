"""Records of earlier versions in today's shape: nothing lost, nothing changed twice, no harm from an edited one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.activities.attempt import decode
from lab.activities.old_records import upgrade
from tests.links import new
from tests.recorded import PATH

RECORDED: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))["record"]
P = "4.used_P2-3-1-0-1-7-110000_"
OLD = ("committed", "ran", "foreign", "rounds", "rounds_sure", "intuition", "memory", "checks", "again", "quiz")


def test_the_recorded_record_has_a_place_for_everything() -> None:
    """Each attempt by its activity, the longest; what was answered beside it; the learner's own texts as they were."""
    found = upgrade(RECORDED)
    assert not set(OLD) & set(found)
    assert {name: found[name] for name in ("own_words", "explanation")} == {
        name: RECORDED[name] for name in ("own_words", "explanation")
    }
    attempts = found["attempts"]
    assert len(attempts) == len(RECORDED["committed"]) + len(RECORDED["rounds"]) + 2
    assert all(decode(text).activity == name for name, text in attempts.items())
    assert attempts["task.4.used"] == new(RECORDED["ran"]["P4.used__"])
    assert attempts["intuition"] == "2.intuition_1t.2t_"
    assert attempts["memory.sharegpt"] == "2.memory.sharegpt_3.90.1_"
    assert attempts["quiz.r.17.4.easy.20"].count("s") == 1 + 20  # easy, and 20 sure answers
    assert found["earlier"] == [new(text) for text in RECORDED["attempts"]]
    beside = found["answers"][new(P)]
    assert beside["check.aA.aB.tB"] == RECORDED["checks"][f"{P}aA.aB.tB"]
    assert beside["again.blocks.0"] == 3
    assert found["answers"]["2.chapter__"] == {"try.0": "reserve", "try.1": "decide"}


def test_upgrading_again_changes_nothing() -> None:
    """Neither a record of today nor an empty one."""
    found = upgrade(RECORDED)
    assert upgrade(found) is found
    assert upgrade({}) == {}


def test_parts_of_both_shapes_come_together() -> None:
    """As when an old and a new tab have stored: the longer attempt stands, the answers of today stand."""
    today = {"attempts": {"task.4.used": new(P + "aA")}, "answers": {new(P): {"check.aA": "table"}}, "done": ["x"]}
    before: dict[str, Any] = {"committed": {"P4.used__": P}, "ran": {"P4.used__": P + "aA.aB"}}
    before["checks"] = {P + "aA": "moved"}
    before |= {"foreign": [P]}
    assert upgrade({**today, **before}) == {
        "attempts": {"task.4.used": new(P + "aA.aB")},
        "answers": today["answers"],
        "shared": [new(P)],
        "done": ["x"],
    }
    other = {"committed": {"P4.used__": P.replace("P2", "P9")}}
    assert upgrade({**today, **other}) == today


TEXTS = [P, P + "aA", "x", "r.17.4.easy.5_1", "11_1.1", "", "_"]
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([P, P + "aA", "x", "r.17.4.easy.5_1", "11_1.1", "", "_"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([P, "a_b_c", ""]), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from([*OLD, "attempts", "answers", "earlier", "shared", "done"]), VALUES))
def test_any_record_is_upgraded_once(record: dict[str, Any]) -> None:
    """Whatever was written into it by hand; what comes of it is a record of today."""
    found = upgrade(record)
    assert not set(OLD) & set(found)
    assert upgrade(found) == found


@pytest.mark.parametrize("signs", ["0", "2x1", "", 7, None])
def test_sureness_that_is_not_known_is_left_out(signs: Any) -> None:
    """A round's answers stay."""
    record = {"rounds": ["r.17.4.easy.5_3.0.31"], "rounds_sure": {"r.17.4.easy.5": signs}}
    (text,) = upgrade(record)["attempts"].values()
    assert [answer.value for answer in decode(text).answers] == [(3,), (0,), (31,)]
    known = {"0": ["guess", None, None], "2x1": ["sure", None, "think"]}.get(signs, [None] * 3)
    assert [answer.sure for answer in decode(text).answers] == known
