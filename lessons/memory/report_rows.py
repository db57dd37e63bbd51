"""Report rows for the prediction in the memory lesson."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lab.activities.attempt import Attempt
from lab.serving.guess import Guess, MemoryView, observe_outcomes
from lessons.activity.report_row import ReportRow, build_address, format_yes_no
from lessons.memory import attempt as memory
from lessons.memory.jobs import POLICIES, SIZES, get_done_jobs
from lessons.memory.prediction_form import NUMBERS, describe_ideas, format_answers, format_outcome
from lessons.text.translations import Translations


def build_rows(attempt: Attempt, words: Translations) -> Iterator[ReportRow]:
    """Yield a report row for each answer. The outcomes are those that this session already has, as a simulation takes
    too long to run for a report. Raises LabError."""
    view = replace(MemoryView.read(attempt), ran=True)
    if not attempt.answers:
        return
    guess, done = Guess.read(attempt), get_done_jobs(memory.get_workload(view))
    policies, sizes = done.of(POLICIES), done.of(SIZES)
    found = observe_outcomes(guess, policies, sizes)
    for name, answer in format_answers(guess, words).items():
        grade = found.get(name)
        yield ReportRow(
            part="memory",
            question_id=f"memory.{name}",
            attempt=words.text(f"memory.workload.{view.workload}"),
            question=words.text(f"memory.question.{name}", **NUMBERS),
            predicted=answer,
            engine=format_outcome(name, grade, words) if grade else "",
            right=format_yes_no(grade.right) if grade else "",
            state=f"{build_address(memory.KEY, memory.SLOT, attempt)}&{memory.SLOT.at}={view.place}",
            why=" ".join(describe_ideas(guess, {name}, policies, sizes, words)),
        )
