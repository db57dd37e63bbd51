"""How a class comes in: the code, an address that phones reach, and a QR code; and the link for a second window."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

import streamlit as st

from lessons.classroom.roles import KEY
from lessons.text.translations import Translations
from lessons.widgets.phone_address import choose_phone_address
from lessons.widgets.qr_code import STYLE, build_qr_code, build_qr_html


def format_code(code: str) -> str:
    """The code as it is read out: three digits and three digits."""
    return f"{code[:3]} {code[3:]}"


def draw_invitation(code: str, words: Translations) -> None:
    """Draw the code, the address and the QR code."""
    st.html(f'<p class="kv-class-code">{format_code(code)}</p>')
    page = choose_phone_address("class_host", words)
    if not page:
        return
    link = f"{urljoin(page, 'join')}?{KEY}={code}"
    st.markdown(words.text("classroom.join_at", address=urlsplit(link).netloc + urlsplit(link).path))
    drawn = build_qr_code(link)
    if drawn is not None:
        st.html(STYLE + build_qr_html(drawn, link, words.text("classroom.qr_alt")))


def draw_window_link(code: str, key: str, words: Translations) -> None:
    """Offer the second window: on this machine as a link, on another device as a QR code, which shows the key."""
    with st.popover(words.text("classroom.second_window"), key="class_second"):
        st.markdown(words.text("classroom.second_lead"))
        address = f"?window=side&lang={words.language}#{code}.{key}"
        st.link_button(words.text("classroom.second_here"), address)
        page = choose_phone_address("class_second_host", words)
        drawn = build_qr_code(page + address) if page else None
        if drawn is not None:
            st.html(STYLE + build_qr_html(drawn, "", words.text("classroom.second_alt")))
