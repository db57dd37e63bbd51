"""The question before each key step of a prepared scenario and the point after it, for a learner or a class.

While presenting, the point is hidden until it is revealed. Only the second window lists all questions: one that is
still to come could give away the answer to an earlier one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import escape

import streamlit as st

from lab.activities.attempt import Cursor, encode_cursor
from lab.sandbox.facts import collect_values
from lab.sandbox.library import (
    LIBRARY,
    Prepared,
    Prompt,
    get_prompt_after,
    get_prompt_before,
    get_summary_key,
    is_as_prepared,
    list_prompts,
)
from lessons.presenter import presenter
from lessons.sandbox import attempt as sandbox
from lessons.sandbox.attempt import TRACK, SandboxAttempt
from lessons.sandbox.link_input import choose_shared_cursor
from lessons.sandbox.sentences import format_title
from lessons.state import notes, presenting
from lessons.state.presenting import Remark
from lessons.text.sentences import format_operation, format_values
from lessons.text.translations import Translations
from lessons.votable.key_step import name_prompt
from lessons.widgets import cards
from lessons.widgets.announce import announce
from lessons.widgets.focus import focus_on

_PRESSED = "sandbox_notes.pressed"


def draw_prompt(attempt: SandboxAttempt, words: Translations) -> None:
    """Draw the point of the last step, then the next question. Nothing if the scenario is not prepared."""
    prepared = _get_prepared(attempt)
    if prepared is None:
        return
    with st.container(key="sandbox_notes", gap="small"):
        cards.draw_heading(2, format_title(prepared.id, words))
        if not is_as_prepared(prepared, attempt.scenario, attempt.cursor.step):
            st.markdown(words.text("present.note.left"))
            _draw_button("back", words.text("present.note.back"), sandbox.reset)
        else:
            is_hidden = _draw_point(attempt, words)
            _draw_question(attempt, prepared, words, is_hidden=is_hidden)
    focus_on("sandbox_notes", key="sandbox_notes_focus", stamp=str(notes.get_note(_PRESSED, 0)))


def get_prompt_in_view(attempt: SandboxAttempt) -> Prompt | None:
    """Return the prompt whose question is in view: of the next step, or of the step that the cursor is inside."""
    if attempt.problem is not None:
        return None
    return get_prompt_before(attempt.scenario, attempt.cursor.step - (attempt.cursor.event is not None))


def find_next_prompt(attempt: SandboxAttempt) -> Prompt | None:
    """Return the next prompt, in view or ahead, if the log still follows the prepared scenario; else None.

    While there is one, the page must not show what the operations ahead did, nor name those after its key step.
    """
    prepared = _get_prepared(attempt)
    if prepared is None or not is_as_prepared(prepared, attempt.scenario, attempt.cursor.step):
        return None
    return get_prompt_in_view(attempt) or _find_following(attempt, prepared)


def list_stops(attempt: SandboxAttempt) -> list[int]:
    """List where playing pauses, as counts of operations: before each key step, and after it for its point."""
    if attempt.problem is not None:
        return []
    scenario = attempt.scenario
    positions = range(len(scenario.operations) + 1)
    return [at for at in positions if get_prompt_before(scenario, at) or get_prompt_after(scenario, at)]


def list_remarks(attempt: SandboxAttempt, words: Translations) -> list[Remark]:
    """What the presenter alone sees: the position, every question, and the point of the step in view."""
    step, total = attempt.cursor.step, len(attempt.scenario.operations)
    lines, remarks = [words.text("present.pane.place", step=step, total=total)], []
    prepared = _get_prepared(attempt)
    if prepared is not None and is_as_prepared(prepared, attempt.scenario, step):
        lines += _list_rows(attempt, prepared, words)
        if (done := get_prompt_after(attempt.scenario, step)) is not None:
            title = words.text("present.note.point", **_number_prompt(done))
            remarks.append(Remark(title, (_format_prompt(done.point, done, words),)))
    return [*remarks, Remark(words.text("present.pane.title"), tuple(lines))]


def make_step(prompt: Prompt) -> None:
    """Make the key step: move past it if the log has it, else apply it. Ignored if its question is not in view."""
    attempt = sandbox.read_url()
    if get_prompt_in_view(attempt) != prompt:
        return
    ahead = attempt.scenario.operations[: prompt.step]
    if ahead == prompt.prepared.scenario.operations[: prompt.step]:
        sandbox.move(Cursor(prompt.step))
    else:
        sandbox.operate(prompt.prepared.scenario.operations[prompt.step - 1], prompt.step - 1)


def _get_prepared(attempt: SandboxAttempt) -> Prepared | None:
    """Return the prepared scenario that the one in view began as; None if there is none or the link is broken."""
    return LIBRARY.get(attempt.scenario.key) if attempt.problem is None else None


# --- the parts -----------------------------------------------------------------------------------------------------


def _draw_point(attempt: SandboxAttempt, words: Translations) -> bool:
    """Draw the point of the step just made, if it has one. Returns whether it is hidden."""
    prompt = get_prompt_after(attempt.scenario, attempt.cursor.step) if attempt.cursor.event is None else None
    if prompt is None:
        return False
    if presenting.hide_answer():
        presenter.draw_placeholder("point", words)
        presenting.set_student_link(**{TRACK.at: encode_cursor(choose_shared_cursor(attempt))})
        return True
    _draw_card(
        "point", words.text("present.note.point", **_number_prompt(prompt)), _format_prompt(prompt.point, prompt, words)
    )
    return False


def _draw_question(attempt: SandboxAttempt, prepared: Prepared, words: Translations, *, is_hidden: bool) -> None:
    """Draw the question or the button to the next one. After the last point draw the summary, unless `is_hidden`."""
    prompt = get_prompt_in_view(attempt)
    if prompt is not None:
        _draw_card(
            "ask", words.text("present.note.ask", **_number_prompt(prompt)), _format_prompt(prompt.ask, prompt, words)
        )
        presenting.set_questions([name_prompt(prompt)])
        if presenting.is_on():
            presenting.set_reveal(partial(make_step, prompt))
        else:
            _draw_button("make_step", words.text("present.note.make_step"), make_step, prompt)
        return
    following = _find_following(attempt, prepared)
    if following is None:
        if not is_hidden:
            sum_up = words.text(get_summary_key(prepared.id)) if words.has(get_summary_key(prepared.id)) else ""
            total = len(prepared.steps)
            key = "present.note.finished_one" if total == 1 else "present.note.finished"
            cards.draw_headline(sum_up, words.text(key, total=total))
    elif is_as_prepared(prepared, attempt.scenario, following.step - 1):
        label = words.text("present.note.to_question", number=following.number)
        _draw_button("to_question", label, _go_to, following)


def _find_following(attempt: SandboxAttempt, prepared: Prepared) -> Prompt | None:
    """Find the first prompt whose key step has not been made."""
    return next((prompt for prompt in list_prompts(prepared) if prompt.step > attempt.cursor.step), None)


def _go_to(prompt: Prompt) -> None:
    """Move the cursor to where the question is asked."""
    attempt = sandbox.read_url()
    if is_as_prepared(prompt.prepared, attempt.scenario, prompt.step - 1):
        sandbox.move(Cursor(prompt.step - 1))


def _list_rows(attempt: SandboxAttempt, prepared: Prepared, words: Translations) -> list[str]:
    """A line for each question: asked, now, next or later, before which operation, and its text."""
    now, following, rows = get_prompt_in_view(attempt), _find_following(attempt, prepared), []
    for prompt in list_prompts(prepared):
        ahead = following is not None and prompt.number > following.number
        stands = "now" if prompt == now else "next" if prompt == following else "later" if ahead else "asked"
        operation = format_operation(prepared.scenario.operations[prompt.step - 1], words)
        before = words.text("present.pane.before", step=prompt.step, operation=operation)
        rows.append(f"{words.text(f'present.pane.{stands}')} · {before} {_format_prompt(prompt.ask, prompt, words)}")
    return rows


def _format_prompt(key: str, prompt: Prompt, words: Translations) -> str:
    """Format a text of the prompt with the numbers of its run."""
    return words.text(key, **format_values(collect_values(prompt), words))


def _number_prompt(prompt: Prompt) -> dict[str, int]:
    return {"number": prompt.number, "total": len(prompt.prepared.steps)}


def _draw_card(kind: str, lead: str, text: str) -> None:
    """Draw a question or a point. `kind`: "ask" or "point". A point is announced to screen readers."""
    if kind == "point":
        announce(lead, text)
    st.html(f'<div class="kv-note {kind}"><p class="lead">{escape(lead)}</p><p>{escape(text)}</p></div>')


def _draw_button(name: str, label: str, press: Callable[..., object], *args: object) -> None:
    """Draw a button that disappears when pressed. The keyboard focus then moves to the prompt."""

    def handle_press() -> None:
        notes.set_note(_PRESSED, int(notes.get_note(_PRESSED, 0)) + 1)
        press(*args)

    st.button(label, key=f"sandbox_notes_{name}", on_click=handle_press)
