"""Save a state of the sandbox as a file, and open one. A file that cannot be opened changes nothing."""

from __future__ import annotations

import re
from collections.abc import Callable

import streamlit as st

from lab.engine.errors import LabError
from lab.sandbox.errors import FileFieldError, ScenarioFileError
from lab.sandbox.files import MAX_FILE, read_file, read_lecture, write_file
from lab.sandbox.library import is_own
from lab.sandbox.scenario import Scenario, State
from lessons.sandbox import attempt as sandbox
from lessons.sandbox import saved_scenarios
from lessons.sandbox.writing.given import keep
from lessons.state import attempts, notes
from lessons.text.sentences import format_error
from lessons.text.translations import Translations
from lessons.widgets.upload import drop_copy, localize

FILE_NAME = "paged-kv-{}.json"
_MAX_STEM = 40  # characters
_READ, _PROBLEM = "scenario_file.read", "scenario_file.problem"


def save(to_save: State, words: Translations, key: str) -> None:
    """Draw the button that saves a state as a file."""
    try:
        data = write_file(to_save)
    except LabError as problem:
        st.warning(format_error(problem, words))
        return
    st.download_button(
        words.text("scenarios.save"),
        data,
        file_name=name_file(to_save.scenario, words),
        mime="application/json",
        key=key,
        on_click="ignore",
    )


def name_file(scenario: Scenario, words: Translations) -> str:
    """Return a file name: with the author's title, else with the library's id. Letters, digits and hyphens only."""
    title = scenario.script.title.get(words.language) if is_own(scenario) else scenario.key
    stem = "-".join(re.findall(r"[^\W_]+", title))[:_MAX_STEM].strip("-").lower()
    return FILE_NAME.format(stem or "scenario")


def count_files() -> int:
    """Return how many files this session has opened. As part of a key it resets a widget after each file."""
    count: int = notes.get_note(_READ, 0)
    return count


def open_file(words: Translations, then: Callable[[], None] | None = None) -> None:
    """Draw the upload field, and why the last file could not be opened. After a file was opened, the callback calls
    `then`."""
    key = f"scenario_file_{count_files()}_{attempts.count_forgotten()}"
    localize("scenario_file", words.text("site.choose_file"), words.text("scenarios.file_refused"))
    with st.container(key="scenario_file"):
        st.file_uploader(
            words.text("scenarios.file", kilobytes=MAX_FILE // 1000),
            type="json",
            key=key,
            on_change=take,
            args=(key, then),
        )
    problem = notes.get_note(_PROBLEM)
    if problem is not None:
        st.warning(words.text("scenarios.file_problem", reason=format_reason(problem, words)))


def format_reason(problem: LabError, words: Translations) -> str:
    """Say why a file could not be opened. For a file of another kind, do not name the missing field."""
    foreign = isinstance(problem, FileFieldError) and problem.numbers["where"] == "format"
    return format_error(ScenarioFileError() if foreign else problem, words)


def take(key: str, then: Callable[[], None] | None = None) -> None:
    """In a callback: open the uploaded file, if there is one, and drop Streamlit's copy of it."""
    file = notes.get_field(key)
    notes.set_note(_PROBLEM, None)
    if file is None:
        return
    data = file.getvalue()
    drop_copy(file.file_id)
    try:
        lecture = read_lecture(data)
        opened = read_file(data) if lecture is None else lecture[0][1]
        if lecture is not None:
            saved_scenarios.save_all(lecture)
    except LabError as problem:
        notes.set_note(_PROBLEM, problem)
        return
    if sandbox.open_state(opened):
        keep(opened.scenario.script)
        notes.set_note(_READ, count_files() + 1)
        if then is not None:
            then()
    else:
        notes.set_note(_PROBLEM, notes.pop_flash())  # the file is valid, but running it meets a limit
