"""Whether the page is being presented, how, and what is still hidden from the class.

The address says it, for every page: `present=on`, and behind it `.dark` (white on black) and `.bare` (no notes).
What has been revealed belongs to one place of one page and to the session: at the next place it is hidden again.
What only the page in view can tell (what Reveal and Reset do, what a student's link leads to), it sets while it is
drawn; `begin` forgets what the page before it has set.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lab.figures.projector import get_projector_colors
from lessons.state import attempts

KEY = "present"  # of the address; assets/components/copy_link/copy_link.js leaves it out of every link
LARGEST = 1.8  # times the usual size of a picture


@dataclass(frozen=True)
class PresenterMode:
    """How the page is presented: white on black? with the presenter's notes?"""

    dark: bool = False
    notes: bool = True

    @property
    def text(self) -> str:
        """As the address has it; see `mode`."""
        return "on" + ".dark" * self.dark + ".bare" * (not self.notes)


def get_mode() -> PresenterMode | None:
    """What the address says; None where nothing is presented."""
    first, *more = attempts.get_value(KEY).split(".")
    if first not in ("", "on"):
        attempts.add_unread(KEY)
    return PresenterMode("dark" in more, "bare" not in more) if first == "on" else None


def is_on() -> bool:
    """Is the page being presented?"""
    return get_mode() is not None


def are_notes_shown() -> bool:
    """Are the presenter's notes to be seen?"""
    shown = get_mode()
    return shown is not None and shown.notes


def hide_answer() -> bool:
    """Must an answer be covered here? Whatever draws one asks; Reveal then has something to do."""
    if not is_on():
        return False
    attempts.set_note("present.covers", True)
    return is_hidden()


def begin(page: str) -> None:
    """The presenter's row is drawn: nothing of what the page before it has set counts any more."""
    for name, value in (("page", page), ("covers", False), ("step", None), ("reset", None), ("passes_on", {})):
        attempts.set_note(f"present.{name}", value)
    if attempts.get_note("present.revealed") != name_place():  # who comes back finds it hidden again
        attempts.set_note("present.revealed", None)


def is_hidden() -> bool:
    """As `hide_answer`, for what hides nothing: is what belongs to this place still to be revealed?"""
    return is_on() and bool(attempts.get_note("present.revealed") != name_place())


def set_student_link(**params: str) -> None:
    """The link for students is to have these parameters instead of the presenter's own: a student sees no answer."""
    attempts.set_note("present.passes_on", params)


def set_reveal(step: Callable[[], None]) -> None:
    """The question in view is answered by this callback: Reveal calls it where nothing (more) is covered."""
    attempts.set_note("present.step", step)


def get_figure_data() -> dict[str, Any]:
    """What a component that draws figures must know: the colours to swap, and how much larger they may get."""
    shown = get_mode()
    return {"contrast": get_projector_colors(shown.dark), "largest": LARGEST} if shown else {}


def name_place() -> str:
    """Where one is: the page, and all that its address says besides language and presentation."""
    here = {name: text for name, text in sorted(attempts.get_link().items()) if name not in (KEY, "lang")}
    return repr((attempts.get_note("present.page"), here))


def set_reset(reset: Callable[[], None]) -> None:
    """The page in view can be taken back to how it was opened, by this callback, and has notes for the presenter."""
    attempts.set_note("present.reset", reset)
