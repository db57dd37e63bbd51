"""How many blocks fit in a row of a picture: measured by the browser, guessed until then."""

from __future__ import annotations

import streamlit as st

from lessons.state.session import get_session

_WIDE, _NARROW = 8, 4
BESIDE_WORDS = _NARROW


def get_columns() -> int:
    """Blocks per row of a picture: 4 beside the text, else as many as fit."""
    return BESIDE_WORDS if get_session().get("columns.beside") else get_measured_columns()


def get_measured_columns() -> int:
    """Blocks per row as measured by the memory picture: 8, or 4 on a narrow screen. A guess until it has measured."""
    if "columns" not in get_session():
        agent = str(st.context.headers.get("User-Agent", ""))
        get_session()["columns"] = _NARROW if "Mobi" in agent else _WIDE
    return int(get_session()["columns"])


def set_pictures_beside_words(beside: bool) -> None:
    """Set whether the pictures being drawn stand beside the text, with room for 4 blocks per row."""
    get_session()["columns.beside"] = beside


def set_columns(count: int) -> None:
    """Set how many blocks fit in a row, as the browser has measured."""
    get_session()["columns"] = count
