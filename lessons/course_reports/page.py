"""The page of a class's reports: drop the files that students handed in, see them added up by question and idea."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby

import streamlit as st

from lab.course_reports.course import Course, CourseQuestion
from lab.course_reports.errors import ReportFileError
from lessons.activity.flow import wait_for_engine
from lessons.course_reports.question_names import describe_question
from lessons.course_reports.tables import build_ideas_table, build_question_table, describe_answers
from lessons.course_reports.upload import discard, draw_field, get_held
from lessons.report.summary import format_part
from lessons.report.table import format_marks
from lessons.state import attempts
from lessons.text.sentences import format_error
from lessons.text.translations import Translations
from lessons.text.translations import get_translations as words_of
from lessons.widgets import cards

HARDEST = 5
_HARDEST = "hardest"  # in place of a part


def draw_page() -> None:
    """Draw the page."""
    words = words_of(attempts.get_language())
    cards.draw_heading(1, words.text("reports.title"))
    st.markdown(words.text("reports.lead"))
    draw_field(words)
    held = get_held()
    if held is None:
        return
    if held.problems:
        _draw_problems(held.problems, words)
    if not held.reports:
        return
    wait_for_engine(words)
    course = held.course
    with st.container(horizontal=True, vertical_alignment="center", key="reports_read"):
        read = words.text("reports.read", students=course.students, answers=course.answers)
        cards.draw_headline(read, "")
        st.button(words.text("reports.discard"), key="reports_discard", on_click=discard)
    st.markdown(words.text("reports.rounds"))
    if course.ideas:
        cards.draw_heading(2, words.text("reports.by_idea"))
        st.html(build_ideas_table(course, words))
    if course.questions:
        cards.draw_heading(2, words.text("reports.by_question"))
        _draw_questions(course, words)


def _draw_problems(problems: Sequence[ReportFileError], words: Translations) -> None:
    """Say why each of these files does not count. Their names are untrusted, so nothing of it is Markdown."""
    lines = "".join(f"<li>{escape(format_error(problem, words))}</li>" for problem in problems)
    with st.container(border=True, key="reports_problems"):
        st.html(f"<p>{escape(words.text('reports.problems', files=len(problems)))}</p><ul>{lines}</ul>")


def _draw_questions(course: Course, words: Translations) -> None:
    """Draw the questions of one part, or those that most students got wrong at first."""
    parts = {part: tuple(within) for part, within in groupby(course.questions, key=lambda question: question.part)}
    hardest = _find_hardest(course)
    chosen = st.selectbox(
        words.text("reports.which"),
        [*[_HARDEST] * bool(hardest), *parts],
        key="reports_part",
        format_func=lambda part: words.text("reports.hardest") if part == _HARDEST else format_part(part, words),
    )
    for question in hardest if chosen == _HARDEST else parts[chosen]:
        name, text = describe_question(question.part, question.id, words)
        cards.draw_plain_heading(3, name)
        if text:
            st.html(f"<p>{format_marks(text)}</p>")
        st.html(build_question_table(question, words))
        if lines := describe_answers(question, words):
            st.markdown("\n".join(f"- {line}" for line in lines))


def _find_hardest(course: Course) -> list[CourseQuestion]:
    """The questions with the most wrong first answers."""

    def count_wrong(question: CourseQuestion) -> int:
        return question.tally.votes[0] - question.tally.right[0]

    return [each for each in sorted(course.questions, key=count_wrong, reverse=True) if count_wrong(each)][:HARDEST]


draw_page()
