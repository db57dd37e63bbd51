"""Every page starts here: language, navigation, the top bar. It must not import torch, pandas or Plotly."""

from __future__ import annotations

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lessons.activity import course
from lessons.classroom.roles import find_own_relay
from lessons.presenter import presenter
from lessons.state import attempts, notes, presenting, record, url, viewport
from lessons.state.slots import ACTIVITIES
from lessons.text.translations import LANGUAGES, get_translations
from lessons.votable.remarks import build_remarks
from lessons.widgets import after_page, cards
from lessons.widgets.copy_link import copy_link
from lessons.widgets.tools_menu import mount_tools_menu

url.sync_browser()
attempts.pop_unread()  # drop what callbacks have added: the page adds its own
attempts.empty_fields()
language = attempts.get_language()
say = get_translations(language).text

st.set_page_config(page_title=say("site.name"), page_icon="▦", layout="wide", initial_sidebar_state="collapsed")
if style := presenter.build_style():
    st.html(style)

pages = course.build_pages(language)
page = st.navigation(list(pages.values()), position="hidden")
if goal := presenting.pop_goal():
    st.switch_page(pages[goal], query_params=attempts.get_link())
url.set_page(page.url_path)
record.mount(language, f"{page.title} · {say('site.name')}")
is_short = page.url_path == "join"
if is_short and not record.is_known():  # a whole class comes at once, so nothing is drawn twice
    page.run()
    st.stop()

GROUPS = {
    "learn": course.ORDER,
    "check": ("quiz", "report", "join"),
    "explore": ("sandbox", "library", *(name for name in ACTIVITIES if name != "quiz"), "class", "reports"),
}


def draw_top_bar() -> DeltaGenerator:
    """Draw the links to every page and the tools. Returns what `draw_tools` returns."""
    page_name = page.url_path or "start"
    link = attempts.get_link()
    with bar_room:
        # Streamlit's own navigation would drop the parameters, and with them the learner's run.
        st.page_link(pages["start"], query_params=link)
        # Each page has menus with keys of its own, so that an open menu closes when the page changes.
        learn = say("site.nav_learn", done=course.count_done(), total=len(course.ORDER))
        with st.popover(learn, key=f"learn_{page_name}", type="tertiary"):
            for number, lesson in enumerate(GROUPS["learn"], 1):
                title = course.mark_done(
                    say(f"{lesson}.title"), done=course.is_lesson_done(lesson), words=get_translations(language)
                )
                st.page_link(pages[lesson], label=f"{number} · {title}", query_params=link)
        st.page_link(pages["task"], query_params=link)
        with st.popover(say("quiz_page.nav_check"), key=f"check_{page_name}", type="tertiary"):
            for name in GROUPS["check"]:
                st.page_link(pages[name], query_params=link)
        with st.popover(say("memory.nav_explore"), key=f"explore_{page_name}", type="tertiary"):
            for name in GROUPS["explore"]:
                st.page_link(pages[name], query_params=link)
        st.space("stretch")
        mount_tools_menu(say("site.tools"), page_name)
        with st.container(horizontal=True, vertical_alignment="center", width="content", key="tools"):
            return draw_tools()


def draw_short_bar() -> None:
    """Draw the bar of the page that a whole class opens at once on phones: the way home, and the language."""
    with bar_room:
        st.page_link(pages["start"], query_params=attempts.get_link())
        st.space("stretch")
        draw_language()


def draw_language() -> None:
    """Draw the choice of the language."""
    notes.set_field("language", language)
    st.segmented_control(
        say("site.language"),
        LANGUAGES,
        key="language",
        required=True,
        format_func=lambda code: say(f"site.lang_{code}"),
        label_visibility="collapsed",
        on_change=lambda: attempts.set_value("lang", notes.get_field("language")),
    )


def draw_tools() -> DeltaGenerator:
    """Draw the tools for the page in view: present it, change the language.

    Returns the empty container for the copy button: only after the page is drawn it is known whether it has a link.
    """
    presenter.offer(page.url_path, get_translations(language))
    draw_language()
    return st.container(width="content", key="copy_link_room")


def draw_forget() -> None:
    """Draw the button that empties the record, if it holds anything."""
    if not record.holds_anything():
        return
    with footer, st.popover(say("site.forget"), key="forget"):
        st.markdown(say("site.forget_ask"))
        st.button(say("site.forget_yes"), key="forget_yes", on_click=attempts.forget_everything)
        if any(record.read().get(part) for part in attempts.SCENARIO_PARTS):
            label, press = say("site.forget_answers"), partial(attempts.forget_everything, keep_scenarios=True)
            st.button(label, key="forget_answers", on_click=press)


def draw_around() -> DeltaGenerator | None:
    """Draw what stands around a page that is not presented. Returns the room for the copy button, if there is one."""
    room = None
    if is_short:
        draw_short_bar()
    elif not is_presented:
        room = draw_top_bar()
    if not is_presented:
        draw_forget()
    return room


is_presented = presenting.is_on()
if is_presented:
    bar = presenter.draw_bar(page.url_path, pages["library"], get_translations(language), find_own_relay())
else:
    group = next((key for key, names in GROUPS.items() if page.url_path in names), "")
    st.html(cards.build_page_mark(page.url_path, group and f"{group}_{page.url_path}"))
    bar_room = st.container(horizontal=True, vertical_alignment="center", key="top_bar")
notices = st.container()
if record.must_tell_loss() and not is_presented:
    with notices, st.container(key="loss"):
        st.warning(say("site.loss"))
        st.button(say("site.loss_read"), key="loss_read", on_click=record.set_loss_told)
body = st.container(key=f"presenting_{page.url_path or 'start'}") if is_presented else st.container()
footer = st.container()
# What stands around the page comes first when the page opens. Later it is there: then the page comes first.
is_redraw = notes.get_note("drawn") == (page.url_path, is_presented)
link_room = None if is_redraw else draw_around()

viewport.set_pictures_beside_words(False)
notes.set_link_problem("")
after_page.begin()
try:
    with body:
        page.run()
except Exception:
    if is_redraw:  # the record may have made the page fail
        draw_around()
    raise
if is_redraw:
    link_room = draw_around()
with notices:
    cards.draw_unread(attempts.pop_unread(), get_translations(language))
if is_presented:
    stage = presenting.get_stage()
    remarks = [*stage.remarks, *build_remarks(stage.questions, get_translations(language))]
    presenter.complete_bar(bar, page.url_path, get_translations(language), remarks)
elif link_room is not None:
    with link_room:
        copy_link(
            key="copy_link",
            label=say("site.copy_link"),
            done_label=say("site.link_copied"),
            params={"lang": language},
            instead=notes.get_link_problem(),
        )
with footer:
    after_page.mount(page.url_path)
notes.set_note("drawn", (page.url_path, is_presented))
