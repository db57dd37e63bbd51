"""The steps of a log as an author writes them: single operations, and some that unfold into several.

A scenario's log is always the engine's operations, one by one. A Group says that some of them are one step: which a
player passes at once, and which is unfolded again when an author changes what comes before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from lab.sandbox.errors import LogGroupsError
from lab.trace.operations import Append, Operation, Release

# "append": one token after the other for one request;  "fill": as many as its last page, or a new one, has room for;
# "decode": one token for every running request, so often;  "preempt": a release, and the request can come back whole.
Kind = Literal["append", "fill", "decode", "preempt"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Group:
    """`count` operations from number `first` (from 1) that are one step. `times`: how often it was asked for."""

    kind: Kind
    first: int
    count: int
    times: int = 1

    @property
    def last(self) -> int:
        """The number of its last operation."""
        return self.first + self.count - 1


@dataclass(frozen=True)
class LogStep:
    """One step: operations `first` to `last` (from 1), which are `operations`. `group`: None for a single operation."""

    first: int
    operations: tuple[Operation, ...]
    group: Group | None = None

    @property
    def last(self) -> int:
        """The number of its last operation."""
        return self.first + len(self.operations) - 1


def list_steps(operations: tuple[Operation, ...], groups: tuple[Group, ...]) -> tuple[LogStep, ...]:
    """The whole log as steps, in order. Pure."""
    by_first = {group.first: group for group in groups}
    steps: list[LogStep] = []
    at = 1
    while at <= len(operations):
        group = by_first.get(at)
        end = group.last if group else at
        steps.append(LogStep(at, operations[at - 1 : end], group))
        at = end + 1
    return tuple(steps)


def check_groups(groups: tuple[Group, ...], operations: tuple[Operation, ...]) -> None:
    """Raise LogGroupsError unless the groups follow each other in the log, over operations that they unfold into."""
    end = 0
    for group in groups:
        inside = operations[group.first - 1 : max(group.last, 0)] if end < group.first else ()
        if group.times < 1 or not _fits(group, inside):
            raise LogGroupsError(first=group.first)
        end = group.last


def _fits(group: Group, inside: tuple[Operation, ...]) -> bool:
    if group.count != len(inside) or not inside or (group.kind == "preempt" and group.count > 1):
        return False
    wanted = Release if group.kind == "preempt" else Append
    same = group.kind == "decode" or len({operation.seq_id for operation in inside}) == 1
    return same and all(isinstance(operation, wanted) for operation in inside)
