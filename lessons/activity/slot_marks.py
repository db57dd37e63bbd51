"""Marks on the picture's slots for the answer and for the run's outcome."""

from __future__ import annotations

from lab.figures.memory.marks import Mark


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
