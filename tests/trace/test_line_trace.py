"""Execution: the lines that ran, compared with a plain trace of the plain engine; values, events, refusals, tracers."""

from __future__ import annotations

import ast
import dis
import inspect
import io
import re
import sys
import tokenize
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError
from itertools import groupby, pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings

from lab.engine import block_manager
from lab.engine.block_manager import BlockManager
from lab.engine.errors import BlockSizeMismatchError, LabError, UnknownRequestError
from lab.engine.sequence import Sequence
from lab.trace import events as ev
from lab.trace.config import Config, Request
from lab.trace.engine_source import SOURCE, find_anchors, iterate_changed
from lab.trace.line_trace import Execution, LineVisit, _collect, _shorten_value, _Watch, trace_step
from lab.trace.operations import Append, AppendToken, CanAppend, MayAppend, Operation, Release, parse_operation
from lab.trace.presets import build_fresh_queue, build_task_config
from lab.trace.timeline import Timeline
from lab.trace.tiny_lm import get_default_model
from tests.sample import examples
from tests.trace.event_replay import histories

MODEL = get_default_model()
RUN = settings(max_examples=examples(60))
LINES = ["", *SOURCE.splitlines()]
HISTORIES = histories(min_size=1, max_size=12)
# Two requests that share a page, in a pool of three blocks: shared, revived, forgotten, refused.
SMALL = Config(3, 2, build_fresh_queue(3), tuple(Request(name, (1, 2, 3), (9,)) for name in "ABC"))
SHARING = "rA tA aA rA aB aC tB tB tC aB rB aA rC rA aA tA tA aB"

Place = tuple[str, int]


def parse(log: str) -> tuple[Operation, ...]:
    """Operations from their short texts."""
    return tuple(map(parse_operation, log.split()))


TASK = parse("aA aB tB rA rB")


def trace(operations: tuple[Operation, ...], index: int, config: Config | None = None) -> Execution:
    """Trace one operation of a run, by default of the default task."""
    return trace_step(config or build_task_config(), operations, index, MODEL)


class PlainEngine:
    """A BlockManager without recorder, pictures or tensor, operated by hand."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.manager = BlockManager(config.num_blocks, config.block_size, config.free_block_ids)
        self.live: dict[str, Sequence] = {}
        self.appended: dict[str, int] = {}
        self.waiting: set[str] = set()

    def run(self, operation: Operation) -> None:
        """Run one operation. Raises LabError."""
        manager, name = self.manager, operation.seq_id
        seq = self.live.get(name) or Sequence(name, self.config.request(name).prompt, self.config.block_size)
        if isinstance(operation, Release):
            manager.deallocate(seq)
            del self.live[name]
            self.waiting.discard(name)
        elif isinstance(operation, CanAppend):
            manager.can_append(seq)
        elif isinstance(operation, MayAppend):
            self.place(seq)
        elif isinstance(operation, AppendToken):
            if seq.block_table:
                self.add_token(seq)
        elif isinstance(operation, Append):
            self.append(seq)
        else:
            if name not in self.live:
                manager.can_allocate(seq)
            manager.allocate(seq)
            self.live[name], self.appended[name] = seq, 0
            manager.hash_blocks(seq)

    def append(self, seq: Sequence) -> None:
        """The whole append; a refused token is withdrawn."""
        self.manager.blocks_to_append(seq)
        if not self.add_token(seq):
            return
        try:
            self.manager.can_append(seq)
            self.place(seq)
        except LabError:
            seq.withdraw_token()
            self.waiting.remove(seq.seq_id)
            self.appended[seq.seq_id] -= 1
            raise

    def add_token(self, seq: Sequence) -> bool:
        """Append a token; False if the last token waits for its KV."""
        name, tokens = seq.seq_id, self.config.request(seq.seq_id).continuation
        if name in self.waiting:
            return False
        seq.append_token(tokens[self.appended[name] % len(tokens)])
        self.appended[name] += 1
        self.waiting.add(name)
        return True

    def place(self, seq: Sequence) -> None:
        """may_append, then hash_blocks once the KV would be written."""
        self.manager.may_append(seq)
        if seq.seq_id in self.waiting:
            self.waiting.remove(seq.seq_id)
            self.manager.hash_blocks(seq)


def plain_trace(config: Config, operations: list[Operation], index: int) -> list[Place]:
    """(method, line) of every line event of the operation on a plain engine."""
    engine, seen = PlainEngine(config), list[Place]()

    def watch(frame: Any, event: str, _: Any) -> Callable[..., Any] | None:
        if frame.f_code.co_filename != block_manager.__file__ or "<" in frame.f_code.co_name:
            return None
        if event == "line":
            seen.append((frame.f_code.co_name, frame.f_lineno))
        return watch

    before = sys.gettrace()
    for i, operation in enumerate(operations[: index + 1]):
        sys.settrace(watch if i == index else before)
        try:
            engine.run(operation)
        except LabError:
            pass
        finally:
            sys.settrace(before)
    return seen


def calls(execution: Execution) -> list[str]:
    """The methods in order as an outline, one dot a level; lines of a method after a call are not repeated."""
    return [key for key, _ in groupby("." * v.depth + v.function for v in execution.visits)]


def visit(execution: Execution, function: str, starts: str, which: int = 0) -> LineVisit:
    """The visit number `which` of the line of that method that starts with this text."""
    found = [v for v in execution.visits if v.function == function and LINES[v.line].strip().startswith(starts)]
    return found[which]


# --- which lines ---------------------------------------------------------------------------------------------------

LOOKED_UP = ["._holder", "_cached_blocks"]  # what follows if there is a page to look up
TAKE = ["_take_block", "._add_reference", "_take_block"]
HASHED = ["._remember", "hash_blocks"]
FREED = ["._drop_reference", "deallocate", "._free_block", "deallocate"]


def under(outline: list[str]) -> list[str]:
    """The same outline, one level deeper."""
    return [f".{line}" for line in outline]


def allocated(pages: int, hashed: int) -> list[str]:
    """What an allocation of that many pages runs if nothing is in the prefix cache."""
    looked_up = ["_cached_blocks", *(LOOKED_UP if pages > 1 else [])]  # the page of the last token is never looked up
    asked = ["can_allocate", ".blocks_to_take", *under(under(looked_up)), ".blocks_to_take"]
    took = ["allocate", *under(looked_up), "allocate", ".blocks_to_take", "._require_free", "allocate"]
    return [*asked, *took, *[*under(TAKE), "allocate"] * pages, "hash_blocks", *HASHED * hashed]


APPENDED = ["blocks_to_append", "can_append", ".blocks_to_append", "may_append", ".blocks_to_append", "may_append"]
APPENDED += ["._require_free", "may_append", *under(TAKE), "hash_blocks"]


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (0, allocated(pages=3, hashed=2)),
        (1, allocated(pages=1, hashed=1)),
        (2, APPENDED),
        (3, ["deallocate", *FREED * 3]),
        (4, ["deallocate", *FREED * 2]),
    ],
)
def test_the_methods_of_the_default_task(index: int, expected: list[str]) -> None:
    """The methods are in order, under their callers; the recorder's own calls are not among them."""
    assert calls(trace(TASK, index)) == expected


def agrees(config: Config, operations: list[Operation]) -> None:
    """Each operation ran the lines that a plain engine runs, with the same events, each line in its place."""
    untraced = Timeline.replay(config, operations, MODEL)
    for index, step in enumerate(untraced.steps):
        execution = trace_step(config, operations, index, MODEL)
        assert execution.step == step
        assert [(v.function, v.line) for v in execution.visits] == plain_trace(config, operations, index)
        belongs(execution)
        follows_events(execution)
        tells_the_truth(execution)


def belongs(execution: Execution) -> None:
    """Each line belongs to its method in the file on disk."""
    assert execution.source == SOURCE == Path(block_manager.__file__).read_text(encoding="utf-8")
    for v in execution.visits:
        code = getattr(BlockManager, v.function).__code__
        assert v.line in {line for _, line in dis.findlinestarts(code)}
        assert v.line <= v.end_line < len(LINES)


MADE_BY = {ev.BlockTaken: "_take_block", ev.BlockShared: "_share_block", ev.ReferenceDropped: "_drop_reference"}
MADE_BY |= {ev.BlockFreed: "_free_block", ev.BlockHashed: "_remember", ev.HashForgotten: "_forget"}
MADE_BY |= {ev.AllocateChecked: "can_allocate", ev.AppendChecked: "can_append", ev.PageHasRoom: "may_append"}
AFTER_NOTHING = (ev.RequestArrived, ev.RequestWithdrawn, ev.TokenWithdrawn)


def follows_events(execution: Execution) -> None:
    """event_index never decreases; the lines are split between the events; an event's lines are in its method."""
    events, visits = execution.step.events, execution.visits
    assert all(0 <= a.event_index <= b.event_index <= len(events) for a, b in pairwise([*visits[:1], *visits]))
    assert sum((execution.at(i) for i in range(1, len(events) + 1)), ()) == execution.at(None) == visits
    assert execution.at(0) == ()
    for i, event in enumerate(events):
        led = [v.function for v in visits if v.event_index == i]
        if type(event) in MADE_BY:
            assert MADE_BY[type(event)] in led
        elif isinstance(event, AFTER_NOTHING):
            assert led == []


def tells_the_truth(execution: Execution) -> None:
    """Values agree with the snapshots of that moment; a branch was taken if its condition was true."""
    states = (execution.step.before, *execution.step.snapshots)
    for v, following in zip(execution.visits, [*execution.visits, None][1:], strict=True):
        values, text = dict(v.values), LINES[v.line].strip()
        state = states[v.event_index]
        if v.function in ("can_append", "can_allocate", "_require_free") and "raise" not in text:
            assert values["len(self.free_block_ids)"] == str(len(state.free_block_ids))
        if v.function == "blocks_to_append" and text.startswith("return"):
            (owner,) = (s for s in state.sequences if s.seq_id == execution.step.operation.seq_id)
            if "seq.num_blocks" in text:  # not where there is room, which needs no count of pages
                assert values["seq.num_blocks"] == str(owner.num_blocks)
                assert values["len(seq.block_table)"] == str(len(owner.block_table))
                assert dict(v.because)["len(seq.token_ids)"] == str(owner.num_tokens)
            assert v.results == (("return", str(int(owner.num_blocks > len(owner.block_table)))),)
        condition = re.fullmatch(r"if (.*):", text)
        if condition and condition[1] in values and values[condition[1]] in ("True", "False") and following:
            assert (following.line == v.line + 1) is (values[condition[1]] == "True")


def test_the_default_task_and_a_history_of_sharing() -> None:
    """Shared, revived, forgotten, and refused for each reason."""
    agrees(build_task_config(), list(TASK))
    agrees(SMALL, list(parse(SHARING)))
    agrees(SMALL, list(parse("aA kA cA kA mA mA kA mA kA cA mA rA")))
    steps = Timeline.replay(SMALL, parse(SHARING), MODEL).steps
    assert {type(event) for step in steps for event in step.events} >= {*MADE_BY, *AFTER_NOTHING, ev.Refused}


@RUN
@given(HISTORIES)
def test_any_history(history: tuple[Config, list[Operation]]) -> None:
    """Every operation of it can be traced, and the trace equals that of the plain engine."""
    agrees(*history)


@pytest.mark.parametrize(
    ("log", "method", "numbers"),
    [
        ("rA", "deallocate", {"seq.seq_id": "'A'"}),
        ("tA", "blocks_to_append", {"seq.seq_id": "'A'"}),
        ("aA aA", "allocate", {"seq.seq_id": "'A'", "len(seq.block_table)": "2"}),
        ("aA tA tA aB", "_require_free", {"needed": "1", "len(self.free_block_ids)": "0"}),
        ("aA tA tA tA tA", "_require_free", {"needed": "1", "len(self.free_block_ids)": "0"}),
    ],
)
def test_a_refusal_ends_at_the_line_that_raised(log: str, method: str, numbers: dict[str, str]) -> None:
    """The refusal has its numbers; no call on the way has returned anything."""
    operations = parse(log)
    execution = trace(operations, len(operations) - 1, SMALL)
    assert execution.step.refusal is not None
    *_, last = execution.visits
    assert (last.function, LINES[last.line].split()[0], dict(last.values)) == (method, "raise", numbers)
    assert [v.results for v in execution.visits[-3:] if "return" in dict(v.results) and v.depth < last.depth] == []


def test_only_what_exists_can_be_traced() -> None:
    """Indexes outside the log, events outside the step, unknown requests."""
    for index in (-1, 5):
        with pytest.raises(IndexError):
            trace(TASK, index)
    for event in (-1, 5):
        with pytest.raises(IndexError):
            trace(TASK, 2).at(event)
    with pytest.raises(UnknownRequestError):
        trace((Append("Z"),), 0)
    with pytest.raises(FrozenInstanceError):
        trace(TASK, 2).source = ""  # type: ignore[misc]


# --- the values that decided ---------------------------------------------------------------------------------------


def test_the_values_of_the_fifth_token() -> None:
    """5 tokens need 2 pages and the table has 1 id; so one block is needed, 12 are free, and 5 is taken."""
    execution = trace(TASK, 2)
    decided = visit(execution, "blocks_to_append", "return", which=2)
    assert decided.values == (
        ("seq.num_blocks", "2"),
        ("len(seq.block_table)", "1"),
        ("seq.num_blocks > len(seq.block_table)", "True"),
    )
    assert decided.because == (("len(seq.token_ids)", "5"), ("seq.block_size", "4"))
    assert (decided.results, decided.depth, decided.event_index) == ((("return", "1"),), 1, 2)
    checked = visit(execution, "can_append", "return")
    assert checked.values == (("len(self.free_block_ids)", "12"), ("self.blocks_to_append(seq)", "1"))
    assert (checked.results, checked.event_index) == ((("return", "True"),), 1)
    assert [(v.values, v.results) for v in execution.at(3) if v.function == "may_append"] == [
        ((("self.blocks_to_append(seq)", "1"),), ()),
        ((), ()),
        ((("self._take_block(seq)", "5"),), (("return", "5"),)),
    ]
    table = visit(execution, "_add_reference", "seq.block_table.append")
    assert (table.values, table.results) == (
        (("seq.block_table", "[9]"), ("block_id", "5")),
        (("seq.block_table", "[9, 5]"),),
    )
    guard = visit(execution, "blocks_to_append", "return")  # before the token is there: 4 tokens, one page
    assert (dict(guard.values)["seq.num_blocks"], guard.results, guard.event_index) == ("1", (("return", "0"),), 0)


def test_the_values_of_loops() -> None:
    """The iterable of a `for` is read once, each round binds its name, and a condition is read each time."""
    execution, released = trace(TASK, 0), trace((TASK[0], Release("A")), 1)
    rounds = [v for v in execution.visits if v.function == "allocate" and LINES[v.line].strip().startswith("for _")]
    assert [v.values for v in rounds] == [(("len(cached)", "0"), ("seq.num_blocks", "3")), (), (), ()]
    assert [dict(v.results).get("_") for v in rounds] == ["0", "1", "2", None]
    rounds = [v for v in released.visits if LINES[v.line].strip().startswith("while")]
    held = [dict(v.values)["seq.block_table"].count(",") for v in rounds[:-1]]
    assert (held, rounds[-1].values) == ([2, 1, 0], (("seq.block_table", "[]"),))
    raised = visit(execution, "hash_blocks", "seq.num_hashed_blocks += 1", which=1)
    assert (raised.values, raised.results) == (
        (("seq.num_hashed_blocks", "1"),),
        (("seq.num_hashed_blocks", "2"),),
    )
    assert dict(visit(execution, "can_allocate", "return").values)["self.blocks_to_take(seq)"] == "3"


def test_what_raised_returned_nothing() -> None:
    """Watched directly: a sequence with another block_size, which the lab itself never makes."""
    watch, manager, seq = _Watch(Timeline(SMALL, MODEL)), BlockManager(4, 4), Sequence("A", [1], 2)
    before = sys.gettrace()
    sys.settrace(watch.call)
    try:
        with pytest.raises(BlockSizeMismatchError):
            manager.can_allocate(seq)
    finally:
        sys.settrace(before)
    functions = ["can_allocate", "blocks_to_take", "_cached_blocks", "_cached_blocks"]
    assert [(v.function, v.depth, v.results) for v in watch.visits] == [
        (name, depth, ()) for name, depth in zip(functions, (0, 1, 2, 2), strict=True)
    ]
    assert watch.at == {}


def test_the_values_of_a_release() -> None:
    """A shared block is not freed: 2 -> 1; its last owner frees it: 1 -> 0."""
    drop, look = "self.blocks[block_id].ref_count", "self.blocks[block_id].ref_count == 0"
    operations = parse("aA aB rA rB")
    for index, before, after in ((2, "2", "1"), (3, "1", "0")):
        execution = trace(operations, index, SMALL)
        dropped = visit(execution, "_drop_reference", "self.blocks", which=1)
        assert (dropped.values, dropped.results) == ((("block_id", "0"), (drop, before)), ((drop, after),))
        assert dict(visit(execution, "deallocate", "if self", which=1).values)[look] == str(after == "0")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("return n > 0 and table[n - 1] == 7", ["n", "n > 0", "n > 0 and table[n - 1] == 7"]),
        ("return n == 0 or table[n - 1] == 7", ["n", "n == 0", "n == 0 or table[n - 1] == 7"]),
        ("return run() and n", []),
        ("return table[5] if n else len(table)", ["n", "len(table)"]),
        ("return n if run() else table", []),
        ("table[n] += 1", ["table", "n", "table[n]"]),
        ("table[n] = other", ["table", "n"]),
        ("for x in [table[i] for i in table]: n", ["table"]),
        ("if table: n", ["table"]),
        ("found: list[int] = [y for y in run(n)]", ["n"]),
        ("return table[9] + (lambda: n)() + self.num_blocks + big", ["table", "self.num_blocks", "big"]),
    ],
)
def test_only_what_is_evaluated_and_pure_is_read(line: str, expected: list[str]) -> None:
    """Called directly: nothing past a short circuit, in a branch not taken, inside a loop, or with a call."""
    (stmt,) = ast.parse(f"def f():\n {line}").body[0].body  # type: ignore[attr-defined]
    values, because = dict[str, str](), dict[str, str]()
    scope = {
        "n": 0,
        "table": [7],
        "run": lambda: 1 / 0,
        "self": SimpleNamespace(num_blocks=3, block_size=4),
        "big": 1 << 63,
    }
    _collect(stmt, scope, values, because)
    assert (list(values), because) == (expected, {})


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a.b.pop(a.c)", ["a.b"]),
        ("a.b.get(a.c)", []),
        ("a.b[a.c] = x", ["a.b"]),
        ("del a.b[0], a.c", ["a.b", "a.c"]),
        ("x = y = a.b", ["x", "y"]),
        ("a.b.c += 1", ["a.b.c"]),
        ("a.b, x = x, a.b", ["a.b", "x"]),
        ("a.b.setdefault(x, a.c)[0] = y", ["a.b"]),
        ("return a.b == a.c.d()", []),
    ],
)
def test_what_a_line_changes(line: str, expected: list[str]) -> None:
    """Set, deleted, or changed in place; a value that is only read does not count."""
    assert sorted(ast.unparse(node) for node in iterate_changed(ast.parse(f"def f():\n {line}"))) == expected


def test_values_are_short() -> None:
    """Both ends of a list, six digits of a hash, nothing for an object."""
    assert _shorten_value([*range(7)]) == "[0, 1, 2, 3, 4, 5, 6]"
    assert _shorten_value([*range(12)]) == "[0, 1, 2, 3, …, 10, 11]"
    queue = [*range(20, 32)]
    assert (
        len({_shorten_value(queue), _shorten_value(queue[1:]), _shorten_value(queue[:-1])}) == 3
    )  # taken at the head, taken at the tail
    assert _shorten_value([*range(8), object()]) is None
    assert [_shorten_value(value) for value in ({10, 9}, (), None, True, "A", 1 << 63)] == [
        *("{9, 10}", "()", "None", "True", "'A'", "800000…"),
    ]
    assert [_shorten_value(value) for value in (object(), [object()], {1: 2}, len)] == [None] * 4


# --- nothing else is affected --------------------------------------------------------------------------------------


@pytest.mark.parametrize("log", ["aA", "rA", "aA aA", "rZ"])
def test_another_tracer_is_back_afterwards(log: str) -> None:
    """Of a debugger or coverage; also if the engine or the lab refuses. It sees later calls again."""
    operations = parse(log)
    seen: list[str] = []

    def other(frame: Any, *_: Any) -> None:
        seen.append(frame.f_code.co_name)

    def later() -> None:
        pass

    before = sys.gettrace()
    for tracer in (other, None):
        sys.settrace(tracer)
        try:
            trace(operations, len(operations) - 1, SMALL)
        except UnknownRequestError:
            assert log == "rZ"
        finally:
            after = sys.gettrace()
            later()
            sys.settrace(before)
        assert after is tracer
    assert {"trace", "trace_step"} <= set(seen)
    assert seen[-1] == "later"


def test_threads_trace_each_their_own() -> None:
    """Two traces at once each give what they give alone."""
    alone = [trace(TASK, index) for index in range(5)]
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lambda i: trace(TASK, i % 5), range(20))) == alone * 4
        around = pool.map(lambda i: (sys.gettrace(), trace(TASK, i % 5), sys.gettrace()), range(4))
        assert all(before is after for before, _, after in around)


# --- anchors -------------------------------------------------------------------------------------------------------


def test_the_anchors() -> None:
    """Which methods have lines that check, and which lines that change."""
    found = {a.name: (a.subject, *(list(dict(places)) for places in (a.checks, a.changes))) for a in find_anchors()}
    assert found == {
        "block_table": (
            "block_table",
            ["allocate", "hash_blocks", "deallocate", "blocks_to_append"],
            ["_add_reference", "_drop_reference"],
        ),
        "can_append": ("can_append", ["can_append", "blocks_to_append"], []),
        "may_append": (
            "may_append",
            ["may_append", "blocks_to_append", "_require_free", "_take_block", "_forget"],
            ["_take_block", "_add_reference", "_forget"],
        ),
        "deallocate": ("ref_count", ["deallocate", "_share_block"], ["_add_reference", "_drop_reference"]),
    }


@pytest.mark.parametrize("name", ["block_table", "ref_count"])
def test_an_anchor_misses_no_line(name: str) -> None:
    """Every line of the methods with the attribute is a check or a change; a run changes it nowhere else."""
    (anchor,) = (a for a in find_anchors() if a.subject == name)
    tokens = pairwise(tokenize.generate_tokens(io.StringIO(SOURCE).readline))
    found = {token.start[0] for dot, token in tokens if (dot.string, token.string) == (".", name)}
    made, first = inspect.getsourcelines(block_manager.Block)
    assert {line for _, line in anchor.checks + anchor.changes} == found - {*range(first, first + len(made))}
    ran = {(v.function, v.line) for i in range(5) for v in trace(TASK, i).visits if name in str(v.results)}
    assert ran == set(anchor.changes)
