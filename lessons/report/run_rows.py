"""Report rows for runs: predictions in the task and the lessons, and checkpoint questions after operations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from lab.activities.attempt import Cursor, encode
from lab.activities.cases import LESSONS
from lab.activities.checkpoint import build_checkpoint
from lab.activities.intuition.outcomes import observe_outcome
from lab.activities.intuition.progress import QUESTIONS, IntuitionView, get_idea
from lab.activities.question import Grade
from lab.activities.replayed_attempts import (
    Mark,
    ReplayedAttempt,
    compare_answers,
    format_beginning,
    replay,
)
from lab.activities.run import Run, encode_run
from lab.trace.timeline import Timeline
from lessons.activity.checkpoint import format_checkpoint_option
from lessons.activity.feedback import format_idea
from lessons.activity.prediction_form import collect_values, format_answer, get_picked
from lessons.intuition.attempt import KEY
from lessons.intuition.questions import format_option, format_values
from lessons.report.row import ReportRow, format_yes_no
from lessons.state.view import EIGHT, MAIN, Track, View
from lessons.text.sentences import format_diagnosis, format_operation
from lessons.text.translations import Translations


def get_track(run: Run) -> Track:
    """Return the track that can open this run."""
    if run.case is not None:
        return Track.of(next(name for name, cases in LESSONS.items() if run.case in cases))
    return EIGHT if run.prediction and run.prediction.form == EIGHT.form else MAIN


def get_part(run: Run) -> str:
    """Return the part of the report that the run belongs to."""
    track = get_track(run)
    return track.lesson or ("eight" if track == EIGHT else "task")


def build_question_id(run: Run, question: str) -> str:
    """Return the id of a question about this run: `task.blocks`, `allocate.ten.pages`."""
    return ".".join(filter(None, (get_part(run), run.case.id if run.case else "", question)))


def build_address(run: Run) -> str:
    """Return the address in the lab that opens this run."""
    track = get_track(run)
    page = {EIGHT.run: "/task?part=eight&"}.get(track.run, f"/{track.lesson or 'task'}?")
    return f"{page}{track.run}={encode_run(run)}"


def describe_scene(run: Run, words: Translations) -> str:
    """Return the name of the case, or a description of the task's pool."""
    if run.case is not None:
        return words.text(f"{get_track(run).lesson}.case.{run.case.id}.name")
    queue = " ".join(map(str, run.config.free_block_ids))
    return words.text("report.pool", block_size=run.config.block_size, queue=queue)


def build_prediction_rows(attempt: ReplayedAttempt, words: Translations) -> Iterator[ReportRow]:
    """Yield a row for each predicted answer, beside the outcome of a fresh run."""
    run = attempt.run
    view = View(run, Cursor(len(run.operations)), None, get_track(run))
    values = collect_values(view, get_picked(run.prediction) if run.prediction else None, words)
    for answer in compare_answers(run):
        topic, question = view.track.topic, answer.question
        diagnosis = answer.diagnosis
        yield ReportRow(
            part=get_part(run),
            question_id=build_question_id(run, question.id),
            attempt=describe_scene(run, words),
            question=words.text(f"{topic}.question.{question.id}", **values),
            predicted=format_answer(question, words, topic, answer.answer),
            engine=format_answer(question, words, topic, diagnosis.value) if diagnosis else "",
            right=format_yes_no(diagnosis.right) if diagnosis else "",
            sure="sure" if answer.sure else "think",
            mark=attempt.mark,
            idea_id=diagnosis.idea if diagnosis else "",
            state=build_address(run),
            why=_explain(view, diagnosis, words),
        )


def _explain(view: View, diagnosis: Grade | None, words: Translations) -> str:
    """Say what is true instead, with the run's numbers. Empty for a right answer."""
    if diagnosis is None or diagnosis.right:
        return ""
    return format_diagnosis(diagnosis, words) if view.run.case is None else format_idea(view, diagnosis, words)


def build_intuition_rows(attempt: IntuitionView, done: bool, mark: Mark, words: Translations) -> Iterator[ReportRow]:
    """Yield rows for the first lesson. An outcome stays empty until the learner has seen it."""
    for i, (question, given) in enumerate(zip(QUESTIONS, attempt.answers, strict=False)):
        answered = done or (i > 0 and len(attempt.answers) > i + 1)
        shown = observe_outcome(question)
        idea = get_idea(question, given.number) if answered else ""
        yield ReportRow(
            part="intuition",
            question_id=f"intuition.{question}",
            attempt=words.text("intuition.title"),
            question=words.text(f"intuition.question.{question}", **format_values(words)),
            predicted=format_option(question, given.number, words),
            engine=format_option(question, shown, words) if answered else "",
            right=format_yes_no(given.number == shown) if answered else "",
            sure="sure" if given.is_sure else "think",
            mark=mark,
            idea_id=idea,
            state=f"/intuition?{KEY}={encode(attempt.attempt)}",
            why=words.text(f"intuition.idea.{question}_{idea}", **format_values(words)) if idea else "",
        )


def build_checkpoint_rows(
    checks: Mapping[str, str], runs: Mapping[str, Run], marks: Mapping[str, Mark], words: Translations
) -> list[ReportRow]:
    """Return rows for checkpoint questions. `runs`: saved text to run; `marks`: a run's beginning to its mark."""
    timelines: list[Timeline] = []
    rows: dict[str, ReportRow] = {}
    for text in sorted(runs, key=lambda text: -len(runs[text].operations)):
        run = runs[text]
        timeline = _find_timeline(run, timelines)
        if timeline is None or not run.operations:
            continue
        asked = build_checkpoint(timeline.steps[len(run.operations) - 1])
        options = {option.id: option for option in asked.options}
        if checks[text] in options:
            rows[text] = ReportRow(
                part="check",
                question_id=f"check.{asked.id}",
                attempt=describe_scene(run, words),
                question=words.text(
                    "report.after",
                    operation=format_operation(run.operations[-1], words),
                    question=words.text(f"task.check.{asked.id}", seq_id=asked.seq_id),
                ),
                predicted=format_checkpoint_option(asked, options[checks[text]], words),
                engine=format_checkpoint_option(asked, options[asked.answer], words),
                right=format_yes_no(checks[text] == asked.answer),
                idea_id="" if checks[text] == asked.answer else options[checks[text]].idea,
                mark=marks.get(format_beginning(run), "link"),
                state=build_address(run.beginning),
            )
    return [rows[text] for text in checks if text in rows]


def _find_timeline(run: Run, timelines: list[Timeline]) -> Timeline | None:
    """Find a timeline that begins with this run among those already built, else build one and add it to them."""
    done: Sequence[object] = run.operations
    for timeline in timelines:
        if timeline.config == run.config and timeline.operations[: len(done)] == done:
            return timeline
    fresh = replay(run)
    if fresh is not None:
        timelines.append(fresh)
    return fresh
