"""The learner's attempt at the first lesson, read from the address. Callbacks change it and record the answers."""

from __future__ import annotations

from lab.activities.intuition.progress import (
    SCENES,
    IntuitionAnswer,
    IntuitionAttempt,
    encode_intuition,
    parse_frame,
    parse_intuition,
)
from lab.activities.intuition.storyboard import build_scenes
from lab.engine.errors import InvalidLinkError, LabError
from lessons.state import attempts, notes, record

KEY = "intuition"  # in the address and the record; also marks the lesson as done
_ASKED = "intuition.to_question"


def read_url() -> IntuitionAttempt:
    """Read the attempt from the address. Whether its frame exists, only a run can check. Raises InvalidLinkError."""
    return parse_intuition(attempts.get_value(KEY))


def count_frames() -> tuple[int, ...]:
    """Return the number of frames in each scene."""
    return tuple(map(len, build_scenes()))


def get_saved() -> IntuitionAttempt | None:
    """Return the attempt saved in this browser, or None if there is none that can be read."""
    saved = record.read().get(KEY)
    try:
        return parse_intuition(saved) if isinstance(saved, str) and saved else None
    except LabError:
        return None


def is_mine(attempt: IntuitionAttempt) -> bool:
    """Whether this browser gave these answers. True until the browser has sent its record."""
    saved = get_saved()
    if saved is None:
        return not record.is_known()
    return saved.answers[: len(attempt.answers)] == attempt.answers


def is_last_of_open(attempt: IntuitionAttempt, counts: tuple[int, ...]) -> bool:
    """Whether the last open frame is in view."""
    return attempt.scene == attempt.last_scene and attempt.frame == counts[attempt.scene - 1]


def has_ended(attempt: IntuitionAttempt, counts: tuple[int, ...]) -> bool:
    """Whether everything has been seen. Looking back afterwards does not undo that."""
    seen = is_last_of_open(attempt, counts) or (is_mine(attempt) and KEY in record.get_done())
    return attempt.last_scene == SCENES and seen


def count_question_presses() -> int:
    """Return how often the learner has pressed the button to the next question."""
    return int(notes.get_note(_ASKED, 0))


# --- callbacks -----------------------------------------------------------------------------------------------------


def commit(question: str, given: IntuitionAnswer) -> None:
    """Commit an answer. An old or doubled press is ignored."""
    attempt = _get_current()
    saved = get_saved()
    answered = saved is not None and len(saved.answers) > len(attempt.answers)
    if attempt.pending != question or answered:
        return
    text = encode_intuition(attempt.answered(given))
    attempts.set_value(KEY, text)
    record.put(KEY, text)


def move(frame: str) -> None:
    """Show the frame that the browser reports. A frame that is not open yet is ignored."""
    attempt = _get_current()
    counts = count_frames()
    try:
        there = attempt.at(*parse_frame(frame)).check(counts)
    except InvalidLinkError:
        return
    if not attempt.answers or there == attempt:
        return
    attempts.set_value(KEY, encode_intuition(there))
    if there.last_scene == SCENES and is_last_of_open(there, counts):
        record.add_done(KEY)


def seek_question() -> None:
    """Show the last open frame, which has the question beside it."""
    attempt = _get_current()
    if attempt.answers:
        notes.set_note(_ASKED, count_question_presses() + 1)
        move(f"{attempt.last_scene}.{count_frames()[attempt.last_scene - 1]}")


def resume() -> None:
    """Go on with the answers saved in this browser.

    If the record names a frame that does not exist, show the last one of its scene. That is checked only here, because
    the number of frames needs a run, and nothing runs before the first answer.
    """
    saved = get_saved()
    if saved is not None:
        last = count_frames()[saved.scene - 1]
        attempts.set_value(KEY, encode_intuition(saved.at(saved.scene, min(saved.frame, last))))


def start_over() -> None:
    """Forget the answers and begin again."""
    record.put(KEY, "")
    attempts.set_value(KEY, "")


def _get_current() -> IntuitionAttempt:
    """Return the attempt in the address, or a new one if it cannot be read."""
    try:
        return read_url()
    except LabError:
        return IntuitionAttempt()
