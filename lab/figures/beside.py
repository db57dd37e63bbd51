"""One history on two engines at one cursor: each engine's memory picture, where and why they part, and a table."""

from __future__ import annotations

from collections.abc import Sequence

from lab.engine.words import Words
from lab.figures.memory.memory_picture import draw_memory
from lab.figures.memory.metrics import Detail
from lab.figures.phrases import format_list
from lab.figures.picture import Picture
from lab.trace.config import ENGINE_NAMES
from lab.trace.late_imports import pandas as pd
from lab.trace.operations import name_operation
from lab.trace.parting import Parting
from lab.trace.snapshot import Snapshot, compare_snapshots
from lab.trace.timeline import Timeline

_NARROW = 4  # columns of a picture that has half of the width


def draw_moment(
    timeline: Timeline,
    words: Words,
    step: int,
    event: int | None = None,
    *,
    selected: str | None = None,
    detail: Detail | None = None,
) -> Picture:
    """Draw one engine after `step` operations, or after `event` events of the last of them. Pure.

    An engine that has fewer events, or whose run a limit of the lab has stopped, is shown at its last state.
    """
    before, after = _read_moment(timeline, step, event)
    return draw_memory(
        after,
        words,
        changed=compare_snapshots(before, after) if before else None,
        selected=selected or (timeline.steps[step - 1].operation.seq_id if before else None),
        columns=_NARROW,
        compact=True,
        detail=detail,
        clickable=("page", "token", "block"),
    )


def _read_moment(timeline: Timeline, step: int, event: int | None) -> tuple[Snapshot | None, Snapshot]:
    """The state at the cursor, and the one before the change that led to it."""
    if step == 0 or step > len(timeline.steps):
        return None, timeline.snapshot(min(step, len(timeline.steps)))
    shown = timeline.steps[step - 1]
    if event is None or event >= len(shown.snapshots):
        return shown.before, shown.after
    return (shown.snapshots[event - 2] if event > 1 else shown.before), shown.snapshots[event - 1]


def describe_parting(
    timeline: Timeline, parting: Parting | None, words: Words, step: int, event: int | None = None
) -> tuple[str, str]:
    """Where the engines have parted by this cursor, empty if they have not, and by which rule. Pure.

    `parting`: what find_parting returns for the whole runs.
    """
    if parting is None or step <= parting.step or (step == parting.step + 1 and event is not None):
        return "", words.text("beside.alike")
    operation = timeline.steps[parting.step].operation
    where = words.text(
        f"beside.{'part' if step == parting.step + 1 else 'parted'}",
        step=parting.step + 1,
        operation=words.text(f"task.op_{name_operation(operation)}", seq_id=operation.seq_id),
    )
    none = words.text("beside.none")  # a refused request got no block
    ours, theirs = (format_list(words, ids) or none for ids in (parting.ours, parting.theirs))
    return where, words.text(f"beside.rule.{parting.rule}", ours=ours, theirs=theirs)


def tabulate_beside(timelines: Sequence[Timeline], words: Words, step: int, event: int | None = None) -> pd.DataFrame:
    """The free queue and every block_table in each engine, side by side. Pure."""
    states = [_read_moment(timeline, step, event)[1] for timeline in timelines]
    rows: list[tuple[str, ...]] = [
        (words.text("beside.table.queue"), *(format_list(words, state.free_block_ids) for state in states))
    ]
    for name in dict.fromkeys(view.seq_id for state in states for view in state.sequences):
        views = [state.sequence(name) for state in states]
        tables = (format_list(words, view.block_table) if view else "–" for view in views)
        found = (str(view.num_cached_tokens) if view else "–" for view in views)
        rows += [
            (words.text("beside.table.blocks", seq=name), *tables),
            (words.text("beside.table.found", seq=name), *found),
        ]
    names = (ENGINE_NAMES[timeline.config.engine] for timeline in timelines)
    return pd.DataFrame(rows, columns=[words.text("beside.table.what"), *names])
