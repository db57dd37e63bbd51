"""One history on two engines, at one cursor: both memory pictures, a sentence on where they part, and a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from lab.engine.words import Words
from lab.figures.memory.memory_picture import draw_memory
from lab.figures.phrases import format_list
from lab.figures.picture import Picture
from lab.figures.theme import LIGHT, Theme
from lab.trace.config import ENGINE_NAMES
from lab.trace.late_imports import pandas as pd
from lab.trace.operations import name_operation
from lab.trace.parting import Parting
from lab.trace.snapshot import Snapshot, compare_snapshots
from lab.trace.timeline import Timeline

_NARROW = 4  # columns of a picture that has half of the width


@dataclass(frozen=True)
class BesidePicture:
    """Two pictures, nano-vLLM's first. `names`: the engine of each. `where`: the step in which the engines have parted
    by this cursor, or empty; `sentence`: by which rule, or that they have not."""

    names: tuple[str, str]
    pictures: tuple[Picture, Picture]
    where: str
    sentence: str
    tabulate: Callable[[], pd.DataFrame]

    @cached_property
    def table(self) -> pd.DataFrame:
        """The free queue and every block_table in both engines."""
        return self.tabulate()


def draw_beside(
    ours: Timeline,
    theirs: Timeline,
    parting: Parting | None,
    words: Words,
    theme: Theme = LIGHT,
    *,
    step: int,
    event: int | None = None,
    selected: str | None = None,
) -> BesidePicture:
    """Draw both engines after `step` operations, or after `event` events of the last of them. Pure.

    `parting`: what find_parting returns for both whole runs. An engine that has fewer events, or whose run a limit of
    the lab has stopped, is shown at its last state.
    """
    moments = [_read_moment(timeline, step, event) for timeline in (ours, theirs)]
    first, second = (
        draw_memory(
            after,
            words,
            theme,
            changed=compare_snapshots(before, after) if before else None,
            selected=selected or (ours.steps[step - 1].operation.seq_id if step else None),
            columns=_NARROW,
            compact=True,
            clickable=("page", "token", "block"),
        )
        for before, after in moments
    )
    where, sentence = "", words.text("beside.alike")
    if parting is not None and (step > parting.step + 1 or (step == parting.step + 1 and event is None)):
        where, sentence = _describe_parting(ours, parting, step, words)
    return BesidePicture(
        names=(ENGINE_NAMES[ours.config.engine], ENGINE_NAMES[theirs.config.engine]),
        pictures=(first, second),
        where=where,
        sentence=sentence,
        tabulate=lambda: _tabulate([after for _, after in moments], (ours, theirs), words),
    )


def _read_moment(timeline: Timeline, step: int, event: int | None) -> tuple[Snapshot | None, Snapshot]:
    """The state at the cursor, and the one before the change that led to it."""
    if step == 0 or step > len(timeline.steps):
        return None, timeline.snapshot(min(step, len(timeline.steps)))
    shown = timeline.steps[step - 1]
    if event is None or event >= len(shown.snapshots):
        return shown.before, shown.after
    return (shown.snapshots[event - 2] if event > 1 else shown.before), shown.snapshots[event - 1]


def _describe_parting(ours: Timeline, parting: Parting, step: int, words: Words) -> tuple[str, str]:
    """Where the engines part, and by which rule."""
    operation = ours.steps[parting.step].operation
    where = words.text(
        f"beside.{'part' if step == parting.step + 1 else 'parted'}",
        step=parting.step + 1,
        operation=words.text(f"task.op_{name_operation(operation)}", seq_id=operation.seq_id),
    )
    values: Mapping[str, str] = {
        "ours": format_list(words, parting.ours),
        "theirs": format_list(words, parting.theirs) or words.text("beside.none"),
    }
    return where, words.text(f"beside.rule.{parting.rule}", **values)


def _tabulate(states: list[Snapshot], timelines: tuple[Timeline, Timeline], words: Words) -> pd.DataFrame:
    rows: list[tuple[str, ...]] = [
        (words.text("beside.table.queue"), *(format_list(words, state.free_block_ids) for state in states))
    ]
    names = dict.fromkeys(view.seq_id for state in states for view in state.sequences)
    for name in names:
        views = [state.sequence(name) for state in states]
        rows.append(
            (
                words.text("beside.table.blocks", seq=name),
                *(format_list(words, view.block_table) if view else "–" for view in views),
            )
        )
        rows.append(
            (
                words.text("beside.table.found", seq=name),
                *(str(view.num_cached_tokens) if view else "–" for view in views),
            )
        )
    columns = [words.text("beside.table.what"), *(ENGINE_NAMES[each.config.engine] for each in timelines)]
    return pd.DataFrame(rows, columns=columns)
