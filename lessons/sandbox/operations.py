"""The operations of the sandbox: choose a request, apply an operation, see its outcome, undo."""

from __future__ import annotations

import streamlit as st

from lab.sandbox.editing import Entry
from lab.sandbox.scenario import State
from lab.trace.config import MAX_TOKENS
from lab.trace.operations import Append, Release, encode_operation, parse_operation
from lab.trace.snapshot import Snapshot
from lessons.activity.run_panel import get_seen_snapshot
from lessons.sandbox import attempt as sandbox
from lessons.sandbox import untried
from lessons.sandbox.attempt import SandboxView
from lessons.sandbox.fields import fill_field
from lessons.sandbox.run_player import build_sandbox_seek
from lessons.sandbox.sentences import (
    format_count,
    format_operations,
    format_refused,
    format_steps,
    format_undo,
    format_untried,
)
from lessons.sandbox.writing.editing import TIMES, draw_longer_steps, read_times
from lessons.state import notes, runs
from lessons.text.scenario_texts import format_entry, format_step
from lessons.text.sentences import format_operation
from lessons.text.translations import Translations
from lessons.widgets import cards
from lessons.widgets.after_page import focus_on
from lessons.widgets.operation_buttons import OperationButton, draw_operation_buttons
from lessons.widgets.question_form import draw_problem

CHOSEN = "sandbox_request"  # widget key: the selected request
_SEVERAL = "several"
_MOST_PILLS = 12


def operate(view: SandboxView, words: Translations) -> None:
    """Draw the operations of the selected request, the last outcome and undo. No operation's button is disabled."""
    waiting = sandbox.get_waiting()
    with st.container(key="sandbox_operating"):
        cards.draw_heading(2, words.text("sandbox.operations"))
        if view.problem:  # the address cannot be read, so there is no state to operate on
            st.button(
                words.text("sandbox.begin"), key="sandbox_begin", on_click=_begin, args=(State(view.scenario, 0),)
            )
            return
        chosen = _choose(view, words)
        if chosen:
            _draw_operations(view, chosen, words)
            draw_longer_steps(view, chosen, words)
        if waiting:
            _ask_cut(view, waiting, words)
        _show_outcome(view, words)
        _offer_undo(view, words)
    # The pressed button disappears with the question, so move the focus.
    target = "sandbox_question" if waiting else "sandbox_operating"
    stamp = f"{view.cursor.step} {waiting}" if waiting else ""
    focus_on(target, key="sandbox_focus", stamp=stamp)


def _begin(shown: State) -> None:
    sandbox.open_state(shown)


def _choose(view: SandboxView, words: Translations) -> str:
    """Draw the choice of a request and return it; "" if there are none."""
    names = [request.seq_id for request in view.scenario.requests]
    if not names:
        st.markdown(words.text("sandbox.no_requests"))
        return ""
    if notes.get_field(CHOSEN) not in names:
        done = view.scenario.operations[: view.cursor.step]
        notes.set_field(CHOSEN, done[-1].seq_id if done else names[0])
    snapshot = get_seen_snapshot(view.timeline, view.cursor)
    released = {
        step.operation.seq_id
        for step in runs.get_seen_steps(view.timeline, view.cursor)
        if isinstance(step.operation, Release) and not step.refusal
    }
    shown = {name: _format_state(name, snapshot, name in released, words) for name in names}
    label = words.text("sandbox.for_request")
    if len(names) > _MOST_PILLS:
        st.selectbox(label, names, key=CHOSEN, format_func=shown.__getitem__)
    else:
        st.pills(label, names, key=CHOSEN, required=True, format_func=shown.__getitem__)
    return str(notes.get_field(CHOSEN) or names[0])


def _format_state(seq_id: str, snapshot: Snapshot, released: bool, words: Translations) -> str:
    """Format the request's name with its tokens and blocks, or its state."""
    seq = snapshot.sequence(seq_id)
    if seq is None:
        key = "sandbox.state_released" if released else "sandbox.state_none"
        return words.text(key, seq_id=seq_id)
    tokens = format_count("tokens", seq.num_tokens, words)
    blocks = format_count("blocks", len(seq.block_table), words)
    return words.text("sandbox.state_live", seq_id=seq_id, tokens=tokens, blocks=blocks)


def _draw_operations(view: SandboxView, seq_id: str, words: Translations) -> None:
    def row(letters: str, key: str, label: str) -> None:
        offered = [parse_operation(f"{letter}{seq_id}") for letter in letters]
        draw_operation_buttons(
            [OperationButton(encode_operation(each), format_operation(each, words)) for each in offered],
            index=view.cursor.step,
            key=key,
            on_press=lambda operation, index: sandbox.operate(parse_operation(operation), index),
            label=label,
            seek=build_sandbox_seek(view),
            by_place=True,
        )

    row("atr", "sandbox_operations", words.text("sandbox.operations_of", seq_id=seq_id))
    fill_field(TIMES, "3")
    with st.container(horizontal=True, vertical_alignment="bottom", key="sandbox_several_row"):
        st.text_input(  # sent with the press: a rerun for the field alone could swallow the press that follows
            words.text("sandbox.how_many", limit=MAX_TOKENS),
            key=TIMES,
            max_chars=40,
            autocomplete="off",
            width=120,
            on_change="ignore",
        )
        with st.container(width="stretch"):
            draw_operation_buttons(
                [OperationButton(_SEVERAL, words.text("sandbox.append_several", seq_id=seq_id))],
                index=view.cursor.step,
                key="sandbox_several",
                on_press=lambda _, index: _append_several(seq_id, index),
                label=words.text("sandbox.several"),
                enter_in=TIMES,
                seek=build_sandbox_seek(view),
                by_place=True,
            )
    if (problem := notes.get_note("sandbox.times_problem")) and problem[1] == notes.get_field(TIMES):
        draw_problem(problem[0], words)
    with st.expander(words.text("sandbox.step_by_step"), key="sandbox_steps"):
        st.markdown(words.text("sandbox.step_by_step_lead"))
        row("kcm", "sandbox_single", words.text("sandbox.step_by_step"))


def _append_several(seq_id: str, index: int) -> None:
    if times := read_times():
        sandbox.operate(Append(seq_id), index, times)


def _ask_cut(view: SandboxView, waiting: Entry, words: Translations) -> None:
    """Ask whether the step goes before the operations ahead, or cuts them off."""
    with st.container(border=True, key="sandbox_question"):
        cards.draw_heading(3, words.text("sandbox.asked_title", count=len(view.history.would_lose)))
        step, lost = format_entry(waiting, words), format_operations(view.history.would_lose, words)
        st.markdown(words.text("sandbox.asked", operation=step, lost=lost))
        with st.container(horizontal=True):
            st.button(
                words.text("authoring.insert"),
                type="primary",
                key="sandbox_insert",
                on_click=sandbox.operate_anyway,
                kwargs={"keep_rest": True},
            )
            st.button(words.text("sandbox.cut"), key="sandbox_cut", on_click=sandbox.operate_anyway)
            st.button(words.text("sandbox.keep"), key="sandbox_keep", on_click=sandbox.dismiss)


def _show_outcome(view: SandboxView, words: Translations) -> None:
    """Draw the refusal of a limit and the outcome of the operation in view, announced to screen readers."""
    if limit := notes.pop_flash():
        st.warning(format_refused(limit, words))
    if not view.cursor.step:
        cards.draw_headline("", words.text("sandbox.nothing_yet"))
        return
    at = view.cursor.step
    step = next((each for each in view.scenario.steps if each.last == at), None)
    done = view.timeline.steps[step.first - 1 if step else at - 1 : at]
    name = format_step(step, words) if step else None
    cards.draw_headline("", format_steps(done, words, name) + format_untried(*untried.count(view.scenario), words))


def _offer_undo(view: SandboxView, words: Translations) -> None:
    """Draw undo and the button that empties the log. A press counts only for the history that it was drawn with."""
    history = view.history
    started = bool(view.scenario.operations)
    draw_operation_buttons(
        [
            OperationButton(
                "undo", words.text("sandbox.undo"), disabled=not history.can_undo, hint=format_undo(history, words)
            ),
            OperationButton("empty", words.text("sandbox.start_again"), disabled=not started),
        ],
        index=len(history.before),
        key="sandbox_whole_log",
        on_press=press_whole_log,
        label=words.text("sandbox.whole_log"),
        seek=build_sandbox_seek(view),
    )


def press_whole_log(pressed: str, index: int) -> None:
    view = sandbox.get_view()
    if index != len(view.history.before):
        return
    if pressed == "undo":
        sandbox.undo()
    else:
        sandbox.change(view.scenario.up_to(0))
