"""A learner's prediction and the run's answer, drawn over the slots of the memory picture."""

from __future__ import annotations

from collections.abc import Mapping

from lab.figures.memory_pen import EDGES, TEXTS, Pen

_SIGNS = {"predicted": "?", "actual": "\N{WHITE HEAVY CHECK MARK}", "both": "\N{CHECK MARK}"}


def draw_marks(pen: Pen, marks: Mapping[int, str]) -> None:
    """Outline each marked slot: dashed where something was predicted, solid where the run put it."""
    size = pen.snapshot.block_size
    for slot, kind in marks.items():
        cell = pen.layout.blocks[slot // size].cells[slot % size]
        dash = "4px,3px" if kind == "predicted" else "solid"
        pen.canvas.line(EDGES, f"marks:{kind}", pen.theme.ink, cell.grow(1.5).outline(), width=2.6, dash=dash)
        x, y = cell.x1 - 1, cell.y0 + 1
        pen.canvas.text(TEXTS, "marks", x, y, _SIGNS[kind], size=pen.m.label_size, color=pen.theme.ink, bold=True)
