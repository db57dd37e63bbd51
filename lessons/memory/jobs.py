"""The runs that the memory lesson asks for, and this session's tickets for them. Nothing here waits for a run."""

from __future__ import annotations

from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass, field, replace

from lab.engine.errors import LabError
from lab.serving import guess, studies
from lab.serving.jobs import SimulationFailedError, Ticket, get_runner
from lab.serving.paper import build_paper_settings
from lab.serving.simulation import ServingResult, Settings
from lab.serving.workload import CODE, CONVERSATION, Percentiles, Uploaded, Workload, build_alpaca, build_sharegpt
from lessons.state import notes

STEPS, STUDY_STEPS = Settings.steps, studies.STUDY_STEPS
POLICIES, SIZES, PROMPT = "policies", "sizes", "prompt"
_TICKETS = "memory.tickets"


Batch = tuple[Settings, ...]


class HeldTickets(dict[Batch, Ticket]):
    """This session's tickets, at most three for each workload. A new upload replaces the previous one."""

    def let_go(self) -> None:
        """Drop unfinished runs; each stops unless another session wants it. Finished ones stay."""
        for batch, ticket in list(self.items()):
            if not ticket.done:
                ticket.cancel()
                del self[batch]

    def drop_uploads(self) -> None:
        """Drop all runs of uploaded files, finished or not."""
        for batch, ticket in list(self.items()):
            if isinstance(batch[0].workload, Uploaded):
                ticket.cancel()
                del self[batch]


@dataclass
class Jobs:
    """The three batches of one workload: results, progress of those without one, and what went wrong."""

    results: dict[str, tuple[ServingResult, ...]] = field(default_factory=dict)
    progress: dict[str, float] = field(default_factory=dict)  # 0..1, of running and waiting batches
    problem: LabError | None = None

    def of(self, name: str) -> tuple[ServingResult, ...]:
        """The results of a batch; empty before it is done."""
        return self.results.get(name, ())


def get_workload(name: str, uploaded: Uploaded | None) -> Workload | None:
    """Return the workload of that name; `uploaded`, which may be None, for the learner's own."""
    traces = {guess.CONVERSATION: CONVERSATION, guess.CODE: CODE}
    if name in traces:
        return Percentiles(traces[name])
    return {guess.SHAREGPT: build_sharegpt(), guess.ALPACA: build_alpaca()}.get(name, uploaded)


def list_batches(workload: Workload) -> dict[str, Batch]:
    """Return the settings of each batch by its name."""
    budget = studies.compute_budget(workload)
    return {
        POLICIES: tuple(replace(each, workload=workload, budget=budget) for each in build_paper_settings(STEPS)),
        SIZES: studies.build_block_size_study(workload, STUDY_STEPS),
        PROMPT: studies.build_system_prompt_study(workload, STUDY_STEPS),
    }


def request_jobs(workload: Workload) -> Jobs:
    """Submit the batches that have no ticket yet. Returns the results and progress of all."""
    found = Jobs()
    held = _get_tickets()
    for name, batch in list_batches(workload).items():
        try:
            ticket = held.get(batch)
            if ticket is None:
                ticket = held[batch] = get_runner().submit(*batch)
            if ticket.done:
                found.results[name] = ticket.result()
            else:
                found.progress[name] = ticket.progress
        except LabError as problem:
            found.problem = problem
            break
        except (CancelledError, OSError):  # the server is stopping, or cannot start a process
            found.problem = SimulationFailedError(status="–")
            break
    return found


def count_done() -> int:
    """Return how many batches this session has the results of."""
    return sum(ticket.done for ticket in _get_tickets().values())


def get_done_jobs(workload: Workload | None) -> Jobs:
    """Return the results that this session already has of the workload. Starts nothing."""
    held, found = _get_tickets(), Jobs()
    for name, batch in list_batches(workload).items() if workload else ():
        if batch in held and held[batch].done:
            with suppress(LabError, CancelledError, OSError):
                found.results[name] = held[batch].result()
    return found


def list_running(workload: Workload) -> tuple[str, ...]:
    """Return the names of the unfinished batches. Starts nothing."""
    held = _get_tickets()
    return tuple(name for name, batch in list_batches(workload).items() if batch in held and not held[batch].done)


def measure_progress(workload: Workload) -> dict[str, float]:
    """Return the progress of the unfinished batches, 0..1. Starts nothing."""
    held = _get_tickets()
    return {name: held[list_batches(workload)[name]].progress for name in list_running(workload)}


def let_go() -> None:
    """Drop unfinished runs; each stops unless another session wants it. Finished ones stay."""
    _get_tickets().let_go()


def drop_uploads() -> None:
    """Drop all runs of uploaded files, finished or not."""
    _get_tickets().drop_uploads()


def try_again() -> None:
    """Forget all tickets, so that the next rerun submits the batches again."""
    held = _get_tickets()
    held.let_go()
    held.clear()


def _get_tickets() -> HeldTickets:
    held: HeldTickets | None = notes.get_note(_TICKETS)
    if held is None:
        held = HeldTickets()
        notes.set_note(_TICKETS, held)
    return held
