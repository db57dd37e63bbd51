"""What a learner predicted beside what happened, for the report: run texts in, the engine's own outcomes out.

No stored verdict is read: each run is parsed and replayed. Texts that do not parse are left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from lab.activities.attempt import Run, encode_run, parse_run
from lab.activities.cases import get_questions
from lab.activities.counterexample import find_counterexample
from lab.activities.diagnosis import diagnose_one
from lab.activities.question import Grade, Question, observe_outcomes
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
    committed: Iterable[object], earlier: Iterable[object], here: Iterable[object], foreign: Collection[object] = ()
) -> list[ReplayedAttempt]:
    """The attempts of a browser, each once. All arguments are run texts; texts without a prediction are left out. Pure.

    committed  runs that this browser has saved and that can go on; of one prediction the longest run counts.
    earlier    runs that were started over, oldest first.
    here       the run in the address: the continuation of a committed run, or a shared one.
    foreign    beginnings of runs whose predictions came with a link.
    """
    over = {text: run for text in earlier if (run := _parse(text)) is not None}
    longest: dict[str, Run] = {}
    for run in filter(None, map(_parse, committed)):
        _keep_longest(longest, run)
    seen_before = {format_beginning(run) for run in over.values()}
    others: dict[str, Run] = {}
    for run in filter(None, map(_parse, here)):
        if format_beginning(run) in longest:
            _keep_longest(longest, run)
        elif format_beginning(run) not in seen_before:
            others[format_beginning(run)] = run
    return [
        *(ReplayedAttempt(run, "link" if start in foreign else "own") for start, run in longest.items()),
        *(ReplayedAttempt(run, "link") for run in others.values()),
        *(ReplayedAttempt(run, "link_over" if format_beginning(run) in foreign else "over") for run in over.values()),
    ]


def _keep_longest(longest: dict[str, Run], run: Run) -> None:
    start = format_beginning(run)
    if start not in longest or len(run.operations) > len(longest[start].operations):
        longest[start] = run


def format_beginning(run: Run) -> str:
    """The text of a run before its first operation: identifies the scenario and the prediction."""
    return encode_run(run.beginning)


def _parse(text: object) -> Run | None:
    try:
        run = parse_run(text) if isinstance(text, str) else None
    except LabError:
        return None
    return run if run and run.prediction else None


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
