"""Run it my way: the same operations under a learner's own idea, beside the real engine, folded until it is wanted."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from hashlib import sha256
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from lab.activities.ideas import Idea, find_idea
from lab.figures.theme import dark_colors
from lab.trace.config import Config
from lab.trace.operations import Operation
from lessons.state import attempts
from lessons.text.sentences import listed, say_operation
from lessons.text.translations import WordsOf
from lessons.widgets import cards
from lessons.widgets.plot import draw

if TYPE_CHECKING:
    from lab.figures.picture import Picture
    from lab.misconceptions.play import Comparison
    from lab.misconceptions.telling import Told
    from lab.trace.snapshot import Snapshot

_COLUMNS = 4  # blocks in a row: two pictures share the width


def my_way(idea_id: str, config: Config, operations: Iterable[Operation], words: WordsOf, key: str) -> None:
    """A panel that runs these operations on the engine and beside it as the idea has it. Nothing runs while it is shut.

    `key` names the panel on its page. Raises UnknownIdeaError.
    """
    idea = find_idea(idea_id)
    title = words.text("my_way.title", name=words.text(idea.name_key))
    with st.expander(title, key=f"my_way_{key}", on_change="rerun") as panel:
        if panel.open:
            st.markdown(words.text("my_way.idea", idea=words.text(idea.idea_key)))
            first, second = (words.text(concept) for concept in idea.concept_keys)
            st.markdown(words.text("explain.pair", first=first, second=second))
            if idea.status == "named":
                st.markdown(words.text("my_way.named"))
            else:
                _beside(idea, config, tuple(operations), words, key)
            st.markdown(words.text("my_way.why", why=words.text(idea.why_key)))


def _beside(idea: Idea, config: Config, operations: tuple[Operation, ...], words: WordsOf, key: str) -> None:
    from lab.misconceptions.scenarios import scenario_for  # noqa: PLC0415  (torch: after the warm-up)
    from lab.misconceptions.telling import tell  # noqa: PLC0415

    note = f"my_way.{key}.{_digest(idea, config, operations)}"
    other = bool(attempts.noted(note))
    if other:
        config, operations = scenario_for(idea.id)
    told = tell(idea.id, config, operations)
    _scenario(config, operations, told, other, words)
    run = told.comparison
    _verdict(idea, run, words)
    if run.parts_at is not None:
        _parting(run, words, key)
        _damage(run, words)
    if other:
        label = words.text("my_way.back")
        st.button(label, key=f"my_way_back_{key}", on_click=attempts.note, args=(note, False))
    elif not run.harmful and (idea.status == "runnable" or run.parts_at is None):
        label = words.text("my_way.elsewhere" if idea.status == "runnable" else "my_way.elsewhere_harmless")
        st.button(label, key=f"my_way_other_{key}", on_click=attempts.note, args=(note, True))
    _difference(idea, words, key)


def _digest(idea: Idea, config: Config, operations: tuple[Operation, ...]) -> str:
    """Names what is run: whoever looks at another scenario has asked for it here only."""
    return sha256(repr((idea.id, config, operations)).encode()).hexdigest()[:16]


def _scenario(config: Config, operations: tuple[Operation, ...], told: Told, other: bool, words: WordsOf) -> None:
    """What is run; the pool as well where it is not the learner's own."""
    done = listed((say_operation(operation, words) for operation in operations), words)
    if other:
        queue = " ".join(map(str, config.free_block_ids))
        st.markdown(words.text("my_way.pool", block_size=config.block_size, queue=queue))
        for request in config.requests:
            tokens = " ".join(f"`{words.token(token_id)}`" for token_id in request.prompt)
            st.markdown(words.text("my_way.prompt", seq_id=request.seq_id, tokens=tokens))
    st.markdown(words.text("my_way.operations", operations=done))
    if told.operations < len(operations):
        left = say_operation(operations[told.operations], words)
        st.markdown(words.text("my_way.before_release", step=told.operations, operation=left))


def _verdict(idea: Idea, run: Comparison, words: WordsOf) -> None:
    if run.harmful:
        cards.headline(words.text("my_way.waits" if run.waits else "my_way.harm"), "")
    elif run.parts_at is None:
        cards.headline("", words.text("my_way.same"))
    else:
        cards.headline("", words.text(f"my_way.no_harm_{'ever' if idea.status == 'harmless' else 'here'}"))


def _parting(run: Comparison, words: WordsOf, key: str) -> None:
    """Where the two part, in words, then both pictures there or at the end."""
    from lab.figures.memory.memory_picture import memory_picture  # noqa: PLC0415  (after the warm-up)
    from lessons.activity.what_if_text import changed, inside, moments_of, parting_said, shown  # noqa: PLC0415

    st.markdown("  \n".join(parting_said(run, words)))
    moments, first = moments_of(run)
    field, note = f"my_way_moment_{key}", f"my_way_first.{key}"
    if attempts.noted(note) != first or attempts.field(field) not in moments:  # another run: where that one goes wrong
        attempts.note(note, first)
        attempts.set_field(field, first)
    moment = st.segmented_control(
        words.text("my_way.moment"),
        list(moments),
        key=field,
        required=True,
        format_func=lambda name: words.text(f"my_way.moment_{name}"),
        label_visibility="collapsed",
    )
    states = shown(run, moments[moment]) if moment in moments else None
    if states is None:
        return
    real_before, real, wrong_before, wrong = states

    def drawn(before: Snapshot, after: Snapshot) -> Picture:
        return memory_picture(after, words, changed=changed(before, after), columns=_COLUMNS)

    pictures = {"engine": drawn(real_before, real), "yours": drawn(wrong_before, wrong)}
    if real == wrong:  # a reader's idea: the memory is right
        pictures = {"both": pictures["engine"]}
    pair = st.container(key=f"my_way_{key}_pair_of_pictures")  # a grid, see cards.STYLE
    for name, picture in pictures.items():
        with pair.container(gap=None):
            st.markdown(f"**{words.text(f'my_way.picture_{name}')}**")
            draw(picture.spec, key=f"my_way_{key}_{name}", label=picture.sentence, dark_colors=dark_colors())
    if moment == "parting" and run.parts_at is not None and inside(run, run.parts_at):
        st.markdown(words.text("my_way.inside"))
    with st.expander(words.text("task.as_table"), key=f"my_way_{key}_table", on_change="rerun") as table:
        if table.open:
            for name, picture in pictures.items():
                st.markdown(f"**{words.text(f'my_way.picture_{name}')}**")
                st.table(picture.table, hide_index=True)


def _damage(run: Comparison, words: WordsOf) -> None:
    """Broken invariants, where it gets stuck, and what attention reads."""
    from lessons.activity.what_if_text import damage_said, output_said, read_said, reads_said, room_said  # noqa: PLC0415

    damage = damage_said(run, words)
    if damage:
        st.markdown("\n".join(f"- ✕ {line}" for line in damage))
    if room := room_said(run, words):
        st.markdown(room)
    st.markdown(f"**{words.text('my_way.reads_title')}** {reads_said(run, words)}")
    if run.reads:
        rows = [
            {
                words.text("my_way.column.request"): read.seq_id,
                words.text("my_way.column.reads"): read_said(run, read, words),
                words.text("my_way.column.output"): output_said(read, words),
            }
            for read in run.reads
        ]
        st.table(pd.DataFrame(rows), hide_index=True)


def _difference(idea: Idea, words: WordsOf, key: str) -> None:
    """The few lines that run in the engine's place."""
    with st.expander(words.text("my_way.code"), key=f"my_way_{key}_code", on_change="rerun") as code:
        if code.open:
            from lab.misconceptions.wrong_timeline import REPLACED  # noqa: PLC0415  (after the warm-up)

            st.code(inspect.getsource(REPLACED[idea.id]), language="python", wrap_lines=True)
