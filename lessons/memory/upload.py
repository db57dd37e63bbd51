"""The learner's own request lengths in the memory lesson: read once and held for this session, until "forget me".

Streamlit's copy of the file is dropped as soon as it is read. Only its token counts stay, in the session.
"""

from __future__ import annotations

from streamlit.runtime.uploaded_file_manager import DeletedFile

from lab.serving.workload import Uploaded
from lab.serving.workload_errors import WorkloadError
from lab.serving.workload_file import Reading, read_file
from lessons.memory import jobs
from lessons.state import attempts, notes
from lessons.widgets.upload import drop_copy

FILE = "memory.file"


def get_widget_key() -> str:
    """Return the uploader's key. It changes with "forget me", because nothing else empties the uploader."""
    return f"memory_file_{attempts.count_forgotten()}"


def read_upload() -> Reading | WorkloadError | None:
    """Return what was read from the uploaded file, or why it could not be read; None without a file."""
    found: Reading | WorkloadError | None = notes.get_note(FILE)
    return found


def get_lengths() -> Uploaded | None:
    """Return the workload in the uploaded file; None if no file has been read."""
    found = read_upload()
    return found.workload if isinstance(found, Reading) else None


def take() -> bool:
    """In a callback: read the file in the uploader, if any. Returns whether it replaces another file.

    If the lengths change, the runs of the previous file are dropped.
    """
    before, lengths_before, file = read_upload(), get_lengths(), notes.get_field(get_widget_key())
    if isinstance(file, DeletedFile):  # Streamlit has noticed that its copy was dropped: no new file
        return False
    found: Reading | WorkloadError | None = None
    if file is not None:
        try:
            found = read_file(file.getvalue())
        except WorkloadError as problem:
            found = problem
        drop_copy(file.file_id)
    notes.set_note(FILE, found)
    if get_lengths() == lengths_before:
        return False
    jobs.drop_uploads()
    return before is not None
