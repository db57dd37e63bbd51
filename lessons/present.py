"""Presenter mode: large type, no chrome, a theme for projectors, answers covered until they are revealed.

The address says it, for every page: `present=on`, and behind it `.dark` (white on black) and `.bare` (no notes).
What has been revealed belongs to one place of one page and to the session: at the next place it is covered again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lab.figures.projector import projector_colors
from lessons import sandbox_place, state
from lessons.aloud import say_aloud
from lessons.component import asset
from lessons.copy_link import copy_link
from lessons.text import LANGUAGES, WordsOf

KEY = "present"  # of the address; assets/copy_link.js leaves it out of every link
OFFERED = ("task", "intuition", "sandbox", "library")  # pages that offer the mode
LARGEST = 1.8  # times the usual size of a picture
_NOTHING_TO_COVER = ("", "code", "quiz", "report", "memory", "library")
_HELP = ("reveal", "reset", "notes", "contrast", "language", "time", "keys", "leave")
_ONLY_SANDBOX = ("reset", "notes", "time")

_mount = st.components.v2.component(
    "paged_kv_lab_present", js=asset("after_run.js", "present.js"), isolate_styles=False
)


@dataclass(frozen=True)
class Mode:
    """How the page is presented: white on black? with the presenter's notes?"""

    dark: bool = False
    notes: bool = True

    @property
    def text(self) -> str:
        """As the address has it; see `mode`."""
        return "on" + ".dark" * self.dark + ".bare" * (not self.notes)


@dataclass(frozen=True)
class Rooms:
    """Where in the presenter's row belongs what only the page can tell: see `reveal`."""

    reveal: DeltaGenerator
    link: DeltaGenerator


# --- reading -------------------------------------------------------------------------------------------------------


def mode() -> Mode | None:
    """What the address says; None where nothing is presented."""
    first, *more = state.value(KEY).split(".")
    if first not in ("", "on"):
        state.unread(KEY)
    return Mode("dark" in more, "bare" not in more) if first == "on" else None


def on() -> bool:
    """Is the page being presented?"""
    return mode() is not None


def notes_shown() -> bool:
    """Are the presenter's notes to be seen?"""
    shown = mode()
    return shown is not None and shown.notes


def covered() -> bool:
    """Must an answer be covered here? Whatever draws one asks; Reveal then has something to do."""
    if not on():
        return False
    state.note("present.covers", True)
    return hidden()


def hidden() -> bool:
    """As `covered`, for who covers nothing: is what belongs to this place still to be revealed?"""
    return on() and bool(state.noted("present.revealed") != _place())


def passes_on(**params: str) -> None:
    """The link for students is to have these parameters instead of the presenter's own: a student sees no answer."""
    state.note("present.passes_on", params)


def revealed_by(step: Callable[[], None]) -> None:
    """The question in view is answered by this callback: Reveal calls it where nothing (more) is covered."""
    state.note("present.step", step)


def style() -> str:
    """The style of the whole page where it is presented, else empty."""
    shown = mode()
    if shown is None:
        return ""
    ink, paper, scheme = ("#ffffff", "#000000", "dark") if shown.dark else ("#000000", "#ffffff", "light")
    root = f":root {{ --pkl-ink: {ink}; --pkl-paper: {paper}; color-scheme: {scheme}; }}"
    return f"<style>\n{root}\n{asset('present.css')}</style>"


def figure_data() -> dict[str, Any]:
    """What a component that draws figures must know: the colours to swap, and how much larger they may get."""
    shown = mode()
    return {"contrast": projector_colors(shown.dark), "largest": LARGEST} if shown else {}


def _place() -> str:
    """Where one is: the page, and all that its address says besides language and presentation."""
    here = {name: text for name, text in sorted(state.link().items()) if name not in (KEY, "lang")}
    return repr((state.noted("present.page"), here))


# --- drawing -------------------------------------------------------------------------------------------------------


def cover(what: str, words: WordsOf) -> None:
    """Draw what stands there meanwhile: "point" or "prediction"."""
    told = words.text(f"present.covered_{what}")
    st.html(f'<p class="kv-covered">{escape(told)}</p>')
    say_aloud(told)


def offer(page: str, words: WordsOf) -> None:
    """The way into presenter mode, on the pages that have one."""
    if page in OFFERED:
        st.button(words.text("present.offer"), key="present", on_click=_show, args=(Mode(),))


def bar(page: str, library: st.Page | None, words: WordsOf) -> Rooms:
    """The presenter's row, before the page: whatever that does, there is a way out."""
    shown = mode() or Mode()
    for name, value in (("page", page), ("covers", False), ("step", None), ("passes_on", {})):
        state.note(f"present.{name}", value)
    if state.noted("present.revealed") != _place():  # whoever comes back finds it covered again
        state.note("present.revealed", None)
    with st.container(horizontal=True, vertical_alignment="center", key="present_bar"):
        room = st.container(width="content", key="present_room")
        if page == "sandbox":
            _button("reset", "reset", sandbox_place.reset, words)
            notes = replace(shown, notes=not shown.notes)
            _button("notes", "notes_hide" if shown.notes else "notes_show", _show, words, notes)
        contrast = "contrast_light" if shown.dark else "contrast_dark"
        _button("contrast", contrast, _show, words, replace(shown, dark=not shown.dark))
        for code in LANGUAGES:
            if code != words.language:
                label = words.text("present.language", language=words.text(f"site.lang_{code}"))
                st.button(label, key="present_language", on_click=state.set_language, args=(code,))
        if library is not None and page != "library":
            st.page_link(library, query_params=state.link())
        link = st.container(width="content", key="present_link_room")
        with st.popover(words.text("present.keys"), key="present_keys"):
            key_list(page, words)
        _button("leave", "leave", _show, words, None)
    runs = int(state.noted("present.runs", 0)) + 1
    state.note("present.runs", runs)
    _mount(key="present_hands", data={"run": runs})
    return Rooms(room, link)


def reveal(rooms: Rooms, page: str, words: WordsOf) -> None:
    """The link and the button that uncovers, once the page has said what is covered."""
    with rooms.link:
        copy_link(
            key="present_link",
            label=words.text("present.link"),
            done_label=words.text("site.link_copied"),
            params={"lang": words.language, **state.noted("present.passes_on", {})},
            instead=sandbox_place.link_refused(page, words),
        )
    if page in _NOTHING_TO_COVER:
        return
    step = state.noted("present.step")
    covers = bool(state.noted("present.covers")) and hidden()
    with rooms.reveal:
        st.button(
            words.text("present.reveal"),
            key="present_reveal",
            type="primary",
            disabled=not covers and step is None,
            on_click=_reveal,
            args=(_place(), None if covers else step),
        )


def key_list(page: str, words: WordsOf) -> None:
    """What each key does on this page."""
    unused: tuple[str, ...] = () if page == "sandbox" else _ONLY_SANDBOX
    unused += ("reveal",) if page in _NOTHING_TO_COVER else ()
    st.markdown("\n".join(f"- {words.text(f'present.key.{name}')}" for name in _HELP if name not in unused))


def _button(name: str, label: str, press: Callable[..., None], words: WordsOf, *args: Any) -> None:
    st.button(words.text(f"present.{label}"), key=f"present_{name}", on_click=press, args=args)


# --- changing: callbacks only --------------------------------------------------------------------------------------


def _show(wanted: Mode | None) -> None:
    """Present like this; None: not any more."""
    state.set_value(KEY, wanted.text if wanted else "")


def _reveal(place: str, step: Callable[[], None] | None) -> None:
    """Uncover that place, or make the step."""
    if step is None:
        state.note("present.revealed", place)
    else:
        step()
