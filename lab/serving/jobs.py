"""Simulations for the pages: in another process, one at a time, joined and remembered by what is asked.

Results of somebody's own file are not remembered: they carry its lengths. Only who asked for them has them.

A child of multiprocessing would import the server's main module again, which under Streamlit is a page; so the other
process is a plain `python -m lab.serving.worker`, and cancelling a run ends it.
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
REMEMBERED = 64  # results, about 100 kB each: all that the lessons ask for, so none falls out for another
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
    """One batch that waits, runs, or has ended. Shared by all who asked for it."""

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
    """One asker's hold on a job. Thread-safe; never blocks unless `result` is told to wait."""

    def __init__(self, runner: SimulationRunner, job: Job) -> None:
        self._runner = runner
        self._job = job
        self._held = True

    @property
    def progress(self) -> float:
        """How far, 0..1, over all runs of the batch that were not remembered. 0 while it waits."""
        return self._job.progress

    @property
    def done(self) -> bool:
        """Has it ended, in whatever way?"""
        return self._job.future.done()

    def result(self, timeout: float | None = 0) -> tuple[ServingResult, ...]:
        """The results, in the order of the settings asked for.

        Raises TimeoutError (not done within `timeout` seconds; None waits), SimulationFailedError, CancelledError.
        """
        self._job.future.result(timeout)
        return tuple(self._job.known[each] for each in self._job.batch)

    def cancel(self) -> None:
        """This asker no longer wants it; it stops when nobody does. Calling it again changes nothing."""
        if self._held:
            self._held = False
            self._runner.let_go(self._job)


class SimulationRunner:
    """The jobs of one server. Make one for all sessions; close it at the end."""

    def __init__(
        self, command: tuple[str, ...] = COMMAND, max_jobs: int = MAX_JOBS, remembered: int = REMEMBERED
    ) -> None:
        self._command = command
        self._max_jobs = max_jobs
        self._remembered = remembered
        self._lock = Lock()
        self._jobs: dict[Batch, Job] = {}  # waiting and running
        self._results: OrderedDict[Settings, ServingResult] = OrderedDict()  # the most recently wanted last
        self._queue: SimpleQueue[Job | None] = SimpleQueue()
        self._thread = Thread(target=self._serve, name="serving", daemon=True)  # the server need not wait for it
        self._thread.start()

    def submit(self, *settings: Settings) -> Ticket:
        """Ask for these runs. Joins a job that runs or waits for the same, and takes what is remembered.

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
        """One asker less."""
        with self._lock:
            job.askers -= 1
            if job.askers == 0 and not job.future.done():
                self._stop(job)

    def close(self) -> None:
        """End every job and the thread. What is submitted later never runs."""
        with self._lock:
            for job in list(self._jobs.values()):
                self._stop(job)
        self._queue.put(None)
        self._thread.join()

    def _stop(self, job: Job) -> None:
        """Under the lock. Whoever asks for the same from now on gets a new job."""
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
        """The runner's thread."""
        while job := self._queue.get():
            self._run(job)
            del job  # else its results would stay until the next one comes

    def _run(self, job: Job) -> None:
        """From start to end, whatever happens."""
        error: BaseException | None = None
        try:
            error = self._work(job)
        except BaseException as raised:  # the askers must hear of it, and the thread must live
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
                        own = left.pop(0)  # with our own settings: else each would keep a file's lengths once more
                        job.known[own] = replace(message, settings=own)
                    else:
                        job.progress = message
            except BaseException:
                process.kill()
                raise
        return SimulationFailedError(status=process.returncode) if left else None


@cache
def get_runner() -> SimulationRunner:
    """The one of this server, made when first asked for."""
    return SimulationRunner()


def send(target: IO[bytes] | None, batch: Batch) -> None:
    """Tell the other process what to run; if it has ended already, its silence will say so."""
    if target:
        with suppress(OSError), target:
            pickle.dump(batch, target)


def read_messages(source: IO[bytes] | None) -> Iterator[Message]:
    """What the other process tells, until it ends."""
    with suppress(EOFError, pickle.UnpicklingError):
        while source:
            yield pickle.load(source)
