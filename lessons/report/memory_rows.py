"""Report rows for the memory lesson: the prediction about the four policies beside the simulation."""

from __future__ import annotations

from collections.abc import Iterator

from lab.activities.attempt import encode
from lab.activities.replayed_attempts import Mark
from lab.engine.errors import LabError
from lab.serving.guess import LARGEST, Guess, MemoryAttempt, build_attempt, encode_view, observe_outcomes
from lab.serving.simulation import NUM_SLOTS, ServingResult, Settings
from lessons.memory import attempt as memory
from lessons.memory import jobs, prediction_form
from lessons.report.row import ReportRow, format_yes_no
from lessons.text.translations import Translations


def count_done_runs() -> int:
    """Return how many batches have been simulated for the saved prediction. The report changes with it."""
    guess = memory.get_saved()
    return len(_get_results(guess)) if guess is not None else 0


def build_memory_rows(words: Translations) -> Iterator[ReportRow]:
    """Yield rows for the prediction committed in this browser, then for a different one in the current link."""
    saved = memory.get_saved()
    if saved is not None:
        yield from _build_rows(saved, "own", words)
    try:
        from_url = memory.read_url().guess
    except LabError:
        return
    if from_url is not None and from_url != saved:
        yield from _build_rows(from_url, "link", words)


def _get_results(guess: Guess) -> dict[str, tuple[ServingResult, ...]]:
    """Read the results that this session already has. A simulation takes too long to run for a report."""
    workload = memory.get_workload(MemoryAttempt(guess.workload, guess))
    return jobs.get_done_jobs(workload).results if workload is not None else {}


def _build_rows(guess: Guess, mark: Mark, words: Translations) -> Iterator[ReportRow]:
    results = _get_results(guess)
    policies, sizes = (results.get(name, ()) for name in (jobs.POLICIES, jobs.SIZES))
    found = observe_outcomes(guess, policies, sizes)
    answers = prediction_form.format_answers(guess, words)
    view = encode_view(MemoryAttempt(guess.workload, guess, ran=True))
    for name in answers:
        fact = found.get(name)
        yield ReportRow(
            part="memory",
            question_id=f"memory.{name}",
            attempt=words.text(f"memory.workload.{guess.workload}"),
            question=words.text(
                f"memory.question.{name}", slots=f"{NUM_SLOTS:,}", size=LARGEST, usual=Settings.block_size
            ),
            predicted=answers[name],
            engine=prediction_form.format_outcome(name, fact, words) if fact else "",
            right=format_yes_no(fact.right) if fact else "",
            mark=mark,
            state=f"/memory?{memory.KEY}={encode(build_attempt(guess))}&{memory.SLOT.at}={view}",
            why=" ".join(prediction_form.describe_ideas(guess, {name}, policies, sizes, words)),
        )
