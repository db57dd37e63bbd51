"""Simulations for the pages: in another process, one at a time; equal requests share a job, and results are cached.

Results of an uploaded file are not cached, because they contain its lengths: only the session that asked has them.

A child of multiprocessing would import the server's main module again, which under Streamlit is a page. So the other
process is a plain `python -m lab.serving.worker`, and to cancel a run is to kill the process.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections import OrderedDict
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import IO

from lab.engine.errors import LabError
from lab.serving.simulation import ServingResult, Settings
from lab.serving.worker import Message
from lab.serving.workload import Uploaded

ROOT = Path(__file__).parent.parent.parent
REMEMBERED = 64  # results, about 100 kB each: enough for everything that the lessons ask for
MAX_JOBS = 16  # waiting and running
COMMAND = (sys.executable, "-m", "lab.serving.worker")
Batch = tuple[Settings, ...]


class SimulationsBusyError(LabError):
    """Too many simulations wait already. Numbers: `limit`."""

    code = "simulations_busy"
    message = "{limit} simulations wait or run already"


class SimulationFailedError(LabError):
    """The other process ended before it was done. Numbers: `status` (its exit status)."""

    code = "simulation_failed"
    message = "the simulation ended with status {status}"


class Job:
    """One batch that waits, runs, or has ended. Shared by all tickets for the same settings."""

    def __init__(self, batch: Batch, known: dict[Settings, ServingResult]) -> None:
        self.batch = batch
        self.known = known  # results so far
        self.missing: Batch = tuple(each for each in dict.fromkeys(batch) if each not in known)
        self.progress = 0.0 if self.missing else 1.0
        self.future: Future[None] = Future()
        self.process: subprocess.Popen[bytes] | None = None
        self.cancelled = False
        self.askers = 0


class Ticket:
    """A caller's share in a job. Thread-safe; never blocks, except in `result` with a timeout."""

    def __init__(self, runner: SimulationRunner, job: Job) -> None:
        self._runner = runner
        self._job = job
        self._held = True

    @property
    def progress(self) -> float:
        """The part done, 0..1, over all runs of the batch that were not cached. 0 while the job waits."""
        return self._job.progress

    @property
    def done(self) -> bool:
        """Has the job ended, in whatever way?"""
        return self._job.future.done()

    def result(self, timeout: float | None = 0) -> tuple[ServingResult, ...]:
        """The results, in the order of the settings.

        Raises TimeoutError (not done within `timeout` seconds; None waits), SimulationFailedError, CancelledError.
        """
        self._job.future.result(timeout)
        return tuple(self._job.known[each] for each in self._job.batch)

    def cancel(self) -> None:
        """Give up this ticket; the job stops when no ticket is left. Calling it again changes nothing."""
        if self._held:
            self._held = False
            self._runner.let_go(self._job)


class SimulationRunner:
    """The jobs of one server. Create it once for all sessions; close it at the end."""

    def __init__(
        self, command: tuple[str, ...] = COMMAND, max_jobs: int = MAX_JOBS, remembered: int = REMEMBERED
    ) -> None:
        self._command = command
        self._max_jobs = max_jobs
        self._remembered = remembered
        self._lock = Lock()
        self._jobs: dict[Batch, Job] = {}  # waiting and running
        self._results: OrderedDict[Settings, ServingResult] = OrderedDict()  # the most recently used last
        self._queue: SimpleQueue[Job | None] = SimpleQueue()
        self._thread = Thread(target=self._serve, name="serving", daemon=True)  # the server does not wait for it
        self._thread.start()

    def submit(self, *settings: Settings) -> Ticket:
        """Order these runs. Joins a waiting or running job with the same settings, and uses cached results.

        Raises SimulationsBusyError.
        """
        with self._lock:
            job = self._jobs.get(settings)
            if job is None:
                job = Job(settings, self._recall(settings))
                if not job.missing:
                    job.future.set_result(None)
                elif len(self._jobs) >= self._max_jobs:
                    raise SimulationsBusyError(limit=self._max_jobs)
                else:
                    self._jobs[settings] = job
                    self._queue.put(job)
            job.askers += 1
            return Ticket(self, job)

    def let_go(self, job: Job) -> None:
        """Remove one ticket from the job, and stop the job if it was the last."""
        with self._lock:
            job.askers -= 1
            if job.askers == 0 and not job.future.done():
                self._stop(job)

    def close(self) -> None:
        """End every job and the thread. A job submitted later never runs."""
        with self._lock:
            for job in list(self._jobs.values()):
                self._stop(job)
        self._queue.put(None)
        self._thread.join()

    def _stop(self, job: Job) -> None:
        """Stop a job; the caller holds the lock. The same settings get a new job from now on."""
        job.cancelled = True
        if self._jobs.get(job.batch) is job:
            del self._jobs[job.batch]
        if job.process:
            job.process.kill()

    def _recall(self, settings: Batch) -> dict[Settings, ServingResult]:
        known = {each: self._results[each] for each in settings if each in self._results}
        for each in known:
            self._results.move_to_end(each)
        return known

    def _serve(self) -> None:
        """The loop of the runner's thread."""
        while job := self._queue.get():
            self._run(job)
            del job  # else its results would stay in memory until the next job

    def _run(self, job: Job) -> None:
        """Run one job and set its future, whatever happens."""
        error: BaseException | None = None
        try:
            error = self._work(job)
        except BaseException as raised:  # the tickets must get the error, and the thread must go on
            error = raised
        with self._lock:
            for each in job.missing:
                if each in job.known and not isinstance(each.workload, Uploaded):
                    self._results[each] = job.known[each]
            while len(self._results) > self._remembered:
                self._results.popitem(last=False)
            if self._jobs.get(job.batch) is job:
                del self._jobs[job.batch]
            if job.cancelled:
                error = CancelledError()
            if error is None:
                job.future.set_result(None)
            else:
                job.future.set_exception(error)

    def _work(self, job: Job) -> LabError | None:
        with self._lock:
            if job.cancelled:
                return None
            job.process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)
        left = list(job.missing)
        with job.process as process:
            try:
                send(process.stdin, job.missing)
                for message in read_messages(process.stdout):
                    if isinstance(message, ServingResult):
                        own = left.pop(0)  # the message's settings hold a second copy of a file's lengths
                        job.known[own] = replace(message, settings=own)
                    else:
                        job.progress = message
            except BaseException:
                process.kill()
                raise
        return SimulationFailedError(status=process.returncode) if left else None


@cache
def get_runner() -> SimulationRunner:
    """The runner of this server, created on first use."""
    return SimulationRunner()


def send(target: IO[bytes] | None, batch: Batch) -> None:
    """Send the settings to the other process. If it has ended already, reading its messages will show that."""
    if target:
        with suppress(OSError), target:
            pickle.dump(batch, target)


def read_messages(source: IO[bytes] | None) -> Iterator[Message]:
    """The messages of the other process, until it ends."""
    with suppress(EOFError, pickle.UnpicklingError):
        while source:
            yield pickle.load(source)
