"""The results of the memory lesson, one idea at a time: a figure with few words, and the way to the next."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

import streamlit as st

from lab.figures.serving.batch import batch_picture, prompt_picture
from lab.figures.serving.block_size import waste_picture
from lab.figures.serving.kv_map import map_picture
from lab.figures.serving.shares import shares_picture
from lab.serving.guess import ALPACA, SHAREGPT, Visit
from lab.serving.paper import BATCH_PERCENT, TOKEN_POINTS, Comparison, compare
from lab.serving.simulation import MAX_TOKENS, Policy, Result
from lab.serving.studies import BLOCK_SIZES, SYSTEM_PROMPT, growth, table_entries, waste
from lessons.memory import attempt
from lessons.memory.export import Origin
from lessons.memory.jobs import POLICIES, PROMPT, SIZES, Jobs
from lessons.memory.limits import tell_fewer_steps, tell_limits
from lessons.memory.prediction_form import ideas, policy_said
from lessons.memory.result import show
from lessons.report.download import made
from lessons.state import attempts
from lessons.text.translations import WordsOf
from lessons.widgets import cards

SECTION, MAP_POLICY, MAP_MOMENT, SIZE = "memory_section", "memory_map_policy", "memory_map_moment", "memory_size"
NEEDS = {"shares": POLICIES, "batch": POLICIES, "pool": POLICIES, "block_size": SIZES, "prompt": PROMPT}


def results(here: Visit, jobs: Jobs, words: WordsOf) -> None:
    """The section in view, with the control that turns to another."""
    name = attempt.section()
    attempts.set_field(SECTION, name)
    st.segmented_control(
        words.text("memory.sections"),
        attempt.SECTIONS,
        key=SECTION,
        required=True,
        format_func=lambda each: words.text(f"memory.section.{each}"),
        label_visibility="collapsed",
        on_change=lambda: attempt.open_section(attempts.field(SECTION)),
    )
    cards.heading(2, words.text(f"memory.heading.{name}"))
    runs = jobs.of(NEEDS.get(name, SIZES))
    if not runs:
        st.markdown(words.text("memory.not_yet"))
    else:
        tell_limits(runs, words)
        {
            "shares": _shares,
            "batch": _batch,
            "pool": _pool,
            "block_size": _block_size,
            "prompt": _prompt,
            "tradeoff": _tradeoff,
        }[name](here, jobs, words)
    following = attempt.SECTIONS[attempt.SECTIONS.index(name) + 1 :]
    if following:
        st.button(
            words.text("memory.next", name=words.text(f"memory.section.{following[0]}")),
            type="primary",
            key="memory_next",
            on_click=attempt.open_section,
            args=(following[0],),
        )


def _ideas(here: Visit, jobs: Jobs, names: tuple[str, ...], words: WordsOf) -> None:
    """What lies behind answers that were off; where the workload in view is the one that was predicted."""
    if here.guess is not None and here.guess.workload == here.workload:
        for said in ideas(here.guess, names, jobs.of(POLICIES), jobs.of(SIZES), words):
            st.info(said)


def _beside_paper(here: Visit, jobs: Jobs) -> tuple[Comparison, ...] | tuple[Result, ...]:
    """With the paper's numbers only where the requests are the paper's."""
    runs = jobs.of(POLICIES)
    return compare(runs) if here.workload == SHAREGPT else runs


def _origin(here: Visit, runs: Sequence[Result]) -> Origin:
    return Origin(here.workload, runs, made(datetime.now(UTC), attempts.time_zone()).day)


def _shares(here: Visit, jobs: Jobs, words: WordsOf) -> None:
    runs = _beside_paper(here, jobs)
    show(shares_picture(runs, words, columns=attempts.columns()), "shares", _origin(here, jobs.of(POLICIES)), words)
    _ideas(here, jobs, ("winner", "percent"), words)
    comparisons = [run for run in runs if isinstance(run, Comparison)]
    _landing(here, comparisons, [each for each in comparisons if not each.tokens_land], "tokens", words)
    with st.expander(words.text("memory.kinds_title"), key="memory_kinds"):
        st.markdown(words.text("memory.kinds"))
        steady = runs[0].result if isinstance(runs[0], Comparison) else runs[0]
        st.markdown(
            words.text(
                "memory.lengths",
                prompt=f"{steady.mean_prompt:.0f}",
                output=f"{steady.mean_output:.0f}",
                most=f"{MAX_TOKENS:,}",
                steps=f"{steady.steps:,}",
            )
        )


def _landing(
    here: Visit, comparisons: Sequence[Comparison], off: Sequence[Comparison], what: str, words: WordsOf
) -> None:
    """Which of our numbers are not near the paper's, and why; or that all are; or why there are none to compare."""
    if not comparisons:
        st.markdown(words.text("memory.no_paper_alpaca" if here.workload == ALPACA else "memory.no_paper"))
        return
    limits = {"points": f"{TOKEN_POINTS:.0f}", "percent": f"{BATCH_PERCENT:.0f}"}
    if not off:
        st.markdown(words.text(f"memory.lands.{what}", **limits))
    for each in off:
        numbers = {
            "policy": policy_said(each.policy, words),
            "points": f"{abs(each.token_points):.1f}",
            "percent": f"{abs(each.batch_percent):.0f}",
            "error": f"{each.result.token_error:.1f}",
            "limit": limits["points" if what == "tokens" else "percent"],
            "why": words.text(f"memory.why.{each.why}", most=f"{MAX_TOKENS:,}"),
        }
        difference = each.token_points if what == "tokens" else each.batch_percent
        side = "above" if difference > 0 else "below"
        st.markdown(words.text(f"memory.misses.{what}_{side}", **numbers))


def _batch(here: Visit, jobs: Jobs, words: WordsOf) -> None:
    runs = _beside_paper(here, jobs)
    show(batch_picture(runs, words, columns=attempts.columns()), "batch", _origin(here, jobs.of(POLICIES)), words)
    comparisons = [run for run in runs if isinstance(run, Comparison)]
    _landing(here, comparisons, [each for each in comparisons if not each.batch_lands], "batch", words)
    paged = _of(jobs, Policy.PAGED)
    st.markdown(
        words.text(
            "memory.preempted",
            preemptions=f"{paged.preemptions:,}",
            recomputed=f"{paged.recomputed:,}",
            admitted=f"{paged.admitted:,}",
        )
    )


def _of(jobs: Jobs, policy: Policy) -> Result:
    return next(run for run in jobs.of(POLICIES) if run.settings.policy is policy)


def _pool(here: Visit, jobs: Jobs, words: WordsOf) -> None:
    st.markdown(words.text("memory.map.lead"))
    policy, moment = attempt.map_view()
    result = _of(jobs, policy)
    moments = len(result.frames)
    attempts.set_field(MAP_POLICY, policy.value)
    attempts.set_field(MAP_MOMENT, min(moment, moments))

    def turn() -> None:
        attempt.look_at_map(attempts.field(MAP_POLICY), attempts.field(MAP_MOMENT))

    st.segmented_control(
        words.text("memory.column.policy"),
        [each.value for each in Policy],
        key=MAP_POLICY,
        required=True,
        format_func=partial(policy_said, words=words),
        label_visibility="collapsed",
        on_change=turn,
    )
    st.slider(words.text("memory.map.moment", moments=moments), 1, moments, key=MAP_MOMENT, on_change=turn)
    picture = map_picture(result, min(moment, moments) - 1, words, columns=attempts.columns())
    show(picture, "pool", _origin(here, [result]), words)


def _block_size(here: Visit, jobs: Jobs, words: WordsOf) -> None:
    attempts.set_field(SIZE, here.size)
    st.select_slider(
        words.text("memory.waste.slider", first=BLOCK_SIZES[0], last=BLOCK_SIZES[-1]),
        BLOCK_SIZES,
        key=SIZE,
        on_change=lambda: attempt.choose_size(attempts.field(SIZE)),
    )
    picture = waste_picture(jobs.of(SIZES), here.size, words, columns=attempts.columns())
    show(picture, "block-size", _origin(here, jobs.of(SIZES)), words)
    st.markdown(words.text(f"memory.waste.why_{growth(jobs.of(SIZES))}"))
    _ideas(here, jobs, ("waste",), words)
    tell_fewer_steps(jobs, words)


def _prompt(here: Visit, jobs: Jobs, words: WordsOf) -> None:
    st.markdown(words.text("memory.prompt.lead", tokens=SYSTEM_PROMPT))
    alone, shared = jobs.of(PROMPT)
    show(
        prompt_picture(alone, shared, words, columns=attempts.columns()),
        "prompt",
        _origin(here, (alone, shared)),
        words,
    )
    st.markdown(words.text("memory.prompt.why"))


def _tradeoff(here: Visit, jobs: Jobs, words: WordsOf) -> None:
    """Both directions, with the numbers of the runs where there are any."""
    by_size = {run.settings.block_size: run for run in jobs.of(SIZES)}
    small, large = by_size[BLOCK_SIZES[0]], by_size[BLOCK_SIZES[-1]]
    values = {
        "small": BLOCK_SIZES[0],
        "large": BLOCK_SIZES[-1],
        "small_waste": f"{waste(small):.1f}",
        "large_waste": f"{waste(large):.1f}",
        "small_entries": f"{table_entries(small):.0f}",
        "large_entries": f"{table_entries(large):.1f}",
    }
    st.markdown(words.text("memory.tradeoff.lead", **values))
    same = values["small_waste"] == values["large_waste"]
    for name in ("waste_same" if same else "waste", "table", "sharing", "kernel"):
        st.markdown(f"- {words.text(f'memory.tradeoff.{name}', **values)}")
    st.markdown(words.text("memory.tradeoff.chosen"))
    with st.expander(words.text("memory.tradeoff.numbers"), key="memory_tradeoff", on_change="rerun") as numbers:
        if numbers.open:
            table = waste_picture(jobs.of(SIZES), here.size, words).table
            st.table(table, hide_index=True)
    with st.expander(words.text("memory.left_out_title"), key="memory_left_out"):
        st.markdown(words.text("memory.left_out"))
