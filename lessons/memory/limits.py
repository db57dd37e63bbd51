"""What was shortened to save time: requests that are too long, runs past their budget, studies with fewer steps."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from lab.serving.simulation import ServingPolicy, ServingResult, Settings
from lessons.memory.jobs import POLICIES, SIZES, Jobs
from lessons.memory.prediction_form import format_policy
from lessons.text.translations import Translations


def show_limits(runs: Sequence[ServingResult], words: Translations) -> None:
    """Show how many of these requests were cut and how many of these runs ended early."""
    _show_cut_requests(runs, words)
    _show_ended_early(runs, words)


def _show_cut_requests(runs: Sequence[ServingResult], words: Translations) -> None:
    """Show how many requests were too long and cut, counted in the run that admitted most requests."""
    run = max(runs, key=lambda each: each.admitted)
    if run.cut:
        numbers = {"cut": f"{run.cut:,}", "admitted": f"{run.admitted:,}", "most": f"{run.settings.max_tokens:,}"}
        key = "memory.cut_prefix" if run.settings.prefix else "memory.cut"
        name, size = format_policy(run.settings.policy.value, words), run.settings.block_size
        if len({each.settings.block_size for each in runs}) > 1:
            name = words.text("memory.cut_at", policy=name, size=size)
        st.markdown(words.text(key, policy=name, **numbers))


def _show_ended_early(runs: Sequence[ServingResult], words: Translations) -> None:
    """Show how many runs used up their budget early, and how far the shortest of them got."""
    ended = [run for run in runs if run.steps < run.settings.steps]
    if ended:
        shortest = min(ended, key=lambda run: run.steps)
        numbers = {"steps": shortest.steps, "of": shortest.settings.steps, "admitted": shortest.admitted}
        texts = {name: f"{value:,}" for name, value in numbers.items()}
        st.info(words.text("memory.ended_early", ended=len(ended), runs=len(runs), **texts))


def show_fewer_steps(jobs: Jobs, words: Translations) -> None:
    """Explain why the block sizes admit fewer requests than the policies, if both are done and that is so."""
    runs = jobs.of(SIZES)
    usual, there = _find_usual(runs), _find_usual(jobs.of(POLICIES))
    if usual is None or there is None or usual.steps >= there.steps:
        return
    numbers = {"steps": usual.settings.steps, "more": there.settings.steps}
    numbers |= {"admitted": usual.admitted, "others": there.admitted}
    texts = {name: f"{value:,}" for name, value in numbers.items()}
    st.markdown(words.text("memory.fewer_steps", runs=len(runs), size=usual.settings.block_size, **texts))


def _find_usual(runs: Sequence[ServingResult]) -> ServingResult | None:
    """Find the paged run with the usual block_size, which both batches contain."""
    return next(
        (
            run
            for run in runs
            if run.settings.policy is ServingPolicy.PAGED and run.settings.block_size == Settings.block_size
        ),
        None,
    )
