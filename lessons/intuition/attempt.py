"""The learner's attempt at the first lesson: what only the animation means. See lessons.state.attempts."""

from __future__ import annotations

from lab.activities.attempt import Answer
from lab.activities.intuition.progress import KIND, SCENES, IntuitionView, parse_frame
from lab.activities.intuition.storyboard import build_scenes
from lab.activities.question import Question
from lab.engine.errors import InvalidLinkError, LabError
from lessons.state import attempts, notes, presenting, record
from lessons.state.slots import Track

SLOT = Track.of(KIND)
KEY = SLOT.key  # also marks the lesson as done
_ASKED = "intuition.to_question"


def read_url() -> IntuitionView:
    """Read the attempt from the address; without answers a presenter has every scene.

    Whether its frame exists, only a run can check. Raises LabError.
    """
    attempt, frame = attempts.read(SLOT)
    if presenting.is_on() and (attempt is None or not attempt.answers):
        return IntuitionView(is_open=True).at(*parse_frame(frame or "1.1"))
    return IntuitionView.read(attempt, frame) if attempt else IntuitionView()


def count_frames() -> tuple[int, ...]:
    """Return the number of frames in each scene."""
    return tuple(map(len, build_scenes()))


def get_saved() -> IntuitionView | None:
    """Return the attempt saved in this browser, or None if there is none that can be read."""
    return record.read().find_as(KIND, IntuitionView.read)


def is_last_of_open(view: IntuitionView, counts: tuple[int, ...]) -> bool:
    """Whether the last open frame is in view."""
    return view.scene == view.last_scene and view.frame == counts[view.scene - 1]


def has_ended(view: IntuitionView, counts: tuple[int, ...]) -> bool:
    """Whether everything has been seen. Looking back afterwards does not undo that."""
    seen = is_last_of_open(view, counts) or (record.is_mine(view.attempt) and KEY in record.get_done())
    return view.last_scene == SCENES and seen


def count_question_presses() -> int:
    """Return how often the learner has pressed the button to the next question."""
    return int(notes.get_note(_ASKED, 0))


# --- callbacks -----------------------------------------------------------------------------------------------------


def commit(question: Question, given: Answer) -> None:
    """Commit an answer. An old or doubled press is ignored."""
    view, mine = _get_current(), get_saved()
    if view.pending == question and (mine is None or len(mine.answers) <= len(view.answers)):
        after = view.answered(given)
        attempts.commit(SLOT, after.attempt, after.place)


def move(frame: str) -> None:
    """Show the frame that the browser reports. A frame that is not open yet is ignored."""
    view, counts = _get_current(), count_frames()
    try:
        there = view.at(*parse_frame(frame)).check(counts)
    except InvalidLinkError:
        return
    if not view.scene or there == view:
        return
    attempts.seek(SLOT, there.place)
    if there.answers and there.last_scene == SCENES and is_last_of_open(there, counts):
        record.set_done(KEY)


def seek_question() -> None:
    """Show the last open frame, which has the question beside it."""
    view = _get_current()
    if view.answers:
        notes.set_note(_ASKED, count_question_presses() + 1)
        move(f"{view.last_scene}.{count_frames()[view.last_scene - 1]}")


def resume() -> None:
    """Go on with the answers saved in this browser."""
    attempts.resume(SLOT, KIND)


def start_over() -> None:
    """Begin again."""
    attempts.restart(SLOT, _get_current().attempt, None)


def _get_current() -> IntuitionView:
    """Return the attempt in the address, or a new one if it cannot be read."""
    try:
        return read_url()
    except LabError:
        return IntuitionView()
