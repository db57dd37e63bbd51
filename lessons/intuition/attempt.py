"""A visit of the first lesson: read from the address, changed in callbacks, its answers saved in the record."""

from __future__ import annotations

from lab.activities.intuition.progress import (
    SCENES,
    IntuitionAnswer,
    IntuitionAttempt,
    encode_intuition,
    parse_frame,
    parse_intuition,
)
from lab.engine.errors import InvalidLinkError, LabError
from lessons.state import attempts, record

KEY = "intuition"  # in the address, in the record, and as the mark of being done
_ASKED = "intuition.to_question"


def read_url() -> IntuitionAttempt:
    """What the address says; whether its picture exists, only a run knows. Raises InvalidLinkError."""
    return parse_intuition(attempts.get_value(KEY))


def count_frames() -> tuple[int, ...]:
    """Pictures by scene."""
    from lab.activities.intuition.storyboard import build_scenes  # noqa: PLC0415  (torch: not before the first answer)

    return tuple(map(len, build_scenes()))


def get_saved() -> IntuitionAttempt | None:
    """The visit with the most answers that this browser has saved; None where there is none that can be read."""
    saved = record.read().get(KEY)
    try:
        return parse_intuition(saved) if isinstance(saved, str) and saved else None
    except LabError:
        return None


def is_mine(attempt: IntuitionAttempt) -> bool:
    """Are these answers this browser's? Until it has told what it holds, they count as its own."""
    saved = get_saved()
    if saved is None:
        return not record.is_known()
    return saved.answers[: len(attempt.answers)] == attempt.answers


def is_last_of_open(attempt: IntuitionAttempt, counts: tuple[int, ...]) -> bool:
    """Is the last picture that may be seen in view?"""
    return attempt.scene == attempt.last_scene and attempt.frame == counts[attempt.scene - 1]


def has_ended(attempt: IntuitionAttempt, counts: tuple[int, ...]) -> bool:
    """Has everything been seen? Once it has, one may look back without losing the end."""
    seen = is_last_of_open(attempt, counts) or (is_mine(attempt) and KEY in record.get_done())
    return attempt.last_scene == SCENES and seen


def count_question_presses() -> int:
    """How often the visitor has pressed for the next question."""
    return int(attempts.get_note(_ASKED, 0))


# --- callbacks -----------------------------------------------------------------------------------------------------


def commit(question: str, given: IntuitionAnswer) -> None:
    """Commit an answer, once: an old or doubled press is ignored."""
    attempt = _get_current()
    saved = get_saved()
    answered = saved is not None and len(saved.answers) > len(attempt.answers)
    if attempt.pending != question or answered:
        return
    text = encode_intuition(attempt.answered(given))
    attempts.set_value(KEY, text)
    record.put(KEY, text)


def move(frame: str) -> None:
    """Look at another picture, as the browser reports it; what is not open is ignored."""
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
    """Look at the last picture that is open: the question stands beside it."""
    attempt = _get_current()
    if attempt.answers:
        attempts.set_note(_ASKED, count_question_presses() + 1)
        move(f"{attempt.last_scene}.{count_frames()[attempt.last_scene - 1]}")


def resume() -> None:
    """Go on with the answers that this browser has saved; where its record names a picture that there is not, at the
    scene's last one. Only here, since before the first answer no engine has run that knows the pictures."""
    saved = get_saved()
    if saved is not None:
        last = count_frames()[saved.scene - 1]
        attempts.set_value(KEY, encode_intuition(saved.at(saved.scene, min(saved.frame, last))))


def start_over() -> None:
    """Forget the answers and begin again."""
    record.put(KEY, "")
    attempts.set_value(KEY, "")


def _get_current() -> IntuitionAttempt:
    """The visit in the address, or the beginning where it cannot be read."""
    try:
        return read_url()
    except LabError:
        return IntuitionAttempt()
