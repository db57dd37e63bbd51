"""How many blocks of the memory picture fit in a row if their slots are to be tapped."""

from __future__ import annotations

from itertools import combinations

from lab.engine.words import Words
from lab.figures.memory.layout import lay_out
from lab.figures.memory.metrics import get_metrics
from lab.trace.snapshot import Snapshot

LEAST_APART = 24  # pixels between touch targets (WCAG 2.2, target size)


def fit_blocks_a_row(state_before: Snapshot, words: Words, columns: int) -> int:
    """Return how many blocks fit in a row with their slots at least LEAST_APART pixels apart: at most `columns`.

    The distance depends on block_size and on how wide a token is in this language.
    """
    return next((n for n in range(columns, 1, -1) if _measure_distance(state_before, words, n) >= LEAST_APART), 1)


def _measure_distance(state_before: Snapshot, words: Words, columns: int) -> float:
    """Measure the pixels between the centres of a block's two nearest slots, along the longer axis."""
    layout = lay_out(
        state_before, words, get_metrics(columns), columns, [1] * state_before.num_blocks, caption_height=0
    )
    cells = combinations(layout.blocks[0].cells, 2)
    return min((max(abs(a.x0 - b.x0), abs(a.y0 - b.y0)) for a, b in cells), default=LEAST_APART)
