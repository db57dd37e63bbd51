"""One result of the memory lesson: its sentence, its figure, two files and the table."""

from __future__ import annotations

import streamlit as st

from lab.figures.picture import Picture
from lab.figures.serving.style import add_caption
from lessons.memory.export import Origin
from lessons.text.translations import Translations
from lessons.widgets.picture_files import draw_svg_button
from lessons.widgets.picture_panel import draw_picture_panel


def show(picture: Picture, name: str, origin: Origin, words: Translations) -> None:
    """Draw the picture and its files. `name` is part of the file names; `origin` goes into both files."""
    table = origin.add_to_table(picture.table, words)

    def draw_files() -> None:
        with st.container(horizontal=True, key=f"memory_files_{name}"):
            st.download_button(
                words.text("memory.csv"),
                table.to_csv(index=False).encode("utf-8-sig"),  # spreadsheets need the byte order mark to read Chinese
                file_name=f"{origin.build_file_name(name)}.csv",
                mime="text/csv",
                key=f"memory_csv_{name}",
                on_click="ignore",
            )
            draw_svg_button(
                add_caption(picture.spec, origin.format_caption(words)),
                key=f"memory_svg_{name}",
                label=words.text("memory.svg"),
                file_name=f"{origin.build_file_name(name)}.svg",
            )

    draw_picture_panel(picture, f"memory_{name}", words, said="above", measures=True, then=draw_files)
