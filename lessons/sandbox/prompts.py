"""The question before a key step of a prepared scenario, and the point after it; for who learns alone, and for a class.

When the page is presented the point is covered until it is revealed, and `pane` tells where in the questions one is.
Nothing here tells of a question that is still to come what would answer an earlier one.
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
)
from lab.sandbox.library import list_prompts as notes_of
from lessons.presenter import presenter
from lessons.sandbox import attempt
from lessons.sandbox.attempt import TRACK, SandboxAttempt
from lessons.sandbox.link_input import choose_shared_cursor
from lessons.sandbox.share import format_title
from lessons.state import attempts, presenting
from lessons.text.sentences import format_operation, format_values
from lessons.text.translations import Translations
from lessons.widgets import cards
from lessons.widgets.announce import announce
from lessons.widgets.focus import focus_on

_PRESSED = "sandbox_notes.pressed"


def draw_prompt(here: SandboxAttempt, words: Translations) -> None:
    """Draw the note of the place in view; where a scenario is not a prepared one, nothing.

    The point of the step just made comes before the question about the next.
    """
    prepared = _get_prepared(here)
    if prepared is None:
        return
    with st.container(key="sandbox_notes", gap="small"):
        cards.draw_heading(2, format_title(prepared.id, words))
        if not is_as_prepared(prepared, here.scenario, here.cursor.step):
            st.markdown(words.text("present.note.left"))
            _draw_button("back", words.text("present.note.back"), attempt.reset)
        else:
            covered = _draw_point(here, words)
            _draw_question(here, prepared, words, covered=covered)
    focus_on("sandbox_notes", key="sandbox_notes_focus", stamp=str(attempts.get_note(_PRESSED, 0)))


def get_asked(here: SandboxAttempt) -> Prompt | None:
    """The key step whose question is in view: the next one, or the one that the cursor stands in."""
    if here.problem is not None:
        return None
    return get_prompt_before(here.scenario, here.cursor.step - (here.cursor.event is not None))


def get_next_asked(here: SandboxAttempt) -> Prompt | None:
    """The next question of the prepared way, in view or ahead, if one is left.

    Then nothing may tell what the operations ahead did, nor which ones lie behind the one that it is about.
    """
    prepared = _get_prepared(here)
    if prepared is None or not is_as_prepared(prepared, here.scenario, here.cursor.step):
        return None
    return get_asked(here) or _find_following(here, prepared)


def list_stops(here: SandboxAttempt) -> list[int]:
    """Where playing pauses, as numbers of operations done: before each key step, and behind it for its point."""
    if here.problem is not None:
        return []
    scenario = here.scenario
    places = range(len(scenario.operations) + 1)
    return [at for at in places if get_prompt_before(scenario, at) or get_prompt_after(scenario, at)]


def draw_pane(here: SandboxAttempt, words: Translations) -> None:
    """What a presenter wants to know: where one is in the log, the questions so far, and when the others come.

    A class sees it too, so a question is worded once it is in view, and only the next one's operation is named.
    """
    step, total = here.cursor.step, len(here.scenario.operations)
    cards.draw_heading(2, words.text("present.pane.title"))
    st.markdown(words.text("present.pane.place", step=step, total=total))
    prepared = _get_prepared(here)
    if prepared is None:
        st.markdown(words.text("present.pane.none"))
    elif not is_as_prepared(prepared, here.scenario, step):
        st.markdown(words.text("present.note.left"))
    else:
        st.html(f'<ol class="kv-notes">{"".join(_list_rows(here, prepared, words))}</ol>')
    with st.expander(words.text("present.keys"), key="pane_keys"):
        presenter.draw_keys("sandbox", words)


def make_step(note: Prompt) -> None:
    """Go behind the key step: along the log where it lies ahead, else by doing it. Anywhere else nothing happens."""
    here = attempt.place()
    if get_asked(here) != note:
        return
    ahead = here.scenario.operations[: note.step]
    if ahead == note.prepared.scenario.operations[: note.step]:
        attempt.move(Cursor(note.step))
    else:
        attempt.operate(note.prepared.scenario.operations[note.step - 1], note.step - 1)


def _get_prepared(here: SandboxAttempt) -> Prepared | None:
    """The prepared scenario that the one in view began as; None where there is none, and behind a broken link."""
    return LIBRARY.get(here.scenario.key) if here.problem is None else None


# --- the parts -----------------------------------------------------------------------------------------------------


def _draw_point(here: SandboxAttempt, words: Translations) -> bool:
    """Draw the point of the step just made, if it has one. Returns whether it is covered."""
    note = get_prompt_after(here.scenario, here.cursor.step) if here.cursor.event is None else None
    if note is None:
        return False
    if presenting.hide_answer():
        presenter.draw_placeholder("point", words)
        presenting.set_student_link(**{TRACK.at: encode_cursor(choose_shared_cursor(here))})
        return True
    _draw_card(
        "point", words.text("present.note.point", **_number_prompt(note)), _format_prompt(note.point, note, words)
    )
    return False


def _draw_question(here: SandboxAttempt, prepared: Prepared, words: Translations, *, covered: bool) -> None:
    """Draw the question, or the way to the next; behind the last point, once it is not `covered`, what sums all up."""
    note = get_asked(here)
    if note is not None:
        _draw_card("ask", words.text("present.note.ask", **_number_prompt(note)), _format_prompt(note.ask, note, words))
        if presenting.is_on():
            presenting.set_reveal(partial(make_step, note))
        else:
            _draw_button("make_step", words.text("present.note.make_step"), make_step, note)
        return
    following = _find_following(here, prepared)
    if following is None:
        if not covered:
            sum_up = words.text(get_summary_key(prepared.id)) if words.has(get_summary_key(prepared.id)) else ""
            total = len(prepared.steps)
            key = "present.note.finished_one" if total == 1 else "present.note.finished"
            cards.draw_headline(sum_up, words.text(key, total=total))
    elif is_as_prepared(prepared, here.scenario, following.step - 1):
        label = words.text("present.note.to_question", number=following.number)
        _draw_button("to_question", label, _go_to, following)


def _find_following(here: SandboxAttempt, prepared: Prepared) -> Prompt | None:
    """The first key step that has not been made."""
    return next((note for note in notes_of(prepared) if note.step > here.cursor.step), None)


def _go_to(note: Prompt) -> None:
    """Go to where the question is asked."""
    here = attempt.place()
    if is_as_prepared(note.prepared, here.scenario, note.step - 1):
        attempt.move(Cursor(note.step - 1))


def _list_rows(here: SandboxAttempt, prepared: Prepared, words: Translations) -> list[str]:
    """Every question with how it stands: asked, now, next or later; worded as far as it is asked."""
    now, following, rows = get_asked(here), _find_following(here, prepared), []
    for note in notes_of(prepared):
        ahead = following is not None and note.number > following.number
        stands = "now" if note == now else "next" if note == following else "later" if ahead else "asked"
        operation = format_operation(prepared.scenario.operations[note.step - 1], words)
        if stands == "later":
            text = words.text("present.pane.before_later", step=note.step)
        elif stands == "next":
            text = words.text("present.pane.before_next", step=note.step, operation=operation)
        else:
            before = words.text("present.pane.before", step=note.step, operation=operation)
            text = f"{before} {_format_prompt(note.ask, note, words)}"
        mark = ' aria-current="step"' if stands == "now" else ""
        rows.append(
            f'<li class="{stands}"{mark}><strong>{escape(words.text(f"present.pane.{stands}"))}</strong> '
            f"{escape(text)}</li>"
        )
    return rows


def _format_prompt(key: str, note: Prompt, words: Translations) -> str:
    """The words of a note with the numbers of its run."""
    return words.text(key, **format_values(collect_values(note), words))


def _number_prompt(note: Prompt) -> dict[str, int]:
    return {"number": note.number, "total": len(note.prepared.steps)}


def _draw_card(kind: str, lead: str, text: str) -> None:
    """`kind`: "ask" or "point". A screen reader says a point when it comes."""
    if kind == "point":
        announce(lead, text)
    st.html(f'<div class="kv-note {kind}"><p class="lead">{escape(lead)}</p><p>{escape(text)}</p></div>')


def _draw_button(name: str, label: str, press: Callable[..., object], *args: object) -> None:
    """A button that is gone once it is pressed: the keyboard goes to the notes."""

    def pressed() -> None:
        attempts.set_note(_PRESSED, int(attempts.get_note(_PRESSED, 0)) + 1)
        press(*args)

    st.button(label, key=f"sandbox_notes_{name}", on_click=pressed)
