"""Marks on the picture's slots: the one that was answered, and the one that the run gave."""

from __future__ import annotations

from lab.figures.memory.marks import Mark


def build_slot_marks(answer: int | None, actual: int | None, num_slots: int) -> dict[int, Mark]:
    """By slot: "predicted", "actual", or "both" where they are one. An answer outside the pool has no mark. Pure."""
    marks: dict[int, Mark] = {}
    if answer is not None and 0 <= answer < num_slots:
        marks[answer] = "predicted"
    if actual is not None:
        marks[actual] = "both" if actual == answer else "actual"
    return marks
