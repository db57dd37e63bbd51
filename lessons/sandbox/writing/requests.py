"""The requests of a sandbox: their list, with the form to add or edit one below it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from html import escape

import streamlit as st

from lab.engine.errors import LabError
from lab.sandbox.editing import list_entries, unfold
from lab.sandbox.errors import BegunLikeError, SameAsError
from lab.sandbox.request_specs import RequestSpec
from lab.sandbox.scenario import Scenario
from lessons.sandbox import attempt as sandbox
from lessons.sandbox.attempt import SandboxView
from lessons.sandbox.fields import change, get_refusal, refuse
from lessons.sandbox.sentences import format_count, format_operations
from lessons.sandbox.writing.request_form import draw_form, edit_request, get_editing, show_outcome
from lessons.state import notes
from lessons.text.translations import Translations
from lessons.widgets import cards
from lessons.widgets.after_page import focus_on
from lessons.widgets.question_form import draw_problem

CHIPS = 8  # tokens shown for each request
_REMOVING = "sandbox.removing"


def draw_requests(view: SandboxView, words: Translations) -> None:
    """Draw the list of requests, then the form."""
    scenario, editing = view.scenario, get_editing(view.scenario)
    for request in scenario.requests:
        _draw_row(scenario, request, words)
    if not scenario.requests:
        st.markdown(words.text("sandbox.no_requests"))
    show_outcome(scenario, words)
    if problem := get_refusal("remove", scenario):
        draw_problem(problem, words)
    removing = _get_removing(scenario)
    if removing:
        _ask_to_remove(scenario, removing, words)
    with st.container(border=True, key="sandbox_request_form"):
        draw_form(scenario, editing, words)
    target = "sandbox_remove_question" if removing else "sandbox_request_form"
    focus_on(target, key="sandbox_form_focus", stamp=f"{editing} {removing}")


# --- the list ------------------------------------------------------------------------------------------------------


def _draw_row(scenario: Scenario, request: RequestSpec, words: Translations) -> None:
    prompt = scenario.config.request(request.seq_id).prompt
    parts = [format_count("tokens", len(prompt), words)]
    if request.same:
        parts.append(
            words.text("sandbox.same_as", other=request.same_as, tokens=format_count("tokens", request.same, words))
        )
    name = words.text("sandbox.request", seq_id=request.seq_id)
    line = f"<strong>{escape(name)}</strong> · {escape(words.text('figures.semicolon').join(parts))}"
    chips = _draw_chips(scenario, prompt, words)
    if request.then:
        more = scenario.config.request(request.seq_id).continuation
        chips += f"<br>{escape(words.text('sandbox.then_gets'))} {_draw_chips(scenario, more, words)}"
    with st.container(border=True, key=f"sandbox_row_{request.seq_id}", gap="small"):
        st.html(f'<p class="kv-request">{line}<br>{chips}</p>')
        with st.container(horizontal=True):
            for name, press in (("edit", edit_request), ("remove", _remove)):
                st.button(
                    words.text(f"sandbox.{name}", seq_id=request.seq_id),
                    type="tertiary",
                    key=f"sandbox_{name}_{request.seq_id}",
                    on_click=press,
                    args=(request.seq_id,),
                )


def _draw_chips(scenario: Scenario, tokens: Iterable[int], words: Translations) -> str:
    """Draw the first tokens, each in its own box, and how many more there are."""
    texts = [scenario.token(token_id) for token_id in tokens]
    chips = " ".join(f'<span class="kv-chip"><bdi>{escape(text)}</bdi></span>' for text in texts[:CHIPS])
    rest = len(texts) - CHIPS
    return f"{chips} {escape(words.text('sandbox.more_tokens', count=rest))}" if rest > 0 else chips


# --- removing ------------------------------------------------------------------------------------------------------


def _get_removing(scenario: Scenario) -> str:
    """Return the request to be removed although operations use it; "" if there is none."""
    return str(notes.get_note_about(scenario, _REMOVING, ""))


def _remove(seq_id: str) -> None:
    """Remove a request, or ask first if operations use it."""
    scenario = sandbox.get_view().scenario
    try:
        _remove_request(scenario, seq_id)
    except SameAsError as problem:
        refuse("remove", BegunLikeError(seq_id=seq_id, other=problem.numbers["seq_id"]))
        return
    except LabError as problem:  # the steps that are left cannot run
        refuse("remove", problem)
        return
    notes.set_note_about(scenario, _REMOVING, seq_id)
    if not any(operation.seq_id == seq_id for operation in scenario.operations):
        _remove_with_operations()


def _remove_with_operations() -> None:
    seq_id = _get_removing(sandbox.get_view().scenario)
    notes.set_note(_REMOVING, None)
    if seq_id:
        change("remove", lambda scenario: _remove_request(scenario, seq_id))


def _keep_request() -> None:
    notes.set_note(_REMOVING, None)


def _remove_request(scenario: Scenario, seq_id: str) -> Scenario:
    """Return the scenario without the request and its operations. Raises what Scenario raises."""
    others = tuple(request for request in scenario.requests if request.seq_id != seq_id)
    entries = [each for each in list_entries(scenario) if each.kind == "decode" or each.operation.seq_id != seq_id]
    return unfold(replace(scenario.up_to(0), requests=others), entries)


def _ask_to_remove(scenario: Scenario, seq_id: str, words: Translations) -> None:
    lost = [operation for operation in scenario.operations if operation.seq_id == seq_id]
    with st.container(border=True, key="sandbox_remove_question"):
        cards.draw_heading(3, words.text("sandbox.remove_title", seq_id=seq_id))
        st.markdown(
            words.text("sandbox.remove_asked", seq_id=seq_id, count=len(lost), lost=format_operations(lost, words))
        )
        with st.container(horizontal=True):
            label = words.text("sandbox.remove_both")
            st.button(label, type="primary", key="sandbox_remove_both", on_click=_remove_with_operations)
            st.button(words.text("sandbox.keep"), key="sandbox_remove_keep", on_click=_keep_request)
