"""One view: the words, what was predicted and the buttons beside the picture that they change.

Where there is no room for two columns the picture follows the words, and the buttons are a bar at the window's lower
edge (assets/components/one_view/one_view.css).
"""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lessons.server.asset_files import read_style
from lessons.state import attempts
from lessons.state.view import View
from lessons.widgets.focus import focus_on

STYLE = read_style("components/one_view/one_view.css")


@dataclass(frozen=True)
class OneView:
    """The parts of the grid, in the order of reading.

    asking      what it is about, and the prediction: a form, then its verdicts.
    doing       the operations, and the answer to a press.
    showing     the picture, and the way through time.
    explaining  what belongs to the newest operation, and why it is so.
    """

    asking: DeltaGenerator
    doing: DeltaGenerator
    showing: DeltaGenerator
    explaining: DeltaGenerator


def lay_out_view() -> OneView:
    """Lay out the grid."""
    with st.container(key="lesson"):
        parts = [st.container(key=f"lesson_{name}") for name in ("asking", "doing", "showing", "explaining")]
    return OneView(*parts)


def draw_title_row() -> DeltaGenerator:
    """Where the page's title stands beside its parts, small: what is below is what one came for."""
    return st.container(horizontal=True, vertical_alignment="center", key="title_row")


def focus_next(place: View) -> None:
    """Take the eye to what is next: the form, or the buttons with all that they change.

    The keyboard goes there too, since what was pressed is gone: the form's button, or the case. Not after an operation.
    """
    committed = place.run.prediction is not None
    focus_on(
        "operations" if committed else "lesson_asking",
        key="lesson_focus",
        stamp=f"{place.track.run}.{place.form}.{committed}",
        view="verdicts" if committed else "lesson_asking",
        # Another number of columns makes the picture longer.
        look=f"{len(place.run.operations)} {attempts.get_measured_columns()}" if committed else "",
        opens=committed,
    )
