"""What a student does: a visit is a page to open, and a click for every turn, over and over again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import count

from tests.load.student import Student
from tests.player import read_data

_SERIAL = count()
OPERATIONS = ("aA", "aB", "tB", "tB", "rA", "aA", "rB", "rA")  # the log grows; some are refused
COMMITTED = "lang=en&run=2.task.4.used_3t.1t.1t.0t.1t.7t_"
ROUND = "lang=en&quiz=r.{seed}.4.easy.10"


@dataclass(frozen=True)
class Visit:
    """`click(student, turn)` returns the seconds from the click to the end of the run."""

    name: str
    app: str
    page: str
    query: str
    click: Callable[[Student, int], Awaitable[float]]


async def _operate(student: Student, turn: int) -> float:
    """The task with a committed prediction: one operation after another, refused ones too."""
    operation = OPERATIONS[turn % len(OPERATIONS)]
    film = read_data(student.elements["memory"].bidi_component)["film"]
    student.frames |= film["packed"].keys()
    if "ahead" in student.elements:
        student.frames.add(read_data(student.elements["ahead"].bidi_component)["chunk"])
    message = {"id": operation, "index": turn, "serial": next(_SERIAL), "have": sorted(student.frames)}
    return await student.trigger("operations", "press", message)


async def _answer(student: Student, turn: int) -> float:
    """The quiz: answer the question in view, then go on to the next."""
    if "quiz_submit" not in student.elements:
        on = [key for key in ("quiz_next", "quiz_again", "quiz_begin") if key in student.elements]
        return await student.press(on[0] if on else "quiz_next")
    for key, field in student.shown("text_input"):
        student.fill(key, string_value="0-3" if "set" in field.label else "3")
    for place, (key, field) in enumerate(student.shown("radio")):
        sure = key.endswith(".sure")
        student.fill(key, string_value=field.options[0 if sure else place % len(field.options)])
    for key, _ in list(student.shown("checkbox"))[:1]:
        student.fill(key, bool_value=True)
    return await student.press("quiz_submit")


async def _press(student: Student, _turn: int) -> float:
    return await student.press("press")


EMPTY = Visit("empty page", "tests/load/empty_app.py", "", "", _press)
VISITS = (Visit("task", "app.py", "task", COMMITTED, _operate), Visit("quiz", "app.py", "quiz", ROUND, _answer))
