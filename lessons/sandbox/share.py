"""Share a state of the sandbox: as a file, a saved scenario or a QR code; and open another.

The button that copies the link is at the top of the page, as on every page.
"""

from __future__ import annotations

import streamlit as st

from lab.engine.errors import LabError
from lab.sandbox.errors import LinkTooLongError
from lab.sandbox.files import MAX_NAME
from lab.sandbox.scenario import State
from lessons.sandbox import beside, link_input, saved_scenarios
from lessons.sandbox.attempt import SandboxView
from lessons.sandbox.files import count_files, open_file, save
from lessons.sandbox.replay_page import offer_page
from lessons.state import attempts, notes
from lessons.text.scenario_texts import format_title
from lessons.text.sentences import format_error
from lessons.text.translations import Translations
from lessons.widgets import cards
from lessons.widgets.phone_address import choose_phone_address
from lessons.widgets.qr_code import draw_page_code

NAME = "kept.name"  # widget key; emptied by "forget me"
_KEPT = "scenarios.kept"


def draw_share(view: SandboxView, words: Translations) -> None:
    """Draw one row: share the state, open another, and a link to the library."""
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="sandbox_share"):
        with st.popover(words.text("scenarios.share"), key="share_state"):
            save(_get_state(view), words, "save_state")
            offer_page(view.scenario, words.language, "save_page", beside.get_engine(view), view.cursor)
            _draw_save(view, words)
        if st.button(words.text("scenarios.qr"), key="show_qr"):
            # In a dialog the code is large enough to scan from the seats.
            st.dialog(words.text("scenarios.qr_title"), width="large")(_draw_qr)(view, words)
        # The key changes with each opened file, so that the popover closes.
        with st.popover(words.text("scenarios.open"), key=f"open_state_{count_files()}"):
            open_file(words)
        st.page_link("library/page.py", label=words.text("scenarios.library"), query_params=attempts.get_link())


def _get_state(view: SandboxView) -> State:
    return State(view.scenario, view.cursor.step)


def _draw_qr(view: SandboxView, words: Translations) -> None:
    try:
        params = link_input.build_parameters(view)
    except LinkTooLongError as problem:
        st.info(format_error(problem, words))
        return
    page = choose_phone_address("qr_host", words)
    if page != attempts.get_page_address():
        st.info(words.text("scenarios.qr_others"))
    draw_page_code(page, params, words)


def _draw_save(view: SandboxView, words: Translations) -> None:
    """Draw a form to save the state. Its result stays below while that state is in view."""
    default = format_title(view.scenario, words) or words.text("scenarios.default_name")
    state = _get_state(view)
    with st.form("keep_form", border=False):
        label = words.text("scenarios.name")
        st.text_input(label, key=NAME, max_chars=MAX_NAME, placeholder=default, autocomplete="off")
        label = words.text("scenarios.keep")
        st.form_submit_button(label, key="keep_state", on_click=_save, args=(state, default))
    result: str | LabError | None = notes.get_note_about(state, _KEPT)
    if isinstance(result, LabError):
        st.warning(format_error(result, words))
    elif result:
        cards.draw_headline(words.text("scenarios.kept_as"), result)


def _save(state: State, default: str) -> None:
    try:
        result: str | LabError = saved_scenarios.save(
            saved_scenarios.clean_name(str(notes.get_field(NAME) or "")) or default, state
        )
        notes.set_field(NAME, "")
    except LabError as problem:
        result = problem
    notes.set_note_about(state, _KEPT, result)
