"""Ask questions: a field for every form of answer, its problem, how sure the learner is, and the button.

An answer that cannot be read is not committed: the problem is shown below its field, and it costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import streamlit as st

from lab.activities.answer import parse
from lab.activities.question import LEVELS, Question, Sure, Value
from lab.engine.errors import InvalidAnswerError, LabError
from lessons.state import notes
from lessons.text.sentences import format_error
from lessons.text.translations import Translations
from lessons.widgets.keep_choices import keep_choices

MAX_TEXT = 1000  # characters of a text in one's own words

Commit = Callable[[tuple[Value, ...], tuple[Sure | None, ...]], None]


@dataclass(frozen=True)
class Field:
    """A question as it is drawn.

    key            of its widget, and how the keys of its parts and of its sureness begin.
    format_choice  returns the text of a choice.
    sure           how sureness is asked: with a box (ticked: sure, else think), which needs less room; on the whole
                   scale, of which one level must be chosen; or not at all.
    """

    question: Question
    key: str
    label: str
    format_choice: Callable[[Any], str] = str
    sure: Literal["box", "scale"] | None = None

    @property
    def sure_key(self) -> str:
        """The key of its sureness."""
        return f"{self.key}.sure"


def ask_questions(
    name: str,
    fields: Sequence[Field],
    commit: Commit,
    words: Translations,
    *,
    submit: str = "task.commit",
    key: str = "commit",
    lead: str = "",
    columns: int = 1,
    beside: bool = False,
) -> None:
    """Draw a form. The button with the text `submit` (its key) commits once every answer can be read.

    A question about cells is in no form, so that its field and the picture always show the same cells. `beside`: other
    questions are on the page, so neither the frame nor the button stands out.
    """
    live = any(field.question.form == "set" for field in fields)
    keep_choices(name, [field.key for field in fields], words.language)
    with st.container(border=True, key=name) if live else st.form(name, border=not beside):
        if lead:
            st.markdown(lead)
        parts = st.columns(columns, gap="large") if columns > 1 else [st.container()]
        for i, field in enumerate(fields):
            with parts[(i * columns + columns - 1) // len(fields)], st.container(border=len(fields) > 1):
                _draw_field(field, words)
                if field.question.form == "set":
                    notes.set_problem(field.key, _read(field)[1])
                draw_problem(notes.get_problem(field.key), words)
                _ask_sureness(field, words)
        problems = sum(bool(notes.get_problem(each)) for field in fields for each in (field.key, field.sure_key))
        if problems and len(fields) > 1:
            st.markdown(f":red[**{words.text('task.format_note', count=problems)}**]")
        button = st.button if live else st.form_submit_button
        kind: Literal["primary", "secondary"] = "secondary" if beside else "primary"
        button(words.text(submit), type=kind, key=key, on_click=_submit, args=(fields, commit))


def ask_at_once(field: Field, commit: Callable[[Value], None], words: Translations) -> None:
    """Draw a field that commits as soon as an answer is chosen, or typed and confirmed with Enter."""

    def change() -> None:
        value, problem = _read(field)
        notes.set_problem(field.key, problem if notes.get_field(field.key) else None)
        if value is not None:
            commit(value)

    _draw_field(field, words, change)
    draw_problem(notes.get_problem(field.key), words)


def ask_for_text(
    key: str,
    label: str,
    saved: str,
    save: Callable[[str], None],
    words: Translations,
    *,
    submit: tuple[str, str],
    skip: tuple[str, str] | None = None,
    lead: str = "",
) -> None:
    """Draw a field for the learner's own words, with the `saved` ones. `submit`, `skip`: text and key of the buttons.

    An empty text is not saved by `submit`, only by `skip`.
    """
    if saved and (not notes.get_note(f"loaded.{key}") or notes.get_field(key) is None):
        notes.set_note(f"loaded.{key}", True)  # Streamlit empties the field while it is not in view
        notes.set_field(key, saved)

    def hand_in() -> None:
        text = str(notes.get_field(key) or "")[:MAX_TEXT]
        notes.set_problem(key, None if text.strip() else InvalidAnswerError(reason="no_text"))
        if text.strip():
            save(text)

    with st.form(f"{key}.form", border=False):
        st.text_area(label, key=key, max_chars=MAX_TEXT)
        draw_problem(notes.get_problem(key), words)
        if lead:
            st.markdown(lead)
        with st.container(horizontal=True):
            st.form_submit_button(words.text(submit[0]), key=submit[1], on_click=hand_in)
            if skip:
                label = words.text(skip[0])
                st.form_submit_button(label, type="tertiary", key=skip[1], on_click=save, args=("",))


def draw_problem(problem: LabError | None, words: Translations) -> None:
    """Say what is wrong with a field, below it."""
    if problem is not None:
        st.markdown(f":red[▲ {format_error(problem, words)}]")


def _keep_choice(key: str, words: Translations) -> None:
    """Choose again after a change of language, as the browser knows a choice by its text. Before it is drawn."""
    value, drawn_in = notes.get_field(key), notes.get_note(f"language.{key}")
    if value is not None and drawn_in not in (None, words.language):
        notes.set_field(key, value)
    notes.set_note(f"language.{key}", words.language)


def _draw_field(field: Field, words: Translations, change: Callable[[], None] | None = None) -> None:
    question, label, key = field.question, field.label, field.key
    if question.form in ("choice", "yes_no"):
        _keep_choice(key, words)
        st.radio(
            label,
            question.choices,
            index=None,
            horizontal=question.form == "yes_no",
            key=key,
            format_func=field.format_choice,
            on_change=change,
        )
    elif question.form in ("several", "order"):
        st.markdown(label)
        for choice in question.choices:
            text, part = field.format_choice(choice), f"{key}.{choice}"
            if question.form == "several":
                st.checkbox(text, key=part)
            else:
                st.radio(text, range(1, len(question.choices) + 1), index=None, horizontal=True, key=part)
    else:
        most = 400 if question.form == "set" else 40
        st.text_input(label, key=key, max_chars=most, autocomplete="off", on_change=change)


def _ask_sureness(field: Field, words: Translations) -> None:
    if field.sure == "box":
        st.checkbox(words.text("task.sure"), key=field.sure_key)
    elif field.sure == "scale":
        _keep_choice(field.sure_key, words)
        st.radio(
            words.text("quiz_page.sure_ask"),
            LEVELS,
            index=None,
            horizontal=True,
            key=field.sure_key,
            format_func=lambda level: words.text(f"quiz_page.sure.{level}"),
        )
        draw_problem(notes.get_problem(field.sure_key), words)


def _submit(fields: Sequence[Field], commit: Commit) -> None:
    """Commit the answers if all fields can be read; else keep the problem of each field."""
    values: list[Value] = []
    sure: list[Sure | None] = []
    for field in fields:
        value, problem = _read(field)
        level = _read_sureness(field)
        unsure = field.sure is not None and level is None
        notes.set_problem(field.key, problem)
        notes.set_problem(field.sure_key, InvalidAnswerError(reason="no_choice") if unsure else None)
        if value is not None and not unsure:
            values.append(value)
            sure.append(level)
    if len(values) == len(fields):
        commit(tuple(values), tuple(sure))


def _read(field: Field) -> tuple[Value | None, InvalidAnswerError | None]:
    """The answer in the field, or why it cannot be read."""
    try:
        return parse(field.question, _read_widgets(field)), None
    except InvalidAnswerError as problem:
        return None, problem


def _read_widgets(field: Field) -> str | int | Iterable[str] | None:
    ids = [str(choice) for choice in field.question.choices]
    parts = {each: notes.get_field(f"{field.key}.{each}") for each in ids}
    if field.question.form == "several":
        return [each for each in ids if parts[each]]
    if field.question.form == "order":
        if sorted(place or 0 for place in parts.values()) != list(range(1, len(ids) + 1)):
            return []
        return sorted(ids, key=lambda each: int(parts[each] or 0))
    typed: str | int | None = notes.get_field(field.key)
    return typed


def _read_sureness(field: Field) -> Sure | None:
    given = notes.get_field(field.sure_key)
    if field.sure == "box":
        return "sure" if given else "think"
    return next((level for level in LEVELS if level == given), None) if field.sure else None
