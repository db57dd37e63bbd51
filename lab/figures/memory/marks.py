"""A learner's prediction and the run's answer, drawn over the slots of the memory picture; slot numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeGuard, get_args

from lab.activities.question import Cell
from lab.engine.words import Words
from lab.figures.canvas import Canvas, Rect
from lab.figures.measure import fit_size
from lab.figures.memory.layout import CardBox
from lab.figures.memory.metrics import Metrics
from lab.figures.memory.pen import BADGES, OUTLINES, SIGNS, TEXTS, Pen
from lab.figures.phrases import format_list

Mark = Literal["predicted", "actual", "both"]
Marks = Mapping[int, Mark]
AnswerMark = Literal["chosen", "right", "extra", "missed"]
Sign = Mark | AnswerMark

# Sign and shape of the badge, dash of the outline: each distinguishes the marks without any colour.
_LOOKS: dict[Sign, tuple[str, str, str]] = {
    "predicted": ("?", "square", "5px,3px"),
    "actual": ("\N{CHECK MARK}", "circle", "solid"),
    "both": ("\N{CHECK MARK}", "circle", "solid"),
    "chosen": ("\N{BULLET}", "square", "solid"),
    "right": ("\N{CHECK MARK}", "circle", "solid"),
    "extra": ("\N{NOT EQUAL TO}", "square", "5px,3px"),
    "missed": ("+", "circle", "2px,3px"),
}
_DARK: tuple[Sign, ...] = ("predicted", "chosen", "extra")  # the learner's answer; the others are the run's


@dataclass(frozen=True)
class Answered:
    """Slots or blocks of an answer: "chosen" before the outcome shows; then "right", "extra" (chosen, and wrong) or
    "missed"."""

    of: Cell
    marks: Mapping[int, AnswerMark]

    def blocks(self, block_size: int) -> set[int]:
        """Blocks that have a mark, on the block or on one of its slots."""
        return {cell if self.of == "block" else cell // block_size for cell in self.marks}

    def cells(self, kind: AnswerMark) -> tuple[int, ...]:
        """Ids with this mark, in order."""
        return tuple(sorted(cell for cell, mark in self.marks.items() if mark == kind))


def draw_marks(pen: Pen, marks: Marks) -> None:
    """Outline each marked slot and put a badge on its corner: `?` where predicted, a check mark where its KV is."""
    size = pen.snapshot.block_size
    for kind, slot in order_marks(marks):  # the slot that holds the KV comes on top
        cell = pen.layout.blocks[slot // size].cells[slot % size]
        ring = cell.grow(1).outline()
        pen.canvas.line(OUTLINES, "marks_ground", pen.theme.card, ring, width=4.5)  # a gap to other frames
        pen.canvas.line(OUTLINES, f"marks:{kind}", pen.theme.ink, ring, width=2.6, dash=_LOOKS[kind][2])
        draw_badge(pen.canvas, pen.m, cell.x1, cell.y0, kind)


def draw_answered(pen: Pen, answered: Answered) -> None:
    """Outline each slot or block of an answer, with a badge."""
    size = pen.snapshot.block_size
    for cell, kind in answered.marks.items():
        card = pen.layout.blocks[cell if answered.of == "block" else cell // size]
        box = card.box if answered.of == "block" else card.cells[cell % size]
        ring = box.grow(1).outline(5 if answered.of == "block" else 0)
        pen.canvas.line(OUTLINES, "marks_ground", pen.theme.card, ring, width=4.5)
        pen.canvas.line(OUTLINES, f"marks:{kind}", pen.theme.ink, ring, width=2.6, dash=_LOOKS[kind][2])
        side = min(pen.m.badge, 0.7 * box.width, 0.8 * box.height)  # inside: the next cell may be marked too
        draw_badge(pen.canvas, pen.m, box.x1 - side / 2, box.y0 + side / 2, kind, side=side)


def draw_badge(canvas: Canvas, m: Metrics, x: float, y: float, kind: Sign, *, side: float = 0) -> None:
    """The sign of a mark on a ground that contrasts with whatever is below."""
    side = side or m.badge
    sign, shape, _ = _LOOKS[kind]
    ground, ink = (canvas.theme.ink, canvas.theme.card) if kind in _DARK else (canvas.theme.lit, canvas.theme.lit_ink)
    canvas.marker(BADGES, (x, y), shape, canvas.theme.card, side + 2.5)
    canvas.marker(BADGES, (x, y), shape, ground, side)
    canvas.text(SIGNS, "signs", x, y, sign, size=side - 3, color=ink, bold=True)


def draw_slot_numbers(pen: Pen, block_id: int, card: CardBox, y: float) -> None:
    """The first and the last slot of a block, below its cells."""
    first = block_id * pen.snapshot.block_size
    last = first + pen.snapshot.block_size - 1
    text = (
        pen.words.text("slots.number", slot=first)
        if first == last
        else pen.words.text("slots.range", first=first, last=last)
    )
    room = Rect(card.box.x0 + pen.m.pad + 2, y, card.box.x1 - pen.m.pad - 2, y)
    size = fit_size(text, room.width * pen.m.squeeze, pen.m.label_size, pen.m.smallest)
    pen.canvas.text(TEXTS, "slot_numbers", room.x0, y, text, size=size, color=pen.theme.muted, anchor="left")


def is_mark(kind: str) -> TypeGuard[Sign]:
    """Is this a kind of mark?"""
    return kind in _LOOKS


def order_marks(marks: Marks) -> list[tuple[Mark, int]]:
    """(kind, slot) of the marks, predicted slots before actual ones."""
    return sorted(((kind, slot) for slot, kind in marks.items()), key=lambda entry: entry[0] == "actual")


def build_legend(marks: Marks, words: Words) -> list[tuple[Mark, str]]:
    """(kind, text) of each mark, for the caption."""
    return [(kind, words.text(f"slots.legend_{kind}", slot=slot)) for kind, slot in order_marks(marks)]


def describe_marks(marks: Marks, words: Words, block_size: int) -> list[str]:
    """One sentence for each mark."""
    return [words.text(f"slots.said_{kind}", slot=slot, block=slot // block_size) for kind, slot in order_marks(marks)]


def format_marks_of_block(marks: Marks, words: Words, block_id: int, block_size: int) -> str:
    """The marks of one block, for its row of the table."""
    here = [(kind, slot) for kind, slot in order_marks(marks) if slot // block_size == block_id]
    return words.text("figures.semicolon").join(words.text(f"slots.legend_{kind}", slot=slot) for kind, slot in here)


# --- an answer in words ---------------------------------------------------------------------------------------------


def build_answer_legend(answered: Answered, words: Words) -> list[tuple[AnswerMark, str]]:
    """(kind, text) of the marks that occur, for the caption."""
    return [(kind, words.text(f"slots.answer.legend_{kind}")) for kind in get_args(AnswerMark) if answered.cells(kind)]


def describe_answer(answered: Answered, words: Words) -> list[str]:
    """One sentence for each kind of mark."""
    return [
        words.text(f"slots.answer.said_{kind}_{answered.of}", cells=format_ranges(cells, words))
        for kind in get_args(AnswerMark)
        if (cells := answered.cells(kind))
    ]


def format_answer_of_block(answered: Answered, words: Words, block_id: int, block_size: int) -> str:
    """The marks of one block, for its row of the table."""
    parts = []
    for kind in get_args(AnswerMark):
        cells = [c for c in answered.cells(kind) if (c if answered.of == "block" else c // block_size) == block_id]
        if cells:
            text = words.text(f"slots.answer.legend_{kind}")
            parts.append(text if answered.of == "block" else f"{text}: {format_ranges(tuple(cells), words)}")
    return words.text("figures.semicolon").join(parts)


def format_ranges(cells: tuple[int, ...], words: Words) -> str:
    """`4–7, 12`: ranges of neighbours, with the language's comma."""
    runs: list[list[int]] = []
    for cell in cells:
        if runs and cell == runs[-1][-1] + 1:
            runs[-1].append(cell)
        else:
            runs.append([cell])
    return format_list(words, (str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs))
