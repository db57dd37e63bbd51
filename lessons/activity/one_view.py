"""One view: text, prediction and buttons stand beside the picture that they change.

On a narrow window the picture comes below the text, and the buttons are a bar at the window's lower edge
(assets/components/one_view/one_view.css).
"""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lessons.state import viewport
from lessons.state.view import View
from lessons.widgets.after_page import focus_on


@dataclass(frozen=True)
class OneView:
    """The parts of the grid, in reading order.

    asking      the introduction and the prediction: a form, later its verdicts.
    doing       the operations and the answer to the last press.
    showing     the picture and the time travel buttons.
    explaining  the newest operation explained.
    """

    asking: DeltaGenerator
    doing: DeltaGenerator
    showing: DeltaGenerator
    explaining: DeltaGenerator


def lay_out_view() -> OneView:
    """Draw the grid's empty parts."""
    with st.container(key="lesson"):
        parts = [st.container(key=f"lesson_{name}") for name in ("asking", "doing", "showing", "explaining")]
    return OneView(*parts)


def draw_title_row() -> DeltaGenerator:
    """Draw the row that holds the page's title and the links to its parts."""
    return st.container(horizontal=True, vertical_alignment="center", key="title_row")


def focus_next(view: View) -> None:
    """Scroll to what comes next: the form, or the buttons with everything that they change.

    After a commit or a change of case the focus moves there too, because the control that had it is gone. After an
    operation the focus stays.
    """
    committed = view.run.is_predicted
    focus_on(
        "operations" if committed else "lesson_asking",
        key="lesson_focus",
        stamp=f"{view.track.key}.{view.form}.{committed}",
        view="verdicts" if committed else "lesson_asking",
        # With another number of columns the picture has another height: scroll again.
        look=f"{len(view.run.operations)} {viewport.get_measured_columns()}" if committed else "",
        opens=committed,
    )
