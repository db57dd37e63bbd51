"""Every page starts here: language, navigation, the bar on top. Must stay light: no torch, pandas or Plotly."""

from __future__ import annotations

import streamlit as st

from lessons.activity import course, one_view
from lessons.presenter import presenter
from lessons.sandbox import attempt
from lessons.state import attempts, record, url
from lessons.text.translations import LANGUAGES, words
from lessons.widgets import announce, cards
from lessons.widgets.copy_link import copy_link
from lessons.widgets.tools_menu import tools_menu
from lessons.widgets.top_of_page import top_of_page

url.seen()
attempts.all_unread()  # what callbacks found
attempts.empty_fields()
language = attempts.language()
say = words(language).text

st.set_page_config(page_title=say("site.name"), page_icon="▦", layout="wide", initial_sidebar_state="collapsed")
st.html(cards.STYLE + one_view.STYLE + presenter.style())

pages = {
    "start": st.Page("start/page.py", title=say("site.nav_start"), default=True),
    **{name: st.Page(course.page_file(name), title=say(f"{name}.title"), url_path=name) for name in course.ORDER},
    "task": st.Page("task/page.py", title=say("site.nav_task"), url_path="task"),
    "quiz": st.Page("quiz/page.py", title=say("quiz_page.title"), url_path="quiz"),
    "report": st.Page("report/page.py", title=say("report.title"), url_path="report"),
    "sandbox": st.Page("sandbox/page.py", title=say("sandbox.title"), url_path="sandbox"),
    "library": st.Page("library/page.py", title=say("scenarios.title"), url_path="library"),
    "memory": st.Page("memory/page.py", title=say("memory.title"), url_path="memory"),
}
page = st.navigation(list(pages.values()), position="hidden")
url.turned_to(page.url_path)
record.mount(language, f"{page.title} · {say('site.name')}")

GROUPS = {"learn": course.ORDER, "check": ("quiz", "report"), "explore": ("sandbox", "library", "memory")}


def top_bar() -> None:
    """The way to every page, the language, and the address to be passed on."""
    here = page.url_path or "start"
    group = next((key for key, names in GROUPS.items() if page.url_path in names), "")
    st.html(cards.page_in_view(page.url_path, group and f"{group}_{here}"))
    with st.container(horizontal=True, vertical_alignment="center", key="top_bar"):
        # A link of Streamlit's own navigation would drop the parameters, and with them the learner's run.
        st.page_link(pages["start"], query_params=attempts.link())
        # A menu of its own for each page: the one that was open is closed when its page has come.
        learn = say("site.nav_learn", done=course.done_count(), total=len(course.ORDER))
        with st.popover(learn, key=f"learn_{here}", type="tertiary"):
            for number, name in enumerate(GROUPS["learn"], 1):
                title = course.marked(say(f"{name}.title"), done=course.lesson_done(name), words=words(language))
                st.page_link(pages[name], label=f"{number} · {title}", query_params=attempts.link())
        st.page_link(pages["task"], query_params=attempts.link())
        with st.popover(say("quiz_page.nav_check"), key=f"check_{here}", type="tertiary"):
            for name in GROUPS["check"]:
                st.page_link(pages[name], query_params=attempts.link())
        with st.popover(say("memory.nav_explore"), key=f"explore_{here}", type="tertiary"):
            for name in GROUPS["explore"]:
                st.page_link(pages[name], query_params=attempts.link())
        st.space("stretch")
        tools_menu(say("site.tools"), here)
        with st.container(horizontal=True, vertical_alignment="center", width="content", key="tools"):
            tools()


def tools() -> None:
    """What one does with the page as it is: present it, read it in the other language, pass it on."""
    presenter.offer(page.url_path, words(language))
    attempts.set_field("language", language)
    st.segmented_control(
        say("site.language"),
        LANGUAGES,
        key="language",
        required=True,
        format_func=lambda code: say(f"site.lang_{code}"),
        label_visibility="collapsed",
        on_change=lambda: attempts.set_language(attempts.field("language")),
    )
    copy_link(
        key="copy_link",
        label=say("site.copy_link"),
        done_label=say("site.link_copied"),
        params={"lang": language},
        instead=attempt.link_refused(page.url_path, words(language)),
    )


presenting = presenter.on()
if presenting:
    room = presenter.bar(page.url_path, pages["library"], words(language))
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
        st.button(say("site.forget_yes"), key="forget_yes", on_click=attempts.forget_everything)

attempts.pictures_beside_words(False)
announce.begin()
with body:
    page.run()
with notices:
    cards.unread(attempts.all_unread(), words(language))
if presenting:
    presenter.reveal(room, page.url_path, words(language))
with footer:
    announce.mount(page.url_path)
    top_of_page(page.url_path)
