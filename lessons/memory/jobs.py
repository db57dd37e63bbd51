"""The runs that the memory lesson asks for: which, and this session's hold on them. Never waits."""

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
from lessons.state import attempts

STEPS, STUDY_STEPS = Settings.steps, studies.STUDY_STEPS
POLICIES, SIZES, PROMPT = "policies", "sizes", "prompt"
BATCHES = (POLICIES, SIZES, PROMPT)  # in the order in which they run
_TICKETS = "memory.tickets"


Batch = tuple[Settings, ...]


class HeldTickets(dict[Batch, Ticket]):
    """This session's tickets, at most three for each workload: one's own file takes the place of the one before."""

    def let_go(self) -> None:
        """Drop all that is not done: it stops if nobody else wants it. What is done stays."""
        for batch, ticket in list(self.items()):
            if not ticket.done:
                ticket.cancel()
                del self[batch]

    def drop_uploads(self) -> None:
        """Drop all that was asked for somebody's own file, done or not."""
        for batch, ticket in list(self.items()):
            if isinstance(batch[0].workload, Uploaded):
                ticket.cancel()
                del self[batch]


@dataclass
class Jobs:
    """What is known of the three batches of one workload: results, how far the others are, and what went wrong."""

    results: dict[str, tuple[ServingResult, ...]] = field(default_factory=dict)
    progress: dict[str, float] = field(default_factory=dict)  # 0..1, of those that run or wait
    problem: LabError | None = None

    def of(self, name: str) -> tuple[ServingResult, ...]:
        """The results of a batch; none before it is done."""
        return self.results.get(name, ())


def get_workload(name: str, uploaded: Uploaded | None) -> Workload | None:
    """The workload of that name; None for one's own where no file has been read."""
    traces = {guess.CONVERSATION: CONVERSATION, guess.CODE: CODE}
    if name in traces:
        return Percentiles(traces[name])
    return {guess.SHAREGPT: build_sharegpt(), guess.ALPACA: build_alpaca()}.get(name, uploaded)


def list_batches(workload: Workload) -> dict[str, Batch]:
    """Settings by the name of the batch."""
    budget = studies.compute_budget(workload)
    return {
        POLICIES: tuple(replace(each, workload=workload, budget=budget) for each in build_paper_settings(STEPS)),
        SIZES: studies.build_block_size_study(workload, STUDY_STEPS),
        PROMPT: studies.build_system_prompt_study(workload, STUDY_STEPS),
    }


def request_jobs(workload: Workload) -> Jobs:
    """Ask for what has not been asked for, and tell how far all is."""
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
        except (CancelledError, OSError):  # the server is closing, or cannot start another process
            found.problem = SimulationFailedError(status="–")
            break
    return found


def get_done_jobs(workload: Workload) -> Jobs:
    """What this session has of this workload already. Asks for nothing."""
    held, found = _get_tickets(), Jobs()
    for name, batch in list_batches(workload).items():
        if batch in held and held[batch].done:
            with suppress(LabError, CancelledError, OSError):
                found.results[name] = held[batch].result()
    return found


def list_running(workload: Workload) -> tuple[str, ...]:
    """Names of the batches that are not done. Asks for nothing."""
    held = _get_tickets()
    return tuple(name for name, batch in list_batches(workload).items() if batch in held and not held[batch].done)


def measure_progress(workload: Workload) -> dict[str, float]:
    """How far those are, 0..1. Asks for nothing."""
    held = _get_tickets()
    return {name: held[list_batches(workload)[name]].progress for name in list_running(workload)}


def let_go() -> None:
    """Drop the hold on all that is not done: it stops if nobody else wants it. What is done is kept."""
    _get_tickets().let_go()


def drop_uploads() -> None:
    """Drop all that was asked for somebody's own file, done or not."""
    _get_tickets().drop_uploads()


def try_again() -> None:
    """Forget what failed; the next drawing asks for it once more."""
    held = _get_tickets()
    held.let_go()
    held.clear()


def _get_tickets() -> HeldTickets:
    held: HeldTickets | None = attempts.get_note(_TICKETS)
    if held is None:
        held = HeldTickets()
        attempts.set_note(_TICKETS, held)
    return held
