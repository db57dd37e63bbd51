"""What a learner predicted beside what happened, for the report: attempts in, the engine's own outcomes out.

No stored verdict is read: each run is replayed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from lab.activities.attempt import Attempt, encode
from lab.activities.cases import get_questions
from lab.activities.counterexample import add_counterexample
from lab.activities.diagnosis import diagnose_one
from lab.activities.question import Grade, Question, observe_outcomes
from lab.activities.run import Run
from lab.activities.trace_points import iterate_trace_points
from lab.trace.timeline import Timeline

# Committed in this browser, from a shared link, or started over (the learner's own, or from a link).
Mark = Literal["own", "link", "over", "link_over"]


@dataclass(frozen=True)
class ReplayedAnswer:
    """One predicted answer. `diagnosis` is None until the run has answered the question."""

    question: Question
    answer: int
    sure: bool
    diagnosis: Grade | None


def gather(
    committed: Iterable[Attempt], earlier: Iterable[Attempt], here: Iterable[Attempt], shared: Collection[str] = ()
) -> list[tuple[Attempt, Mark]]:
    """A browser's attempts, each once and as long as it is known, and whose they are; only those with answers. Pure.

    committed  attempts that this browser has saved and that can go on.
    earlier    attempts that were started over, oldest first.
    here       attempts in the address: the continuation of a committed one, a shared one, or the beginning of any.
    shared     beginnings of attempts whose answers came with a link, as texts.
    """
    over = dict.fromkeys(each for each in earlier if each.answers)
    longest = {each.beginning: each for each in committed if each.answers}
    others: dict[Attempt, Attempt] = {}
    for attempt in here:
        start = attempt.beginning
        if start in longest:
            longest[start] = max(longest[start], attempt, key=lambda each: len(each.operations))
        elif attempt.answers and not any(each.answers_extend(attempt) for each in (*longest, *over)):
            others[start] = attempt
    return [
        *((each, "link" if encode(start) in shared else "own") for start, each in longest.items()),
        *((each, "link") for each in others.values()),
        *((each, "link_over" if encode(each.beginning) in shared else "over") for each in over),
    ]


def compare_answers(run: Run) -> list[ReplayedAnswer]:
    """Every predicted answer in the order of the form, beside the outcome of a fresh run. Pure.

    Raises LabError if a limit stops the run, which only an edited record can cause.
    """
    if run.prediction is None:
        return []
    points = list(iterate_trace_points(Timeline.replay(run.config, run.operations).steps))
    questions = get_questions(run.prediction.form)
    outcomes = add_counterexample(observe_outcomes(points, questions))
    return [
        ReplayedAnswer(
            question,
            answer,
            sure,
            diagnose_one(question, answer, outcomes[question.id], points, sure) if question.id in outcomes else None,
        )
        for question, answer, sure in zip(questions, run.prediction.answers, run.prediction.sure, strict=True)
    ]
