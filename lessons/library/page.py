"""The library page: prepared scenarios, saved scenarios and files. Each opens in the sandbox."""

from __future__ import annotations

import streamlit as st

from lab.engine.errors import LabError
from lab.sandbox.files import write_lecture
from lab.sandbox.library import LIBRARY
from lessons.activity.flow import wait_for_engine
from lessons.library.cards import GROUPS, OPENED, STYLE, draw_prepared_card, draw_saved_card, turn_to_it
from lessons.sandbox import saved_scenarios
from lessons.sandbox.files import FILE_NAME, format_reason, open_file
from lessons.sandbox.saved_scenarios import SavedScenario
from lessons.state import attempts, notes, record
from lessons.text.translations import Translations
from lessons.text.translations import get_translations as words_of
from lessons.widgets import cards


def _draw_saved(words: Translations) -> None:
    """Draw the saved scenarios, and why one of them could not be opened."""
    cards.draw_heading(2, words.text("scenarios.own"))
    if not record.is_known():  # the browser has not sent its record yet
        return
    saved = saved_scenarios.get_saved()
    st.markdown(words.text("scenarios.own_lead" if saved else "scenarios.own_empty"))
    if (problem := notes.pop_flash()) is not None:
        st.warning(words.text("scenarios.file_problem", reason=format_reason(problem, words)))
    with st.container(key="shelf_own"):
        for number, each in enumerate(saved, 1):
            draw_saved_card(each, (number, len(saved)), words)
    if len(saved) > 1:
        _draw_whole(saved, words)


def _draw_whole(saved: list[SavedScenario], words: Translations) -> None:
    """Draw the button that saves the whole lecture as one file."""
    try:
        data = write_lecture((each.name, each.state) for each in saved)
    except LabError as problem:
        st.warning(format_reason(problem, words))
        return
    label = words.text("authoring.save_lecture")
    st.download_button(
        label,
        data,
        file_name=FILE_NAME.format("lecture"),
        mime="application/json",
        key="save_lecture",
        on_click="ignore",
    )


def draw_page() -> None:
    """Draw the page."""
    words = words_of(attempts.get_language())
    cards.draw_heading(1, words.text("scenarios.title"))
    wait_for_engine(words)  # titles contain numbers from a run, and opening a scenario runs it
    if notes.get_note(OPENED):
        notes.set_note(OPENED, False)
        st.switch_page("sandbox/page.py", query_params=attempts.get_link())
    st.html(STYLE)
    st.markdown(words.text("scenarios.lead"))
    for group, ids in GROUPS.items():
        cards.draw_heading(2, words.text(f"scenarios.group.{group}"))
        with st.container(key=f"shelf_{group}"):
            for each in ids:
                draw_prepared_card(LIBRARY[each], words)
    _draw_saved(words)
    cards.draw_heading(2, words.text("scenarios.file_title"))
    open_file(words, then=turn_to_it)


draw_page()
