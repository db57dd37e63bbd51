"""Moments of a run, what they say, and the facts that words about them may use. Everything is read from snapshots."""

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
    """The state right after one event of a step. `done`: the run's operations up to this one, where they are known."""

    step: int
    operation: Operation
    event: Event
    snapshot: Snapshot
    done: tuple[Operation, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What the run says: the value, the step (0-based) in which it showed, and the ids that showed it, if any.

    `named`: further facts of the run that the question's words may use, by name.
    """

    value: int
    step: int
    ids: tuple[int, ...] = ()
    named: tuple[tuple[str, int | str], ...] = ()


@dataclass(frozen=True)
class TemplateValues:
    """The moment that settled a question, the state before its step, the answer given and the run's own."""

    moment: TracePoint
    before: Snapshot | None
    answer: int
    outcome: Outcome

    @property
    def snapshot(self) -> Snapshot:
        """The state at that moment."""
        return self.moment.snapshot

    def view(self, seq_id: str) -> SequenceView | None:
        """A request at that moment, or before its release."""
        return self.snapshot.sequence(seq_id) or (self.before.sequence(seq_id) if self.before else None)

    @property
    def own(self) -> SequenceView | None:
        """The request of the operation that settled it."""
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
        """What the words may use: the answer, the run's value, and for each request its own, by its name in small."""
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
        if self.before and isinstance(block, int):  # its users before the step and now
            values.setdefault("ref_before", self.before.blocks[block].ref_count)
            values.setdefault("ref_after", self.snapshot.blocks[block].ref_count)
        known = [*(self.before.sequences if self.before else ()), *self.snapshot.sequences]
        for name in dict.fromkeys(view.seq_id for view in known):
            view = self.view(name)
            if view is not None:
                values |= {f"{name.lower()}_{key}": value for key, value in _describe_request(view).items()}
                values[f"{name.lower()}_left"] = view.num_tokens - self.answer * view.block_size
        return values


def _describe_request(view: SequenceView) -> dict[str, Number]:
    pages = [len(view.page(i)) for i in range(view.num_blocks)]
    found = view.num_cached_tokens // view.block_size
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
        "found": view.block_table[:found],
        "new": view.block_table[found:],
    }


def iterate_trace_points(steps: Sequence[Step]) -> Iterator[TracePoint]:
    """Every moment of the steps of a run, from its first one on, in order."""
    operations = tuple(step.operation for step in steps)
    for number, step in enumerate(steps, 1):
        for event, snapshot in zip(step.events, step.snapshots, strict=True):
            yield TracePoint(step.index, step.operation, event, snapshot, operations[:number])
