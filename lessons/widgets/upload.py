"""The file field in the page's language, and the removal of the server's copy of a file that was read."""

from __future__ import annotations

import json

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from lessons.server.asset_files import read_style

_STYLE = read_style("components/upload/upload.css")


def localize(key: str, choose: str, refused: str) -> None:
    """Put the page's own words on the file field in the container with this key (or with the key itself).

    Streamlit's words are English in every language, and its limit is the server's.
    choose   stands on the button.
    refused  stands beside a file that the browser does not send.
    """
    texts = {"--pkl-choose-file": choose, "--pkl-file-refused": refused}
    values = " ".join(f"{name}: {json.dumps(text, ensure_ascii=False)};" for name, text in texts.items())
    st.html(f"{_STYLE}<style>.st-key-{key} {{ {values} }}</style>")


def drop_copy(file_id: str) -> None:
    """Delete the server's copy of a file. Streamlit would keep it until the session ends, even without its field."""
    context = get_script_run_ctx()
    if context is not None and isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        context.uploaded_file_mgr.remove_file(context.session_id, file_id)
