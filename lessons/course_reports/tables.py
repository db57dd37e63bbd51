"""The tables of a class's reports: the ideas, and the outcomes of one question."""

from __future__ import annotations

from lab.course_reports.course import RIGHT, Course, CourseQuestion
from lab.quiz.words import format_idea
from lessons.classroom.bars_table import BarsRow, build_bars_table
from lessons.classroom.votes_table import describe_moves, describe_sureness, format_bar_idea
from lessons.course_reports.question_names import describe_question
from lessons.text.sentences import format_list
from lessons.text.translations import Translations


def build_ideas_table(course: Course, words: Translations) -> str:
    """Return the ideas as an HTML table: how many students had each, and at which questions."""
    parts = {question.id: question.part for question in course.questions}
    titles = [words.text("classroom.column_idea"), words.text("reports.column_questions")]
    rows = []
    for idea in course.ideas:
        names = dict.fromkeys(describe_question(parts.get(at, ""), at, words)[0] for at in idea.questions)
        rows.append(BarsRow((format_idea(idea.id, words), format_list(names, words)), (idea.first, idea.later)))
    totals = (course.students, course.again)
    return build_bars_table(words.text("reports.had"), [*titles, *_title_rounds(totals, words)], totals, rows)


def build_question_table(question: CourseQuestion, words: Translations) -> str:
    """Return the outcomes of a question as an HTML table: right first, then by idea."""
    tally = question.tally
    rows = [
        BarsRow(
            (format_bar_idea(bar, words),),
            (bar.first, bar.second),
            right=bar.right,
            address=question.states.get(bar.answer, "").removeprefix("/"),
        )
        for bar in tally.bars
    ]
    titles = [words.text("classroom.column_idea"), *_title_rounds(tally.votes, words)]
    return build_bars_table(words.text("classroom.votes"), titles, tally.votes, rows, words.text("reports.open"))


def describe_answers(question: CourseQuestion, words: Translations) -> list[str]:
    """Who moved from which idea to which, and how sure the right and the wrong were, at first and later."""
    lines = describe_moves(question.tally, lambda outcome: _format_outcome(outcome, words), words)
    for number, round_ in enumerate(("first", "later"), 1):
        if said := describe_sureness(question.tally, number, words):
            lines.append(words.text("figures.gap").join((words.text(f"reports.sure_{round_}"), *said)))
    return lines


def _title_rounds(totals: tuple[int, int], words: Translations) -> list[str]:
    return [words.text(f"reports.{name}", students=n) for name, n in zip(("first", "later"), totals, strict=True)]


def _format_outcome(outcome: str, words: Translations) -> str:
    if outcome == RIGHT:
        return words.text("classroom.right_answer")
    return format_idea(outcome, words) if outcome else words.text("classroom.no_idea")
