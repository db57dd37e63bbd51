"""The students' link as a QR code, large enough to scan from the seats, at an address that phones reach."""

from __future__ import annotations

from urllib.parse import quote, urlencode, urlsplit, urlunsplit

import streamlit as st

from lessons.state import attempts, notes, presenting
from lessons.text.translations import Translations
from lessons.widgets.phone_address import choose_phone_address
from lessons.widgets.qr_code import LONG, STYLE, build_qr_code, build_qr_html


def draw_link_code(words: Translations) -> None:
    """Draw the code, or say why there is none."""
    if problem := notes.get_link_problem():
        st.info(problem)
        return
    params = {**attempts.get_link(), **presenting.get_student_link()}
    params.pop(presenting.KEY, None)
    page = choose_phone_address("present_host", words)
    parts = urlsplit(page)
    link = urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode(params, quote_via=quote), ""))
    code = build_qr_code(link) if page else None
    if code is None:
        st.info(words.text("scenarios.qr_none"))
        return
    if len(link) > LONG:
        st.info(words.text("scenarios.qr_long", characters=len(link)))
    st.html(STYLE + build_qr_html(code, link, words.text("scenarios.qr_alt")))
