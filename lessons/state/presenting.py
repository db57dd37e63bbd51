"""Is the page presented, in which mode, and what is still hidden from the class?

The address holds the mode, for every page: `present=on`, then `.dark` (white on black) and `.x130`
(percent of the usual size).
The session holds what was revealed, for one place of one page: at the next place the answer is hidden again.
A page sets what Reveal and Reset do and where the students' link leads while it is drawn; `begin` drops what the page
before has set.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lab.figures.projector import get_projector_colors
from lessons.state import attempts, notes

KEY = "present"  # of the address; assets/components/copy_link/copy_link.js leaves it out of every link
LARGEST_SCALE = 1.8  # times the usual size of a picture that does not fill the window
SIZES = (70, 80, 90, 100, 115, 130, 150, 175, 200)  # percent
_USUAL = 100


@dataclass(frozen=True)
class Remark:
    """A title and lines of plain text for the presenter's eyes."""

    title: str
    lines: tuple[str, ...]


@dataclass
class Stage:
    """What a page has set while it is being drawn.

    has_answer    it can hide an answer.
    reveal        answers the question in view; called by Reveal when nothing is hidden.
    reset         takes the page back to how it was opened.
    student_link  parameters of the students' link instead of the presenter's: so that a student sees no answer.
    questions     what a class can be asked here (lessons/votable), in the order in which it should be asked.
    remarks       for the presenter alone: they go to the second window.
    """

    page: str
    has_answer: bool = False
    reveal: Callable[[], None] | None = None
    reset: Callable[[], None] | None = None
    student_link: Mapping[str, str] = field(default_factory=dict)
    questions: Sequence[str] = ()
    remarks: Sequence[Remark] = ()


@dataclass(frozen=True)
class PresenterMode:
    """How the page is presented: `dark` is white on black, `size` is in percent of what fits the window."""

    dark: bool = False
    size: int = 100

    @property
    def text(self) -> str:
        """The value of the address's parameter."""
        return "on" + ".dark" * self.dark + f".x{self.size}" * (self.size != _USUAL)

    def resize(self, steps: int) -> PresenterMode:
        """The mode so many sizes larger; the largest or the smallest if there are not so many."""
        at = SIZES.index(self.size) + steps
        return replace(self, size=SIZES[max(0, min(at, len(SIZES) - 1))])


def get_mode() -> PresenterMode | None:
    """The mode in the address; None if the page is not presented."""
    first, *more = attempts.get_value(KEY).split(".")
    if first not in ("", "on"):
        attempts.add_unread(KEY)
    size = next((size for size in SIZES if f"x{size}" in more), _USUAL)
    return PresenterMode("dark" in more, size) if first == "on" else None


def is_on() -> bool:
    """Is the page being presented?"""
    return get_mode() is not None


def get_stage() -> Stage:
    """What the page in view has set so far."""
    stage: Stage | None = notes.get_note("present.stage")
    return stage or begin("")


def begin(page: str) -> Stage:
    """Drop what the page before has set; hide a revealed answer again if the place is another one."""
    notes.set_note("present.stage", stage := Stage(page))
    if notes.get_note("present.revealed") != name_place():  # hidden again even on the way back
        notes.set_note("present.revealed", None)
    return stage


def hide_answer() -> bool:
    """Must the answer about to be drawn be hidden? Notes that the page has an answer, so that Reveal is enabled."""
    if not is_on():
        return False
    get_stage().has_answer = True
    return is_hidden()


def is_hidden() -> bool:
    """Is the answer at this place not revealed yet? Changes nothing; see `hide_answer`."""
    return is_on() and bool(notes.get_note("present.revealed") != name_place())


def ask_class(page: str) -> None:
    """In a callback: turn to the class's board, which asks the question in view. `page`: where it is in view."""
    notes.set_note("class.wanted", tuple(get_stage().questions))
    notes.set_note("class.came_from", page)
    go_to("class")


def pop_wanted() -> tuple[str, ...]:
    """What the class is to be asked, once."""
    wanted: tuple[str, ...] = notes.get_note("class.wanted", ())
    notes.set_note("class.wanted", ())
    return wanted


def go_to(page: str) -> None:
    """In a callback: turn to that page, with everything that the address holds."""
    notes.set_note("present.goal", page)


def pop_goal() -> str:
    """The page to turn to, once; empty if there is none."""
    goal = str(notes.get_note("present.goal", ""))
    notes.set_note("present.goal", "")
    return goal


def get_figure_data() -> dict[str, Any]:
    """Data for a component that draws figures: the colours to swap, and the scales."""
    shown = get_mode()
    return (
        {"contrast": get_projector_colors(shown.dark), "largest": LARGEST_SCALE, "zoom": shown.size / _USUAL}
        if shown
        else {}
    )


def name_place() -> str:
    """Name the place in view: the page and its parameters, but for the language and the presenter mode."""
    params = {name: text for name, text in sorted(attempts.get_link().items()) if name not in (KEY, "lang")}
    return repr((get_stage().page, params))
