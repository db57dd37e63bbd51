"""Simulations in another process: shared, cached, cancelled, refused; and the death of that process."""

from __future__ import annotations

import gc
import io
import os
import pickle
import sys
import weakref
from collections.abc import Iterator
from concurrent.futures import CancelledError
from dataclasses import replace
from pathlib import Path

import pytest

from lab.serving.jobs import SimulationFailedError, SimulationRunner, SimulationsBusyError
from lab.serving.simulation import ServingPolicy, ServingResult, Settings, simulate
from lab.serving.worker import Message, main, run_simulations
from lab.serving.workload import Lengths, build_alpaca, pack

A = Settings(build_alpaca(), ServingPolicy.PAGED, steps=40)
B = replace(A, policy=ServingPolicy.MAXIMUM)
WAIT = 30


@pytest.fixture
def runner() -> Iterator[SimulationRunner]:
    """A runner with the real worker."""
    made = SimulationRunner()
    yield made
    made.close()


@pytest.fixture
def stuck(tmp_path: Path) -> Iterator[tuple[SimulationRunner, Path]]:
    """A runner whose worker reports half of its progress, opens the pipe (so that a test knows), and never ends."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    code = f"""
import pickle, sys, threading
pickle.load(sys.stdin.buffer)
pickle.dump(0.5, sys.stdout.buffer)
sys.stdout.flush()
open({str(pipe)!r}, "w").close()
threading.Event().wait()
"""
    made = SimulationRunner((sys.executable, "-c", code), max_jobs=2)
    yield made, pipe
    made.close()


def test_results_are_those_of_a_run_at_hand(runner: SimulationRunner) -> None:
    """In the order of the settings; equal settings run once."""
    ticket = runner.submit(A, B, A)
    results = ticket.result(WAIT)
    assert results == (simulate(A), simulate(B), simulate(A))
    assert results[0] is results[2]
    assert results[0].settings is A
    assert (ticket.done, ticket.progress) == (True, 1.0)


def test_what_is_remembered_is_not_run_again(runner: SimulationRunner) -> None:
    """A fully cached batch is done at once; cached parts of a batch do not run again."""
    first = runner.submit(A).result(WAIT)
    again = runner.submit(replace(A))
    assert again.done
    assert again.result()[0] is first[0]
    both = runner.submit(A, B).result(WAIT)
    assert both[0] is first[0]


def test_a_file_s_results_are_not_remembered(runner: SimulationRunner) -> None:
    """They contain the file's lengths. The first ticket has them, a later one waits, and the runner holds no file."""
    own = replace(A, workload=pack("csv", [Lengths(31, 7), Lengths(8, 90)]))
    ticket = runner.submit(own, A)
    first = ticket.result(WAIT)
    assert (ticket.done, ticket.result()) == (True, first)
    assert runner.submit(A).done
    again = runner.submit(own)
    assert not again.done
    assert again.result(WAIT) == first[:1]
    reference = weakref.ref(own.workload)
    del ticket, first, again, own
    for _ in range(200):  # the runner's thread has one more line to run
        gc.collect()
        if reference() is None:
            break
    assert reference() is None


def test_files_push_nothing_out_of_the_memory() -> None:
    """However many results of files come in between."""
    runner = SimulationRunner(remembered=2)
    runner.submit(A, B).result(WAIT)
    for tokens in (5, 6, 7):
        runner.submit(replace(A, workload=pack("csv", [Lengths(tokens, 40)]))).result(WAIT)
    assert runner.submit(A, B).done
    runner.close()


def test_the_oldest_is_forgotten() -> None:
    """If there is room for one result only."""
    runner = SimulationRunner(remembered=1)
    first = runner.submit(A).result(WAIT)
    runner.submit(B).result(WAIT)
    assert runner.submit(B).done
    again = runner.submit(A)
    assert not again.done
    assert again.result(WAIT) == first
    runner.close()


def test_a_second_asker_joins_and_one_alone_cannot_cancel(stuck: tuple[SimulationRunner, Path]) -> None:
    """The job stops when no ticket is left; then the same settings can be submitted again."""
    runner, pipe = stuck
    first, second = runner.submit(A), runner.submit(A)
    pipe.read_text()  # the worker runs
    with pytest.raises(TimeoutError):
        first.result()
    first.cancel()
    first.cancel()
    with pytest.raises(TimeoutError):
        second.result(0.3)
    second.cancel()
    for ticket in (first, second):
        with pytest.raises(CancelledError):
            ticket.result(WAIT)
    third = runner.submit(A)
    pipe.read_text()
    assert not third.done


def test_a_job_that_waits_can_be_cancelled_and_too_many_are_refused(stuck: tuple[SimulationRunner, Path]) -> None:
    """One runs and one waits; a third is refused until there is room; close ends all."""
    runner, pipe = stuck
    running, waiting = runner.submit(A), runner.submit(B)
    pipe.read_text()
    other = replace(A, seed=1)
    with pytest.raises(SimulationsBusyError):
        runner.submit(other)
    waiting.cancel()
    later = runner.submit(other)
    assert (waiting.progress, later.progress) == (0, 0)
    runner.close()
    for ticket in (running, waiting, later):
        with pytest.raises(CancelledError):
            ticket.result(WAIT)


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("raise SystemExit(3)", 3),
        ("import os, sys; sys.stdin.buffer.read(); os.write(1, b'no pickle'); os._exit(4)", 4),
        (f"import pickle, sys; sys.stdout.buffer.write(pickle.dumps({'x' * 99!r})[:50])", 0),
    ],
)
def test_a_worker_that_dies_is_reported(code: str, status: int) -> None:
    """The next job gets a new process."""
    runner = SimulationRunner((sys.executable, "-c", code))
    for _ in range(2):
        with pytest.raises(SimulationFailedError) as failed:
            runner.submit(A).result(WAIT)
        assert failed.value.numbers == {"status": status}
    runner.close()


def test_a_worker_that_cannot_start_is_reported(tmp_path: Path) -> None:
    """Whatever error the system raises."""
    runner = SimulationRunner((str(tmp_path / "nothing"),))
    with pytest.raises(OSError):
        runner.submit(A).result(WAIT)
    runner.close()


def test_what_the_worker_tells() -> None:
    """Progress over all runs, growing to 1, and a result after each run."""
    messages: list[Message] = []
    run_simulations((A, B), messages.append)
    shares = [each for each in messages if not isinstance(each, ServingResult)]
    assert shares == sorted(shares)
    assert (shares[39], shares[-1]) == (0.5, 1.0)
    assert [each.settings for each in messages if isinstance(each, ServingResult)] == [A, B]
    target = io.BytesIO()
    main(io.BytesIO(pickle.dumps((B,))), target)
    target.seek(0)
    assert pickle.load(target) == 1 / 40
