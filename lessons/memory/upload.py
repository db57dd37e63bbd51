"""Somebody's own request lengths in the memory lesson: read once, kept for this visit, dropped when they say so.

Streamlit's copy of the file goes as soon as it is read; what stays are its token counts, in a note of this session.
"""

from __future__ import annotations

from streamlit.runtime.uploaded_file_manager import DeletedFile

from lab.serving.workload import Uploaded
from lab.serving.workload_errors import WorkloadError
from lab.serving.workload_file import Reading, read_file
from lessons.memory import jobs
from lessons.state import attempts
from lessons.widgets.upload import drop_copy

FILE = "memory.file"


def get_widget_key() -> str:
    """Key of the uploader: another one after "forget me", since nothing else empties it."""
    return f"memory_file_{attempts.count_forgotten()}"


def read_upload() -> Reading | WorkloadError | None:
    """What was read in this session's own file, or why it could not be read; None before there is one."""
    found: Reading | WorkloadError | None = attempts.get_note(FILE)
    return found


def get_lengths() -> Uploaded | None:
    """The workload of this session's own file; None where no file has been read."""
    found = read_upload()
    return found.workload if isinstance(found, Reading) else None


def take() -> bool:
    """In a callback: read what is in the uploader now, which may be nothing. Does it take another's place?

    What was computed or runs for the file before is dropped.
    """
    before, lengths_before, file = read_upload(), get_lengths(), attempts.get_field(get_widget_key())
    if isinstance(file, DeletedFile):  # Streamlit has noticed that its copy is gone: nothing new for us
        return False
    found: Reading | WorkloadError | None = None
    if file is not None:
        try:
            found = read_file(file.getvalue())
        except WorkloadError as problem:
            found = problem
        drop_copy(file.file_id)
    attempts.set_note(FILE, found)
    if get_lengths() == lengths_before:
        return False
    jobs.drop_uploads()
    return before is not None
