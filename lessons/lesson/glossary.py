"""Rows of the chapter's concept table, shown where they help."""

from __future__ import annotations

import streamlit as st

from lab.trace.late_imports import pandas as pd
from lessons.text.translations import Translations

# The row of the table that clarifies a confused concept.
ROWS = {
    "logical_page": "block_table",
    "physical_block": "free_block_ids",
    "empty_slot": "empty_slots",
    "used_slot": "block_size",
    "check": "free_block_ids",
    "allocate": "block_table",
}


def draw_glossary(names: tuple[str, ...], words: Translations) -> None:
    """Draw what these objects answer and what they are not. `names`: keys of explain.table."""
    columns = [words.text(f"explain.table.{name}") for name in ("object", "answers", "is_not")]
    rows = [
        (_format_object(name, words), words.text(f"explain.table.{name}"), words.text(f"explain.table.{name}_not"))
        for name in names
    ]
    st.table(pd.DataFrame(rows, columns=columns), hide_index=True)


def _format_object(name: str, words: Translations) -> str:
    return words.text("misconceptions.concept.empty_slot") if name == "empty_slots" else f"`{name}`"
