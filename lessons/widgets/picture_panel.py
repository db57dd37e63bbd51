"""A picture with what goes with it: its title, its sentence, and the same facts as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

import streamlit as st

from lab.figures.picture import Picture
from lab.figures.theme import get_dark_colors
from lessons.state import viewport
from lessons.text.translations import Translations
from lessons.widgets.plot import draw


def draw_picture(
    picture: Picture, key: str, *, measures: bool = False, on_click: Callable[[str], None] | None = None
) -> None:
    """Draw the figure alone. `measures`: the page's pictures get as many columns as this one has room for."""
    draw(
        picture.spec,
        key=key,
        label=picture.sentence,
        dark_colors=get_dark_colors(),
        on_click=on_click,
        on_columns=viewport.set_columns if measures else None,
        columns=viewport.get_columns(),
    )


def draw_picture_panel(
    picture: Picture,
    key: str,
    words: Translations,
    *,
    title: str = "",
    said: Literal["above", "below", ""] = "below",
    table: str = "task.as_table",
    measures: bool = False,
    on_click: Callable[[str], None] | None = None,
    then: Callable[[], None] | None = None,
) -> None:
    """Draw the picture, its sentence above or below it or not at all, and its table in an expander.

    `table`: key of the expander's title; empty for none. `then` draws what comes right below the picture.
    """
    if title:
        st.markdown(f"**{title}**")
    if said == "above":
        st.markdown(picture.sentence)
    draw_picture(picture, key, measures=measures, on_click=on_click)
    if then is not None:
        then()
    if said == "below":
        st.markdown(picture.sentence)
    if table:
        draw_tables(f"{key}_table", words, lambda: [("", picture)], table)


def draw_tables(
    key: str,
    words: Translations,
    build: Callable[[], Iterable[tuple[str, Picture]]],
    title: str = "task.as_table",
    then: Callable[[], None] = lambda: None,
) -> None:
    """Draw an expander with pictures as tables, each under its name if it has one, and what `then` draws below them.

    Closed, nothing is built.
    """
    with st.expander(words.text(title), key=key, on_change="rerun") as opened:
        for name, picture in build() if opened.open else ():
            if name:
                st.markdown(f"**{name}**")
            st.table(picture.table, hide_index=True)
        if opened.open:
            then()
