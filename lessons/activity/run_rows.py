"""Report rows for a run of the task or of a lesson's case: its prediction, quick questions, retries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from lab.activities.attempt import Attempt, Cursor, parse_log
from lab.activities.checkpoint import Checkpoint, build_checkpoint
from lab.activities.diagnosis import compare_answers, diagnose_one
from lab.activities.question import BY_ID, Grade, grade_option
from lab.activities.retry import build_retry
from lab.activities.run import Run
from lab.engine.errors import LabError
from lab.trace.timeline import Timeline
from lessons.activity import retry
from lessons.activity.checkpoint import format_checkpoint_option
from lessons.activity.feedback import format_idea
from lessons.activity.prediction_form import collect_values, format_answer
from lessons.activity.report_row import ReportRow, build_address
from lessons.state.slots import EIGHT, Track
from lessons.state.view import View
from lessons.text.sentences import explain_grade, format_operation
from lessons.text.translations import Translations


def build_question_id(run: Run, question: str) -> str:
    """The id of a question about this run: `task.blocks`, `allocate.ten.pages`."""
    track = Track.find(run)
    part = track.lesson or ("eight" if track == EIGHT else "task")
    return ".".join(filter(None, (part, run.case.id if track.lesson else "", question)))


def describe_scene(run: Run, words: Translations) -> str:
    """The name of the case, or a description of the task's pool."""
    if lesson := Track.find(run).lesson:
        return words.text(f"{lesson}.case.{run.case.id}.name")
    queue = " ".join(map(str, run.config.free_block_ids))
    return words.text("report.pool", block_size=run.config.block_size, queue=queue)


def _build_address(run: Run) -> str:
    track = Track.find(run)
    page = track.lesson or ("task?part=eight" if track == EIGHT else "task")
    return build_address(page, track, run.attempt)


def build_rows(attempt: Attempt, words: Translations) -> Iterator[ReportRow]:
    """Yield a row for each predicted answer, beside the outcome of a fresh run, then for the retries that followed it.

    Raises LabError if the attempt is no run.
    """
    run = Run.read(attempt)
    view = View(run, Cursor(len(run.operations)), None, Track.find(run))
    values = collect_values(view, run.pick, words)
    topic = view.track.topic
    for question, answer, grade in compare_answers(run):
        yield ReportRow.of(
            build_question_id(run, question.id),
            describe_scene(run, words),
            words.text(f"{topic}.question.{question.id}", **values),
            given=answer.number,
            grade=grade,
            format_value=partial(format_answer, question, words, topic),
            why=partial(format_idea, view, grade, words) if grade else str,
            sure=answer.sure,
            state=_build_address(run),
        )
        if grade and not view.track.lesson:
            yield from _build_retry_rows(run, grade, words)


def _build_retry_rows(run: Run, first: Grade, words: Translations) -> Iterator[ReportRow]:
    question = BY_ID[first.question]
    for turn, given in enumerate(retry.get_answers(run, question)):
        again = build_retry(question.id, first.value, turn + list(BY_ID).index(question.id))
        grade = diagnose_one(question, given, again.outcome, again.seen)
        yield ReportRow.of(
            build_question_id(run, question.id),
            retry.describe_scene(again, words),
            words.text(f"explain.again_question.{question.id}"),
            given=given,
            grade=grade,
            format_value=partial(format_answer, question, words, "task"),
            why=partial(explain_grade, "task", grade, words),
            part="again",
        )


def build_check_rows(attempt: Attempt, given: Mapping[str, object], words: Translations) -> Iterator[ReportRow]:
    """Yield a row for each quick question after an operation. `given`: what was answered beside the attempt."""
    runs = {name: run for name in given if (run := _read_run_before(attempt, name)) is not None}
    rows: dict[str, ReportRow] = {}
    timeline: Timeline | None = None
    for name, run in sorted(runs.items(), key=lambda each: -len(each[1].operations)):
        if timeline is None or timeline.operations[: len(run.operations)] != run.operations:
            timeline = Timeline.replay(run.config, run.operations)
        asked, chosen = build_checkpoint(timeline.steps[len(run.operations) - 1]), given[name]
        if not isinstance(chosen, str) or chosen not in asked.choices:
            continue
        operation, question = run.operations[-1], words.text(f"task.check.{asked.id}", seq_id=asked.seq_id)
        rows[name] = ReportRow.of(
            f"check.{asked.id}",
            describe_scene(run, words),
            words.text("report.after", operation=format_operation(operation, words), question=question),
            given=chosen,
            grade=grade_option(asked, chosen, asked.answer),
            format_value=partial(_format_option, asked, words),
            state=_build_address(run.beginning),
        )
    yield from (rows[name] for name in given if name in rows)


def _format_option(asked: Checkpoint, words: Translations, option_id: str) -> str:
    return format_checkpoint_option(asked, next(each for each in asked.options if each.id == option_id), words)


def _read_run_before(attempt: Attempt, name: str) -> Run | None:
    """The run up to the quick question of that name; None if it is none, or an edited record does not hold the run."""
    kind, _, log = name.partition(".")
    try:
        run = Run.read(replace(attempt, operations=parse_log(log)))
    except LabError:
        return None
    return run if kind == "check" and log and run.is_predicted else None
