"""What if: the same operations under a learner's wrong idea beside the real engine, in a panel that is closed first."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from hashlib import sha256

import streamlit as st

from lab.activities.ideas import Idea, find_idea, is_slip
from lab.figures.memory.memory_picture import draw_memory
from lab.figures.picture import Picture
from lab.misconceptions.play import RunComparison
from lab.misconceptions.scenarios import get_scenario
from lab.misconceptions.telling import WhatIf, play_what_if
from lab.misconceptions.wrong_timeline import REPLACED
from lab.trace.config import Config
from lab.trace.late_imports import pandas as pd
from lab.trace.operations import Operation
from lab.trace.snapshot import Snapshot
from lessons.activity.what_if_text import (
    compare_states,
    describe_damage,
    describe_divergence,
    describe_output,
    describe_reads,
    describe_room,
    get_divergent_states,
    is_inside_step,
    list_moments,
    read_said,
)
from lessons.activity.what_if_words import describe_words
from lessons.state import notes
from lessons.text.sentences import format_list, format_operation
from lessons.text.translations import Translations
from lessons.widgets import cards
from lessons.widgets.film import SHARED_CHUNKS, Film, Frame, encode_chunk, split_figure
from lessons.widgets.picture_panel import draw_tables
from lessons.widgets.player import Jump, PlayerLook, Seek, draw_player

_COLUMNS = 4  # blocks in a row: two pictures share the width
_AROUND = 4  # operations before and after each moment
_LOOK = PlayerLook(
    ("controls", "headline", "sentence", "stage", "story"),
    controls=("jumps", "back", "play", "forward", "slider"),
    keys="",
    by_event=False,
)


def offer_what_if(
    idea_id: str,
    config: Config,
    operations: Iterable[Operation],
    words: Translations,
    key: str,
    *,
    title: str = "my_way.title",
) -> None:
    """Draw a panel that runs these operations on the engine and under the idea. While it is closed, nothing runs.

    `key` names the panel on its page, `title` is the key of its title.
    A slip, or an answer without a known idea (""), has none to run: draws nothing.
    Raises UnknownIdeaError.
    """
    if not idea_id or is_slip(idea_id):
        return
    idea = find_idea(idea_id)
    name = words.text(idea.name_key)
    with st.expander(words.text(title, name=name), key=f"my_way_{key}", on_change="rerun") as panel:
        if panel.open:
            st.markdown(words.text("my_way.idea", idea=words.text(idea.idea_key)))
            first, second = (words.text(concept) for concept in idea.concept_keys)
            st.markdown(words.text("explain.pair", first=first, second=second))
            if idea.status == "named":
                st.markdown(words.text("my_way.named"))
            else:
                _draw_both(idea, config, tuple(operations), words, key)
            st.markdown(words.text("my_way.why", why=words.text(idea.why_key)))


def _draw_both(idea: Idea, config: Config, operations: tuple[Operation, ...], words: Translations, key: str) -> None:
    note = f"my_way.{key}.{_name_run(idea, config, operations)}"
    other = bool(notes.get_note(note))
    if other:
        config, operations = get_scenario(idea.id)
    what_if = play_what_if(idea.id, config, operations)
    _describe_scenario(config, operations, what_if, other, words)
    run = what_if.comparison
    _show_verdict(idea, run, words)
    if run.parts_at is not None:
        _show_divergence(run, f"{note}.{other}", words, key)
        _show_damage(run, words)
    if other:
        label = words.text("my_way.back")
        st.button(label, key=f"my_way_back_{key}", on_click=notes.set_note, args=(note, False))
    elif not run.harmful and (idea.status == "runnable" or run.parts_at is None):
        label = words.text("my_way.elsewhere" if idea.status == "runnable" else "my_way.elsewhere_harmless")
        st.button(label, key=f"my_way_other_{key}", on_click=notes.set_note, args=(note, True))
    _show_code(idea, words, key)


def _name_run(idea: Idea, config: Config, operations: tuple[Operation, ...]) -> str:
    """Name this run of an idea: the choice of another scenario belongs to it alone."""
    return sha256(repr((idea.id, config, operations)).encode()).hexdigest()[:16]


def _describe_scenario(
    config: Config, operations: tuple[Operation, ...], what_if: WhatIf, other: bool, words: Translations
) -> None:
    """Describe the operations, and the pool and prompts if the scenario is not the learner's own."""
    done = format_list((format_operation(operation, words) for operation in operations), words)
    if other:
        queue = " ".join(map(str, config.free_block_ids))
        st.markdown(words.text("my_way.pool", block_size=config.block_size, queue=queue))
        for request in config.requests:
            tokens = " ".join(f"`{words.token(token_id)}`" for token_id in request.prompt)
            st.markdown(words.text("my_way.prompt", seq_id=request.seq_id, tokens=tokens))
    st.markdown(words.text("my_way.operations", operations=done))
    if what_if.operations < len(operations):
        omitted = format_operation(operations[what_if.operations], words)
        st.markdown(words.text("my_way.before_release", step=what_if.operations, operation=omitted))


def _show_verdict(idea: Idea, run: RunComparison, words: Translations) -> None:
    if run.harmful:
        cards.draw_headline(words.text("my_way.waits" if run.waits else "my_way.harm"), "")
    elif run.parts_at is None:
        cards.draw_headline("", words.text("my_way.same"))
    else:
        cards.draw_headline("", words.text(f"my_way.no_harm_{'ever' if idea.status == 'harmless' else 'here'}"))


def _show_divergence(run: RunComparison, note: str, words: Translations, key: str) -> None:
    """Describe where the two runs diverge, then draw both side by side, to step from there to the end or back."""
    st.markdown("  \n".join(describe_divergence(run, words)))
    moments, first = list_moments(run)
    last = min(len(run.real_steps), len(run.wrong_steps))
    if last == 0:
        return
    end = str(last + (len(run.real_steps) != len(run.wrong_steps)))
    jumps = {name: end if step is None else str(step + 1) for name, step in moments.items()}
    place, places = f"{note}.at", _list_places(end, jumps.values())
    at = notes.get_note(place)
    at = at if at in places else jumps[first]
    seen = (note, words.identity)
    chunk = SHARED_CHUNKS.get(seen, lambda: encode_chunk(_draw_frame(run, each, end, words) for each in places))
    draw_player(
        Film(places, [chunk]),
        _LOOK,
        key=f"my_way_{key}_player",
        at=at,
        seek=Seek(note, lambda text: notes.set_note(place, text)),
        words=words,
        jumps=[Jump(label := words.text(f"my_way.moment_{name}"), label, jumps[name]) for name in moments],
        own_words={"jumps": words.text("my_way.moment"), "label": words.text("my_way.player")},
        titles={name: words.text(f"my_way.picture_{name}") for name in ("engine", "yours", "both")},
    )
    draw_tables(
        f"my_way_{key}_table",
        words,
        lambda: [
            (words.text(f"my_way.picture_{name}"), picture)
            for name, picture in _draw_pictures(run, _get_step(at, end), words).items()
        ],
    )


def _list_places(end: str, moments: Iterable[str]) -> list[str]:
    """The operations that the player shows, counted from 1, `end` for the end: all, or in a long run those around."""
    near = {place for moment in moments for place in range(int(moment) - _AROUND, int(moment) + _AROUND + 1)}
    return [str(place) for place in sorted(near) if 1 <= place <= int(end)]


def _get_step(place: str, end: str) -> int | None:
    """The index of the operation; None for the end."""
    return None if place == end else int(place) - 1


def _draw_pictures(run: RunComparison, step: int | None, words: Translations) -> dict[str, Picture]:
    """The engine's memory after this operation, and the one under the idea; one picture if the memory is right."""
    states = get_divergent_states(run, step)
    if states is None:
        return {}
    real_before, real, wrong_before, wrong = states

    def draw(before: Snapshot, after: Snapshot) -> Picture:
        return draw_memory(after, words, changed=compare_states(before, after), columns=_COLUMNS)

    engine = draw(real_before, real)
    return {"both": engine} if real == wrong else {"engine": engine, "yours": draw(wrong_before, wrong)}


def _draw_frame(run: RunComparison, place: str, end: str, words: Translations) -> Frame:
    step, parting = _get_step(place, end), run.parts_at
    pictures = _draw_pictures(run, step, words)
    inside = parting is not None and step == parting.step and is_inside_step(run, parting)
    number = len(run.real_steps) if step is None else step + 1
    operation = format_operation(run.real_steps[number - 1].operation, words)
    return Frame(
        place,
        {name: split_figure(picture.spec, picture.sentence) for name, picture in pictures.items()},
        words.text("my_way.inside") if inside else "",
        words.text("task.position", step=number, total=len(run.real_steps), operation=operation),
    )


def _show_damage(run: RunComparison, words: Translations) -> None:
    """List the broken invariants, where the wrong run gets stuck, and what attention reads."""
    damage = describe_damage(run, words)
    if damage:
        st.markdown("\n".join(f"- ✕ {line}" for line in damage))
    if room := describe_room(run, words):
        st.markdown(room)
    st.markdown(f"**{words.text('my_way.reads_title')}** {describe_reads(run, words)}")
    if said := describe_words(run, words):
        st.markdown("\n".join(f"- {line}" for line in said))
        st.markdown(words.text("my_way.says.proves"))
    if run.reads:
        rows = [
            {
                words.text("my_way.column.request"): read.seq_id,
                words.text("my_way.column.reads"): read_said(run, read, words),
                words.text("my_way.column.output"): describe_output(read, words),
            }
            for read in run.reads
        ]
        st.table(pd.DataFrame(rows), hide_index=True)


def _show_code(idea: Idea, words: Translations, key: str) -> None:
    """Show the code that runs instead of the engine's."""
    with st.expander(words.text("my_way.code"), key=f"my_way_{key}_code", on_change="rerun") as code:
        if code.open:
            st.code(inspect.getsource(REPLACED[idea.id]), language="python", wrap_lines=True)
