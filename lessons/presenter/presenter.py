"""Draws presenter mode: large type, no navigation, a theme for projectors, a bar of buttons.

Its state is in lessons/state/presenting.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lessons.presenter.link_code import draw_link_code
from lessons.server.asset_files import read_style
from lessons.server.components import declare_component
from lessons.state import attempts, notes, presenting
from lessons.state.presenting import PresenterMode, Remark
from lessons.text.translations import LANGUAGES, Translations
from lessons.widgets.after_page import announce
from lessons.widgets.copy_link import copy_link

OFFERED = (
    "task",
    "intuition",
    "allocate",
    "append",
    "share",
    "code",
    "sandbox",
    "library",
    "class",
)  # pages that offer the mode
# Pages without Reveal; "" is Start.
_NOTHING_TO_HIDE = ("", "code", "quiz", "report", "memory", "library", "class", "join")
_HELP = (
    *(
        "time",
        "lecture",
        "remote",
        "reveal",
        "ask",
        "reset",
        "blank",
        "larger",
        "notes",
        "contrast",
        "language",
        "code",
    ),
    *("link", "keys", "leave"),
)
_HAVE_RESET = ("sandbox", "task", "intuition", "allocate", "append", "share", "code")
_WITHOUT_RUN = ("", "quiz", "report", "memory", "library", "class", "join")  # pages without a run to step through

_mount = declare_component("present", "lib/after_run.js", "lib/relay.js", "components/presenter/presenter.js")
_mount_notes = declare_component("present_notes", "components/presenter/remarks.js")


@dataclass(frozen=True)
class BarParts:
    """Empty containers in the bar, filled by `complete_bar` once the page is drawn."""

    reveal: DeltaGenerator
    ask: DeltaGenerator
    reset: DeltaGenerator
    link: DeltaGenerator
    notes: DeltaGenerator


def build_style() -> str:
    """The style of a presented page; empty if the page is not presented."""
    shown = presenting.get_mode()
    if shown is None:
        return ""
    ink, paper, scheme = ("#ffffff", "#000000", "dark") if shown.dark else ("#000000", "#ffffff", "light")
    zoom = shown.size / 100
    root = f":root {{ --pkl-ink: {ink}; --pkl-paper: {paper}; --pkl-zoom: {zoom}; color-scheme: {scheme}; }}"
    return f"<style>{root}</style>{read_style('components/presenter/presenter.css')}"


def draw_placeholder(what: str, words: Translations) -> None:
    """Draw the line that stands for a hidden "point" or "prediction"."""
    text = words.text(f"present.placeholder_{what}")
    st.html(f'<p class="kv-placeholder">{escape(text)}</p>')
    announce(text)


def offer(page: str, words: Translations) -> None:
    """Draw the button that starts presenter mode, on the pages that have it."""
    if page in OFFERED:
        st.button(words.text("present.offer"), key="present", on_click=_show, args=(PresenterMode(),))


def draw_bar(page: str, library: st.Page | None, words: Translations, relay: str = "") -> BarParts:
    """Draw the presenter's bar. Call it before the page runs, so that Leave is there even if the page fails.

    `relay`: where a second window on another device hears of this one; empty if this browser leads no class.
    """
    shown = presenting.get_mode() or PresenterMode()
    presenting.begin(page)
    with st.container(horizontal=True, vertical_alignment="center", key="present_bar"):
        reveal = st.container(width="content", key="present_room")
        ask = st.container(width="content", key="present_ask_room")
        reset = st.container(horizontal=True, width="content", key="present_own_room")
        contrast = "contrast_light" if shown.dark else "contrast_dark"
        for name, steps in (("smaller", -1), ("larger", 1)):
            _draw_button(name, name, _show, words, shown.resize(steps))
        _draw_button("contrast", contrast, _show, words, replace(shown, dark=not shown.dark))
        for code in LANGUAGES:
            if code != words.language:
                label = words.text("present.language", language=words.text(f"site.lang_{code}"))
                st.button(label, key="present_language", on_click=attempts.set_value, args=("lang", code))
        if library is not None and page != "library":
            st.page_link(library, query_params=attempts.get_link())
        link = st.container(width="content", key="present_link_room", horizontal=True)
        own = st.container(width="content", key="present_notes")
        with st.popover(words.text("present.keys"), key="present_keys"):
            draw_keys(page, words)
        _draw_button("leave", "leave", _show, words, None)
    runs = int(notes.get_note("present.runs", 0)) + 1
    notes.set_note("present.runs", runs)
    _mount(key="present_hands", data={"run": runs, "blank": words.text("present.blank"), "relay": relay})
    return BarParts(reveal, ask, reset, link, own)


def complete_bar(parts: BarParts, page: str, words: Translations, remarks: Sequence[Remark]) -> None:
    """Draw the buttons that depend on what the page has set: Reset, the link, Reveal. Call it after the page.

    `remarks` go to the second window, and are not drawn in this one.
    """
    with parts.notes:
        address = f"class?window=side&lang={words.language}"
        st.link_button(words.text("present.notes"), address)
        _mount_notes(key="present_remarks", data={"remarks": [[each.title, *each.lines] for each in remarks]})
    stage = presenting.get_stage()
    if stage.reset is not None:
        with parts.reset:
            _draw_button("reset", "reset", stage.reset, words)
    if stage.questions:
        with parts.ask:
            _draw_button("ask", "ask", presenting.ask_class, words, page)
    with parts.link:
        copy_link(
            key="present_link",
            label=words.text("present.link"),
            done_label=words.text("site.link_copied"),
            params={"lang": words.language, **stage.student_link},
            instead=notes.get_link_problem(),
        )
        if st.button(words.text("present.code"), key="present_code"):
            st.dialog(words.text("scenarios.qr_title"), width="large")(draw_link_code)(words)
    if page in _NOTHING_TO_HIDE:
        return
    hides = stage.has_answer and presenting.is_hidden()
    with parts.reveal:
        st.button(
            words.text("present.reveal"),
            key="present_reveal",
            type="primary",
            disabled=not hides and stage.reveal is None,
            on_click=_reveal,
            args=(presenting.name_place(), None if hides else stage.reveal),
        )


def draw_keys(page: str, words: Translations) -> None:
    """List the keys that this page has."""
    unused: tuple[str, ...] = () if page in _HAVE_RESET else ("reset",)
    unused += ("reveal",) if page in _NOTHING_TO_HIDE else ()
    unused += ("time", "remote") if page in _WITHOUT_RUN else ()
    unused += () if page == "sandbox" else ("lecture",)
    st.markdown("\n".join(f"- {words.text(f'present.key.{name}')}" for name in _HELP if name not in unused))


def _draw_button(name: str, label: str, press: Callable[..., None], words: Translations, *args: Any) -> None:
    st.button(words.text(f"present.{label}"), key=f"present_{name}", on_click=press, args=args)


# --- changing: callbacks only --------------------------------------------------------------------------------------


def _show(mode: PresenterMode | None) -> None:
    """Present in this mode; None ends presenter mode."""
    attempts.set_value(presenting.KEY, mode.text if mode else "")


def _reveal(place: str, step: Callable[[], None] | None) -> None:
    """Reveal what is hidden at this place; or make the step, if there is one."""
    if step is None:
        notes.set_note("present.revealed", place)
    else:
        step()
