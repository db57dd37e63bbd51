"""A visit of the first lesson: read from the address, changed in callbacks, its answers kept in the record."""

from __future__ import annotations

from lab.errors import InvalidLinkError, LabError
from lab.intuition.visit import SCENES, Answer, Visit, parse_frame, parse_visit, visit_text
from lessons import record, state

KEY = "intuition"  # in the address, in the record, and as the mark of being done
_ASKED = "intuition.to_question"


def asked_for() -> Visit:
    """What the address says; whether its picture exists, only a run knows. Raises InvalidLinkError."""
    return parse_visit(state.value(KEY))


def frame_counts() -> tuple[int, ...]:
    """Pictures by scene."""
    from lab.intuition.scenes import scenes  # noqa: PLC0415  (torch: not before the first answer)

    return tuple(map(len, scenes()))


def kept_visit() -> Visit | None:
    """The visit with the most answers that this browser has kept; None where there is none that can be read."""
    kept = record.read().get(KEY)
    try:
        return parse_visit(kept) if isinstance(kept, str) and kept else None
    except LabError:
        return None


def own(visit: Visit) -> bool:
    """Are these answers this browser's? Until it has told what it holds, they count as its own."""
    kept = kept_visit()
    if kept is None:
        return not record.known()
    return kept.answers[: len(visit.answers)] == visit.answers


def is_last_of_open(visit: Visit, counts: tuple[int, ...]) -> bool:
    """Is the last picture that may be seen in view?"""
    return visit.scene == visit.last_scene and visit.frame == counts[visit.scene - 1]


def has_ended(visit: Visit, counts: tuple[int, ...]) -> bool:
    """Has everything been seen? Once it has, one may look back without losing the end."""
    seen = is_last_of_open(visit, counts) or (own(visit) and KEY in record.done())
    return visit.last_scene == SCENES and seen


def question_asked_for() -> int:
    """How often the visitor has pressed for the next question."""
    return int(state.noted(_ASKED, 0))


# --- callbacks -----------------------------------------------------------------------------------------------------


def answer(question: str, given: Answer) -> None:
    """Commit an answer, once: an old or doubled press is ignored."""
    visit = _current()
    kept = kept_visit()
    known = kept is not None and len(kept.answers) > len(visit.answers)
    if visit.pending != question or known:
        return
    text = visit_text(visit.answered(given))
    state.set_value(KEY, text)
    record.put(KEY, text)


def move(frame: str) -> None:
    """Look at another picture, as the browser reports it; what is not open is ignored."""
    visit = _current()
    counts = frame_counts()
    try:
        there = visit.at(*parse_frame(frame)).check(counts)
    except InvalidLinkError:
        return
    if not visit.answers or there == visit:
        return
    state.set_value(KEY, visit_text(there))
    if there.last_scene == SCENES and is_last_of_open(there, counts):
        record.add_done(KEY)


def to_question() -> None:
    """Look at the last picture that is open: the question stands beside it."""
    visit = _current()
    if visit.answers:
        state.note(_ASKED, question_asked_for() + 1)
        move(f"{visit.last_scene}.{frame_counts()[visit.last_scene - 1]}")


def resume() -> None:
    """Go on with the answers that this browser has kept; where its record names a picture that there is not, at the
    scene's last one. Only here, since before the first answer no engine has run that knows the pictures."""
    kept = kept_visit()
    if kept is not None:
        last = frame_counts()[kept.scene - 1]
        state.set_value(KEY, visit_text(kept.at(kept.scene, min(kept.frame, last))))


def start_over() -> None:
    """Forget the answers and begin again."""
    record.put(KEY, "")
    state.set_value(KEY, "")


def _current() -> Visit:
    """The visit in the address, or the beginning where it cannot be read."""
    try:
        return asked_for()
    except LabError:
        return Visit()
