"""A separate process that runs simulations: it reads settings as a pickle and writes messages as pickles.

`python -m lab.serving.worker`, started by lab/serving/jobs.py only. It lowers its priority, so that learners' clicks
go first, and ends when nobody reads its messages any more.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable
from typing import BinaryIO

from lab.serving.simulation import ServingResult, Settings, simulate

NICE = 10
Message = float | ServingResult  # progress of all runs (0..1), or the next result, in the order of the settings


def run_simulations(settings: tuple[Settings, ...], tell: Callable[[Message], None]) -> None:
    """Run the simulations one after another, and report progress and results."""
    for done, each in enumerate(settings):
        tell(simulate(each, progress=lambda share, before=done: tell((before + share) / len(settings))))  # type: ignore[misc]


def main(source: BinaryIO, target: BinaryIO) -> None:
    """Read the settings, run them, write the messages."""

    def tell(message: Message) -> None:
        pickle.dump(message, target)
        target.flush()

    run_simulations(pickle.load(source), tell)


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(NICE)
    try:
        main(sys.stdin.buffer, sys.stdout.buffer)
    except BrokenPipeError:
        os._exit(1)  # not sys.exit: that would flush the closed pipe and fail again
