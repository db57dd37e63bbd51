"""Trace points of a run, what they show, and the values that texts about them may use. All read from snapshots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lab.trace.events import Event
from lab.trace.operations import Operation
from lab.trace.snapshot import SequenceView, Snapshot
from lab.trace.timeline import Step

Number = int | str | tuple[int, ...]  # a tuple: ids, in their order


@dataclass(frozen=True)
class TracePoint:
    """The state right after one event of a step. `done`: the run's operations up to this one, if they are known."""

    step: int
    operation: Operation
    event: Event
    snapshot: Snapshot
    done: tuple[Operation, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What the run shows: the value, the step (0-based) that showed it, and the ids that showed it, if any.

    `named`: further values of the run for the question's texts, by name.
    """

    value: int
    step: int
    ids: tuple[int, ...] = ()
    named: tuple[tuple[str, int | str], ...] = ()


@dataclass(frozen=True)
class TemplateValues:
    """The trace point that answered a question, the state before its step, the answer and the outcome."""

    moment: TracePoint
    before: Snapshot | None
    answer: int
    outcome: Outcome

    @property
    def snapshot(self) -> Snapshot:
        """The state at that trace point."""
        return self.moment.snapshot

    def view(self, seq_id: str) -> SequenceView | None:
        """A request at that trace point, or before its release."""
        return self.snapshot.sequence(seq_id) or (self.before.sequence(seq_id) if self.before else None)

    @property
    def own(self) -> SequenceView | None:
        """The request of the operation that answered the question."""
        return self.view(self.moment.operation.seq_id)

    @property
    def a(self) -> SequenceView | None:
        """Request A."""
        return self.view("A")

    @property
    def b(self) -> SequenceView | None:
        """Request B."""
        return self.view("B")

    def numbers(self) -> dict[str, Number]:
        """The values for the texts: the answer, the outcome, and each request's own, under its name in lower case."""
        values: dict[str, Number] = {
            "answer": self.answer,
            "value": self.outcome.value,
            "ids": self.outcome.ids,
            "block_size": self.snapshot.block_size,
            "free": len(self.snapshot.free_block_ids),
            "queue": self.snapshot.free_block_ids,
            **dict(self.outcome.named),
        }
        block = values.get("block")
        if self.before and isinstance(block, int):  # its owners before the step and now
            values.setdefault("ref_before", self.before.blocks[block].ref_count)
            values.setdefault("ref_after", self.snapshot.blocks[block].ref_count)
        views = [*(self.before.sequences if self.before else ()), *self.snapshot.sequences]
        for name in dict.fromkeys(view.seq_id for view in views):
            view = self.view(name)
            if view is not None:
                values |= {f"{name.lower()}_{key}": value for key, value in _describe_request(view).items()}
                values[f"{name.lower()}_left"] = view.num_tokens - self.answer * view.block_size
        return values


def _describe_request(view: SequenceView) -> dict[str, Number]:
    pages = [len(view.page(i)) for i in range(view.num_blocks)]
    cached = view.num_cached_tokens // view.block_size
    return {
        "tokens": view.num_tokens,
        "pages": " + ".join(map(str, pages)),
        "blocks": len(view.block_table),
        "table": view.block_table,
        "reversed": view.block_table[::-1],
        "slots": view.num_slots,
        "last": view.last_block_num_tokens,
        "empty": view.empty_slots,
        "cached": view.num_cached_tokens,
        "found": view.block_table[:cached],
        "new": view.block_table[cached:],
    }


def iterate_trace_points(steps: Sequence[Step]) -> Iterator[TracePoint]:
    """Every trace point of a run's steps, in order."""
    operations = tuple(step.operation for step in steps)
    for number, step in enumerate(steps, 1):
        for event, snapshot in zip(step.events, step.snapshots, strict=True):
            yield TracePoint(step.index, step.operation, event, snapshot, operations[:number])
