"""The form that adds a request to a sandbox, or edits one."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from lab.engine.errors import LabError
from lab.sandbox.errors import RequestNameError
from lab.sandbox.request_specs import APPENDED, MAX_CALLED, MAX_TEXT, RequestSpec, find_next_name
from lab.sandbox.scenario import Scenario
from lab.sandbox.tokens import clean_text
from lab.trace.config import MAX_TOKENS
from lab.trace.operations import SEQ_ID
from lessons.sandbox import attempt as sandbox
from lessons.sandbox.fields import change, draw_remark, fill_field, get_refusal, parse_whole, refill_field, refuse
from lessons.sandbox.operations import CHOSEN
from lessons.sandbox.sentences import format_count
from lessons.state import notes
from lessons.text.translations import Translations
from lessons.widgets import cards
from lessons.widgets.question_form import draw_problem

_EDITING, _OUTCOME = "sandbox.editing", "sandbox.form_outcome"
_NAME, _OWN, _TEXT, _COUNT = "sandbox_name", "sandbox_own", "sandbox_text", "sandbox_count"
_SAME_AS, _SAME, _THEN = "sandbox_same_as", "sandbox_same", "sandbox_then"
OWN = ("text", "count")


def get_editing(scenario: Scenario) -> str:
    """Return the request being edited; "" if the form is for a new one."""
    seq_id = notes.get_note(_EDITING, "")
    return str(seq_id) if any(request.seq_id == seq_id for request in scenario.requests) else ""


def edit_request(seq_id: str) -> None:
    """In a callback: let the form edit this request."""
    scenario = sandbox.get_view().scenario
    for request in scenario.requests:
        if request.seq_id == seq_id:
            notes.set_note(_EDITING, seq_id)
            refuse("form", None)
            _fill(request)


def _fill(request: RequestSpec | None) -> None:
    """Fill the form with a request. None empties it but keeps the way its tokens are given."""
    tokens = request.own if request else ""
    refill_field(_NAME)
    if request:
        notes.set_field(_OWN, "count" if isinstance(tokens, int) else "text")
    notes.set_field(_TEXT, "" if isinstance(tokens, int) else tokens)
    notes.set_field(_COUNT, str(tokens) if isinstance(tokens, int) and tokens else "")
    notes.set_field(_SAME_AS, request.same_as if request else "")
    notes.set_field(_SAME, str(request.same) if request and request.same else "")
    notes.set_field(_THEN, request.then if request else "")


def _stop_editing() -> None:
    notes.set_note(_EDITING, "")
    refuse("form", None)
    _fill(None)


def draw_form(scenario: Scenario, editing: str, words: Translations) -> None:
    """Draw the form for a new request, or for the one being edited."""
    cards.draw_heading(3, words.text("sandbox.edit", seq_id=editing) if editing else words.text("sandbox.add_title"))
    fill_field(_OWN, "text")
    st.segmented_control(
        words.text("sandbox.own"),
        OWN,
        key=_OWN,
        required=True,
        format_func=lambda kind: words.text(f"sandbox.own_{kind}"),
    )
    names = [request.seq_id for request in scenario.requests]
    same_as = _choose_beginning(scenario, names[: names.index(editing)] if editing else names, words)
    with st.form("sandbox_wording", border=False):
        fill_field(_NAME, scenario.called[editing] if editing else find_next_name(names))
        label = words.text("sandbox.name", limit=MAX_CALLED)
        st.text_input(label, key=_NAME, max_chars=MAX_CALLED, autocomplete="off")
        if notes.get_field(_OWN) == "text":
            st.text_input(words.text("sandbox.text"), key=_TEXT, autocomplete="off")
            draw_remark(words.text("sandbox.text_note", limit=MAX_TEXT))
        else:
            key = "sandbox.count_more" if same_as else "sandbox.count"
            st.text_input(words.text(key, limit=MAX_TOKENS), key=_COUNT, max_chars=40, autocomplete="off")
        if same_as:
            tokens = len(scenario.config.request(same_as).prompt)
            label = words.text("sandbox.same_tokens", limit=MAX_TOKENS, seq_id=same_as, tokens=tokens)
            st.text_input(label, key=_SAME, max_chars=40, autocomplete="off")
            draw_remark(words.text("sandbox.same_note"))
        with st.expander(words.text("sandbox.then_title"), key="sandbox_then_box"):
            st.text_input(words.text("sandbox.then"), key=_THEN, autocomplete="off")
            draw_remark(words.text("sandbox.then_note", count=APPENDED))
        with st.container(horizontal=True):
            label = words.text("sandbox.save", seq_id=editing) if editing else words.text("sandbox.add")
            st.form_submit_button(label, type="primary", key="sandbox_submit", on_click=_submit)
            if editing:
                st.form_submit_button(words.text("sandbox.cancel"), key="sandbox_cancel", on_click=_stop_editing)
    if problem := get_refusal("form", scenario):
        draw_problem(problem, words)


def _choose_beginning(scenario: Scenario, earlier: list[str], words: Translations) -> str:
    """Draw the choice of the request that this one begins like, and return it; "" if there is none."""
    if not earlier:
        return ""
    if notes.get_field(_SAME_AS) not in earlier:
        notes.set_field(_SAME_AS, "")
    st.selectbox(
        words.text("sandbox.begins_like"),
        ["", *earlier],
        key=_SAME_AS,
        format_func=lambda name: scenario.called[name] if name else words.text("sandbox.begins_like_none"),
        on_change=_fill_same,
    )
    return str(notes.get_field(_SAME_AS))


def _fill_same() -> None:
    """Begin like all of the chosen request's prompt, until another number is typed."""
    scenario, other = sandbox.get_view().scenario, str(notes.get_field(_SAME_AS) or "")
    known = other in scenario.called
    notes.set_field(_SAME, str(len(scenario.config.request(other).prompt)) if known else "")


def _submit() -> None:
    """Add or change the request, or store what is wrong with the form."""
    scenario = sandbox.get_view().scenario
    editing = get_editing(scenario)
    try:
        request = _read_form(editing)
    except LabError as problem:
        refuse("form", problem)
        return
    if request in scenario.requests:  # pressed twice, or nothing was changed
        _stop_editing()
        _note_outcome("same", request.seq_id)
        return

    def with_it(scenario: Scenario) -> Scenario:
        others = scenario.requests
        if editing:
            return replace(scenario, requests=tuple(request if old.seq_id == editing else old for old in others))
        return replace(scenario, requests=(*others, request))

    if change("form", with_it):
        _note_outcome("saved" if editing else "added", request.seq_id)
        _stop_editing()
        notes.set_field(CHOSEN, request.seq_id)


def _note_outcome(what: str, seq_id: str) -> None:
    notes.set_note_about(sandbox.get_view().scenario, _OUTCOME, (what, seq_id))


def show_outcome(scenario: Scenario, words: Translations) -> None:
    """Say what the form did, while the scenario that it led to is in view."""
    what, seq_id = notes.get_note_about(scenario, _OUTCOME, ("", ""))
    if what:
        tokens = format_count("tokens", len(scenario.config.request(seq_id).prompt), words)
        cards.draw_headline("", words.text(f"sandbox.outcome.{what}", name=scenario.called[seq_id], tokens=tokens))


def _read_form(editing: str) -> RequestSpec:
    """Read the request from the form. Raises what RequestSpec and parse_whole raise."""
    same_as = str(notes.get_field(_SAME_AS) or "")
    same = parse_whole(notes.get_field(_SAME), "same", MAX_TOKENS) if same_as else 0
    tokens: str | int = str(notes.get_field(_TEXT) or "")
    if notes.get_field(_OWN) == "count":
        typed = str(notes.get_field(_COUNT) or "")
        tokens = parse_whole(typed, "count", MAX_TOKENS, 0 if same_as else 1) if typed.strip() or not same_as else 0
    name, called = _read_name(editing)
    return RequestSpec(name, tokens, same_as, same, str(notes.get_field(_THEN) or ""), called)


def _read_name(editing: str) -> tuple[str, str]:
    """Read the id in the engine and what people call the request. Raises RequestNameError."""
    typed = clean_text(str(notes.get_field(_NAME) or ""))
    is_id = SEQ_ID.fullmatch(typed.upper()) is not None
    if not typed or (editing and is_id and typed.upper() != editing):
        raise RequestNameError
    if is_id:
        return typed.upper(), ""
    if editing:
        return editing, typed
    names = [request.seq_id for request in sandbox.get_view().scenario.requests]
    first = typed[0].upper()
    return find_next_name(names, first if SEQ_ID.fullmatch(first) else ""), typed
