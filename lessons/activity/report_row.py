"""One row of the report: an answer beside the engine's, in words and in codes that are the same in every language.

Each activity gives the rows of an attempt beside the forms that ask for its answers; lessons/report/rows.py gathers
the attempts and says whose they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from lab.activities.attempt import Attempt, encode
from lab.activities.cases import LESSONS
from lab.activities.question import Grade, Sure
from lab.activities.record import Mark
from lessons.state.slots import ACTIVITIES, Slot

YesNo = Literal["yes", "no", ""]

# In the order of the report: what was predicted, then what was answered otherwise.
PREDICTED = (*LESSONS, "task", "eight", *(name for name in ACTIVITIES if name != "quiz"))
PARTS = (*PREDICTED, "check", "chapter", "again", "words", "quiz", "class")


@dataclass(frozen=True, kw_only=True)
class ReportRow:
    """An answer, or a text that the learner wrote. The codes:

    question_id  what was asked; the same for each time that it was asked: `allocate.ten.pages`, `quiz.blocks`.
    idea_id      the idea or slip (lab/activities/ideas.py) behind the answer or in the text; empty if none is known.
    right        is the answer the engine's? Empty: no outcome yet, or nothing to compare.
    sure         a box that asks "sure?" counts as "sure" if it was ticked, else as "think"; empty: not asked.
    first        whether this is the learner's first answer to that question; of answers from links, the first of those.
    state        the address in the lab that opens the state, from its path on; empty if there is none.

    The words: `attempt` is the case, scenario or round; `engine` its answer; `why` says what is true instead.
    `written`: `predicted` is the learner's own text, which is untrusted.
    """

    part: str
    question_id: str
    attempt: str
    question: str
    predicted: str
    engine: str = ""
    right: YesNo = ""
    sure: Sure | Literal[""] = ""
    first: YesNo = "yes"
    mark: Mark = "own"
    idea_id: str = ""
    state: str = ""
    written: bool = False
    why: str = ""

    @classmethod
    def of(
        cls,
        question_id: str,
        attempt: str,
        question: str,
        *,
        given: Any,
        grade: Grade | None,
        format_value: Callable[[Any], str],
        why: Callable[[], str] = str,
        part: str = "",
        sure: Sure | None = None,
        state: str = "",
    ) -> ReportRow:
        """The row of an answer. `grade`: None before the run has decided. `why`: called for a wrong answer only.

        The part is the beginning of the question's id unless it is given.
        """
        return cls(
            part=part or question_id.partition(".")[0],
            question_id=question_id,
            attempt=attempt,
            question=question,
            predicted=format_value(given),
            engine=format_value(grade.value) if grade else "",
            right=format_yes_no(grade.right) if grade else "",
            sure=sure or "",
            idea_id=grade.idea if grade else "",
            state=state,
            why="" if grade is None or grade.right else why(),
        )


def format_yes_no(value: bool) -> YesNo:
    """Return the code."""
    return "yes" if value else "no"


def build_address(page: str, slot: Slot, attempt: Attempt) -> str:
    """The address in the lab that opens the attempt on its page."""
    return f"/{page}{'&' if '?' in page else '?'}{slot.key}={encode(attempt)}"


def mark_first(rows: Sequence[ReportRow]) -> list[ReportRow]:
    """Return the rows with `first` set. Attempts that were started over are older than those that can go on. Pure."""
    first_at: dict[tuple[str, bool], int] = {}
    for at in sorted(range(len(rows)), key=lambda at: "over" not in rows[at].mark):
        first_at.setdefault((rows[at].question_id, "link" in rows[at].mark), at)
    return [replace(row, first=format_yes_no(at in first_at.values())) for at, row in enumerate(rows)]
