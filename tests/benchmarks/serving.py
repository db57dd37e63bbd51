"""Seconds of each policy, and our numbers beside the paper's: `python -m tests.benchmarks.serving [STEPS [SEED]]`.

Then the waste at every block_size, and what a shared system prompt of 512 tokens saves.
"""

from __future__ import annotations

import sys
from time import perf_counter

from lab.serving.paper import SEED, build_paper_settings, compare
from lab.serving.simulation import ServingResult, Settings, simulate
from lab.serving.studies import build_block_size_study, build_system_prompt_study, measure_waste
from lab.serving.workload import build_alpaca, build_sharegpt


def timed(settings: Settings) -> tuple[ServingResult, float]:
    """Run it; the result and the seconds."""
    start = perf_counter()
    return simulate(settings), perf_counter() - start


def row(*cells: object) -> None:
    """One line of a table: numbers to two places, None as a dash."""
    texts = ["–" if cell is None else f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in cells]
    print(texts[0].ljust(14), *(text.rjust(9) for text in texts[1:]))


def main(steps: int, seed: int) -> None:
    """Print everything."""
    row(
        "ShareGPT",
        "seconds",
        "tokens",
        "reserved",
        "internal",
        "external",
        "batch",
        "error",
        "diff",
        "batch %",
        "lands",
    )
    runs = [timed(each) for each in build_paper_settings(steps, seed)]
    for (result, seconds), found in zip(runs, compare(result for result, _ in runs), strict=True):
        s, p = result.shares, found.paper
        parts = (s.tokens, s.reserved, s.internal, s.external, result.mean_batch)
        row(
            result.settings.policy,
            seconds,
            *parts,
            result.token_error,
            found.token_points,
            found.batch_percent,
            found.why or "yes",
        )
        row("  the paper", "", p.tokens, p.reserved, p.internal, p.external, p.batch)
    print(f"{sum(seconds for _, seconds in runs):.2f} seconds for {steps} steps of all four\n")

    row("Alpaca", "seconds", "tokens", "reserved", "internal", "external", "batch")
    for each in build_paper_settings(min(steps, 6000), seed):
        result, seconds = timed(Settings(build_alpaca(), each.policy, steps=each.steps, seed=seed))
        s = result.shares
        row(each.policy, seconds, s.tokens, s.reserved, s.internal, s.external, result.mean_batch)

    print()
    row("block_size", "seconds", "waste %", "tokens", "batch")
    for each in build_block_size_study(build_sharegpt(), seed=seed):
        result, seconds = timed(each)
        row(each.block_size, seconds, measure_waste(result), result.shares.tokens, result.mean_batch)

    print()
    row("system prompt", "seconds", "tokens", "batch", "saved %", "recomputed")
    for each in build_system_prompt_study(build_sharegpt(), seed=seed):
        result, seconds = timed(each)
        name = "shared" if each.share else "not shared"
        row(name, seconds, result.shares.tokens, result.mean_batch, result.shared, result.recomputed)


if __name__ == "__main__":
    given = [int(text) for text in sys.argv[1:3]]
    main(*given, *(Settings.steps, SEED)[len(given) :])
