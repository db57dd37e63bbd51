"""A state of the sandbox to be passed on: a file, this browser's shelf, a QR code; files in; the library. Its link is
copied at the top of the page, as everywhere."""

from __future__ import annotations

from urllib.parse import urlsplit

import streamlit as st

from lab.errors import LabError
from lab.sandbox.errors import LinkTooLongError
from lab.sandbox.library import LIBRARY, title
from lab.sandbox.scenario import State
from lessons import cards, network, sandbox_kept, sandbox_link, state
from lessons.sandbox_files import files_read, open_file, save
from lessons.sandbox_place import SandboxPlace
from lessons.say import said, say_error
from lessons.text import WordsOf

NAME = "kept.name"  # the field; emptied by "forget me"
_KEPT = "scenarios.kept"


def share(here: SandboxPlace, words: WordsOf) -> None:
    """Draw one row: what passes the state on, what opens another, the way to the library."""
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="sandbox_share"):
        with st.popover(words.text("scenarios.share"), key="share_state"):
            save(_in_view(here), words, "save_state")
            _keep(here, words)
        if st.button(words.text("scenarios.qr"), key="show_qr"):
            # As a dialog it is large and alone: for a room to read it from the seats.
            st.dialog(words.text("scenarios.qr_title"), width="large")(_qr)(here, words)
        # Another popover after each file: it closes when there is something new to see.
        with st.popover(words.text("scenarios.open"), key=f"open_state_{files_read()}"):
            open_file(words)
        st.page_link("page_library.py", label=words.text("scenarios.library"), query_params=state.link())


def prepared_title(key: str, words: WordsOf) -> str:
    """The title of the prepared scenario of that id. KeyError for an unknown id."""
    from lab.sandbox.facts import settings  # noqa: PLC0415  (torch: after the warm-up)

    return words.text(title(key), **said(settings(LIBRARY[key]), words))


def _in_view(here: SandboxPlace) -> State:
    return State(here.scenario, here.cursor.step)


def _qr(here: SandboxPlace, words: WordsOf) -> None:
    try:
        params = sandbox_link.parameters(here)
    except LinkTooLongError as problem:
        st.info(say_error(problem, words))
        return
    page = _for_a_phone(state.page_address(), words)
    link = sandbox_link.address(page, params)
    code = sandbox_link.qr_code(link) if page else None
    if code is None:
        st.info(words.text("scenarios.qr_none"))
        return
    if len(link) > sandbox_link.LONG:
        st.info(words.text("scenarios.qr_long", characters=len(link)))
    st.html(sandbox_link.STYLE + sandbox_link.qr_html(code, link, words.text("scenarios.qr_alt")))


def _for_a_phone(page: str, words: WordsOf) -> str:
    """The page's address as other devices can open it. Where that is another one, or none is known, it is said."""
    here = network.only_here(page, state.other_machine())
    if here is None:
        return page
    if not here.others:
        st.warning(words.text("scenarios.qr_only_here"))
        return page
    st.info(words.text("scenarios.qr_others"))
    hosts = {urlsplit(address).netloc: address for address in here.others}
    if len(hosts) == 1:
        return here.others[0]
    label = words.text("scenarios.qr_host")
    chosen = st.segmented_control(label, hosts, default=next(iter(hosts)), required=True, key="qr_host")
    return hosts.get(str(chosen), here.others[0])


def _keep(here: SandboxPlace, words: WordsOf) -> None:
    """A name and a button; what happened is said under it, as long as that state is in view."""
    key = here.scenario.key
    default = prepared_title(key, words) if key in LIBRARY else words.text("scenarios.default_name")
    here_now = _in_view(here)
    with st.form("keep_form", border=False):
        label = words.text("scenarios.name")
        st.text_input(label, key=NAME, max_chars=sandbox_kept.MAX_NAME, placeholder=default, autocomplete="off")
        label = words.text("scenarios.keep")
        st.form_submit_button(label, key="keep_state", on_click=_kept, args=(here_now, default))
    about, told = state.noted(_KEPT, (None, None))
    if about != here_now:
        return
    if isinstance(told, LabError):
        st.warning(say_error(told, words))
    else:
        cards.headline(words.text("scenarios.kept_as"), told)


def _kept(to_keep: State, default: str) -> None:
    try:
        told: str | LabError = sandbox_kept.keep(sandbox_kept.tidy(str(state.field(NAME) or "")) or default, to_keep)
        state.set_field(NAME, "")
    except LabError as problem:
        told = problem
    state.note(_KEPT, (to_keep, told))
