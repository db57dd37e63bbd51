"""The chapter's hands-on task with block_size 4: request A has 11 tokens, B has 4."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lab.activities.question import QUESTIONS
from lab.figures.intro import draw_intro
from lab.trace.config import Config, Request
from lab.trace.operations import Allocate
from lab.trace.presets import USED_QUEUE, build_example_config, build_fresh_queue
from lab.trace.timeline import Timeline, run_whole
from lessons.activity.flow import run_task, wait_for_engine
from lessons.activity.one_view import draw_title_row
from lessons.state import attempts, notes, runs
from lessons.state.slots import MAIN
from lessons.state.view import View
from lessons.task.block_size_comparison import draw_part
from lessons.task.explain import explain
from lessons.text.sentences import format_error
from lessons.text.translations import Translations
from lessons.text.translations import get_translations as words_of
from lessons.widgets import cards
from lessons.widgets.after_page import focus_on
from lessons.widgets.picture_panel import draw_picture

PARTS = ("run", "explain", "eight")


def _draw_introduction(config: Config, words: Translations) -> None:
    """Explain a token's KV, a logical page, a physical block and a slot."""
    parts = (words.text(f"task.intro_{name}", block_size=config.block_size) for name in ("kv", "page", "slot"))
    st.markdown("\n\n".join(parts))


def _draw_example(config: Config, words: Translations) -> None:
    """Draw the way of one token in a small example run, from its text to its slot."""
    run = run_whole(build_example_config(config.block_size), (Allocate("C"),))
    sequence = run.steps[0].after.sequences[0]
    drawn = draw_intro(run.steps[0].after, "C", sequence.used_slots - 2, words, columns=4)
    draw_picture(drawn, "introduction_picture")


def _draw_scenario(config: Config, words: Translations) -> None:
    a, b = config.request("A"), config.request("B")
    st.markdown(
        words.text(
            "task.scenario",
            block_size=config.block_size,
            num_blocks=config.num_blocks,
            a_tokens=len(a.prompt),
            a_text=_format_tokens(a, words),
            b_tokens=len(b.prompt),
            b_text=_format_tokens(b, words),
            b_next=f"`{words.token(b.continuation[0])}`",
        )
    )
    queue = config.free_block_ids
    kind = "used" if queue == USED_QUEUE else "fresh" if queue == build_fresh_queue(len(queue)) else "custom"
    st.markdown(words.text("task.plan"))
    st.markdown(f"{words.text('task.queue', queue=' '.join(map(str, queue)))}  \n{words.text(f'task.queue_{kind}')}")


def _format_tokens(request: Request, words: Translations) -> str:
    return " ".join(f"`{words.token(token_id)}`" for token_id in request.prompt)


def _offer_next(view: View, timeline: Timeline, words: Translations) -> None:
    """Draw the button to the explanation, once the run has answered every prediction."""
    if len(runs.observe_all(view, timeline)) == len(QUESTIONS):
        st.button(
            words.text("task.to_explain"),
            type="primary",
            key="to_explain",
            on_click=attempts.set_value,
            args=("part", "explain"),
        )


class _Introduction:
    """The introduction and the task, in an expander. The example is drawn last, because only it needs the engine."""

    def __init__(self, config: Config, words: Translations, *, unfolded: bool) -> None:
        self.config, self.words, self.unfolded = config, words, unfolded
        self._room: DeltaGenerator | None = None

    def draw(self) -> None:
        """Draw the text at this point of the page, with room for the example."""
        title, key = self.words.text("task.intro_title"), f"introduction_{not self.unfolded}"
        with st.expander(title, expanded=self.unfolded, key=key, on_change="rerun") as introduction:
            if introduction.open:
                _draw_introduction(self.config, self.words)
                self._room = st.container()
                _draw_scenario(self.config, self.words)

    def draw_token(self) -> None:
        """Draw the example in its place, if the introduction is open."""
        if self._room is not None:
            with self._room:
                _draw_example(self.config, self.words)


language_words = words_of(attempts.get_language())
if attempts.get_value(MAIN.key):
    wait_for_engine(language_words)  # reading a link runs it
view = runs.get_view()
part = attempts.get_choice("part", PARTS) or PARTS[0]
notes.set_field("part", part)
with draw_title_row():
    cards.draw_heading(1, language_words.text("task.title"))
    st.segmented_control(
        language_words.text("task.part"),
        PARTS,
        key="part",
        required=True,
        format_func=lambda name: language_words.text(f"task.part_{name}"),
        label_visibility="collapsed",
        on_change=lambda: attempts.set_value("part", notes.get_field("part")),
    )
if view.problem:
    st.warning(language_words.text("task.link_problem", reason=format_error(view.problem, language_words)))
begun = view.run.is_predicted or view.demonstration or part != "run"
# Once the learner has begun, the introduction is closed and the picture comes first.
introduction = _Introduction(view.run.config, language_words, unfolded=not begun)
focus_on("explaining" if part == "explain" else "lesson_asking", key="part_focus", stamp=part, view="title_row")
if part == "run":
    run_task(
        view,
        language_words,
        lead=introduction.draw,
        way_on=lambda timeline: _offer_next(view, timeline, language_words),
    )
elif part == "explain":
    introduction.draw()
    wait_for_engine(language_words)
    with st.container(key="explaining"):
        cards.draw_heading(2, language_words.text("explain.title"))
    explain(view, runs.get_timeline(view.run), language_words)
else:
    wait_for_engine(language_words)
    draw_part(language_words, introduction.draw)
introduction.draw_token()
