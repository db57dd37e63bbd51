"""A state of the sandbox as a file: one to be saved, one to be opened. What cannot be opened changes nothing."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from lab.engine.errors import LabError
from lab.sandbox.errors import FileFieldError, ScenarioFileError
from lab.sandbox.files import MAX_FILE, read_file, write_file
from lab.sandbox.scenario import State
from lessons.sandbox import attempt
from lessons.state import attempts
from lessons.text.sentences import say_error
from lessons.text.translations import WordsOf
from lessons.widgets.upload import drop_copy, localize

FILE_NAME = "paged-kv-{}.json"
_READ, _PROBLEM = "scenario_file.read", "scenario_file.problem"


def save(to_save: State, words: WordsOf, key: str) -> None:
    """Draw the button that saves a state as a file."""
    try:
        data = write_file(to_save)
    except LabError as problem:
        st.warning(say_error(problem, words))
        return
    st.download_button(
        words.text("scenarios.save"),
        data,
        file_name=FILE_NAME.format(to_save.scenario.key or "scenario"),
        mime="application/json",
        key=key,
        on_click="ignore",
    )


def files_read() -> int:
    """How many files this session has opened; part of the key of what should close or empty after each."""
    count: int = attempts.noted(_READ, 0)
    return count


def open_file(words: WordsOf, then: Callable[[], None] | None = None) -> None:
    """Draw the field that takes a file, and why the last one could not be opened. `then` is called in the callback
    that opened one."""
    key = f"scenario_file_{files_read()}_{attempts.forgotten()}"
    localize("scenario_file", words.text("site.choose_file"), words.text("scenarios.file_refused"))
    with st.container(key="scenario_file"):
        st.file_uploader(
            words.text("scenarios.file", kilobytes=MAX_FILE // 1000),
            type="json",
            key=key,
            on_change=take,
            args=(key, then),
        )
    problem = attempts.noted(_PROBLEM)
    if problem is not None:
        st.warning(words.text("scenarios.file_problem", reason=reason(problem, words)))


def reason(problem: LabError, words: WordsOf) -> str:
    """Why a file could not be opened: one that is of something else is not told which field it lacks."""
    foreign = isinstance(problem, FileFieldError) and problem.numbers["where"] == "format"
    return say_error(ScenarioFileError() if foreign else problem, words)


def take(key: str, then: Callable[[], None] | None = None) -> None:
    """In a callback: open the file that is in the field now, if there is one. Streamlit's copy of it is dropped."""
    file = attempts.field(key)
    attempts.note(_PROBLEM, None)
    if file is None:
        return
    data = file.getvalue()
    drop_copy(file.file_id)
    try:
        opened = read_file(data)
    except LabError as problem:
        attempts.note(_PROBLEM, problem)
        return
    if attempt.open_state(opened):
        attempts.note(_READ, files_read() + 1)
        if then is not None:
            then()
    else:
        attempts.note(_PROBLEM, attempts.told())  # it meets a limit when it runs
