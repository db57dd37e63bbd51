"""Every page starts here: language, navigation, the bar on top. Must stay light: no torch, pandas or Plotly."""

from __future__ import annotations

import streamlit as st

from lessons import address, aloud, cards, course, one_view, present, record, sandbox_place, state
from lessons.copy_link import copy_link
from lessons.text import LANGUAGES, words
from lessons.tools_menu import tools_menu
from lessons.top_of_page import top_of_page

address.seen()
state.all_unread()  # what callbacks found
state.empty_fields()
language = state.language()
say = words(language).text

st.set_page_config(page_title=say("site.name"), page_icon="▦", layout="wide", initial_sidebar_state="collapsed")
st.html(cards.STYLE + one_view.STYLE + present.style())

pages = {
    "start": st.Page("page_start.py", title=say("site.nav_start"), default=True),
    **{name: st.Page(course.page_file(name), title=say(f"{name}.title"), url_path=name) for name in course.ORDER},
    "task": st.Page("page_task.py", title=say("site.nav_task"), url_path="task"),
    "quiz": st.Page("page_quiz.py", title=say("quiz_page.title"), url_path="quiz"),
    "report": st.Page("page_report.py", title=say("report.title"), url_path="report"),
    "sandbox": st.Page("page_sandbox.py", title=say("sandbox.title"), url_path="sandbox"),
    "library": st.Page("page_library.py", title=say("scenarios.title"), url_path="library"),
    "memory": st.Page("page_memory.py", title=say("memory.title"), url_path="memory"),
}
page = st.navigation(list(pages.values()), position="hidden")
address.turned_to(page.url_path)
record.mount(language, f"{page.title} · {say('site.name')}")

GROUPS = {"learn": course.ORDER, "check": ("quiz", "report"), "explore": ("sandbox", "library", "memory")}


def top_bar() -> None:
    """The way to every page, the language, and the address to be passed on."""
    here = page.url_path or "start"
    group = next((key for key, names in GROUPS.items() if page.url_path in names), "")
    st.html(cards.page_in_view(page.url_path, group and f"{group}_{here}"))
    with st.container(horizontal=True, vertical_alignment="center", key="top_bar"):
        # A link of Streamlit's own navigation would drop the parameters, and with them the learner's run.
        st.page_link(pages["start"], query_params=state.link())
        # A menu of its own for each page: the one that was open is closed when its page has come.
        learn = say("site.nav_learn", done=course.done_count(), total=len(course.ORDER))
        with st.popover(learn, key=f"learn_{here}", type="tertiary"):
            for number, name in enumerate(GROUPS["learn"], 1):
                title = course.marked(say(f"{name}.title"), done=course.lesson_done(name), words=words(language))
                st.page_link(pages[name], label=f"{number} · {title}", query_params=state.link())
        st.page_link(pages["task"], query_params=state.link())
        with st.popover(say("quiz_page.nav_check"), key=f"check_{here}", type="tertiary"):
            for name in GROUPS["check"]:
                st.page_link(pages[name], query_params=state.link())
        with st.popover(say("memory.nav_explore"), key=f"explore_{here}", type="tertiary"):
            for name in GROUPS["explore"]:
                st.page_link(pages[name], query_params=state.link())
        st.space("stretch")
        tools_menu(say("site.tools"), here)
        with st.container(horizontal=True, vertical_alignment="center", width="content", key="tools"):
            tools()


def tools() -> None:
    """What one does with the page as it is: present it, read it in the other language, pass it on."""
    present.offer(page.url_path, words(language))
    state.set_field("language", language)
    st.segmented_control(
        say("site.language"),
        LANGUAGES,
        key="language",
        required=True,
        format_func=lambda code: say(f"site.lang_{code}"),
        label_visibility="collapsed",
        on_change=lambda: state.set_language(state.field("language")),
    )
    copy_link(
        key="copy_link",
        label=say("site.copy_link"),
        done_label=say("site.link_copied"),
        params={"lang": language},
        instead=sandbox_place.link_refused(page.url_path, words(language)),
    )


presenting = present.on()
if presenting:
    room = present.bar(page.url_path, pages["library"], words(language))
else:
    top_bar()
notices = st.container()
if record.loss_to_tell() and not presenting:
    with notices, st.container(key="loss"):
        st.warning(say("site.loss"))
        st.button(say("site.loss_read"), key="loss_read", on_click=record.loss_told)
body = st.container(key=f"presenting_{page.url_path or 'start'}") if presenting else st.container()
footer = st.container()
if record.read() and not presenting:  # before the page runs: whatever a record holds, there is a way out of it
    with footer, st.popover(say("site.forget"), key="forget"):
        st.markdown(say("site.forget_ask"))
        st.button(say("site.forget_yes"), key="forget_yes", on_click=state.forget_everything)

state.pictures_beside_words(False)
aloud.begin()
with body:
    page.run()
with notices:
    cards.unread(state.all_unread(), words(language))
if presenting:
    present.reveal(room, page.url_path, words(language))
with footer:
    aloud.mount(page.url_path)
    top_of_page(page.url_path)
