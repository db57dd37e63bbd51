"""The share lesson: the outcomes of its cases, misconceptions, the picture of the hash chain, and the page."""

from __future__ import annotations

import json
import re
from itertools import product
from struct import pack
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from xxhash import xxh64_intdigest

from lab.activities.cases import CASES
from lab.activities.cases.share import ASK_TOM, FACTS, OTHER_FACTS, SHARE, UNTIL
from lab.activities.diagnosis import diagnose_one
from lab.activities.question import observe_outcomes
from lab.activities.run import Run, encode_run
from lab.activities.trace_points import TracePoint, iterate_trace_points
from lab.engine.errors import InvalidLinkError
from lab.figures.measure import measure_text
from lab.figures.memory.metrics import NARROW
from lab.figures.prefix_chain import draw_prefix_chain, format_short_hash
from lab.figures.theme import get_dark_colors
from lab.trace.hash_chain import ChainLink, build_chain
from lab.trace.operations import parse_operation
from lab.trace.snapshot import Snapshot
from lab.trace.timeline import Timeline
from lessons.text.sentences import format_values
from lessons.text.translations import LANGUAGES, Language, get_translations
from tests.figures.marks import read_marks
from tests.links import new as new_text
from tests.links import parse_run
from tests.pages.test_pages import go, keys, task, texts, verdicts
from tests.sample import every_language, some

# Worked out by hand from the prompts (pages of 4) and the queues.
EXPECTED = {
    "prefix": {"found": 8, "takes": 1},
    "identical": {"computed": 4, "last_page": 0},
    "release": {"joins": 0, "ref_left": 1, "last_back": 5},
    "revive": {"again": 8, "back": 4, "ref_back": 1},
    "taken": {"until": 1, "late": 0},
    "chain": {"same_block": 0, "same_hash": 0},
}


def run(case_id: str, log: str = "") -> Timeline:
    """The case's plan, or another log."""
    case = CASES[case_id]
    return Timeline.replay(case.config, [parse_operation(text) for text in log.split()] or case.plan)


def seen(case_id: str, log: str = "") -> list[TracePoint]:
    return list(iterate_trace_points(run(case_id, log).steps))


def answers(case_id: str, log: str = "") -> dict[str, int]:
    found = observe_outcomes(seen(case_id, log), CASES[case_id].asked)
    return {name: outcome.value for name, outcome in found.items()}


ASKED = [(case.id, question) for case in SHARE for question in case.asked]


@pytest.mark.parametrize("case_id", EXPECTED)
def test_the_run_says_what_was_worked_out_by_hand(case_id: str) -> None:
    assert [case.id for case in SHARE] == list(EXPECTED)
    assert answers(case_id) == EXPECTED[case_id]


def test_either_may_be_released_first() -> None:
    """The answers are the same, because A and B hold the same blocks in the same order."""
    assert answers("release", "aA aB rB rA") == EXPECTED["release"]
    assert answers("release", "aA aB rB") == {"joins": 0, "ref_left": 1}


def test_c_before_d_answers_nothing_about_d() -> None:
    """Another order is another question, which stays open."""
    assert answers("taken", "aA aB rA rB aC aD") == {}
    assert answers("taken", "aA aB rA rB aD") == {"until": UNTIL.index("taken")}


def test_nothing_that_c_looks_for_is_still_to_be_seen() -> None:
    """When C comes, no slot holds a token of A's prompt, so "found 0" agrees with the picture."""
    before = run("taken").steps[-1].before
    assert {slot[0] for block in before.blocks for slot in block.slots if slot} & set(FACTS) == set()
    assert before.free_block_ids == run("taken").steps[-1].after.sequence("C").block_table  # type: ignore[union-attr]


def test_a_link_from_before_the_case_was_changed_opens_what_it_did() -> None:
    """It keeps its queue, prompts and text. New links name the new scenario."""
    text = "taken_1-0-00_aA.aB.rA.rB.aD.aC"
    old, new = parse_run(text), Run.of(CASES["taken"])
    assert (encode_run(old), encode_run(new)) == (new_text(text), "2.taken.2__aA.aB.rA.rB")
    assert parse_run(encode_run(new)) == new
    steps = Timeline.replay(old.config, old.operations).steps
    assert [view.block_table for view in steps[-1].after.sequences] == [(3, 5, 0), (1, 4, 2)]
    assert observe_outcomes(list(iterate_trace_points(steps)), old.case.asked if old.case else ()).keys() == {
        "until",
        "late",
    }
    for text in (
        "taken.1__aA.aB.rA.rB",
        "taken.3__aA.aB.rA.rB",
        "revive.2__aA.aB.rA.rB",
        "taken.__aA.aB.rA.rB",
        "2.taken.1__aA",
    ):
        with pytest.raises(InvalidLinkError):
            parse_run(text)


def test_c_gets_its_blocks_from_the_middle_of_the_queue() -> None:
    """Neither from the head nor from the tail, which would prove nothing."""
    timeline = run("revive")
    before, after = timeline.steps[-1].before, timeline.steps[-1].after
    assert (before.free_block_ids, after.free_block_ids) == ((2, 1, 4, 3, 0, 5), (3, 0, 5))
    view = after.sequence("C")
    assert view
    assert view.block_table == (4, 1, 2)


# --- the hash chain -------------------------------------------------------------------------------------------------


def links(case_id: str, log: str = "") -> dict[tuple[str, int], ChainLink]:
    timeline = run(case_id, log)
    found = build_chain(prompts(case_id), states(timeline))
    return {(link.seq_id, link.page): link for link in found}


def prompts(case_id: str) -> dict[str, tuple[int, ...]]:
    return {request.seq_id: request.prompt for request in CASES[case_id].config.requests}


def states(timeline: Timeline) -> list[Snapshot]:
    return [timeline.start, *(snapshot for step in timeline.steps for snapshot in step.snapshots)]


def test_hashes_are_the_engines_chained_ones() -> None:
    """Against the definition spelled out here: xxh64 of the previous hash and the page's tokens."""
    first = xxh64_intdigest(pack("<4q", *FACTS[:4]))
    second = xxh64_intdigest(pack("<Q", first) + pack("<4q", *FACTS[4:]))
    strict = xxh64_intdigest(pack("<4q", *OTHER_FACTS[:4]))
    other = xxh64_intdigest(pack("<Q", strict) + pack("<4q", *FACTS[4:]))
    found = links("chain")
    assert {key: (link.before, link.hash) for key, link in found.items()} == {
        ("A", 0): (None, first),
        ("A", 1): (first, second),
        ("A", 2): (None, None),
        ("B", 0): (None, strict),
        ("B", 1): (strict, other),
        ("B", 2): (None, None),
    }
    assert found["A", 1].tokens == found["B", 1].tokens
    assert found["A", 2].tokens == ASK_TOM


def where(case_id: str, log: str) -> dict[tuple[str, int], tuple[str, tuple[int, ...]]]:
    return {key: (link.state, link.blocks) for key, link in links(case_id, log).items()}


def test_the_chain_says_which_block_holds_a_page() -> None:
    """Taken, found, free, evicted, or held by another page."""
    both = where("prefix", "aA aB")
    assert [both["A", page] for page in range(3)] == [("took", (5,)), ("took", (2,)), ("took", (7,))]
    assert [both["B", page] for page in range(3)] == [("found", (5,)), ("found", (2,)), ("took", (0,))]
    assert where("prefix", "aA")["B", 0] == ("", ())
    one = where("release", "aA aB rA")
    assert (one["A", 0], one["A", 2]) == (("held", (5,)), ("", ()))
    assert where("release", "aA aB rA rB")["B", 1] == ("free", (2,))
    taken = where("taken", "aA aB rA rB aD")
    assert (taken["A", 0], taken["A", 1]) == (("gone", ()), ("gone", ()))
    assert (taken["D", 2], taken["C", 0]) == (("took", (4,)), ("", ()))


def test_an_ended_request_s_page_names_whose_block_has_its_hash_now() -> None:
    """C wrote the hashes of A anew, in blocks that A never had; D took those of A."""
    found = links("taken", "aA aB rA rB aD aC")
    assert [(found["A", page].state, found["A", page].holders) for page in range(2)] == [
        ("held", (("C", 0),)),
        ("held", (("C", 1),)),
    ]
    assert found["A", 0].blocks == found["C", 0].blocks
    ended = links("taken", "aA aB rA rB aD aC rC")["A", 0]
    assert (ended.state, ended.holders, ended.blocks) == ("free_of", (("C", 0),), found["C", 0].blocks)
    assert links("release", "aA aB rA rB")["A", 0].holders == ()


def text_entries(spec: dict[str, Any]) -> list[tuple[str, str, float, float, float]]:
    """(name, text, x, y, size) of every text."""
    return [
        (mark["name"], *entry)
        for mark in read_marks(spec)
        if mark["mode"] == "text"
        for entry in zip(mark["text"], mark["x"], mark["y"], mark["textfont"]["size"], strict=True)
    ]


@pytest.mark.parametrize(("case_id", "language"), some(product(EXPECTED, LANGUAGES), 4))
def test_the_picture_fits_and_says_the_same_as_its_table(case_id: str, language: Language) -> None:
    """At every moment: only theme colours, text within its card, same facts in picture, table and text."""
    say, timeline = get_translations(language), run(case_id)
    everything = states(timeline)
    for count in range(1, len(everything) + 1):
        picture = draw_prefix_chain(prompts(case_id), everything[:count], say)
        assert "{" not in picture.sentence
        figure = json.dumps(picture.spec)
        assert {part for part in figure.split('"') if part.startswith("#") and len(part) == 7} <= set(get_dark_colors())
        found = build_chain(prompts(case_id), everything[:count])
        assert len(picture.table) == len(found)
        entries = text_entries(picture.spec)
        drawn = [text for name, text, *_ in entries if name == "hashes" and "#" in text]
        known = [link.hash for link in found if link.hash is not None]
        assert drawn == [f"<b># {format_short_hash(value)}</b>" for value in known]
        assert [value for value in picture.table.iloc[:, 4] if "…" in value] == [
            format_short_hash(value) for value in known
        ]
        columns = max(link.page for link in found) + 1
        room = NARROW.min_width / columns - 14 * NARROW.squeeze
        for name, text, _x, _y, size in entries:
            if name in ("pages", "before", "hashes", "blocks"):
                bold = text.startswith("<b>")
                plain = text.removeprefix("<b>").removesuffix("</b>")
                assert measure_text(plain, size, bold) <= room, (text, size)


def test_before_a_prediction_there_are_only_tokens() -> None:
    """No part of the picture shows a hash or a block."""
    everything = states(run("taken"))
    picture = draw_prefix_chain(prompts("taken"), everything, get_translations("en"), hashes=False)
    assert {name for name, *_ in text_entries(picture.spec)} == {"names", "pages", "tokens"}
    assert list(picture.table.columns) == ["Request", "Page", "Tokens"]
    assert "hash" not in picture.sentence


# --- the page -------------------------------------------------------------------------------------------------------


def opened(language: str, run: str) -> AppTest:
    return task(language, "share", share=run)


@every_language
def test_the_prompts_show_their_hashes_once_a_prediction_is_there(language: Language) -> None:
    """The ledger is open if the case is about ref_count."""
    say = get_translations(language)
    at = opened(language, "prefix__aA")
    assert ("prompts" in keys(at), "commit" in keys(at)) == (True, True)
    known = format_short_hash(xxh64_intdigest(pack("<4q", *FACTS[:4])))[:6]
    assert known not in shown(at)
    at = go(at, share="prefix_8-1-00_aA")
    assert known in shown(at)
    assert say.text("task.ledger") not in texts(at)
    at = go(at, share="release_0-1-5-000_aA.aB.rA")
    assert (verdicts(at), say.text("task.ledger") in texts(at)) == (["same", "same", "waiting"], True)
    assert say.text("site.not_settled") not in texts(at)
    at = go(at, share="taken_1-0-00_aA.aB.rA.rB.aC.aD")
    assert (verdicts(at), say.text("site.not_settled") in texts(at)) == (["waiting"] * 2, True)


def shown(at: AppTest) -> str:
    """The values that the picture of the prompts is drawn from."""
    return "".join(str(element.proto) for element in at.main if getattr(element, "key", "") == "prompts")


@every_language
def test_the_block_its_count_and_the_hashes_are_named(language: Language) -> None:
    """A and B both begin with block 5, and the first release leaves it one user. The hashes are the engine's."""
    say = get_translations(language)
    (joins,) = (question for _, question in ASKED if question.id == "joins")
    history = seen("release")
    found = diagnose_one(joins, 1, observe_outcomes(history, [joins])["joins"], history)
    line = say.text("share.idea.joins_released_at_first", **format_values(found.facts, say))
    assert re.findall(r"\d+", line)[:3] == ["5", "2", "1"]
    (same,) = (question for _, question in ASKED if question.id == "same_hash")
    history = seen("chain")
    found = diagnose_one(same, 1, observe_outcomes(history, [same])["same_hash"], history)
    line = say.text("share.idea.same_hash_unchained_hash", **format_values(found.facts, say))
    hashes = [f"{view.hashes[1]:016x}"[:6] for view in history[-1].snapshot.sequences]
    assert len(set(hashes)) == 2
    assert all(each in line for each in hashes)
