"""Everything that this browser's learner did, as rows, from its record and the address. Nothing read is trusted."""

from __future__ import annotations

from collections.abc import Iterator

from lab.activities.replayed_attempts import Attempt, Mark, beginning, gather
from lab.engine.errors import LabError
from lab.quiz.round import Round
from lab.quiz.round_link import parse_round
from lessons.activity.course import ORDER
from lessons.intuition import attempt as intuition_visit
from lessons.lesson.self_explanation import MAX_TEXT
from lessons.quiz import record as quiz_record
from lessons.quiz.attempt import ROUND
from lessons.report.memory_rows import memory_rows
from lessons.report.quiz_rows import round_rows
from lessons.report.row import PARTS, Row
from lessons.report.run_rows import check_rows, intuition_rows, prediction_rows
from lessons.report.text_rows import again_rows, chapter_rows, word_rows
from lessons.state import attempts as state
from lessons.state import record
from lessons.state.view import EIGHT, MAIN, Track
from lessons.task.explain import MAX_SENTENCE
from lessons.text.translations import WordsOf

TRACKS = (MAIN, EIGHT, *(Track.of(name) for name in ORDER))


def everything(words: WordsOf) -> list[Row]:
    """All rows, in the order of the report. Runs the engine for each; the page caches nothing of it."""
    found = attempts()
    rows = [
        *_intuition(words),
        *(row for attempt in found for row in prediction_rows(attempt, words)),
        *memory_rows(words),
        *_checks(found, words),
        *chapter_rows(_texts("quiz"), words),
        *(row for attempt in found if attempt.run.case is None for row in again_rows(attempt, words)),
        *word_rows(record.text("explanation", MAX_SENTENCE), _own_words(), words),
        *_rounds(words),
    ]
    return sorted(rows, key=lambda row: PARTS.index(row.part))


def attempts() -> list[Attempt]:
    """Runs with a prediction: committed here, come with the link in view, started over."""
    kept = [*_values("committed").values(), *_values("ran").values()]
    here = []
    for track in TRACKS:
        run = record.parsed(state.value(track.run))
        try:
            if run is not None:
                track.check(run)
                here.append(state.value(track.run))
        except LabError:
            continue
    return gather(kept, record.attempts(), here, frozenset(_texts("foreign")))


def _intuition(words: WordsOf) -> Iterator[Row]:
    done = intuition_visit.KEY in record.done()
    kept = intuition_visit.kept_visit()
    if kept is not None:
        yield from intuition_rows(kept, done, "own", words)
    try:
        here = intuition_visit.asked_for()
    except LabError:
        return
    if here.answers and not intuition_visit.own(here):
        yield from intuition_rows(here, done, "link", words)


def _checks(found: list[Attempt], words: WordsOf) -> list[Row]:
    checks = {text: answer for text, answer in _values("checks").items() if isinstance(answer, str)}
    runs = {text: run for text in checks if (run := record.parsed(text)) and run.prediction}
    marks: dict[str, Mark] = {beginning(attempt.run): attempt.mark for attempt in reversed(found)}
    return check_rows(checks, runs, marks, words)


def _rounds(words: WordsOf) -> Iterator[Row]:
    for played in _longest(quiz_record.rounds()):
        yield from round_rows(played, quiz_record.sureness(played), "own", words)
    try:
        here = parse_round(state.value(ROUND))
    except LabError:
        return
    own = quiz_record.own(here)
    if here.answers and (own is None or own.answers[: len(here.answers)] != here.answers):
        yield from round_rows(here, (None,) * len(here.answers), "link", words)


def _longest(rounds: list[Round]) -> list[Round]:
    """Each round once: of those with the same settings the one with most answers, where the first of them stands."""
    kept: dict[str, Round] = {}
    for played in rounds:
        settings = quiz_record.settings_text(played)
        if settings not in kept or len(played.answers) > len(kept[settings].answers):
            kept[settings] = played
    return list(kept.values())


def _own_words() -> dict[str, str]:
    """What was written about each case, without what no text may hold."""
    return {
        name: text[:MAX_TEXT].encode("utf-8", "replace").decode()
        for name, text in _values("own_words").items()
        if isinstance(text, str)
    }


def _values(name: str) -> dict[str, object]:
    kept = record.read().get(name)
    return {str(key): value for key, value in kept.items()} if isinstance(kept, dict) else {}


def _texts(name: str) -> list[str]:
    kept = record.read().get(name)
    return [text for text in kept if isinstance(text, str)] if isinstance(kept, list) else []
