"""The cards of the library: prepared scenarios and those saved in this browser."""

from __future__ import annotations

from hashlib import sha256
from html import escape

import streamlit as st

from lab.engine.errors import LabError
from lab.sandbox.files import MAX_NAME
from lab.sandbox.library import Prepared
from lab.sandbox.link import encode_scenario
from lab.sandbox.scenario import Scenario, State
from lessons.sandbox import beside, saved_scenarios
from lessons.sandbox.files import save
from lessons.sandbox.replay_page import offer_page
from lessons.sandbox.saved_scenarios import SavedScenario
from lessons.sandbox.writing import lecture
from lessons.server.asset_files import read_assets
from lessons.state import attempts, notes, presenting
from lessons.state.slots import SANDBOX
from lessons.text.scenario_texts import format_library_title
from lessons.text.translations import Translations

# In teaching order.
GROUPS = {
    "pages": ("task", "pools", "scatter", "exact", "single", "sizes"),
    "sharing": ("shared", "twins", "chain", "revived", "evicted"),
    "pressure": ("whole", "asked", "preempted", "twice"),
    "engines": ("ends", "remains", "uncached"),
}
OPENED = "scenarios.opened"  # in the session

STYLE = f"<style>\n{read_assets('components/library/library.css')}</style>"


def draw_prepared_card(prepared: Prepared, words: Translations) -> None:
    """Draw a card. Its title links to the beginning of the scenario, with all operations still ahead."""
    kept = {key: text for key, text in attempts.get_link().items() if key != beside.KEY}
    params = {**kept, SANDBOX.key: encode_scenario(prepared.scenario), SANDBOX.at: "0"}
    with st.container(border=True, key=f"prepared_{prepared.id}", gap=None):
        st.page_link("sandbox/page.py", label=format_library_title(prepared.id, words), query_params=params)
        about = words.text(f"scenarios.about.{prepared.id}")
        facts = _describe_scenario(prepared.scenario, "questions", len(prepared.steps), words)
        st.html(f'<p class="kv-about">{escape(about)}</p><p class="kv-facts">{escape(facts)}</p>')
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"use_{prepared.id}"):
            if not presenting.is_on():
                parameters = {**params, presenting.KEY: presenting.PresenterMode().text}
                label = words.text("scenarios.present")
                st.page_link("sandbox/page.py", label=label, query_params=parameters, width="content")
                name = format_library_title(prepared.id, words)
                st.button(words.text("authoring.add"), key=f"add_{prepared.id}", on_click=_add, args=(name, prepared))
            offer_page(prepared.scenario, words.language, f"page_{prepared.id}", prepared.beside)


def _add(name: str, prepared: Prepared) -> None:
    """In a callback: put a library scenario at the end of the lecture."""
    try:
        saved_scenarios.save(saved_scenarios.clean_name(name), State(prepared.scenario, 0))
    except LabError as problem:
        notes.flash(problem)


def draw_saved_card(saved: SavedScenario, place: tuple[int, int], words: Translations) -> None:
    """Draw a card. `place`: which scenario of the lecture it is, from 1, and how many there are.

    The name is untrusted, so it is never rendered as Markdown.
    """
    key = sha256(saved.name.encode()).hexdigest()[:12]
    scenario = saved.state.scenario
    with st.container(border=True, key=f"own_{key}"):
        facts = _describe_scenario(scenario, "operations", len(scenario.operations), words)
        facts = f"{words.text('authoring.place', number=place[0], total=place[1])} · {facts}"
        st.html(f'<h3 class="kv-name">{escape(saved.name)}</h3><p class="kv-facts">{escape(facts)}</p>')
        with st.container(horizontal=True):
            st.button(words.text("scenarios.open_kept"), key=f"open_{key}", on_click=_open, args=(saved,))
            if not presenting.is_on():
                st.button(
                    words.text("scenarios.present"), key=f"present_{key}", on_click=_open_presented, args=(saved,)
                )
            for name, by in (("earlier", -1), ("later", 1)):
                st.button(
                    words.text(f"authoring.edit.{name}"),
                    key=f"{name}_{key}",
                    disabled=not 1 <= place[0] + by <= place[1],
                    on_click=saved_scenarios.shift,
                    args=(saved, by),
                )
            save(saved.state, words, f"save_{key}")
            offer_page(scenario, words.language, f"page_{key}", beside.get_usual_engine(scenario))
            with st.popover(words.text("scenarios.rename"), key=f"rename_{key}"):
                _rename_form(saved, key, words)
            with st.popover(words.text("scenarios.remove"), key=f"remove_{key}"):
                st.markdown(words.text("scenarios.remove_ask"))
                st.button(
                    words.text("scenarios.remove_yes"),
                    key=f"do_remove_{key}",
                    on_click=saved_scenarios.remove,
                    args=(saved,),
                )


def _rename_form(saved: SavedScenario, key: str, words: Translations) -> None:
    field = f"kept.rename.{key}"
    with st.form(f"rename_form_{key}", border=False):
        st.text_input(
            words.text("scenarios.name"),
            key=field,
            max_chars=MAX_NAME,
            placeholder=saved.name,
            autocomplete="off",
        )
        label = words.text("scenarios.rename")
        st.form_submit_button(label, key=f"do_rename_{key}", on_click=_rename, args=(saved, field))


def _open(saved: SavedScenario, *, at_beginning: bool = False) -> None:
    if lecture.open_place(saved, at_beginning=at_beginning):
        turn_to_it()


def _open_presented(saved: SavedScenario) -> None:
    """Open the scenario where a class begins, wherever it was kept, and turn the presenter mode on."""
    _open(saved, at_beginning=True)
    if notes.get_note(OPENED):
        attempts.set_value(presenting.KEY, presenting.PresenterMode().text)


def turn_to_it() -> None:
    """In a callback: make the page switch to the sandbox, because a scenario was opened."""
    notes.set_note(OPENED, True)


def _rename(saved: SavedScenario, field: str) -> None:
    saved_scenarios.rename(saved, str(notes.get_field(field) or ""))


def _describe_scenario(scenario: Scenario, noun: str, count: int, words: Translations) -> str:
    """Describe the scenario in one line that breaks only between two facts."""
    counts = (("blocks", scenario.num_blocks), ("requests", len(scenario.requests)), (noun, count))
    blocks, requests, more = (
        words.text(f"scenarios.{name}.{'one' if number == 1 else 'many'}", n=number) for name, number in counts
    )
    facts = (blocks, f"block_size {scenario.block_size}", requests, more)
    return " · ".join(fact.replace(" ", "\u00a0") for fact in facts)
