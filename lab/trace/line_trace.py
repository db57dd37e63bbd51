"""Execution: which lines of lab/engine/block_manager.py an operation ran, in order, with the values that decided.

The trace watches the real engine and calls none of its methods. It reads values from the running call just before a
line runs (names, attributes, subscripts, len, comparisons); a method's answer is the value that it returned.
"""

from __future__ import annotations

import ast
import sys
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from types import CodeType, FrameType
from typing import Any

from lab.engine import block_manager, sequence
from lab.trace import recorder
from lab.trace.config import Config
from lab.trace.engine_source import (
    SOURCE,
    find_calls,
    find_header_end,
    is_in_body,
    map_statements,
    resolve_property,
    set_by,
    text_of,
)
from lab.trace.events import KVWritten, RequestArrived, RequestEnded, RequestWithdrawn, TokenAppended, TokenWithdrawn
from lab.trace.operations import Operation
from lab.trace.timeline import Step, Timeline
from lab.trace.tiny_lm import TinyLM

Pairs = tuple[tuple[str, str], ...]  # (source text of an expression, its value as short text)

_AROUND = (RequestArrived, TokenAppended, RequestEnded, RequestWithdrawn, TokenWithdrawn)  # emitted by the scheduler
_UNREAD = object()
_MOST = 7  # entries of a list that are shown, the "..." for the others included
_READS = (ast.Name, ast.Attribute, ast.Subscript, ast.Compare, ast.BoolOp)  # and len(...)
_WITHIN = (ast.Constant, ast.UnaryOp, ast.BinOp, ast.expr_context, ast.cmpop, ast.boolop, ast.unaryop, ast.operator)


@dataclass(frozen=True)
class LineVisit:
    """One execution of one statement (of the header, if the statement is compound).

    `depth`: 0 for a call from outside the engine. `event_index`: how many events came before it, so the statement led
    to events[event_index] if there is one. `values`: what the line read, then what the methods that it called returned.
    `because`: what the properties among the values are computed from. `results`: what the line bound or changed, with
    the new value; ("return", value) for a return.
    """

    line: int
    end_line: int
    function: str
    depth: int
    event_index: int
    values: Pairs
    because: Pairs
    results: Pairs = ()


@dataclass(frozen=True)
class Execution:
    """The step as it was traced, the engine's source as read from disk, and the statements that ran, in order."""

    step: Step
    source: str
    visits: tuple[LineVisit, ...]

    def at(self, event: int | None) -> tuple[LineVisit, ...]:
        """The statements that led to event number `event` (from 1, as Cursor.event); one past the last event gives the
        statements after it; None gives all.

        Raises IndexError if there is no such event; 0 is the state before the first event.
        """
        if event is None:
            return self.visits
        last = self._last(event)
        return tuple(v for v in self.visits if event - 1 <= v.event_index < event + (event == last))

    def get_lines_behind(self, event: int) -> tuple[LineVisit, ...]:
        """As `at`, but empty for an event that the engine did not emit itself (see `outside`)."""
        return () if self.outside(event) else self.at(event)

    def outside(self, event: int | None) -> str:
        """What emitted an event: "model_runner" or "scheduler"; empty if it was the engine."""
        done = self.step.events[event - 1] if event else None
        return "model_runner" if isinstance(done, KVWritten) else "scheduler" if isinstance(done, _AROUND) else ""

    def until(self, event: int | None) -> tuple[LineVisit, ...]:
        """All statements that ran until event number `event`, counted and refused as in `at`; None gives all."""
        if event is None:
            return self.visits
        last = self._last(event)
        return tuple(v for v in self.visits if v.event_index < event + (event == last))

    def _last(self, event: int) -> int:
        last = len(self.step.events)
        if not 0 <= event <= last:
            raise IndexError(f"event {event} outside 0..{last}")
        return last


def find_telling_line(visits: Sequence[LineVisit]) -> LineVisit | None:
    """The visit that shows most: the last one that changed something, else the last of all."""
    changing = (v for v in reversed(visits) if any(text.partition(".")[1] for text, _ in v.results))
    return next(changing, visits[-1] if visits else None)


def trace_step(config: Config, operations: Sequence[Operation], index: int, model: TinyLM | None = None) -> Execution:
    """Replay `operations[:index]`, then run `operations[index]` and watch it, on an engine of its own. Pure.

    Another tracer of this thread (debugger, coverage) does not see the watched operation; it is restored afterwards.
    Raises IndexError if there is no such operation, and what Timeline.apply raises.
    """
    if not 0 <= index < len(operations):
        raise IndexError(f"operation {index} outside 0..{len(operations) - 1}")
    timeline = Timeline.replay(config, operations[:index], model)
    watch = _Watch(timeline)
    before = sys.gettrace()
    sys.settrace(watch.call)
    try:
        step = timeline.apply(operations[index])
    finally:
        sys.settrace(before)
    return Execution(step, SOURCE, tuple(watch.visits))


class _Watch:
    """A trace function that follows the engine's calls and no others."""

    def __init__(self, timeline: Timeline) -> None:
        self.timeline, self.visits, self.raised = timeline, list[LineVisit](), False
        self.at: dict[FrameType, int] = {}  # unfinished calls, outermost first -> index of the visit, or -1

    def call(self, frame: FrameType, event: str, _: Any) -> Callable[..., Any] | None:
        """Handle the start of a call. Skipped: loops inside an expression, and the reads that the recorder makes."""
        code, caller = frame.f_code, frame.f_back
        if event != "call" or code.co_filename != block_manager.__file__ or code.co_name.startswith("<"):
            return None
        file, name = (caller.f_code.co_filename, caller.f_code.co_name) if caller else ("", "")
        reported = file == recorder.__file__ and name != code.co_name
        if reported or (file == block_manager.__file__ and caller not in self.at):
            return None
        self.at[frame] = -1
        return self.inside

    def inside(self, frame: FrameType, event: str, answer: Any) -> Callable[..., Any]:
        """Handle one trace event in a call that is followed."""
        last = map_statements()[self.visits[self.at[frame]].line] if self.at[frame] >= 0 else None
        stmt = map_statements().get(frame.f_lineno) if event == "line" else None
        if last and not self.raised and ((stmt and stmt is not last) or event == "return"):
            read = ((text_of(node), _shorten_value(_read(node, frame.f_locals))) for node in set_by(last, stmt))
            self._note(self.at[frame], results=tuple((text, value) for text, value in read if value))
        if stmt and stmt is not last:  # else: another line, or round, of the same statement
            values, because = dict[str, str](), dict[str, str]()
            if not (isinstance(stmt, ast.For) and is_in_body(last, stmt)):  # the iterable of a `for` is read once
                _collect(stmt, frame.f_locals, values, because)
            self.at[frame], emitted = len(self.visits), len(self.timeline._events)
            place = (stmt.lineno, find_header_end(stmt), frame.f_code.co_name, len(self.at) - 1, emitted)
            self.visits.append(LineVisit(*place, tuple(values.items()), tuple(because.items())))
        elif event == "return":
            index, shown = self.at.pop(frame), None if self.raised else _shorten_value(answer)
            if shown and isinstance(last, ast.Return):
                self._answer(index, shown)
        self.raised = event == "exception"
        return self.inside

    def _answer(self, index: int, answer: str) -> None:
        """Add a call's return value to the values of the line that called."""
        self._note(index, results=(("return", answer),))
        asking = next(reversed(self.at.values()), -1)
        if asking >= 0:
            named = find_calls(map_statements()[self.visits[asking].line], self.visits[index].function)
            self._note(asking, values=tuple((text, answer) for text in named))

    def _note(self, index: int, values: Pairs = (), results: Pairs = ()) -> None:
        visit = self.visits[index]
        self.visits[index] = replace(visit, values=visit.values + values, results=visit.results + results)


# --- values in a running call ---------------------------------------------------------------------------------------


def _collect(node: ast.AST, scope: dict[str, Any], values: dict[str, str], because: dict[str, str]) -> None:
    """Add the parts of a statement's own expressions that are evaluated and can be read without a call."""
    parts = _get_children(node)
    match node:
        case ast.BoolOp(op, operands):  # as far as Python evaluates it
            read = [_read(operand, scope) for operand in operands]
            ends = (i for i, v in enumerate(read, 1) if v is _UNREAD or bool(v) is isinstance(op, ast.Or))
            parts = tuple(operands[: next(ends, None)])
        case ast.IfExp(test, body, otherwise):
            answer = _read(test, scope)
            parts = (test,) if answer is _UNREAD else (test, body if answer else otherwise)
        case ast.Attribute(owner) if (made := resolve_property(node)) and isinstance(
            _read(owner, scope), sequence.Sequence
        ):
            _collect(made, scope, because, because)
    for part in parts:
        _collect(part, scope, values, because)
    if (noted := _find_notable(node)) and (shown := _shorten_value(_read(noted, scope))):
        values[text_of(noted)] = shown


@cache
def _get_children(node: ast.AST) -> tuple[ast.AST, ...]:
    """The parts of an expression that are evaluated exactly once, before its own value."""
    match node:
        case ast.GeneratorExp(_, loops) | ast.ListComp(_, loops) | ast.SetComp(_, loops):
            return (loops[0].iter,)
        case ast.Lambda() | ast.Call(ast.Name("len")):
            return ()
    return tuple(part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr | ast.keyword))


@cache
def _find_notable(node: ast.AST) -> ast.AST | None:
    """The part whose value is worth recording before the statement runs: what it reads, or is about to increase."""
    stored = isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)
    noted = node.target if isinstance(node, ast.AugAssign) else node
    return (
        noted
        if isinstance(noted, (*_READS, ast.Call)) and _compile_reading(noted) and (noted is not node or not stored)
        else None
    )


def _read(node: ast.AST, scope: dict[str, Any]) -> Any:
    code = _compile_reading(node)
    try:
        return eval(code, {"__builtins__": {}, "len": len}, scope) if code else _UNREAD
    except Exception:  # the engine's own line will raise it
        return _UNREAD


@cache
def _compile_reading(node: ast.AST) -> CodeType | None:
    """Code for an expression of the engine's source that only reads; None for any other expression."""
    for part in ast.walk(node):
        is_len = isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id == "len"
        if not is_len and not isinstance(part, (*_READS, *_WITHIN)):
            return None
    return compile(text_of(node), "<reading>", "eval")


def _shorten_value(value: Any) -> str | None:
    """A number, a string, None, or a list of these as short text; None for any other value.

    A long list loses its middle, because the engine takes from the head and adds at the tail.
    """
    if isinstance(value, set) and not value:
        return "set()"
    if isinstance(value, list | tuple | set | OrderedDict):
        ordered = sorted(value, key=lambda item: (len(str(item)), str(item))) if isinstance(value, set) else list(value)
        items = [_shorten_value(item) for item in ordered]
        opening, closing = "{}" if isinstance(value, set) else "()" if isinstance(value, tuple) else "[]"
        if len(items) > _MOST:
            items = [*items[: _MOST - 3], "…", *items[-2:]]
        return f"{opening}{', '.join(item or '' for item in items)}{closing}" if all(items) else None
    if isinstance(value, int) and value > 0xFFFFFFFF:  # a hash
        return f"{value:016x}"[:6] + "…"
    return repr(value) if value is None or isinstance(value, int | str) else None
