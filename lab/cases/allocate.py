"""Allocate: from a length to pages, from the queue to ids, from a position to its slot."""

from __future__ import annotations

from lab.cases.case import Case
from lab.config import Config, Request
from lab.events import KVWritten
from lab.moments import Moment, Outcome
from lab.operations import Allocate
from lab.prediction import Question

QUEUE = (6, 1, 9, 4, 11, 2, 8, 0, 10, 3, 7, 5)
TEXT = tuple(range(1, 12))
MORE = tuple(range(17, 22))


def _case(name: str, block_size: int, tokens: int, queue: tuple[int, ...]) -> Case:
    config = Config(len(queue), block_size, queue, (Request("A", TEXT[:tokens], MORE),))
    return Case(name, config, (Allocate("A"),), (BLOCKS,), pick_from="A", picked=lambda pos: (slot_of(pos),))


def _written(moment: Moment) -> bool:
    return isinstance(moment.event, KVWritten)


def _blocks(moment: Moment) -> Outcome | None:
    view = moment.snapshot.sequence("A")
    return Outcome(len(view.block_table), moment.step, view.block_table) if view and _written(moment) else None


def slot_of(pos: int) -> Question:
    """Where the KV of token `pos` lies, once it is written: read from what the tensor holds."""

    def observe(moment: Moment) -> Outcome | None:
        view = moment.snapshot.sequence("A")
        return Outcome(view.slots[pos], moment.step) if view and _written(moment) else None

    return Question("slot", "slot", observe)


BLOCKS = Question("pages", "number", _blocks)
ALLOCATE = (_case("ten", 4, 10, QUEUE), _case("exact", 4, 8, QUEUE[3:] + QUEUE[:3]))
