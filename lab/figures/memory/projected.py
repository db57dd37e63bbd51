"""How much of a run a picture for a projector shows: as much as one view leaves legible from the back row.

The same for the whole run, so that nothing jumps. Sizes are the figure's own pixels, in which its smallest text has 11.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from lab.engine.words import Words
from lab.figures.memory.layout import MAX_TOKEN_TEXTS, count_pages, list_tokens_shown, place_pages
from lab.figures.memory.memory_picture import draw_memory
from lab.figures.memory.metrics import (
    BESIDE,
    BESIDE_BRIEF,
    BESIDE_CHIPS,
    BESIDE_TIGHT,
    PHONE_CHIPS,
    Detail,
    compact_metrics,
)
from lab.trace.snapshot import Snapshot

ROOM = 540  # of height: with it the smallest text has 18 of the 1080 pixels of a projector
ROOM_BELOW_TITLE = 498  # where the page's title and an event stand above the picture
_NOTE = 17  # a note on the free queue may take one more line


def choose_detail(
    states: Sequence[Snapshot], words: Words, *, half: bool = False, room: float = ROOM
) -> tuple[Detail, float]:
    """Return the most detail with which every state fits in the height `room`, and the height of the highest. Pure.

    `half`: two pictures stand side by side.
    """
    details = _list_details(states, half)
    for detail in details:
        highest = max(_measure_height(state, words, detail) for state in _list_highest(states, detail.columns))
        if highest <= room:
            break
    return detail, highest


def _list_details(states: Sequence[Snapshot], half: bool) -> list[Detail]:
    """Every way to draw these states, the most detailed first."""
    used = {block.block_id for state in states for block in state.blocks if block.ref_count or block.written}
    idle = frozenset(range(states[0].num_blocks)) - used
    shown = [list_tokens_shown(state) for state in states]
    if half:
        sizes = [compact_metrics(4, states[0].num_blocks, states[0].block_size), (PHONE_CHIPS, 8)]
    else:
        in_eights = BESIDE, BESIDE_TIGHT, replace(BESIDE, bare=True)
        sizes = [*((m, 8) for m in in_eights), (BESIDE_BRIEF, 16), (BESIDE_CHIPS, 16)]
        if max(map(len, shown)) > MAX_TOKEN_TEXTS:
            del sizes[:2]  # some of the states would be without texts
    return [Detail(m, columns, idle, frozenset(chain(*shown))) for m, columns in sizes]


def _list_highest(states: Sequence[Snapshot], columns: int) -> list[Snapshot]:
    """The states whose picture is highest: with the most rows of pages, and with the most owners of a block."""

    counted = {}
    for state in states:
        pages = tuple((view.seq_id, count_pages(view)) for view in state.sequences)
        owners = sum(max(0, block.ref_count - 1) for block in state.blocks)
        counted[pages, owners] = state
    rows = {key: place_pages(state, columns)[1] * bool(state.sequences) for key, state in counted.items()}
    by_rows = max(counted, key=lambda key: (rows[key], key[1]))
    by_owners = max(counted, key=lambda key: (key[1], rows[key]))
    return [counted[key] for key in dict.fromkeys((by_rows, by_owners))]


def _measure_height(state: Snapshot, words: Words, detail: Detail) -> float:
    return float(draw_memory(state, words, detail=detail).spec["layout"]["height"]) + _NOTE * detail.m.across
