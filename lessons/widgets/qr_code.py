"""A link as a QR code, dark on white in any theme."""

from __future__ import annotations

from html import escape
from urllib.parse import quote, urlencode, urlsplit, urlunsplit

import segno
import streamlit as st

from lessons.server.asset_files import read_assets
from lessons.text.translations import Translations

LONG = 700  # characters; the QR code of a longer address is too dense for some phones
MOST = 2900  # bytes; a QR code holds 2,953 at its lowest error level
_QUIET = 4  # white modules around the code, as ISO/IEC 18004 requires
STYLE = f"<style>\n{read_assets('components/qr_code/qr_code.css')}</style>"


def build_qr_code(link: str) -> segno.QRCode | None:
    """Return the link as a QR code, with the lowest error level if it is long; None if no code can hold it. Pure."""
    if len(link.encode()) > MOST:
        return None
    return segno.make_qr(link, error="l" if len(link) > LONG else "m", encoding="utf-8")


def build_qr_html(code: segno.QRCode, link: str, alt: str) -> str:
    """Return the code as an image, dark on white in any theme, with the link as text below. Pure."""
    picture = code.svg_data_uri(border=_QUIET, dark="#000", light="#fff", omitsize=True)
    return (
        f'<figure class="kv-qr"><img src="{escape(picture)}" alt="{escape(alt)}">'
        f"<figcaption>{escape(link)}</figcaption></figure>"
    )


def build_link(page: str, params: dict[str, str]) -> str:
    """Return the page's address with only these parameters. Pure."""
    parts = urlsplit(page)
    return urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode(params, quote_via=quote), ""))


def draw_page_code(page: str, params: dict[str, str], words: Translations) -> None:
    """Draw the code of the page with these parameters, or say why there is none. `page`: empty if it is not known."""
    link = build_link(page, params)
    code = build_qr_code(link) if page else None
    if code is None:
        st.info(words.text("scenarios.qr_none"))
        return
    if len(link) > LONG:
        st.info(words.text("scenarios.qr_long", characters=len(link)))
    st.html(STYLE + build_qr_html(code, link, words.text("scenarios.qr_alt")))
