"""What the reports of a class add up to: for each question and each idea how many students, first and later."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lab.activities.question import Grade
from lab.classroom.tally import Tally, Vote, count_votes
from lab.course_reports.errors import ReportFileError, SameReportError, SameStudentError, TooManyReportsError
from lab.course_reports.report_file import ReportAnswer, StudentReport, read_report

MAX_REPORTS = 300
RIGHT = "right"  # the outcome of a right answer; of a wrong one it is the idea behind it, "" if none is known


@dataclass(frozen=True)
class CourseQuestion:
    """One question. The tally's answers are outcomes; its rounds: each student's first answer, and the last later one.

    states  an address that opens an answer with that outcome, where there is one.
    """

    part: str
    id: str
    tally: Tally
    states: Mapping[str, str]


@dataclass(frozen=True)
class CourseIdea:
    """One idea: how many students had it in a first answer, how many in a later one, and at which questions."""

    id: str
    first: int
    later: int
    questions: tuple[str, ...]


@dataclass(frozen=True)
class Course:
    """All answers of a class. `again`: how many students answered something more than once.

    questions  in the order of the reports.
    ideas      those that most students had first.
    """

    students: int
    again: int
    answers: int
    questions: tuple[CourseQuestion, ...]
    ideas: tuple[CourseIdea, ...]


def collect_reports(
    known: Sequence[StudentReport], files: Iterable[tuple[str, bytes]], parts: Collection[str]
) -> tuple[tuple[StudentReport, ...], list[ReportFileError]]:
    """Add files (name and bytes) to the reports that are known; each file and each student counts once. Pure.

    Of two files with one student's name the one with more answers counts, of two as long the later one. Returns the
    reports, and why each of the other files does not count.
    """
    kept, problems = list(known), list[ReportFileError]()
    for file, data in files:
        try:
            report = read_report(file, data, parts)
            _check_new(report, kept)
        except ReportFileError as problem:
            problems.append(problem)
            continue
        for older in [each for each in kept if report.student and each.student == report.student]:
            kept.remove(older)
            problems.append(SameStudentError(file=older.file, other=file))
        kept.append(report)
    return tuple(kept), problems


def _check_new(report: StudentReport, kept: Sequence[StudentReport]) -> None:
    for other in kept:
        if other.content == report.content:
            raise SameReportError(file=report.file, other=other.file)
        if report.student and other.student == report.student:
            if len(other.answers) > len(report.answers):
                raise SameStudentError(file=report.file, other=other.file)
            return  # takes the other's place
    if len(kept) >= MAX_REPORTS:
        raise TooManyReportsError(file=report.file, limit=MAX_REPORTS)


def count_course(reports: Sequence[StudentReport], parts: Sequence[str]) -> Course:
    """Count the students' own answers; those that came with a link may be somebody else's. Pure.

    `parts` in the order in which questions are listed.
    """
    votes: dict[str, list[Vote]] = {}
    part_of: dict[str, str] = {}
    states: dict[str, dict[str, str]] = {}
    had: dict[str, tuple[set[int], set[int], dict[str, None]]] = {}
    again: set[int] = set()
    for student, report in enumerate(reports):
        for answer, is_first in _order(report.answers):
            if answer.right is not None:
                outcome = RIGHT if answer.right else answer.idea_id
                vote = Vote(str(student), 1 if is_first else 2, outcome, answer.sure)
                votes.setdefault(answer.question_id, []).append(vote)
                part_of.setdefault(answer.question_id, answer.part)
                if answer.state:
                    states.setdefault(answer.question_id, {}).setdefault(outcome, answer.state)
            if not is_first and (answer.right is not None or answer.idea_id):
                again.add(student)  # a later text without an outcome may have an idea too
            if answer.idea_id:
                first, later, questions = had.setdefault(answer.idea_id, (set(), set(), {}))
                (first if is_first else later).add(student)
                questions[answer.question_id] = None
    found = [
        CourseQuestion(part_of[name], name, _sort_bars(count_votes(cast, _grade)), states.get(name, {}))
        for name, cast in votes.items()
    ]
    ideas = [CourseIdea(name, len(first), len(later), tuple(at)) for name, (first, later, at) in had.items()]
    return Course(
        len(reports),
        len(again),
        sum(map(len, votes.values())),
        tuple(sorted(found, key=lambda each: parts.index(each.part))),
        tuple(sorted(ideas, key=lambda idea: (-idea.first, -idea.later, idea.id))),
    )


def _order(answers: Iterable[ReportAnswer]) -> list[tuple[ReportAnswer, bool]]:
    """A student's own answers, those of attempts that were started over before the others, each with: is it the first?

    A file edited by hand may mark two answers to a question as first; the second counts as a later one.
    """
    own = sorted((each for each in answers if each.mark in ("own", "over")), key=lambda each: each.mark != "over")
    firsts = Counter[str]()
    ordered = []
    for answer in own:
        firsts[answer.question_id] += answer.is_first
        ordered.append((answer, answer.is_first and firsts[answer.question_id] == 1))
    return ordered


def _grade(outcome: str) -> Grade:
    return Grade("", outcome, RIGHT, outcome == RIGHT, "" if outcome == RIGHT else outcome)


def _sort_bars(tally: Tally) -> Tally:
    """The right answers first, then what most students had at first."""
    bars = sorted(tally.bars, key=lambda bar: (not bar.right, -bar.first, -bar.second, bar.answer))
    return replace(tally, bars=tuple(bars))
