"""The pages of the lab; the order of the lessons, which of them are done, and which comes next."""

from __future__ import annotations

from copy import copy
from functools import cache

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from lab.activities.cases import LESSONS
from lessons.state import attempts, record
from lessons.state.slots import ACTIVITIES, MAIN
from lessons.text.sentences import format_list
from lessons.text.translations import Language, Translations, get_translations
from lessons.widgets import cards

# The lessons in their order. A lesson without cases notes in the record that it is done.
ORDER = tuple(LESSONS)


def build_pages(language: Language) -> dict[str, StreamlitPage]:
    """Every page of the lab by its name, as Streamlit knows it. Call it in a script's run."""
    # Copies, since Streamlit notes in a page whether it may be run. Anew, the file of each would be looked for.
    return {name: copy(page) for name, page in _build_pages_once(language).items()}


@cache
def _build_pages_once(language: Language) -> dict[str, StreamlitPage]:
    say = get_translations(language).text
    return {
        "start": st.Page("start/page.py", title=say("site.nav_start"), default=True),
        **{
            name: st.Page(get_page_file(name), title=say(f"{name}.title"), url_path=name)
            for name in (*ORDER, *ACTIVITIES)
        },
        "task": st.Page("task/page.py", title=say("site.nav_task"), url_path="task"),
        "report": st.Page("report/page.py", title=say("report.title"), url_path="report"),
        "sandbox": st.Page("sandbox/page.py", title=say("sandbox.title"), url_path="sandbox"),
        "library": st.Page("library/page.py", title=say("scenarios.title"), url_path="library"),
        "class": st.Page("classroom/page.py", title=say("classroom.title"), url_path="class"),
        "reports": st.Page("course_reports/page.py", title=say("reports.title"), url_path="reports"),
        "join": st.Page("classroom/page_join.py", title=say("classroom.join_title"), url_path="join"),
    }


def is_lesson_done(name: str) -> bool:
    """Has this browser finished every case of the lesson?"""
    done = record.get_done()
    return all(case.id in done for case in LESSONS[name]) if LESSONS[name] else name in done


def count_done() -> int:
    """The number of lessons that are done."""
    return sum(map(is_lesson_done, ORDER))


def find_next_lesson() -> str | None:
    """The first lesson that is not done; None if all are."""
    return next((name for name in ORDER if not is_lesson_done(name)), None)


def is_task_done() -> bool:
    """Has this browser run the task until every question of its prediction was answered?"""
    return MAIN.key in record.get_done()


def mark_done(name: str, *, done: bool, words: Translations) -> str:
    """The name, with a sign if it is done."""
    return words.text("site.done_mark", name=name) if done else name


def get_page_file(name: str) -> str:
    """The file of a page for Streamlit's links. Lessons with cases share a folder; any other page has its own."""
    return f"lesson/page_{name}.py" if LESSONS.get(name) else f"{name}/page.py"


def get_page_name(name: str, words: Translations) -> str:
    """The name of a lesson's page, or the task's, in links."""
    return words.text("site.nav_task" if name == "task" else f"{name}.title")


def offer_next(name: str, words: Translations) -> None:
    """Draw what the learner should now be able to say, the cases left, and a button to the next lesson or the task."""
    with st.container(border=True, key="way_on"):
        cards.draw_heading(3, words.text("site.able_title"))
        st.markdown(words.text(f"{name}.able"))
        done = record.get_done()
        remaining = [case.id for case in LESSONS[name] if case.id not in done]
        if remaining:
            names = format_list((words.text(f"{name}.case.{case_id}.name") for case_id in remaining), words)
            st.markdown(words.text("site.cases_left", names=names))
        following = ORDER[ORDER.index(name) + 1 :]
        if words.has(f"{name}.next_chapter"):
            st.markdown(words.text(f"{name}.next_chapter"))
        target = following[0] if following else "task"
        title = get_page_name(target, words)
        if st.button(words.text("site.next_lesson", name=title), key="next_lesson", type="primary"):
            st.switch_page(get_page_file(target), query_params=attempts.get_link())
