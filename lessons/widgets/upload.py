"""Uploaded files, which are read at once and not kept; and their field, whose own words are English."""

from __future__ import annotations

import json

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

_STYLE = """
<style>
{of} [data-testid="stFileUploaderDropzoneInstructions"] { display: none; }
{of} [data-testid="stFileUploaderDropzone"] button p { font-size: 0; }
{of} [data-testid="stFileUploaderDropzone"] button p::after { content: {choose}; font-size: .875rem; }
{of} [data-testid="stFileChip"][aria-invalid="true"]::after { content: {refused}; font-size: .875rem; }
</style>
"""


def localize(key: str, choose: str, refused: str) -> None:
    """In the field that lies in (or is) the element of this key: `choose` on its button, and `refused` beside a file
    that the browser does not send. Streamlit's own words are English in every language, and its limit is the server's.
    """
    texts = {"{choose}": choose, "{refused}": refused}
    style = _STYLE.replace("{of}", f".st-key-{key}")
    for name, text in texts.items():
        style = style.replace(name, json.dumps(text, ensure_ascii=False))
    st.html(style)


def drop_copy(file_id: str) -> None:
    """Delete the server's copy of a file. Streamlit would keep it until the session ends, its uploader gone or not."""
    context = get_script_run_ctx()
    if context is not None and isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        context.uploaded_file_mgr.remove_file(context.session_id, file_id)
