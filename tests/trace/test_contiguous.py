"""The contiguous allocator against a list of owners, one for each slot; its picture agrees with the snapshot."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from itertools import groupby
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from lab.engine.errors import InvalidSizeError, LabError, LimitError, RequestExistsError, UnknownRequestError
from lab.figures.contiguous import Grid, draw_contiguous
from lab.figures.memory.metrics import get_metrics
from lab.figures.picture import Picture
from lab.trace.config import Request
from lab.trace.contiguous import (
    ContiguousAllocator,
    ContiguousSnapshot,
    NoHoleError,
    RequestCompleteError,
    ReservePolicy,
    Segment,
    run_contiguous,
)
from lab.trace.operations import parse_operation
from lab.trace.presets import A_PROMPT, B_PROMPT, FURTHER
from lessons.text.translations import Language, get_translations
from tests.figures.marks import contains, read_marks
from tests.sample import every_language, examples

A = Request("A", A_PROMPT, FURTHER)  # 11 tokens, 16 in the end


def request(seq_id: str, prompt: int, output: int = 1) -> Request:
    """A request with that many tokens now, and that many to come."""
    return Request(seq_id, (B_PROMPT * 16)[:prompt], (FURTHER * 16)[:output])


def run(
    num_slots: int, max_tokens: int, policy: ReservePolicy, requests: list[Request], log: str
) -> tuple[ContiguousSnapshot, ...]:
    """The states after each operation of the log, on a new pool."""
    operations = [parse_operation(text) for text in log.split()]
    return run_contiguous(ContiguousAllocator(num_slots, max_tokens, policy), requests, operations)


def tried(snapshot: ContiguousSnapshot) -> dict[str, int | str]:
    """The numbers of the last refusal."""
    assert snapshot.refusal is not None
    return snapshot.refusal.numbers


# --- examples ------------------------------------------------------------------------------------------------------


def test_the_maximum_reserves_64_slots_for_11_tokens() -> None:
    """Every slot is reserved, 11 hold a token, and a second request finds no hole."""
    first, second = run(64, 64, ReservePolicy.MAXIMUM, [A, request("B", 4)], "aA aB")
    (view,) = first.requests
    assert (view.start, view.reserved, view.used, view.later, view.never_used) == (0, 64, 11, 5, 48)
    assert view.token_ids == A_PROMPT
    assert first.segments == (Segment(0, 64, "A"),)
    assert (first.free, first.largest_hole, first.holes) == (0, 0, ())
    assert isinstance(second.refusal, NoHoleError)
    assert tried(second) == {"seq_id": "B", "needed": 64, "free": 0, "largest_hole": 0}
    assert not second.refusal.external


def test_the_papers_example_never_uses_2038_of_2048_slots() -> None:
    """Figure 3 of the PagedAttention paper: 7 tokens of prompt and 3 of output."""
    (after,) = run(2048, 2048, ReservePolicy.MAXIMUM, [request("A", 7, 3)], "aA")
    assert after.requests[0].never_used == 2038


def test_the_true_length_never_wastes_inside_a_piece() -> None:
    """A request reserves exactly what it will use; then it takes no more tokens."""
    states = run(64, 64, ReservePolicy.TRUE_LENGTH, [A], "aA" + " tA" * 6)
    assert [(s.requests[0].reserved, s.requests[0].used, s.requests[0].later) for s in states] == [
        (16, 11 + i, 5 - i) for i in (0, 1, 2, 3, 4, 5, 5)
    ]
    assert all(state.requests[0].never_used == 0 and state.free == 48 for state in states)
    assert isinstance(states[-1].refusal, RequestCompleteError)
    assert tried(states[-1]) == {"seq_id": "A", "tokens": 16}
    assert states[-2].requests[0].token_ids == A_PROMPT + FURTHER


def test_external_fragmentation_refuses_what_the_free_total_would_hold() -> None:
    """16 slots are free in holes of 8: a piece of 12 is refused until two holes merge."""
    requests = [request(name, 7) for name in "ABCD"] + [request("E", 11)]
    states = run(32, 32, ReservePolicy.TRUE_LENGTH, requests, "aA aB aC aD rA rC aE rB aE")
    refused = states[6]
    assert isinstance(refused.refusal, NoHoleError)
    assert refused.refusal.external
    assert tried(refused) == {"seq_id": "E", "needed": 12, "free": 16, "largest_hole": 8}
    assert replace(refused, refusal=None) == states[5]  # nothing changed
    assert states[7].segments == (Segment(0, 24, None), Segment(24, 8, "D"))
    assert states[8].segments == (Segment(0, 12, "E"), Segment(12, 12, None), Segment(24, 8, "D"))


@pytest.mark.parametrize("order", ["rA rB rC", "rC rB rA", "rA rC rB", "rB rA rC"])
def test_neighbouring_holes_merge(order: str) -> None:
    """One hole is left, in whatever order the pieces are released."""
    states = run(30, 32, ReservePolicy.TRUE_LENGTH, [request(name, 7) for name in "ABC"], f"aA aB aC {order}")
    assert states[-1].segments == (Segment(0, 30, None),)
    assert states[-1].requests == ()


def test_the_first_hole_that_fits_is_taken_not_the_best() -> None:
    """With holes of 8 and 4, a piece of 4 goes into the first."""
    requests = [request("A", 7), request("B", 1), request("C", 3), request("D", 1), request("E", 3)]
    states = run(16, 16, ReservePolicy.TRUE_LENGTH, requests, "aA aB aC aD rA rC aE")
    assert [(s.start, s.length) for s in states[5].holes] == [(0, 8), (10, 4)]
    assert states[6].segments[:2] == (Segment(0, 4, "E"), Segment(4, 4, None))


def test_misuse_is_refused_and_changes_nothing() -> None:
    """Each refusal has its own error and numbers."""
    pool = ContiguousAllocator(32, 16, ReservePolicy.TRUE_LENGTH)
    pool.allocate(A)
    before = pool.snapshot()
    with pytest.raises(RequestExistsError):
        pool.allocate(A)
    with pytest.raises(LimitError) as caught:
        pool.allocate(request("B", 16))
    assert caught.value.numbers == {"name": "tokens", "value": 17, "limit": 16}
    for act in (pool.append, pool.release):
        with pytest.raises(UnknownRequestError):
            act("B")
    assert pool.snapshot() == before
    for sizes in ((0, 1), (1, 0)):
        with pytest.raises(InvalidSizeError):
            ContiguousAllocator(*sizes, ReservePolicy.MAXIMUM)


# --- against a model -----------------------------------------------------------------------------------------------

HAPPENED: Counter[str] = Counter()


class Machine(RuleBasedStateMachine):
    """The model is a list with the owner of every slot; it tries one start after the other."""

    @initialize(slots=st.integers(1, 40), most=st.integers(4, 12), policy=st.sampled_from(ReservePolicy))
    def pool(self, slots: int, most: int, policy: ReservePolicy) -> None:
        self.row: list[str | None] = [None] * slots
        self.used: dict[str, int] = {}
        self.requests: dict[str, Request] = {}
        self.most, self.policy = most, policy
        self.allocator = ContiguousAllocator(slots, most, policy)

    @rule(name=st.sampled_from("ABCDEFGH"), prompt=st.integers(1, 12), output=st.integers(1, 6))
    def allocate(self, name: str, prompt: int, output: int) -> None:
        new, total = request(name, prompt, output), prompt + output
        size = self.most if self.policy is ReservePolicy.MAXIMUM else total
        starts = [i for i in range(len(self.row) - size + 1) if self.row[i : i + size] == [None] * size]
        expected: type[LabError] | None = None
        if name in self.used:
            expected = RequestExistsError
        elif total > self.most:
            expected = LimitError
        elif not starts:
            expected = NoHoleError
        if expected is None:
            self.allocator.allocate(new)
            self.row[starts[0] : starts[0] + size] = [name] * size
            self.used[name], self.requests[name] = prompt, new
            return
        with pytest.raises(expected) as caught:
            self.allocator.allocate(new)
        if isinstance(caught.value, NoHoleError):
            free = self.row.count(None)
            largest = max((n for owner, n in runs(self.row) if owner is None), default=0)
            assert caught.value.numbers == {"seq_id": name, "needed": size, "free": free, "largest_hole": largest}
            assert caught.value.external == (free >= size)
            HAPPENED["external" if free >= size else "full"] += 1

    @rule(sizes=st.lists(st.integers(1, 10), min_size=4, max_size=8), gone=st.integers(0, 1), large=st.integers(6, 10))
    def churn(self, sizes: list[int], gone: int, large: int) -> None:
        """Pieces of many sizes, every second one released, then a large one: this makes small holes."""
        for name, size in zip("ABCDEFGH", sizes, strict=False):
            self.allocate(name, size, 1)
        for name in list(self.used)[gone::2]:
            self.release(name)
        self.allocate("I", large, 1)

    @rule(name=st.sampled_from("ABCDEFGHI"), times=st.integers(1, 7))
    def append(self, name: str, times: int) -> None:
        for _ in range(times):
            if name not in self.used:
                with pytest.raises(UnknownRequestError):
                    self.allocator.append(name)
            elif self.used[name] == len(self.requests[name].prompt) + len(self.requests[name].continuation):
                HAPPENED["complete"] += 1
                with pytest.raises(RequestCompleteError):
                    self.allocator.append(name)
            else:
                self.allocator.append(name)
                self.used[name] += 1
            self.same()

    @rule(name=st.sampled_from("ABCDEFGHI"))
    def release(self, name: str) -> None:
        if name not in self.used:
            with pytest.raises(UnknownRequestError):
                self.allocator.release(name)
            return
        self.allocator.release(name)
        holes = sum(owner is None for owner, _ in runs(self.row))
        self.row = [None if owner == name else owner for owner in self.row]
        del self.used[name]
        HAPPENED["merged"] += sum(owner is None for owner, _ in runs(self.row)) <= holes

    @invariant()
    def same(self) -> None:
        if not hasattr(self, "row"):
            return
        now = self.allocator.snapshot()
        assert [(s.owner, s.length) for s in now.segments] == runs(self.row)
        assert [slot for s in now.segments for slot in range(s.start, s.end)] == list(range(len(self.row)))
        assert now.free == self.row.count(None)
        assert {view.request.seq_id: view.used for view in now.requests} == self.used
        for view in now.requests:
            name = view.request.seq_id
            assert (view.start, view.reserved) == (self.row.index(name), self.row.count(name))
            assert view.used + view.later + view.never_used == view.reserved
            assert min(view.used, view.later, view.never_used) >= 0
            assert len(view.token_ids) == view.used


def runs(row: list[str | None]) -> list[tuple[str | None, int]]:
    """Runs of equal neighbours with their lengths."""
    return [(owner, len(list(slots))) for owner, slots in groupby(row)]


def test_the_allocator_does_what_the_model_does() -> None:
    """Random histories agree after each step."""
    run_state_machine_as_test(
        Machine,
        settings=settings(max_examples=examples(80), stateful_step_count=40, suppress_health_check=list(HealthCheck)),
    )


def test_one_history_meets_all_that_matters() -> None:
    """Both refusals, a request that is complete and holes that merge, whatever the random ones happened to meet."""
    HAPPENED.clear()
    machine = Machine()
    machine.pool(slots=12, most=12, policy=ReservePolicy.TRUE_LENGTH)
    machine.allocate("A", prompt=3, output=1)
    machine.append("A", times=2)
    assert HAPPENED == {"complete": 1}
    machine.allocate("B", prompt=3, output=1)
    machine.allocate("C", prompt=3, output=1)
    machine.allocate("D", prompt=1, output=1)
    assert HAPPENED == {"complete": 1, "full": 1}
    machine.release("A")
    machine.release("C")
    machine.allocate("D", prompt=5, output=1)
    assert HAPPENED == {"complete": 1, "full": 1, "external": 1, "merged": 0}
    machine.release("B")
    machine.allocate("D", prompt=11, output=1)
    assert HAPPENED == {"complete": 1, "full": 1, "external": 1, "merged": 1}
    machine.same()


# --- the picture ---------------------------------------------------------------------------------------------------

SEVERAL = [A, request("B", 4, 6), request("C", 8, 4), request("D", 7, 5), request("E", 1, 1), request("F", 5, 15)]
MIXED = "aA aB aC tA tB aE rB aF aD"
MOMENTS: dict[str, ContiguousSnapshot] = {
    "maximum": run(64, 64, ReservePolicy.MAXIMUM, [A], "aA")[-1],
    "refused": run(64, 64, ReservePolicy.MAXIMUM, SEVERAL, "aA aB")[-1],
    "external": run(64, 64, ReservePolicy.TRUE_LENGTH, SEVERAL, MIXED)[-1],
    "complete": run(16, 16, ReservePolicy.TRUE_LENGTH, SEVERAL, "aE tE tE")[-1],
    "large": run(128, 32, ReservePolicy.MAXIMUM, SEVERAL, MIXED)[-1],
    "many tokens": run(128, 128, ReservePolicy.TRUE_LENGTH, [request("A", 60, 4), request("B", 60, 4)], "aA aB")[-1],
    "empty": ContiguousAllocator(21, 8, ReservePolicy.MAXIMUM).snapshot(),
    "one slot": ContiguousAllocator(1, 8, ReservePolicy.MAXIMUM).snapshot(),
}
every_moment = pytest.mark.parametrize("snapshot", MOMENTS.values(), ids=MOMENTS.keys())
every_width = pytest.mark.parametrize("columns", [8, 4])


def traces(picture: Picture, name: str) -> list[dict[str, Any]]:
    """The marks of that name."""
    return [mark for mark in read_marks(picture.spec) if mark["name"] == name]


def texts(picture: Picture, name: str) -> list[tuple[str, float, float]]:
    """(text, x, y) of the texts with that name, without the marks for bold."""
    return [
        (re.sub("</?b>", "", text), x, y)
        for trace in traces(picture, name)
        if trace["mode"] == "text"
        for text, x, y in zip(trace["text"], trace["x"], trace["y"], strict=True)
    ]


def hatched(picture: Picture, grid: Grid, kind: str) -> set[int]:
    """Slots with strokes of this kind."""
    cells = {slot: grid.cell(slot) for slot in range(grid.num_slots)}
    found = set()
    for trace in traces(picture, kind):
        if trace["line"]["dash"] == "solid":
            for i in range(0, len(trace["x"]), 3):
                x, y = sum(trace["x"][i : i + 2]) / 2, sum(trace["y"][i : i + 2]) / 2
                found |= {slot for slot, cell in cells.items() if contains(cell, x, y)}
    return found


@every_width
@every_moment
def test_cells_are_hatched_by_what_they_will_hold(snapshot: ContiguousSnapshot, columns: int) -> None:
    """Hatched once for later tokens, crossed for never used; used and free slots are plain."""
    picture = draw_contiguous(snapshot, get_translations("en"), columns=columns)
    grid = Grid(get_metrics(columns), snapshot.num_slots)
    later, never = set(), set()
    for view in snapshot.requests:
        end = view.start + view.used + view.later
        later |= set(range(view.start + view.used, end))
        never |= set(range(end, view.start + view.reserved))
    assert hatched(picture, grid, "later") == later
    assert hatched(picture, grid, "never") == never


@every_width
@every_language
@every_moment
def test_used_cells_show_their_tokens(snapshot: ContiguousSnapshot, language: Language, columns: int) -> None:
    """Each token is in its slot; no token is shown if there are too many or they are too wide."""
    say = get_translations(language)
    grid = Grid(get_metrics(columns), snapshot.num_slots)
    shown = texts(draw_contiguous(snapshot, say, columns=columns), "tokens")
    expected = {v.start + i: say.token(token) for v in snapshot.requests for i, token in enumerate(v.token_ids)}
    assert not shown or len(shown) == len(expected)
    assert shown or len(expected) > 100 or snapshot.num_slots > 64 or not expected
    for slot, token in expected.items() if shown else ():
        cell = grid.cell(slot)
        assert [text for text, x, y in shown if contains(cell, x, y)] == [token]


@every_language
@every_moment
def test_sentence_table_and_caption_state_the_snapshots_numbers(
    snapshot: ContiguousSnapshot, language: Language
) -> None:
    """Every number in the texts and every row of the table comes from the snapshot."""
    say = get_translations(language)
    picture = draw_contiguous(snapshot, say)
    views = {view.request.seq_id: view for view in snapshot.requests}
    rows = [tuple(row) for row in picture.table.itertuples(index=False)]
    for segment, row in zip(snapshot.segments, rows[:-1], strict=True):
        view = views.get(segment.owner or "")
        numbers = (view.used, view.later, view.never_used, 0) if view else (0, 0, 0, segment.length)
        name = segment.owner or say.text("figures_contiguous.hole_name")
        assert row == (name, f"{segment.start}–{segment.end - 1}", segment.length, *numbers)
    assert rows[-1][2:] == tuple(sum(int(row[i]) for row in rows[:-1]) for i in range(2, 7))
    assert rows[-1][-1] == snapshot.free
    numbers_said = Counter(map(int, re.findall(r"\d+", picture.sentence)))
    expected = [snapshot.num_slots]
    for view in snapshot.requests:
        expected += [view.reserved, view.start, view.start + view.reserved - 1]
        expected += [view.used, view.later, view.never_used]
    holes = len(snapshot.holes)
    expected += [snapshot.free] * (holes > 0) + [holes, snapshot.largest_hole] * (holes > 1)
    if isinstance(snapshot.refusal, NoHoleError):
        expected += [int(n) for name, n in snapshot.refusal.numbers.items() if name != "seq_id"]
    assert numbers_said == Counter(expected)
    caption = " ".join(text for text, _, _ in texts(picture, "caption"))
    assert [int(n) for n in re.findall(r"\d+", caption)] == [snapshot.num_slots, *rows[-1][3:]]
    drawn = "".join(text for text, _, _ in texts(picture, "refusal"))
    assert bool(drawn) == (snapshot.refusal is not None)
    assert drawn.replace(" ", "") in picture.sentence.replace(" ", "")


@every_width
@every_moment
def test_every_piece_is_named_and_the_refused_request_finds_the_largest_hole_marked(
    snapshot: ContiguousSnapshot, columns: int
) -> None:
    """The name is above the first slot of a piece; the mark appears only if no hole was large enough."""
    picture = draw_contiguous(snapshot, get_translations("en"), columns=columns)
    grid = Grid(get_metrics(columns), snapshot.num_slots)
    labels = texts(picture, "labels")
    for view in snapshot.requests:
        box = grid.span(view.start, view.start)
        above = [text for text, x, y in labels if box.x0 <= x <= box.x1 and box.y0 - 20 < y < box.y0]
        assert [text.split()[0] for text in above] == [view.request.seq_id]
    marked = isinstance(snapshot.refusal, NoHoleError) and snapshot.largest_hole > 0
    assert bool(traces(picture, "largest")) == marked


@every_width
@every_language
def test_everything_is_inside(language: Language, columns: int) -> None:
    """No text is outside the figure."""
    for snapshot in MOMENTS.values():
        picture = draw_contiguous(snapshot, get_translations(language), columns=columns)
        figure = json.loads(picture.figure.to_json())
        width, height = figure["layout"]["xaxis"]["range"][1], figure["layout"]["height"]
        for mark in read_marks(picture.spec):
            assert all(x is None or 0 <= x <= width for x in mark["x"])
            assert all(y is None or 0 <= y <= height for y in mark["y"])
        assert "{" not in picture.sentence + "".join(picture.table.columns)
