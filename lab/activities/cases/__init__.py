"""The lessons' cases, in the order in which the lessons use them, and the task's."""

from __future__ import annotations

from lab.activities.cases.allocate import ALLOCATE
from lab.activities.cases.append import APPEND
from lab.activities.cases.case import Case
from lab.activities.cases.code import CODE
from lab.activities.cases.share import SHARE
from lab.activities.cases.task import TASK, TASKS
from lab.activities.question import Question
from lab.engine.errors import InvalidLinkError

LESSONS: dict[str, tuple[Case, ...]] = {
    "intuition": (),
    "allocate": ALLOCATE,
    "append": APPEND,
    "share": SHARE,
    "code": CODE,
}
CASES: dict[str, Case] = {case.id: case for cases in LESSONS.values() for case in cases}
_BY_FORM = {**{case.id: case for case in TASKS.values()}, **CASES}


def get_lesson(case: Case) -> str:
    """The lesson that the case belongs to; "task" for the task's."""
    return next((name for name, cases in LESSONS.items() if case in cases), TASK)


def find_form(form: str) -> tuple[Case, int | None]:
    """The case of that form, and the position of the picked token, if any. Raises InvalidLinkError."""
    case_id, at, pick = form.partition("@")
    case = _BY_FORM.get(case_id)
    if case is None or bool(at) != bool(case.pick_from) or (at and not (pick.isascii() and pick.isdigit())):
        raise InvalidLinkError(part="prediction", reason="unknown form")
    return case, int(pick) if at else None


def get_questions(form: str) -> tuple[Question, ...]:
    """The questions that a prediction of that form answers, in order. Raises InvalidLinkError for an unknown form."""
    case, pick = find_form(form)
    try:
        return case.questions(pick)
    except IndexError:
        raise InvalidLinkError(part="prediction", reason="no such token") from None
