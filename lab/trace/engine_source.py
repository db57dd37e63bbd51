"""The engine's source, read from disk: its statements by line, what they change, and the chapter's four anchors.

No line number is typed by hand, so none can differ from the code that runs.
"""

from __future__ import annotations

import ast
import re
from collections import abc
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lab.engine import block_manager, sequence

Places = tuple[tuple[str, int], ...]  # (method of BlockManager, line)

SOURCE = Path(block_manager.__file__).read_text(encoding="utf-8")  # the engine's file on disk
_TREE = ast.parse(SOURCE)

_DECISIONS = (ast.If, ast.While, ast.IfExp, ast.Compare)
_KINDS = ((abc.MutableSequence, abc.Sequence), (abc.MutableSet, abc.Set), (abc.MutableMapping, abc.Mapping))
_MUTATORS = {name for mutable, readable in _KINDS for name in set(dir(mutable)) - set(dir(readable))}


@dataclass(frozen=True)
class Anchor:
    """One thing to look for in the source. `subject`: an attribute, or a method with all the methods that it calls.

    `checks`: lines that read the attribute, or lines where the method decides. `changes`: lines that change the
    attribute, or lines of the method that change anything. Each in the order of the source.
    """

    name: str
    subject: str
    checks: Places
    changes: Places


@cache
def find_anchors() -> tuple[Anchor, ...]:
    """The chapter's four anchors, found in the source."""
    subjects = {"block_table": "block_table", "can_append": "can_append", "may_append": "may_append"}
    return tuple(_build_anchor(name, subject) for name, subject in {**subjects, "deallocate": "ref_count"}.items())


text_of = cache(ast.unparse)


@cache
def map_statements() -> dict[int, ast.stmt]:
    """Line -> the statement that runs there, or whose header is there."""
    nodes = (n for n in ast.walk(_TREE) if isinstance(n, ast.stmt))
    inner = (n for n in nodes if not isinstance(n, ast.FunctionDef | ast.ClassDef))
    return {line: stmt for stmt in inner for line in range(stmt.lineno, find_header_end(stmt) + 1)}


def find_header_end(stmt: ast.stmt) -> int:
    """The last line of a statement, or of the header of a compound statement."""
    body = getattr(stmt, "body", None)
    return max(stmt.lineno, body[0].lineno - 1) if body else stmt.end_lineno or stmt.lineno


def is_in_body(stmt: ast.stmt | None, loop: ast.For) -> bool:
    """Is the statement in the loop's body?"""
    return stmt is not None and loop.body[0].lineno <= stmt.lineno <= (loop.body[-1].end_lineno or 0)


@cache
def set_by(stmt: ast.stmt, then: ast.stmt | None) -> tuple[ast.Name | ast.Attribute, ...]:
    """The names and attributes that a statement has set.

    A `for` has set its loop names if `then`, the next statement, is in its body. Any other statement has set whatever
    it changes.
    """
    if isinstance(stmt, ast.For):
        return tuple(iterate_changed(stmt.target)) if is_in_body(then, stmt) else ()
    return () if hasattr(stmt, "body") else tuple(iterate_changed(stmt))


@cache
def find_calls(stmt: ast.stmt, name: str) -> tuple[str, ...]:
    """The calls of a method of that name in a statement (in the header of a compound one), as source text."""
    calls = (n for n in ast.walk(stmt) if isinstance(n, ast.Call) and n.lineno <= find_header_end(stmt))
    return tuple(text_of(n) for n in calls if getattr(n.func, "attr", None) == name)


def iterate_changed(node: ast.AST) -> Iterator[ast.Name | ast.Attribute]:
    """Names that are set, and attributes that are set, deleted, or changed in place."""
    for part in ast.walk(node):
        match part:
            case ast.Name(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store() | ast.Del()):
                yield part
            case ast.Subscript(value=ast.Attribute() as held, ctx=ast.Store() | ast.Del()):
                yield held
            case ast.Call(func=ast.Attribute(value=ast.Attribute() as held, attr=name)) if name in _MUTATORS:
                yield held


@cache
def _read_properties() -> dict[str, str]:
    """What each property of Sequence returns, as source text."""
    functions = ast.walk(ast.parse(Path(sequence.__file__).read_text(encoding="utf-8")))
    getters = (f for f in functions if isinstance(f, ast.FunctionDef) and f.decorator_list)
    return {
        f.name: text_of(f.body[-1].value) for f in getters if isinstance(f.body[-1], ast.Return) and f.body[-1].value
    }


@cache
def resolve_property(node: ast.Attribute) -> ast.expr | None:
    """What a property of Sequence returns, as an expression on this object; None if there is no such property."""
    text = re.sub(r"\bself\b", text_of(node.value), _read_properties().get(node.attr, ""))
    return ast.parse(text, mode="eval").body if text else None


@dataclass(frozen=True)
class SourcePart:
    """Lines first..last of the file: one method, or the lines between two methods (then `name` is empty)."""

    name: str
    first: int
    last: int


@cache
def split_parts() -> tuple[SourcePart, ...]:
    """The whole file from top to bottom, without the empty lines at the edges of each part."""
    lines, parts, line = SOURCE.splitlines(), list[SourcePart](), 1
    defined = [n for n in ast.walk(_TREE) if isinstance(n, ast.FunctionDef)]
    for node in sorted(defined, key=lambda n: n.lineno):
        parts += [
            _trim_part(lines, "", line, node.lineno - 1),
            SourcePart(node.name, node.lineno, node.end_lineno or 0),
        ]
        line = (node.end_lineno or 0) + 1
    return tuple(part for part in (*parts, _trim_part(lines, "", line, len(lines))) if part.first <= part.last)


def _trim_part(lines: list[str], name: str, first: int, last: int) -> SourcePart:
    while first <= last and not lines[first - 1].strip():
        first += 1
    while last >= first and not lines[last - 1].strip():
        last -= 1
    return SourcePart(name, first, last)


def find_changers(attribute: str, entry: str) -> tuple[str, ...]:
    """The methods that change an attribute when `entry` is called, directly or through others, in source order."""
    reached = _follow_calls(entry)
    return tuple(
        name
        for name, node in _read_methods().items()
        if name in reached and any(getattr(part, "attr", None) == attribute for part in iterate_changed(node))
    )


@cache
def _read_methods() -> dict[str, ast.FunctionDef]:
    """BlockManager's methods except the constructor, in source order."""
    functions = (n for n in ast.walk(_TREE) if isinstance(n, ast.FunctionDef))
    return {node.name: node for node in functions if node.name != "__init__"}


def _follow_calls(name: str) -> list[str]:
    """The method and every method that it may call, directly or through others."""
    methods = [name]
    for method in methods:  # `methods` grows in the loop
        names = {node.attr for node in ast.walk(_read_methods()[method]) if isinstance(node, ast.Attribute)}
        methods += names & _read_methods().keys() - set(methods)
    return methods


def _build_anchor(name: str, subject: str) -> Anchor:
    checks, changes = set[tuple[int, str]](), set[tuple[int, str]]()
    method = subject in _read_methods()
    for function in _follow_calls(subject) if method else _read_methods():
        written = {n for n in iterate_changed(_read_methods()[function]) if isinstance(n, ast.Attribute)}
        read = {
            n for n in ast.walk(_read_methods()[function]) if isinstance(n, _DECISIONS if method else ast.Attribute)
        }
        for found, places in ((written, changes), (read - written, checks)):
            places |= {(n.lineno, function) for n in found if method or getattr(n, "attr", None) == subject}
    checked, set_ = (tuple((function, line) for line, function in sorted(found)) for found in (checks, changes))
    return Anchor(name, subject, checked, set_)
