"""The report's rows on runs: the task's and the lessons' predictions, and the quick questions after operations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from lab.activities.attempt import Cursor, Run, run_text
from lab.activities.cases import LESSONS
from lab.activities.checkpoint import quick_check
from lab.activities.diagnosis import Diagnosis
from lab.activities.ideas import find_idea, from_rule
from lab.activities.intuition.outcomes import outcome
from lab.activities.intuition.progress import OPTIONS, QUESTIONS, Visit
from lab.activities.replayed_attempts import Answer, Attempt, Mark, answers, beginning, replay
from lab.trace.timeline import Timeline
from lessons.activity.checkpoint import option_said
from lessons.activity.feedback import idea_said
from lessons.activity.prediction_form import about, picked, said
from lessons.intuition.questions import facts_said, option_text
from lessons.report.row import Row, compared
from lessons.state.view import EIGHT, MAIN, Place, Track
from lessons.text.sentences import say_operation, why
from lessons.text.translations import WordsOf


def track_of(run: Run) -> Track:
    """The track on which this run can be opened."""
    if run.case is not None:
        return Track.of(next(name for name, cases in LESSONS.items() if run.case in cases))
    return EIGHT if run.prediction and run.prediction.form == EIGHT.form else MAIN


def part_of(run: Run) -> str:
    """The part of the report that it belongs to."""
    track = track_of(run)
    return track.lesson or ("eight" if track == EIGHT else "task")


def address(run: Run) -> str:
    """Where in the lab this run opens."""
    track = track_of(run)
    page = {EIGHT.run: "/task?part=eight&"}.get(track.run, f"/{track.lesson or 'task'}?")
    return f"{page}{track.run}={run_text(run)}"


def scene(run: Run, words: WordsOf) -> str:
    """The case's name, or the task's pool."""
    if run.case is not None:
        return words.text(f"{track_of(run).lesson}.case.{run.case.id}.name")
    queue = " ".join(map(str, run.config.free_block_ids))
    return words.text("report.pool", block_size=run.config.block_size, queue=queue)


def prediction_rows(attempt: Attempt, words: WordsOf) -> Iterator[Row]:
    """Every answer of the attempt's prediction beside what a fresh run says."""
    run = attempt.run
    place = Place(run, Cursor(len(run.operations)), None, track_of(run))
    values = about(place, picked(run.prediction) if run.prediction else None, words)
    for answer in answers(run):
        topic, question = place.track.topic, answer.question
        settled = answer.diagnosis
        yield Row(
            part_of(run),
            scene(run, words),
            words.text(f"{topic}.question.{question.id}", **values),
            said(question, words, topic, answer.answer),
            said(question, words, topic, settled.outcome.value) if settled else "",
            compared(settled.right) if settled else "",
            "sure" if answer.sure else "no",
            attempt.mark,
            _idea_name(place, answer, settled, words),
            address(run),
            why=_why(place, settled, words),
        )


def _idea_name(place: Place, answer: Answer, settled: Diagnosis | None, words: WordsOf) -> str:
    """The name of the idea behind a wrong answer, where it has one."""
    if settled is None or not settled.idea:
        return ""
    if place.run.case is None:
        return words.text(f"explain.idea.{settled.idea}")
    known = from_rule(answer.question.id, settled.idea)
    return words.text(find_idea(known).name_key) if known else ""


def _why(place: Place, settled: Diagnosis | None, words: WordsOf) -> str:
    """What is true instead, with the run's numbers; nothing beside a right answer."""
    if settled is None or settled.right:
        return ""
    return why(settled, words) if place.run.case is None else idea_said(place, settled, words)


def intuition_rows(visit: Visit, done: bool, mark: Mark, words: WordsOf) -> Iterator[Row]:
    """The first lesson's answers. What the visitor has not seen yet is not told; the first one waits for the end."""
    for i, (question, given) in enumerate(zip(QUESTIONS, visit.answers, strict=False)):
        settled = done or (i > 0 and len(visit.answers) > i + 1)
        shown = outcome(question)
        right = given.option == shown
        idea = from_rule(question, OPTIONS[question][given.option]) if settled and not right else None
        yield Row(
            "intuition",
            words.text("intuition.title"),
            words.text(f"intuition.question.{question}", **facts_said(words)),
            option_text(question, given.option, words),
            option_text(question, shown, words) if settled else "",
            compared(right) if settled else "",
            "sure" if given.sure else "no",
            mark,
            words.text(find_idea(idea).name_key) if idea else "",
            why="" if right or not settled else _intuition_why(question, given.option, words),
        )


def _intuition_why(question: str, option: int, words: WordsOf) -> str:
    return words.text(f"intuition.idea.{question}_{OPTIONS[question][option]}", **facts_said(words))


def check_rows(
    checks: Mapping[str, str], runs: Mapping[str, Run], marks: Mapping[str, Mark], words: WordsOf
) -> list[Row]:
    """The quick questions after operations. `runs`: the run of each text; `marks`: by its beginning."""
    timelines: list[Timeline] = []
    rows: dict[str, Row] = {}
    for text in sorted(runs, key=lambda text: -len(runs[text].operations)):
        run = runs[text]
        timeline = _known(run, timelines)
        if timeline is None or not run.operations:
            continue
        asked = quick_check(timeline.steps[len(run.operations) - 1])
        options = {option.id: option for option in asked.options}
        if checks[text] in options:
            rows[text] = Row(
                "check",
                scene(run, words),
                words.text(
                    "report.after",
                    operation=say_operation(run.operations[-1], words),
                    question=words.text(f"task.check.{asked.kind}", seq_id=asked.seq_id),
                ),
                option_said(asked, options[checks[text]], words),
                option_said(asked, options[asked.answer], words),
                compared(checks[text] == asked.answer),
                mark=marks.get(beginning(run), "link"),
                state=address(run.beginning),
            )
    return [rows[text] for text in checks if text in rows]


def _known(run: Run, timelines: list[Timeline]) -> Timeline | None:
    """A timeline that begins with this run: one of those already made, longest first, else a fresh one."""
    done: Sequence[object] = run.operations
    for timeline in timelines:
        if timeline.config == run.config and timeline.operations[: len(done)] == done:
            return timeline
    fresh = replay(run)
    if fresh is not None:
        timelines.append(fresh)
    return fresh
