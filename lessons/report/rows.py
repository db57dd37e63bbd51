"""All rows of the report, from this browser's record and the address. Both are untrusted."""

from __future__ import annotations

from collections.abc import Iterator

from lab.activities.replayed_attempts import Mark, ReplayedAttempt, format_beginning, gather
from lab.engine.errors import LabError
from lab.quiz.round import Round
from lab.quiz.round_link import parse_round
from lessons.activity.course import ORDER
from lessons.intuition import attempt as intuition
from lessons.quiz import record as quiz_record
from lessons.quiz.attempt import ROUND
from lessons.report.class_rows import build_class_rows
from lessons.report.memory_rows import build_memory_rows
from lessons.report.quiz_rows import build_round_rows
from lessons.report.row import PARTS, ReportRow
from lessons.report.run_rows import build_checkpoint_rows, build_intuition_rows, build_prediction_rows
from lessons.report.text_rows import build_chapter_rows, build_retry_rows, build_text_rows
from lessons.state import attempts as state
from lessons.state import record
from lessons.state.view import EIGHT, MAIN, Track
from lessons.text.translations import Translations
from lessons.widgets.question_form import MAX_TEXT

TRACKS = (MAIN, EIGHT, *(Track.of(name) for name in ORDER))


def build_rows(words: Translations) -> list[ReportRow]:
    """Return all rows in the order of the report. Runs the engine for each attempt; the page caches the result."""
    found = gather_attempts()
    rows = [
        *_build_intuition(words),
        *(row for attempt in found for row in build_prediction_rows(attempt, words)),
        *build_memory_rows(words),
        *_build_checkpoints(found, words),
        *build_chapter_rows(_get_texts("quiz"), words),
        *(row for attempt in found if attempt.run.case is None for row in build_retry_rows(attempt, words)),
        *build_text_rows(record.get_text("explanation", MAX_TEXT), _get_self_explanations(), words),
        *_build_rounds(words),
        *build_class_rows(words),
    ]
    return sorted(rows, key=lambda row: PARTS.index(row.part))


def gather_attempts() -> list[ReplayedAttempt]:
    """Return all attempts with a prediction: committed in this browser, from the current link, or started over."""
    saved = [*_get_values("committed").values(), *_get_values("ran").values()]
    from_url = []
    for track in TRACKS:
        run = record.parse(state.get_value(track.run))
        try:
            if run is not None:
                track.check(run)
                from_url.append(state.get_value(track.run))
        except LabError:
            continue
    return gather(saved, record.get_attempts(), from_url, frozenset(_get_texts("foreign")))


def _build_intuition(words: Translations) -> Iterator[ReportRow]:
    done = intuition.KEY in record.get_done()
    saved = intuition.get_saved()
    if saved is not None:
        yield from build_intuition_rows(saved, done, "own", words)
    try:
        from_url = intuition.read_url()
    except LabError:
        return
    if from_url.answers and not intuition.is_mine(from_url):
        yield from build_intuition_rows(from_url, done, "link", words)


def _build_checkpoints(found: list[ReplayedAttempt], words: Translations) -> list[ReportRow]:
    checks = {text: answer for text, answer in _get_values("checks").items() if isinstance(answer, str)}
    runs = {text: run for text in checks if (run := record.parse(text)) and run.prediction}
    marks: dict[str, Mark] = {format_beginning(attempt.run): attempt.mark for attempt in reversed(found)}
    return build_checkpoint_rows(checks, runs, marks, words)


def _build_rounds(words: Translations) -> Iterator[ReportRow]:
    for played in _keep_longest(quiz_record.get_rounds()):
        yield from build_round_rows(played, quiz_record.get_sureness(played), "own", words)
    try:
        from_url = parse_round(state.get_value(ROUND))
    except LabError:
        return
    mine = quiz_record.find_mine(from_url)
    if from_url.answers and (mine is None or mine.answers[: len(from_url.answers)] != from_url.answers):
        yield from build_round_rows(from_url, (None,) * len(from_url.answers), "link", words)


def _keep_longest(rounds: list[Round]) -> list[Round]:
    """Of rounds with the same settings keep the one with the most answers, at the position of the first."""
    longest: dict[str, Round] = {}
    for played in rounds:
        settings = quiz_record.format_settings(played)
        if settings not in longest or len(played.answers) > len(longest[settings].answers):
            longest[settings] = played
    return list(longest.values())


def _get_self_explanations() -> dict[str, str]:
    """Read what the learner wrote about each case, without characters that cannot be encoded."""
    return {
        name: text[:MAX_TEXT].encode("utf-8", "replace").decode()
        for name, text in _get_values("own_words").items()
        if isinstance(text, str)
    }


def _get_values(name: str) -> dict[str, object]:
    saved = record.read().get(name)
    return {str(key): value for key, value in saved.items()} if isinstance(saved, dict) else {}


def _get_texts(name: str) -> list[str]:
    saved = record.read().get(name)
    return [text for text in saved if isinstance(text, str)] if isinstance(saved, list) else []
