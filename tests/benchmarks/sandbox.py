"""Milliseconds for a sandbox's links, files and replays: `python -m tests.benchmarks.sandbox`. Best of five."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from lab.sandbox.files import read_file, write_file
from lab.sandbox.library import LIBRARY
from lab.sandbox.link import encode_scenario
from lab.sandbox.request_specs import RequestSpec
from lab.sandbox.scenario import Scenario, State
from lab.trace.operations import parse_operation
from tests.links import parse_scenario
from tests.sandbox.resize_cases import resize
from tests.sandbox.sandbox_cases import crowded


def best(work: Callable[[], object]) -> float:
    """Milliseconds, the best of five."""
    times = []
    for _ in range(5):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return 1000 * min(times)


def main() -> None:
    """Print everything."""
    task = LIBRARY["task"].scenario
    full = Scenario(
        64, 4, "used", (RequestSpec("A", 28), RequestSpec("B", 28)), tuple(map(parse_operation, ["aA", "aB"]))
    )
    full = full.then(*map(parse_operation, ["tA", "tB"] * 99))
    rows: tuple[tuple[str, Callable[[], object]], ...] = (
        ("read the task's link", lambda: parse_scenario(encode_scenario(task))),
        ("read the slowest link", lambda: parse_scenario(crowded())),
        ("write and read 200 operations as a file", lambda: read_file(write_file(State(full, 0)))),
        ("resize the task", lambda: resize(task, 8)),
        ("resize 200 operations", lambda: resize(full, 8)),
    )
    for name, work in rows:
        print(f"{name:42}{best(work):9.2f} ms")


if __name__ == "__main__":
    main()
