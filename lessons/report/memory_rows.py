"""The report's rows on the memory lesson: what was predicted of the four policies, beside the simulation."""

from __future__ import annotations

from collections.abc import Iterator

from lab.activities.replayed_attempts import Mark
from lab.engine.errors import LabError
from lab.serving.guess import LARGEST, QUESTIONS, Guess, Visit, outcomes, visit_text
from lab.serving.simulation import NUM_SLOTS, Result, Settings
from lessons.memory import attempt, jobs, prediction_form
from lessons.report.row import Row, compared
from lessons.text.translations import WordsOf


def done_runs() -> int:
    """How many batches of the kept prediction's workload have been simulated: more of them, more to tell."""
    guess = attempt.kept()
    return len(_results(guess)) if guess is not None else 0


def memory_rows(words: WordsOf) -> Iterator[Row]:
    """The prediction that this browser has committed, and another one that came with the link in view."""
    kept = attempt.kept()
    if kept is not None:
        yield from _rows(kept, "own", words)
    try:
        here = attempt.asked_for().guess
    except LabError:
        return
    if here is not None and here != kept:
        yield from _rows(here, "link", words)


def _results(guess: Guess) -> dict[str, tuple[Result, ...]]:
    """What this visit's simulations have given. A simulation takes too long to be run for a report."""
    workload = attempt.workload(Visit(guess.workload, guess))
    return jobs.known(workload).results if workload is not None else {}


def _rows(guess: Guess, mark: Mark, words: WordsOf) -> Iterator[Row]:
    results = _results(guess)
    policies, sizes = (results.get(name, ()) for name in (jobs.POLICIES, jobs.SIZES))
    found = outcomes(guess, policies, sizes)
    answers = prediction_form.answers_said(guess, words)
    for name in QUESTIONS:
        fact = found.get(name)
        yield Row(
            "memory",
            words.text(f"memory.workload.{guess.workload}"),
            words.text(f"memory.question.{name}", slots=f"{NUM_SLOTS:,}", size=LARGEST, usual=Settings.block_size),
            answers[name],
            prediction_form.outcome_said(name, fact, words) if fact else "",
            compared(fact.agrees) if fact else "",
            mark=mark,
            state=f"/memory?{attempt.KEY}={visit_text(Visit(guess.workload, guess, ran=True))}",
            why=" ".join(prediction_form.ideas(guess, {name}, policies, sizes, words)),
        )
