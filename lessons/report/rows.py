"""All rows of the report, from this browser's record and the address. Both are untrusted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lab.activities.attempt import Attempt, encode, parse_log
from lab.activities.replayed_attempts import Mark, ReplayedAttempt, format_beginning, gather
from lab.activities.run import Run
from lab.engine.errors import LabError
from lessons.activity.course import ORDER
from lessons.intuition import attempt as intuition
from lessons.quiz import attempt as quiz
from lessons.report.class_rows import build_class_rows
from lessons.report.memory_rows import build_memory_rows
from lessons.report.quiz_rows import build_round_rows
from lessons.report.row import PARTS, ReportRow, mark_first
from lessons.report.run_rows import build_checkpoint_rows, build_intuition_rows, build_prediction_rows
from lessons.report.text_rows import build_chapter_rows, build_retry_rows, build_text_rows, build_word_rows
from lessons.state import attempts, record, runs, saved
from lessons.state.view import EIGHT, MAIN, Track
from lessons.task.chapter_question import get_tries
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
        *build_chapter_rows(get_tries(), words),
        *build_word_rows(words),
        *(row for attempt in found if attempt.run.case is None for row in build_retry_rows(attempt, words)),
        *build_text_rows(record.get_text("explanation", MAX_TEXT), _get_self_explanations(), words),
        *_build_rounds(words),
        *build_class_rows(words),
    ]
    return mark_first(sorted(rows, key=lambda row: PARTS.index(row.part)))


def gather_attempts() -> list[ReplayedAttempt]:
    """Return all attempts with a prediction: committed in this browser, from the current link, or started over."""
    here = [run.attempt for track in TRACKS if (run := runs.read_run(track)) is not None]
    return gather(saved.get_all(), saved.get_earlier(), here, saved.get_shared())


def _build_intuition(words: Translations) -> Iterator[ReportRow]:
    done = intuition.KEY in record.get_done()
    mine = intuition.get_saved()
    if mine is not None:
        yield from build_intuition_rows(mine, done, "own", words)
    try:
        from_url = intuition.read_url()
    except LabError:
        return
    if from_url.answers and not saved.is_mine(from_url.attempt):
        yield from build_intuition_rows(from_url, done, "link", words)


def _build_checkpoints(found: list[ReplayedAttempt], words: Translations) -> list[ReportRow]:
    checks: dict[str, str] = {}
    after: dict[str, Run] = {}
    for attempt, given in saved.list_beside():
        for question, option in given.items():
            name, _, log = question.partition(".")
            if name == "check" and isinstance(option, str) and (run := _read_run(attempt, log)) is not None:
                checks[encode(run.attempt)], after[encode(run.attempt)] = option, run
    marks: dict[str, Mark] = {format_beginning(attempt.run): attempt.mark for attempt in reversed(found)}
    return build_checkpoint_rows(checks, after, marks, words)


def _read_run(beginning: Attempt, log: str) -> Run | None:
    """Return the run after these operations; None if an edited record does not hold one."""
    try:
        run = Run.read(replace(beginning, operations=parse_log(log)))
    except LabError:
        return None
    return run if run.prediction else None


def _build_rounds(words: Translations) -> Iterator[ReportRow]:
    for attempt, _ in quiz.get_saved():
        yield from build_round_rows(attempt, "own", words)
    try:
        from_url, _ = attempts.read(quiz.SLOT)
        if from_url is not None and not saved.is_mine(from_url):
            yield from build_round_rows(from_url, "link", words)
    except LabError:
        return


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
