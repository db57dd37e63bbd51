"""The students' link as a QR code, large enough to scan from the seats, at an address that phones reach."""

from __future__ import annotations

import streamlit as st

from lessons.state import attempts, notes, presenting
from lessons.text.translations import Translations
from lessons.widgets.phone_address import choose_phone_address
from lessons.widgets.qr_code import draw_page_code


def draw_link_code(words: Translations) -> None:
    """Draw the code, or say why there is none."""
    if problem := notes.get_link_problem():
        st.info(problem)
        return
    params = {**attempts.get_link(), **presenting.get_stage().student_link}
    params.pop(presenting.KEY, None)
    draw_page_code(choose_phone_address("present_host", words), params, words)
