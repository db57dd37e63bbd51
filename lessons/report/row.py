"""One row of the report: an answer beside the engine's. Codes are language-neutral; all other text is translated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lab.activities.replayed_attempts import Mark

Same = Literal["yes", "no", ""]  # "": no outcome yet, or nothing to compare
Sure = Literal["guess", "think", "sure", "no", ""]  # "": not asked; "no": the "sure" box was not ticked

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
    "class",
)


@dataclass(frozen=True)
class ReportRow:
    """An answer, or a text that the learner wrote.

    attempt  the case, scenario or round; `state` is the address that opens it, if there is one.
    idea     the name of the misconception behind the answer or in the text; `why` says what is true instead.
    written  whether `predicted` is the learner's own text, which is untrusted.
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
    """Return the code for a comparison."""
    return "yes" if right else "no"
