"""The question before a key step of a prepared scenario, and the point after it; for who learns alone, and for a class.

When the page is presented the point is covered until it is revealed, and `pane` gives the presenter all questions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import escape

import streamlit as st

from lab.link import Cursor
from lab.sandbox.library import LIBRARY, Note, Prepared, note_after, note_before
from lab.sandbox.library import notes as notes_of
from lessons import cards, present, sandbox_place, state
from lessons.focus import focus_on
from lessons.sandbox_place import SandboxPlace
from lessons.sandbox_share import prepared_title
from lessons.say import say_operation
from lessons.text import WordsOf

_PRESSED = "sandbox_notes.pressed"


def notes(here: SandboxPlace, words: WordsOf) -> None:
    """Draw the note of the place in view; where a scenario is not a prepared one, nothing.

    The point of the step just made comes before the question about the next.
    """
    prepared = LIBRARY.get(here.scenario.key)
    if prepared is None or here.problem is not None:
        return
    with st.container(key="sandbox_notes", gap="small"):
        cards.heading(2, prepared_title(prepared.id, words))
        if not _on_the_way(here, prepared, here.cursor.step):
            st.markdown(words.text("present.note.left"))
            _button("back", words.text("present.note.back"), sandbox_place.reset)
        else:
            _point(here, words)
            _question(here, prepared, words)
    focus_on("sandbox_notes", key="sandbox_notes_focus", stamp=str(state.noted(_PRESSED, 0)))


def asked(here: SandboxPlace) -> Note | None:
    """The key step whose question is in view: the next one, or the one that the cursor stands in."""
    if here.problem is not None:
        return None
    return note_before(here.scenario, here.cursor.step - (here.cursor.event is not None))


def to_be_asked(here: SandboxPlace) -> bool:
    """Does a question of the prepared way still lie ahead? Then nothing may tell what the operations ahead did."""
    prepared = LIBRARY.get(here.scenario.key)
    if prepared is None or here.problem is not None:
        return False
    return _on_the_way(here, prepared, here.cursor.step) and (
        asked(here) is not None or _following(here, prepared) is not None
    )


def pane(here: SandboxPlace, words: WordsOf) -> None:
    """What a presenter wants to know: where one is in the log, every question, and which of them is next."""
    step, total = here.cursor.step, len(here.scenario.operations)
    cards.heading(2, words.text("present.pane.title"))
    st.markdown(words.text("present.pane.place", step=step, total=total))
    prepared = LIBRARY.get(here.scenario.key)
    if prepared is None or here.problem is not None:
        st.markdown(words.text("present.pane.none"))
    elif not _on_the_way(here, prepared, step):
        st.markdown(words.text("present.note.left"))
    else:
        st.html(f'<ol class="kv-notes">{"".join(_rows(here, prepared, words))}</ol>')
    with st.expander(words.text("present.keys"), key="pane_keys"):
        present.key_list("sandbox", words)


def make_step(note: Note) -> None:
    """Go behind the key step: along the log where it lies ahead, else by doing it. Anywhere else nothing happens."""
    here = sandbox_place.place()
    if asked(here) != note:
        return
    ahead = here.scenario.operations[: note.step]
    if ahead == note.prepared.scenario.operations[: note.step]:
        sandbox_place.move(Cursor(note.step))
    else:
        sandbox_place.act(note.prepared.scenario.operations[note.step - 1], note.step - 1)


# --- the parts -----------------------------------------------------------------------------------------------------


def _point(here: SandboxPlace, words: WordsOf) -> None:
    note = note_after(here.scenario, here.cursor.step) if here.cursor.event is None else None
    if note is None:
        return
    if present.covered():
        present.cover("point", words)
    else:
        _card("point", words.text("present.note.point", **_number(note)), _said(note.point, note, words))


def _question(here: SandboxPlace, prepared: Prepared, words: WordsOf) -> None:
    note = asked(here)
    if note is not None:
        _card("ask", words.text("present.note.ask", **_number(note)), _said(note.ask, note, words))
        if present.on():
            present.revealed_by(partial(make_step, note))
        else:
            _button("make_step", words.text("present.note.make_step"), make_step, note)
        return
    following = _following(here, prepared)
    if following is None:
        st.markdown(words.text("present.note.finished", total=len(prepared.steps)))
    elif _on_the_way(here, prepared, following.step - 1):
        label = words.text("present.note.to_question", number=following.number)
        _button("to_question", label, _go_to, following)


def _following(here: SandboxPlace, prepared: Prepared) -> Note | None:
    """The first key step that has not been made."""
    return next((note for note in notes_of(prepared) if note.step > here.cursor.step), None)


def _go_to(note: Note) -> None:
    """Go to where the question is asked."""
    here = sandbox_place.place()
    if _on_the_way(here, note.prepared, note.step - 1):
        sandbox_place.move(Cursor(note.step - 1))


def _rows(here: SandboxPlace, prepared: Prepared, words: WordsOf) -> list[str]:
    """Every question with how it stands: asked, now, next or later."""
    now, following, rows = asked(here), _following(here, prepared), []
    for note in notes_of(prepared):
        stands = "now" if note == now else "next" if note == following else "later" if following else "asked"
        if stands == "later" and following is not None and note.number < following.number:
            stands = "asked"
        operation = say_operation(prepared.scenario.operations[note.step - 1], words)
        before = words.text("present.pane.before", step=note.step, operation=operation)
        mark = ' aria-current="step"' if stands == "now" else ""
        rows.append(
            f'<li class="{stands}"{mark}><strong>{escape(words.text(f"present.pane.{stands}"))}</strong> '
            f"{escape(before)} {escape(_said(note.ask, note, words))}</li>"
        )
    return rows


def _on_the_way(here: SandboxPlace, prepared: Prepared, step: int) -> bool:
    """Is the scenario the prepared one, as far as its first `step` operations?"""
    operations = here.scenario.operations
    return len(operations) >= step and prepared.scenario.up_to(step) == here.scenario.up_to(step)


def _said(key: str, note: Note, words: WordsOf) -> str:
    """The words of a note with the numbers of its run."""
    from lab.sandbox.facts import facts  # noqa: PLC0415  (torch: after the warm-up)

    return words.text(key, **facts(note))


def _number(note: Note) -> dict[str, int]:
    return {"number": note.number, "total": len(note.prepared.steps)}


def _card(kind: str, lead: str, text: str) -> None:
    """`kind`: "ask" or "point". A screen reader says a point when it comes."""
    role = ' role="status"' if kind == "point" else ""
    st.html(f'<div class="kv-note {kind}"{role}><p class="lead">{escape(lead)}</p><p>{escape(text)}</p></div>')


def _button(name: str, label: str, press: Callable[..., object], *args: object) -> None:
    """A button that is gone once it is pressed: the keyboard goes to the notes."""

    def pressed() -> None:
        state.note(_PRESSED, int(state.noted(_PRESSED, 0)) + 1)
        press(*args)

    st.button(label, key=f"sandbox_notes_{name}", on_click=pressed)
