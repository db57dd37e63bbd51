"""The report files that an instructor drops: read at once and held for this visit only, in the session.

Streamlit's copy of a file is dropped as soon as it is read. What stays are the answers' codes and the file's name, by
which a second file of the same student is told; the page shows a name only of a file that does not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.runtime.uploaded_file_manager import DeletedFile

from lab.course_reports.course import MAX_REPORTS, Course, collect_reports, count_course
from lab.course_reports.errors import ReportFileError
from lab.course_reports.report_file import MAX_BYTES, StudentReport
from lessons.activity.report_row import PARTS
from lessons.state import attempts, notes
from lessons.text.translations import Translations
from lessons.widgets.upload import drop_copy, localize

_HELD, _DROPPED = "reports.held", "reports.dropped"  # in the session


@dataclass(frozen=True)
class Held:
    """What this visit has read: the reports, what they add up to, and why the last files do not count."""

    reports: tuple[StudentReport, ...]
    course: Course
    problems: Sequence[ReportFileError]


def get_held() -> Held | None:
    """What this visit has read; None before the first file."""
    held: Held | None = notes.get_note(_HELD)
    return held


def draw_field(words: Translations) -> None:
    """Draw the field for the files. It is empty again after each drop: a list of files would show students' names."""
    key = f"reports_{notes.get_note(_DROPPED, 0)}_{attempts.count_forgotten()}"
    limits = {"files": MAX_REPORTS, "megabytes": MAX_BYTES // 1_000_000}
    localize("reports_field", words.text("reports.choose"), words.text("reports.refused", **limits))
    with st.container(key="reports_field"):
        st.file_uploader(
            words.text("reports.field", **limits),
            type=None,  # the content decides; Streamlit's refusal of a type is always in English
            accept_multiple_files=True,
            key=key,
            on_change=take,
            args=(key,),
        )


def take(key: str) -> None:
    """In a callback: read the files in the field and drop Streamlit's copies of them."""
    files = []
    for file in notes.get_field(key) or []:
        if not isinstance(file, DeletedFile):
            files.append((file.name, file.getvalue()))
            drop_copy(file.file_id)
    if not files:
        return
    held = get_held()
    reports, problems = collect_reports(held.reports if held else (), files, PARTS)
    notes.set_note(_HELD, Held(reports, count_course(reports, PARTS), problems))
    notes.set_note(_DROPPED, notes.get_note(_DROPPED, 0) + 1)


def discard() -> None:
    """In a callback: forget everything that was read."""
    notes.set_note(_HELD, None)
