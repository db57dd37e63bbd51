"""What a learner predicted beside what happened, for the report: attempts in, the engine's own outcomes out.

No stored verdict is read: each run is replayed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from lab.activities.attempt import Attempt, encode
from lab.activities.cases import get_questions
from lab.activities.counterexample import find_counterexample
from lab.activities.diagnosis import diagnose_one
from lab.activities.question import Grade, Question, observe_outcomes
from lab.activities.run import Run
from lab.activities.trace_points import iterate_trace_points
from lab.engine.errors import LabError
from lab.trace.timeline import Timeline

# Committed in this browser, from a shared link, or started over (the learner's own, or from a link).
Mark = Literal["own", "link", "over", "link_over"]


@dataclass(frozen=True)
class ReplayedAttempt:
    """A run with its prediction, and where it came from."""

    run: Run
    mark: Mark


@dataclass(frozen=True)
class ReplayedAnswer:
    """One predicted answer. `diagnosis` is None until the run has answered the question."""

    question: Question
    answer: int
    sure: bool
    diagnosis: Grade | None


def gather(
    committed: Iterable[Attempt], earlier: Iterable[Attempt], here: Iterable[Attempt], shared: Collection[str] = ()
) -> list[ReplayedAttempt]:
    """The runs of a browser, each once; attempts that are no run with a prediction are left out. Pure.

    committed  attempts that this browser has saved and that can go on.
    earlier    attempts that were started over, oldest first.
    here       attempts in the address: the continuation of a committed one, or a shared one.
    shared     beginnings of attempts whose answers came with a link, as texts.
    """
    over = {run.attempt: run for run in filter(None, map(_read, earlier))}
    longest = {format_beginning(run): run for run in filter(None, map(_read, committed))}
    seen_before = {format_beginning(run) for run in over.values()}
    others: dict[str, Run] = {}
    for run in filter(None, map(_read, here)):
        start = format_beginning(run)
        if start in longest:
            longest[start] = max(longest[start], run, key=lambda each: len(each.operations))
        elif start not in seen_before:
            others[start] = run
    return [
        *(ReplayedAttempt(run, "link" if start in shared else "own") for start, run in longest.items()),
        *(ReplayedAttempt(run, "link") for run in others.values()),
        *(ReplayedAttempt(run, "link_over" if format_beginning(run) in shared else "over") for run in over.values()),
    ]


def format_beginning(run: Run) -> str:
    """The text of a run before its first operation: identifies the scenario and the prediction."""
    return encode(run.attempt.beginning)


def _read(attempt: Attempt) -> Run | None:
    try:
        run = Run.read(attempt)
    except LabError:
        return None
    return run if run.prediction else None


def replay(run: Run) -> Timeline | None:
    """A fresh run of the engine; None if a limit stops it, which only an edited record can cause."""
    try:
        return Timeline.replay(run.config, run.operations)
    except LabError:
        return None


def compare_answers(run: Run) -> list[ReplayedAnswer]:
    """Every predicted answer in the order of the form, beside the outcome of a fresh run. Pure."""
    timeline = replay(run)
    if run.prediction is None or timeline is None:
        return []
    questions, points = get_questions(run.prediction.form), list(iterate_trace_points(timeline.steps))
    outcomes = observe_outcomes(points, questions)
    if (counterexample := find_counterexample(outcomes.get("consecutive"))) is not None:
        outcomes["consecutive"] = counterexample
    return [
        ReplayedAnswer(
            question,
            answer,
            sure,
            diagnose_one(question, answer, outcomes[question.id], points, sure) if question.id in outcomes else None,
        )
        for question, answer, sure in zip(questions, run.prediction.answers, run.prediction.sure, strict=True)
    ]
