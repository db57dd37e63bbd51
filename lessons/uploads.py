"""Uploaded files, which are read at once and not kept."""

from __future__ import annotations

from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx


def drop_copy(file_id: str) -> None:
    """Delete the server's copy of a file. Streamlit would keep it until the session ends, its uploader gone or not."""
    context = get_script_run_ctx()
    if context is not None and isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        context.uploaded_file_mgr.remove_file(context.session_id, file_id)
