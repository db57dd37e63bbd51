"""One line of the report: an answer beside the engine's. Codes are language-neutral, all other texts are words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lab.activities.replayed_attempts import Mark

Same = Literal["yes", "no", ""]  # "": not settled, or nothing to compare
Sure = Literal["guess", "think", "sure", "no", ""]  # "": not asked; "no": not marked as sure

# In the order of the report.
PARTS = (
    "intuition",
    "allocate",
    "append",
    "share",
    "code",
    "task",
    "eight",
    "memory",
    "check",
    "chapter",
    "again",
    "words",
    "quiz",
)


@dataclass(frozen=True)
class ReportRow:
    """An answer or a text of the learner's.

    attempt  the case, scenario or round; `state` is the address where it opens, if there is one.
    idea     the name of the wrong idea that is behind the answer or in the text; `why`: what is true instead.
    written  is `predicted` the learner's own wording? Then it may hold anything.
    """

    part: str
    attempt: str
    question: str
    predicted: str
    engine: str = ""
    same: Same = ""
    sure: Sure = ""
    mark: Mark = "own"
    idea: str = ""
    state: str = ""
    written: bool = False
    why: str = ""


def compare(right: bool) -> Same:
    """The code of a comparison."""
    return "yes" if right else "no"
