"""The question before a key step of a prepared scenario, and the point after it; for who learns alone, and for a class.

When the page is presented the point is covered until it is revealed, and `pane` tells where in the questions one is.
Nothing here tells of a question that is still to come what would answer an earlier one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import escape

import streamlit as st

from lab.activities.attempt import Cursor, cursor_text
from lab.sandbox.library import LIBRARY, Note, Prepared, as_prepared, note_after, note_before, told
from lab.sandbox.library import notes as notes_of
from lessons.presenter import presenter
from lessons.sandbox import attempt
from lessons.sandbox.attempt import TRACK, SandboxPlace
from lessons.sandbox.link_input import passed_on
from lessons.sandbox.share import prepared_title
from lessons.state import attempts
from lessons.text.sentences import said, say_operation
from lessons.text.translations import WordsOf
from lessons.widgets import cards
from lessons.widgets.announce import say_aloud
from lessons.widgets.focus import focus_on

_PRESSED = "sandbox_notes.pressed"


def notes(here: SandboxPlace, words: WordsOf) -> None:
    """Draw the note of the place in view; where a scenario is not a prepared one, nothing.

    The point of the step just made comes before the question about the next.
    """
    prepared = _prepared(here)
    if prepared is None:
        return
    with st.container(key="sandbox_notes", gap="small"):
        cards.heading(2, prepared_title(prepared.id, words))
        if not as_prepared(prepared, here.scenario, here.cursor.step):
            st.markdown(words.text("present.note.left"))
            _button("back", words.text("present.note.back"), attempt.reset)
        else:
            covered = _point(here, words)
            _question(here, prepared, words, covered=covered)
    focus_on("sandbox_notes", key="sandbox_notes_focus", stamp=str(attempts.noted(_PRESSED, 0)))


def asked(here: SandboxPlace) -> Note | None:
    """The key step whose question is in view: the next one, or the one that the cursor stands in."""
    if here.problem is not None:
        return None
    return note_before(here.scenario, here.cursor.step - (here.cursor.event is not None))


def to_be_asked(here: SandboxPlace) -> Note | None:
    """The next question of the prepared way, in view or ahead, if one is left.

    Then nothing may tell what the operations ahead did, nor which ones lie behind the one that it is about.
    """
    prepared = _prepared(here)
    if prepared is None or not as_prepared(prepared, here.scenario, here.cursor.step):
        return None
    return asked(here) or _following(here, prepared)


def stops(here: SandboxPlace) -> list[int]:
    """Where playing pauses, as numbers of operations done: before each key step, and behind it for its point."""
    if here.problem is not None:
        return []
    scenario = here.scenario
    places = range(len(scenario.operations) + 1)
    return [at for at in places if note_before(scenario, at) or note_after(scenario, at)]


def pane(here: SandboxPlace, words: WordsOf) -> None:
    """What a presenter wants to know: where one is in the log, the questions so far, and when the others come.

    A class sees it too, so a question is worded once it is in view, and only the next one's operation is named.
    """
    step, total = here.cursor.step, len(here.scenario.operations)
    cards.heading(2, words.text("present.pane.title"))
    st.markdown(words.text("present.pane.place", step=step, total=total))
    prepared = _prepared(here)
    if prepared is None:
        st.markdown(words.text("present.pane.none"))
    elif not as_prepared(prepared, here.scenario, step):
        st.markdown(words.text("present.note.left"))
    else:
        st.html(f'<ol class="kv-notes">{"".join(_rows(here, prepared, words))}</ol>')
    with st.expander(words.text("present.keys"), key="pane_keys"):
        presenter.key_list("sandbox", words)


def make_step(note: Note) -> None:
    """Go behind the key step: along the log where it lies ahead, else by doing it. Anywhere else nothing happens."""
    here = attempt.place()
    if asked(here) != note:
        return
    ahead = here.scenario.operations[: note.step]
    if ahead == note.prepared.scenario.operations[: note.step]:
        attempt.move(Cursor(note.step))
    else:
        attempt.act(note.prepared.scenario.operations[note.step - 1], note.step - 1)


def _prepared(here: SandboxPlace) -> Prepared | None:
    """The prepared scenario that the one in view began as; None where there is none, and behind a broken link."""
    return LIBRARY.get(here.scenario.key) if here.problem is None else None


# --- the parts -----------------------------------------------------------------------------------------------------


def _point(here: SandboxPlace, words: WordsOf) -> bool:
    """Draw the point of the step just made, if it has one. Returns whether it is covered."""
    note = note_after(here.scenario, here.cursor.step) if here.cursor.event is None else None
    if note is None:
        return False
    if presenter.covered():
        presenter.cover("point", words)
        presenter.passes_on(**{TRACK.at: cursor_text(passed_on(here))})
        return True
    _card("point", words.text("present.note.point", **_number(note)), _said(note.point, note, words))
    return False


def _question(here: SandboxPlace, prepared: Prepared, words: WordsOf, *, covered: bool) -> None:
    """Draw the question, or the way to the next; behind the last point, once it is not `covered`, what sums all up."""
    note = asked(here)
    if note is not None:
        _card("ask", words.text("present.note.ask", **_number(note)), _said(note.ask, note, words))
        if presenter.on():
            presenter.revealed_by(partial(make_step, note))
        else:
            _button("make_step", words.text("present.note.make_step"), make_step, note)
        return
    following = _following(here, prepared)
    if following is None:
        if not covered:
            sum_up = words.text(told(prepared.id)) if words.has(told(prepared.id)) else ""
            total = len(prepared.steps)
            key = "present.note.finished_one" if total == 1 else "present.note.finished"
            cards.headline(sum_up, words.text(key, total=total))
    elif as_prepared(prepared, here.scenario, following.step - 1):
        label = words.text("present.note.to_question", number=following.number)
        _button("to_question", label, _go_to, following)


def _following(here: SandboxPlace, prepared: Prepared) -> Note | None:
    """The first key step that has not been made."""
    return next((note for note in notes_of(prepared) if note.step > here.cursor.step), None)


def _go_to(note: Note) -> None:
    """Go to where the question is asked."""
    here = attempt.place()
    if as_prepared(note.prepared, here.scenario, note.step - 1):
        attempt.move(Cursor(note.step - 1))


def _rows(here: SandboxPlace, prepared: Prepared, words: WordsOf) -> list[str]:
    """Every question with how it stands: asked, now, next or later; worded as far as it is asked."""
    now, following, rows = asked(here), _following(here, prepared), []
    for note in notes_of(prepared):
        ahead = following is not None and note.number > following.number
        stands = "now" if note == now else "next" if note == following else "later" if ahead else "asked"
        operation = say_operation(prepared.scenario.operations[note.step - 1], words)
        if stands == "later":
            text = words.text("present.pane.before_later", step=note.step)
        elif stands == "next":
            text = words.text("present.pane.before_next", step=note.step, operation=operation)
        else:
            before = words.text("present.pane.before", step=note.step, operation=operation)
            text = f"{before} {_said(note.ask, note, words)}"
        mark = ' aria-current="step"' if stands == "now" else ""
        rows.append(
            f'<li class="{stands}"{mark}><strong>{escape(words.text(f"present.pane.{stands}"))}</strong> '
            f"{escape(text)}</li>"
        )
    return rows


def _said(key: str, note: Note, words: WordsOf) -> str:
    """The words of a note with the numbers of its run."""
    from lab.sandbox.facts import facts  # noqa: PLC0415  (torch: after the warm-up)

    return words.text(key, **said(facts(note), words))


def _number(note: Note) -> dict[str, int]:
    return {"number": note.number, "total": len(note.prepared.steps)}


def _card(kind: str, lead: str, text: str) -> None:
    """`kind`: "ask" or "point". A screen reader says a point when it comes."""
    if kind == "point":
        say_aloud(lead, text)
    st.html(f'<div class="kv-note {kind}"><p class="lead">{escape(lead)}</p><p>{escape(text)}</p></div>')


def _button(name: str, label: str, press: Callable[..., object], *args: object) -> None:
    """A button that is gone once it is pressed: the keyboard goes to the notes."""

    def pressed() -> None:
        attempts.note(_PRESSED, int(attempts.noted(_PRESSED, 0)) + 1)
        press(*args)

    st.button(label, key=f"sandbox_notes_{name}", on_click=pressed)
