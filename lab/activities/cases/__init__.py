"""The lessons' cases, in the order in which the lessons use them."""

from __future__ import annotations

from lab.activities.cases.allocate import ALLOCATE
from lab.activities.cases.append import APPEND
from lab.activities.cases.case import Case
from lab.activities.cases.code import CODE
from lab.activities.cases.share import SHARE
from lab.activities.question import FORMS, Question
from lab.engine.errors import InvalidLinkError

LESSONS: dict[str, tuple[Case, ...]] = {
    "intuition": (),
    "allocate": ALLOCATE,
    "append": APPEND,
    "share": SHARE,
    "code": CODE,
}
CASES: dict[str, Case] = {case.id: case for cases in LESSONS.values() for case in cases}


def get_lesson(case: Case) -> str:
    """The lesson that the case belongs to."""
    return next(name for name, cases in LESSONS.items() if case in cases)


def get_questions(form: str) -> tuple[Question, ...]:
    """The questions that a prediction of that form answers, in order. Raises InvalidLinkError for an unknown form."""
    case_id, at, pick = form.partition("@")
    case = CASES.get(case_id)
    if form in FORMS:
        return FORMS[form]
    if case is None or bool(at) != bool(case.pick_from) or (at and not (pick.isascii() and pick.isdigit())):
        raise InvalidLinkError(part="prediction", reason="unknown form")
    try:
        return case.questions(int(pick) if at else None)
    except IndexError:
        raise InvalidLinkError(part="prediction", reason="no such token") from None
