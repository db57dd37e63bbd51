"""Steps of several operations, and the log as a list that one edits. The list itself is the player's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from lab.engine.errors import LabError
from lab.sandbox.editing import delete, find_index, move, repeat
from lab.sandbox.scenario import Scenario
from lab.trace.config import MAX_TOKENS
from lab.trace.operations import Append, Release
from lessons.sandbox import attempt as sandbox
from lessons.sandbox.attempt import SandboxView
from lessons.sandbox.fields import draw_remark, parse_whole
from lessons.sandbox.run_player import build_sandbox_seek
from lessons.state import notes
from lessons.text.scenario_texts import format_step
from lessons.text.translations import Translations
from lessons.widgets.operation_buttons import OperationButton, draw_operation_buttons

TIMES = "sandbox_times"  # widget key: how many
_EDITS: dict[str, Callable[[Scenario, int], tuple[Scenario, int]]] = {
    "delete": delete,
    "earlier": partial(move, by=-1),
    "later": partial(move, by=1),
    "repeat": repeat,
}


def draw_longer_steps(view: SandboxView, seq_id: str, words: Translations) -> None:
    """Draw, folded, the steps that unfold into several operations, and the buttons that change the step in view."""
    with st.expander(words.text("authoring.longer"), key="sandbox_longer"):
        names = ("decode", "decode_several", "fill", "preempt")
        _draw_row(
            [OperationButton(name, words.text(f"authoring.{name}", seq_id=seq_id)) for name in names],
            view,
            key="sandbox_unfolding",
            on_press=partial(_unfold, seq_id),
            label=words.text("sandbox.operations_of", seq_id=seq_id),
        )
        steps, index = view.scenario.steps, find_index(view.scenario, view.cursor.step)
        if index < 0:
            return
        useless = {"earlier": index == 0, "later": index == len(steps) - 1}
        label = words.text("authoring.of_step", step=steps[index].last, name=format_step(steps[index], words))
        draw_remark(label)
        edits = [
            OperationButton(name, words.text(f"authoring.edit.{name}"), disabled=useless.get(name, False))
            for name in _EDITS
        ]
        _draw_row(edits, view, key="sandbox_editing", on_press=_press, label=label)


def _draw_row(
    buttons: Sequence[OperationButton],
    view: SandboxView,
    *,
    key: str,
    on_press: Callable[[str, int], None],
    label: str,
) -> None:
    draw_operation_buttons(
        buttons,
        index=view.cursor.step,
        key=key,
        on_press=on_press,
        label=label,
        seek=build_sandbox_seek(view),
        by_place=True,
    )


def read_times() -> int:
    """In a callback: return the number in the field, which may be newer than the page; 0, with a problem, if none."""
    typed = notes.get_field(TIMES)
    try:
        times = parse_whole(typed, "times", MAX_TOKENS)
    except LabError as problem:
        notes.set_note("sandbox.times_problem", (problem, typed))
        return 0
    notes.set_note("sandbox.times_problem", None)
    return times


def _unfold(seq_id: str, name: str, index: int) -> None:
    """In a callback: make a step that unfolds."""
    match name:
        case "fill":
            sandbox.operate(Append(seq_id), index, kind="fill")
        case "preempt":
            sandbox.operate(Release(seq_id), index, kind="preempt")
        case "decode":
            sandbox.operate(Append(seq_id), index, kind="decode")
        case _:
            if times := read_times():
                sandbox.operate(Append(seq_id), index, times, "decode")


def _press(name: str, index: int) -> None:
    view = sandbox.get_view()
    at = find_index(view.scenario, index)
    if at < 0 or (name, at) in (("earlier", 0), ("later", len(view.scenario.steps) - 1)):
        return  # the page is older than the press
    sandbox.edit(_EDITS[name], index)
