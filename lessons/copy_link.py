"""A button that copies the address of the page, which holds the whole scenario."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from lessons import network, state
from lessons.component import asset
from lessons.text import words

_mount = st.components.v2.component(
    "paged_kv_lab_copy_link", js=asset("copy_link.js"), css=asset("copy_link.css"), isolate_styles=False
)


def copy_link(
    *, key: str, label: str, done_label: str, params: dict[str, str], only: bool = False, instead: str = ""
) -> None:
    """Draw the button; after a press ``done_label`` is shown and announced.

    ``params`` are set in the copied address beside those that it has (the language, where the visitor never chose).
    ``only``: the copied address has no others. ``instead``: said after a press, where nothing can be copied.
    Where the address works on this computer only, that is said too, with a button for each address that others can use.
    """
    data = {"label": label, "done_label": done_label, "params": params, "only": only, "instead": instead}
    _mount(key=key, data={**data, "here": _only_here()}, width="content")


def _only_here() -> dict[str, Any] | None:
    here = network.only_here(state.page_address(), state.other_machine())
    if here is None:
        return None
    say = words(state.language()).text
    hosts = [urlsplit(address).netloc for address in here.others]
    others = [{"host": host, "label": say("site.link_for_others", host=host)} for host in hosts]
    return {"said": say("site.link_only_here"), "others": others}
