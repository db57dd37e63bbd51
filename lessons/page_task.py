"""The chapter's hands-on task: block_size 4, A with 11 tokens, B with 4."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lab.config import Config, Request
from lab.figures.theme import dark_colors
from lab.moments import moments
from lab.operations import Allocate
from lab.prediction import QUESTIONS, outcomes
from lab.scenarios import USED_QUEUE, example_config, fresh_queue
from lessons import cards, state
from lessons.focus import focus_on
from lessons.one_view import title_row
from lessons.plot import draw
from lessons.predict_run_explain import predict_and_run, wait_for_engine
from lessons.say import say_error
from lessons.text import WordsOf
from lessons.text import words as words_of

if TYPE_CHECKING:
    from lab.timeline import Timeline


def _introduction(config: Config, words: WordsOf) -> None:
    """Three sentences: what a token's KV, a logical page, a physical block and a slot are."""
    for name in ("kv", "page", "slot"):
        st.markdown(words.text(f"task.intro_{name}", block_size=config.block_size))


def _tiny_drawing(config: Config, words: WordsOf) -> None:
    """One token of a small run of its own, from its text to its slot."""
    from lab.figures.intro import intro_picture  # noqa: PLC0415  (after the warm-up)
    from lab.timeline import Timeline  # noqa: PLC0415

    run = Timeline.replay(example_config(config.block_size), [Allocate("C")])
    view = run.steps[0].after.sequences[0]
    drawn = intro_picture(run.steps[0].after, "C", view.used_slots - 2, words, columns=4)
    draw(drawn.spec, key="introduction_picture", label=drawn.sentence, dark_colors=dark_colors())


def _scenario(config: Config, words: WordsOf) -> None:
    a, b = config.request("A"), config.request("B")
    st.markdown(
        words.text(
            "task.scenario",
            block_size=config.block_size,
            num_blocks=config.num_blocks,
            a_tokens=len(a.prompt),
            a_text=_tokens(a, words),
            b_tokens=len(b.prompt),
            b_text=_tokens(b, words),
            b_next=f"`{words.token(b.continuation[0])}`",
        )
    )
    queue = config.free_block_ids
    kind = "used" if queue == USED_QUEUE else "fresh" if queue == fresh_queue(len(queue)) else "custom"
    st.markdown(words.text("task.plan"))
    st.markdown(f"{words.text('task.queue', queue=' '.join(map(str, queue)))}  \n{words.text(f'task.queue_{kind}')}")


def _tokens(request: Request, words: WordsOf) -> str:
    return " ".join(f"`{words.token(token_id)}`" for token_id in request.prompt)


def _way_on(timeline: Timeline, words: WordsOf) -> None:
    """Once the run has answered every prediction: the way to the explanation."""
    if len(outcomes(list(moments(timeline.steps)))) == len(QUESTIONS):
        st.button(
            words.text("task.to_explain"), type="primary", key="to_explain", on_click=state.set_part, args=("explain",)
        )


class _Words:
    """The words and the task, behind a title; its drawing comes last, since the words need not wait for the engine."""

    def __init__(self, config: Config, words: WordsOf, *, unfolded: bool) -> None:
        self.config, self.words, self.unfolded = config, words, unfolded
        self._room: DeltaGenerator | None = None

    def draw(self) -> None:
        """Draw them where the script is."""
        title, key = self.words.text("task.intro_title"), f"introduction_{not self.unfolded}"
        with st.expander(title, expanded=self.unfolded, key=key, on_change="rerun") as introduction:
            if introduction.open:
                _introduction(self.config, self.words)
                self._room = st.container()
                _scenario(self.config, self.words)

    def draw_token(self) -> None:
        """One token of a small run, in the midst of the words if they are unfolded."""
        if self._room is not None:
            with self._room:
                _tiny_drawing(self.config, self.words)


here = state.place()
language_words = words_of(state.language())
part = state.part()
state.set_field("part", part)
with title_row():
    cards.heading(1, language_words.text("task.title"))
    st.segmented_control(
        language_words.text("task.part"),
        state.PARTS,
        key="part",
        required=True,
        format_func=lambda name: language_words.text(f"task.part_{name}"),
        label_visibility="collapsed",
        on_change=lambda: state.set_part(state.field("part")),
    )
if here.problem:
    st.warning(language_words.text("task.link_problem", reason=say_error(here.problem, language_words)))
begun = here.run.prediction is not None or here.demonstration or part != "run"
# Once the learner has begun, the picture comes first.
introduction = _Words(here.run.config, language_words, unfolded=not begun)
focus_on("explaining" if part == "explain" else "lesson_asking", key="part_focus", stamp=part, view="title_row")
if part == "run":
    predict_and_run(
        here, language_words, lead=introduction.draw, way_on=lambda timeline: _way_on(timeline, language_words)
    )
elif part == "explain":
    from lessons.explain import explain

    introduction.draw()
    wait_for_engine(language_words)
    with st.container(key="explaining"):
        cards.heading(2, language_words.text("explain.title"))
    explain(here, state.timeline(here.run), language_words)
else:
    from lessons.eight import eight

    wait_for_engine(language_words)
    eight(language_words, introduction.draw)
introduction.draw_token()
