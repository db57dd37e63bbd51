"""The question before each key step of a scenario and the point after it, for a learner or a class.

While presenting, the point is hidden until it is revealed. Only the second window lists all questions: one that is
still to come could give away the answer to an earlier one.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from html import escape

import streamlit as st

from lab.activities.attempt import Cursor, encode_cursor
from lab.sandbox.errors import LinkTooLongError
from lab.sandbox.key_questions import get_about
from lab.sandbox.library import (
    LIBRARY,
    Prepared,
    Prompt,
    find_prepared,
    get_prompt_after,
    get_prompt_before,
    get_summary_key,
    list_prompts,
)
from lab.sandbox.link import encode_scenario
from lab.sandbox.scenario import State
from lessons.presenter import presenter
from lessons.sandbox import attempt as sandbox
from lessons.sandbox.attempt import SandboxView
from lessons.sandbox.link_input import choose_shared_cursor, remove_remarks
from lessons.sandbox.writing.given import is_given
from lessons.sandbox.writing.lecture import find_place
from lessons.state import notes, presenting
from lessons.state.presenting import Remark
from lessons.state.slots import SANDBOX
from lessons.text.scenario_texts import format_ask, format_library_title, format_origin, format_point, format_title
from lessons.text.sentences import format_operation
from lessons.text.translations import Translations
from lessons.votable.key_step import name_prompt
from lessons.widgets import cards
from lessons.widgets.after_page import announce, focus_on

_PRESSED = "sandbox_notes.pressed"


def draw_prompt(view: SandboxView, words: Translations) -> None:
    """Draw the point of the last step, then the next question. Nothing if the scenario is not prepared."""
    prepared = _get_prepared(view)
    if prepared is None:
        return
    if prepared.is_own:
        presenting.get_stage().student_link = _build_student_link(view)
    with st.container(key="sandbox_notes", gap="small"):
        cards.draw_plain_heading(2, _name_place(view, words) + format_title(view.scenario, words))
        _draw_about(view, words)
        is_hidden = _draw_point(view, words)
        _draw_question(view, prepared, words, is_hidden=is_hidden)
    focus_on("sandbox_notes", key="sandbox_notes_focus", stamp=str(notes.get_note(_PRESSED, 0)))


def get_prompt_in_view(view: SandboxView) -> Prompt | None:
    """Return the prompt whose question is in view: of the next step, or of the step that the cursor is inside."""
    if view.problem is not None:
        return None
    return get_prompt_before(view.scenario, view.cursor.step - (view.cursor.event is not None))


def find_next_prompt(view: SandboxView) -> Prompt | None:
    """Return the next prompt, in view or ahead; None if there is none.

    While there is one, the page must not show what the operations ahead did, nor name those after its key step.
    """
    prepared = _get_prepared(view)
    return None if prepared is None else get_prompt_in_view(view) or _find_following(view, prepared)


def list_stops(view: SandboxView) -> list[int]:
    """List where playing pauses, as counts of operations: before each key step, and after it for its point."""
    prepared = _get_prepared(view)
    if prepared is None:
        return []
    stays = [range(prompt.start - 1, prompt.step + 1) for prompt in list_prompts(prepared)]
    return [at for at in range(len(view.scenario.operations) + 1) if any(at in each for each in stays)]


def list_remarks(view: SandboxView, words: Translations) -> list[Remark]:
    """What the presenter alone sees: the position, every question, and the point of the step in view."""
    step, total = view.cursor.step, len(view.scenario.operations)
    lines, remarks = [words.text("present.pane.place", step=step, total=total)], []
    prepared = _get_prepared(view)
    coming = next((each.last for each in view.scenario.steps if each.last > step), step)
    for at in sorted({step, coming}):
        if own := view.scenario.script.find(at).remark.get(words.language):
            remarks.append(Remark(words.text("present.pane.own", step=at), tuple(own.splitlines())))
    if prepared is not None and prepared.steps:
        lines += _list_rows(view, prepared, words)
    if (done := get_prompt_after(view.scenario, step)) is not None:
        remarks.append(Remark(words.text("present.note.point", **_number_prompt(done)), (format_point(done, words),)))
    return [*remarks, Remark(words.text("present.pane.title"), tuple(lines))]


def make_step(prompt: Prompt) -> None:
    """Make the key step: move past it if the log has it, else apply it. Ignored if its question is not in view."""
    view = sandbox.get_view()
    if get_prompt_in_view(view) != prompt:
        return
    ahead = view.scenario.operations[: prompt.step]
    if ahead == prompt.prepared.scenario.operations[: prompt.step]:
        sandbox.move(Cursor(prompt.step))
    else:
        sandbox.operate(prompt.prepared.scenario.operations[prompt.step - 1], prompt.step - 1)


def _get_prepared(view: SandboxView) -> Prepared | None:
    """Return the prepared scenario in view, the library's or an author's; None if the link is broken."""
    return find_prepared(view.scenario) if view.problem is None else None


# --- the parts -----------------------------------------------------------------------------------------------------


def _name_place(view: SandboxView, words: Translations) -> str:
    """While presenting, which scenario of the lecture it is; else the buttons on top say so."""
    place = find_place(view.scenario) if presenting.is_on() else None
    if place is None or place[1] < 2:
        return ""
    return f"{words.text('authoring.place', number=place[0], total=place[1])} · "


def _draw_about(view: SandboxView, words: Translations) -> None:
    """Draw the author's sentence, and where the scenario comes from. Both are untrusted."""
    sentence, origin = view.scenario.script.sentence.get(words.language), format_origin(view.scenario, words)
    if sentence:
        st.html(f'<p class="kv-about">{escape(sentence)}</p>')
    if origin and not presenting.is_on():
        st.html(f'<p class="kv-origin">{escape(origin)}</p>')
        label = words.text("authoring.open_origin", title=format_library_title(view.scenario.key, words))
        _draw_button("back", label, sandbox.open_state, State(LIBRARY[view.scenario.key].scenario, 0))


def _draw_point(view: SandboxView, words: Translations) -> bool:
    """Draw the point of the step just made, if it has one. Returns whether it is hidden."""
    at = view.cursor.step if view.cursor.event is None else 0
    prompt, alone = get_prompt_after(view.scenario, at), view.scenario.script.find(at).point
    if prompt is None and not alone:
        return False
    if presenting.hide_answer():
        presenter.draw_placeholder("point", words)
        presenting.get_stage().student_link = _build_student_link(view)
        return True
    if prompt is None:
        _draw_card("point", words.text("present.note.point_alone"), alone.get(words.language))
    else:
        _draw_card("point", words.text("present.note.point", **_number_prompt(prompt)), format_point(prompt, words))
    return False


def _draw_question(view: SandboxView, prepared: Prepared, words: Translations, *, is_hidden: bool) -> None:
    """Draw the question or the button to the next one. After the last point draw the summary, unless `is_hidden`."""
    prompt = get_prompt_in_view(view)
    if prompt is not None:
        _draw_card("ask", words.text("present.note.ask", **_number_prompt(prompt)), format_ask(prompt, words))
        presenting.get_stage().questions = _list_questions(prompt)
        if presenting.is_on():
            presenting.get_stage().reveal = partial(make_step, prompt)
        else:
            _draw_button("make_step", words.text("present.note.make_step"), make_step, prompt)
        return
    following = _find_following(view, prepared)
    if following is None:
        is_being_written = prepared.is_own and not presenting.is_on() and not is_given(view.scenario)
        if not is_hidden and prepared.steps and not is_being_written:
            sum_up = words.text(get_summary_key(prepared.id)) if words.has(get_summary_key(prepared.id)) else ""
            total = len(prepared.steps)
            key = "present.note.finished_one" if total == 1 else "present.note.finished"
            cards.draw_headline(sum_up, words.text(key, total=total))
    elif len(view.scenario.operations) >= following.start - 1:
        label = words.text("present.note.to_question", number=following.number)
        _draw_button("to_question", label, _go_to, following)


def _find_following(view: SandboxView, prepared: Prepared) -> Prompt | None:
    """Find the first prompt whose key step has not been made."""
    return next((prompt for prompt in list_prompts(prepared) if prompt.step > view.cursor.step), None)


def _go_to(prompt: Prompt) -> None:
    """Move the cursor to where the question is asked."""
    view = sandbox.get_view()
    if len(view.scenario.operations) >= prompt.start - 1:
        sandbox.move(Cursor(prompt.start - 1))


def _list_rows(view: SandboxView, prepared: Prepared, words: Translations) -> list[str]:
    """A line for each question: asked, now, next or later, before which operation, and its text."""
    now, following, rows = get_prompt_in_view(view), _find_following(view, prepared), []
    for prompt in list_prompts(prepared):
        ahead = following is not None and prompt.number > following.number
        stands = "now" if prompt == now else "next" if prompt == following else "later" if ahead else "asked"
        operation = format_operation(prepared.scenario.operations[prompt.start - 1], words)
        before = words.text("present.pane.before", step=prompt.start, operation=operation)
        rows.append(f"{words.text(f'present.pane.{stands}')} · {before} {format_ask(prompt, words)}")
    return rows


def _build_student_link(view: SandboxView) -> dict[str, str]:
    """What differs from the address in the students' link: no notes for oneself, and nothing of a hidden step."""
    link = {SANDBOX.at: encode_cursor(choose_shared_cursor(view))}
    shared = remove_remarks(view.scenario)
    if shared != view.scenario:
        with suppress(LinkTooLongError):  # then only this browser has the state, which the page says
            link[SANDBOX.key] = encode_scenario(shared)
    return link


def _list_questions(prompt: Prompt) -> list[str]:
    """What a class can be asked here: nothing if the engine has no answer, or the state is too long to be sent."""
    if get_about(prompt) is None:
        return []
    try:
        return [name_prompt(prompt)]
    except LinkTooLongError:
        return []


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
