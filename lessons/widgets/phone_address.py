"""The address of the page in view as other devices reach it."""

from __future__ import annotations

from urllib.parse import urlsplit

import streamlit as st

from lessons.server import network
from lessons.state import attempts
from lessons.text.translations import Translations


def choose_phone_address(key: str, words: Translations) -> str:
    """Return the page's address for other devices. Says so if none is known; asks (`key`) if there are several."""
    page = attempts.get_page_address()
    local = network.find_local_only(page, attempts.get_client_address)
    if local is None:
        return page
    if not local.others:
        st.warning(words.text("scenarios.qr_only_here"))
        return page
    hosts = {urlsplit(address).netloc: address for address in local.others}
    if len(hosts) == 1:
        return local.others[0]
    label = words.text("scenarios.qr_host")
    chosen = st.segmented_control(label, hosts, default=next(iter(hosts)), required=True, key=key)
    return hosts.get(str(chosen), local.others[0])
