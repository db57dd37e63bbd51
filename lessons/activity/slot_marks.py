"""A question about the picture's slots, and the marks for its answer and for the run's outcome."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lab.figures.memory.marks import Mark


@dataclass(frozen=True)
class AskedSlots:
    """A question about the picture's slots.

    marks        marks on slots.
    on_slot      called with the slot that was clicked; None if slots cannot be clicked.
    hide_tokens  the picture does not show which token lies in which slot.
    chosen       the slot in the form, before it is committed.
    """

    marks: Mapping[int, Mark]
    on_slot: Callable[[int], None] | None = None
    hide_tokens: bool = False
    chosen: int | None = None


def build_slot_marks(answer: int | None, actual: int | None, num_slots: int) -> dict[int, Mark]:
    """Mark the answer as "predicted" and the run's slot as "actual", or as "both" if they are equal.

    An answer outside the pool gets no mark. Pure.
    """
    marks: dict[int, Mark] = {}
    if answer is not None and 0 <= answer < num_slots:
        marks[answer] = "predicted"
    if actual is not None:
        marks[actual] = "both" if actual == answer else "actual"
    return marks
