"""A visit of the first lesson: read from the address, changed in callbacks, its answers kept in the record."""

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
from lessons.state import attempts, record

KEY = "intuition"  # in the address, in the record, and as the mark of being done
_ASKED = "intuition.to_question"


def read_url() -> IntuitionAttempt:
    """What the address says; whether its picture exists, only a run knows. Raises InvalidLinkError."""
    return parse_intuition(attempts.get_value(KEY))


def count_frames() -> tuple[int, ...]:
    """Pictures by scene."""
    return tuple(map(len, build_scenes()))


def get_saved() -> IntuitionAttempt | None:
    """The visit with the most answers that this browser has kept; None where there is none that can be read."""
    kept = record.read().get(KEY)
    try:
        return parse_intuition(kept) if isinstance(kept, str) and kept else None
    except LabError:
        return None


def is_mine(visit: IntuitionAttempt) -> bool:
    """Are these answers this browser's? Until it has told what it holds, they count as its own."""
    kept = get_saved()
    if kept is None:
        return not record.is_known()
    return kept.answers[: len(visit.answers)] == visit.answers


def is_last_of_open(visit: IntuitionAttempt, counts: tuple[int, ...]) -> bool:
    """Is the last picture that may be seen in view?"""
    return visit.scene == visit.last_scene and visit.frame == counts[visit.scene - 1]


def has_ended(visit: IntuitionAttempt, counts: tuple[int, ...]) -> bool:
    """Has everything been seen? Once it has, one may look back without losing the end."""
    seen = is_last_of_open(visit, counts) or (is_mine(visit) and KEY in record.get_done())
    return visit.last_scene == SCENES and seen


def count_question_presses() -> int:
    """How often the visitor has pressed for the next question."""
    return int(attempts.get_note(_ASKED, 0))


# --- callbacks -----------------------------------------------------------------------------------------------------


def commit(question: str, given: IntuitionAnswer) -> None:
    """Commit an answer, once: an old or doubled press is ignored."""
    visit = _get_current()
    kept = get_saved()
    known = kept is not None and len(kept.answers) > len(visit.answers)
    if visit.pending != question or known:
        return
    text = encode_intuition(visit.answered(given))
    attempts.set_value(KEY, text)
    record.put(KEY, text)


def move(frame: str) -> None:
    """Look at another picture, as the browser reports it; what is not open is ignored."""
    visit = _get_current()
    counts = count_frames()
    try:
        there = visit.at(*parse_frame(frame)).check(counts)
    except InvalidLinkError:
        return
    if not visit.answers or there == visit:
        return
    attempts.set_value(KEY, encode_intuition(there))
    if there.last_scene == SCENES and is_last_of_open(there, counts):
        record.add_done(KEY)


def seek_question() -> None:
    """Look at the last picture that is open: the question stands beside it."""
    visit = _get_current()
    if visit.answers:
        attempts.set_note(_ASKED, count_question_presses() + 1)
        move(f"{visit.last_scene}.{count_frames()[visit.last_scene - 1]}")


def resume() -> None:
    """Go on with the answers that this browser has kept; where its record names a picture that there is not, at the
    scene's last one. Only here, since before the first answer no engine has run that knows the pictures."""
    kept = get_saved()
    if kept is not None:
        last = count_frames()[kept.scene - 1]
        attempts.set_value(KEY, encode_intuition(kept.at(kept.scene, min(kept.frame, last))))


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
