"""The results of the memory lesson, one section at a time: a figure, a few words, and the next section."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

import streamlit as st

from lab.figures.serving.batch import draw_batch, draw_prompt_sharing
from lab.figures.serving.block_size import draw_waste
from lab.figures.serving.kv_map import draw_kv_map
from lab.figures.serving.shares import draw_shares
from lab.serving.guess import ALPACA, SHAREGPT, Guess, MemoryView, get_predicted
from lab.serving.paper import BATCH_PERCENT, TOKEN_POINTS, PaperComparison, compare
from lab.serving.simulation import MAX_TOKENS, ServingPolicy, ServingResult
from lab.serving.studies import BLOCK_SIZES, SYSTEM_PROMPT, classify_growth, measure_table_entries, measure_waste
from lessons.memory import attempt as memory
from lessons.memory.export import Origin
from lessons.memory.jobs import POLICIES, PROMPT, SIZES, Jobs
from lessons.memory.limits import show_fewer_steps, show_limits
from lessons.memory.prediction_form import describe_ideas, format_policy
from lessons.memory.result import show
from lessons.state import attempts, notes, viewport
from lessons.text.dates import get_date
from lessons.text.translations import Translations
from lessons.widgets import cards

SECTION, MAP_POLICY, MAP_MOMENT, SIZE = "memory_section", "memory_map_policy", "memory_map_moment", "memory_size"
NEEDS = {"shares": POLICIES, "batch": POLICIES, "pool": POLICIES, "block_size": SIZES, "prompt": PROMPT}


def draw_results(view: MemoryView, jobs: Jobs, words: Translations) -> None:
    """Draw the section in view and the control to choose another."""
    name = memory.get_section()
    notes.set_field(SECTION, name)
    st.segmented_control(
        words.text("memory.sections"),
        memory.SECTIONS,
        key=SECTION,
        required=True,
        format_func=lambda each: words.text(f"memory.section.{each}"),
        label_visibility="collapsed",
        on_change=lambda: memory.open_section(notes.get_field(SECTION)),
    )
    cards.draw_heading(2, words.text(f"memory.heading.{name}"))
    runs = jobs.of(NEEDS.get(name, SIZES))
    if not runs:
        st.markdown(words.text("memory.not_yet"))
    else:
        show_limits(runs, words)
        {
            "shares": _draw_shares,
            "batch": _draw_batch,
            "pool": _draw_pool,
            "block_size": _draw_block_size,
            "prompt": _draw_prompt,
            "tradeoff": _draw_tradeoff,
        }[name](view, jobs, words)
    following = memory.SECTIONS[memory.SECTIONS.index(name) + 1 :]
    if following:
        st.button(
            words.text("memory.next", name=words.text(f"memory.section.{following[0]}")),
            type="primary",
            key="memory_next",
            on_click=memory.open_section,
            args=(following[0],),
        )


def _show_ideas(view: MemoryView, jobs: Jobs, names: tuple[str, ...], words: Translations) -> None:
    """Explain answers that the runs contradict, if the workload in view is the predicted one."""
    if view.attempt.answers and get_predicted(view.attempt) == view.workload:
        for sentence in describe_ideas(Guess.read(view.attempt), names, jobs.of(POLICIES), jobs.of(SIZES), words):
            st.info(sentence)


def _compare_with_paper(view: MemoryView, jobs: Jobs) -> tuple[PaperComparison, ...] | tuple[ServingResult, ...]:
    """Return comparisons with the paper if the requests are the paper's, else the plain results."""
    runs = jobs.of(POLICIES)
    return compare(runs) if view.workload == SHAREGPT else runs


def _build_origin(view: MemoryView, runs: Sequence[ServingResult]) -> Origin:
    return Origin(view.workload, runs, get_date(datetime.now(UTC), attempts.get_time_zone()).day)


def _draw_shares(view: MemoryView, jobs: Jobs, words: Translations) -> None:
    runs = _compare_with_paper(view, jobs)
    show(
        draw_shares(runs, words, columns=viewport.get_columns()),
        "shares",
        _build_origin(view, jobs.of(POLICIES)),
        words,
    )
    _show_ideas(view, jobs, ("winner", "percent"), words)
    comparisons = [run for run in runs if isinstance(run, PaperComparison)]
    _compare_numbers(view, comparisons, [each for each in comparisons if not each.tokens_land], "tokens", words)
    with st.expander(words.text("memory.kinds_title"), key="memory_kinds"):
        st.markdown(words.text("memory.kinds"))
        steady = runs[0].result if isinstance(runs[0], PaperComparison) else runs[0]
        st.markdown(
            words.text(
                "memory.lengths",
                prompt=f"{steady.mean_prompt:.0f}",
                output=f"{steady.mean_output:.0f}",
                most=f"{MAX_TOKENS:,}",
                steps=f"{steady.steps:,}",
            )
        )


def _compare_numbers(
    view: MemoryView,
    comparisons: Sequence[PaperComparison],
    off: Sequence[PaperComparison],
    what: str,
    words: Translations,
) -> None:
    """Say which of our numbers differ from the paper's and why, that none does, or why none can be compared."""
    if not comparisons:
        st.markdown(words.text("memory.no_paper_alpaca" if view.workload == ALPACA else "memory.no_paper"))
        return
    limits = {"points": f"{TOKEN_POINTS:.0f}", "percent": f"{BATCH_PERCENT:.0f}"}
    if not off:
        st.markdown(words.text(f"memory.lands.{what}", **limits))
    for each in off:
        numbers = {
            "policy": format_policy(each.policy, words),
            "points": f"{abs(each.token_points):.1f}",
            "percent": f"{abs(each.batch_percent):.0f}",
            "error": f"{each.result.token_error:.1f}",
            "limit": limits["points" if what == "tokens" else "percent"],
            "why": words.text(f"memory.why.{each.why}", most=f"{MAX_TOKENS:,}"),
        }
        difference = each.token_points if what == "tokens" else each.batch_percent
        side = "above" if difference > 0 else "below"
        st.markdown(words.text(f"memory.misses.{what}_{side}", **numbers))


def _draw_batch(view: MemoryView, jobs: Jobs, words: Translations) -> None:
    runs = _compare_with_paper(view, jobs)
    show(
        draw_batch(runs, words, columns=viewport.get_columns()),
        "batch",
        _build_origin(view, jobs.of(POLICIES)),
        words,
    )
    comparisons = [run for run in runs if isinstance(run, PaperComparison)]
    _compare_numbers(view, comparisons, [each for each in comparisons if not each.batch_lands], "batch", words)
    paged = _find_result(jobs, ServingPolicy.PAGED)
    st.markdown(
        words.text(
            "memory.preempted",
            preemptions=f"{paged.preemptions:,}",
            recomputed=f"{paged.recomputed:,}",
            admitted=f"{paged.admitted:,}",
        )
    )


def _find_result(jobs: Jobs, policy: ServingPolicy) -> ServingResult:
    return next(run for run in jobs.of(POLICIES) if run.settings.policy is policy)


def _draw_pool(view: MemoryView, jobs: Jobs, words: Translations) -> None:
    st.markdown(words.text("memory.map.lead"))
    policy, moment = memory.get_map_view()
    result = _find_result(jobs, policy)
    moments = len(result.frames)
    notes.set_field(MAP_POLICY, policy.value)
    notes.set_field(MAP_MOMENT, min(moment, moments))

    def turn() -> None:
        memory.set_map_view(notes.get_field(MAP_POLICY), notes.get_field(MAP_MOMENT))

    st.segmented_control(
        words.text("memory.column.policy"),
        [each.value for each in ServingPolicy],
        key=MAP_POLICY,
        required=True,
        format_func=partial(format_policy, words=words),
        label_visibility="collapsed",
        on_change=turn,
    )
    st.slider(words.text("memory.map.moment", moments=moments), 1, moments, key=MAP_MOMENT, on_change=turn)
    picture = draw_kv_map(result, min(moment, moments) - 1, words, columns=viewport.get_columns())
    show(picture, "pool", _build_origin(view, [result]), words)


def _draw_block_size(view: MemoryView, jobs: Jobs, words: Translations) -> None:
    notes.set_field(SIZE, view.size)
    st.select_slider(
        words.text("memory.waste.slider", first=BLOCK_SIZES[0], last=BLOCK_SIZES[-1]),
        BLOCK_SIZES,
        key=SIZE,
        on_change=lambda: memory.choose_size(notes.get_field(SIZE)),
    )
    picture = draw_waste(jobs.of(SIZES), view.size, words, columns=viewport.get_columns())
    show(picture, "block-size", _build_origin(view, jobs.of(SIZES)), words)
    st.markdown(words.text(f"memory.waste.why_{classify_growth(jobs.of(SIZES))}"))
    _show_ideas(view, jobs, ("waste",), words)
    show_fewer_steps(jobs, words)


def _draw_prompt(view: MemoryView, jobs: Jobs, words: Translations) -> None:
    st.markdown(words.text("memory.prompt.lead", tokens=SYSTEM_PROMPT))
    alone, shared = jobs.of(PROMPT)
    show(
        draw_prompt_sharing(alone, shared, words, columns=viewport.get_columns()),
        "prompt",
        _build_origin(view, (alone, shared)),
        words,
    )
    st.markdown(words.text("memory.prompt.why"))


def _draw_tradeoff(view: MemoryView, jobs: Jobs, words: Translations) -> None:
    """Draw the trade-off in both directions, with numbers from the runs."""
    by_size = {run.settings.block_size: run for run in jobs.of(SIZES)}
    small, large = by_size[BLOCK_SIZES[0]], by_size[BLOCK_SIZES[-1]]
    values = {
        "small": BLOCK_SIZES[0],
        "large": BLOCK_SIZES[-1],
        "small_waste": f"{measure_waste(small):.1f}",
        "large_waste": f"{measure_waste(large):.1f}",
        "small_entries": f"{measure_table_entries(small):.0f}",
        "large_entries": f"{measure_table_entries(large):.1f}",
    }
    st.markdown(words.text("memory.tradeoff.lead", **values))
    same = values["small_waste"] == values["large_waste"]
    for name in ("waste_same" if same else "waste", "table", "sharing", "kernel"):
        st.markdown(f"- {words.text(f'memory.tradeoff.{name}', **values)}")
    st.markdown(words.text("memory.tradeoff.chosen"))
    with st.expander(words.text("memory.tradeoff.numbers"), key="memory_tradeoff", on_change="rerun") as numbers:
        if numbers.open:
            table = draw_waste(jobs.of(SIZES), view.size, words).table
            st.table(table, hide_index=True)
    with st.expander(words.text("memory.left_out_title"), key="memory_left_out"):
        st.markdown(words.text("memory.left_out"))
