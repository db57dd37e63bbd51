"""Write a scenario: its title and a sentence, and at the step in view a question, a point and notes for oneself."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Literal

import streamlit as st

from lab.quiz.words import format_idea
from lab.sandbox.editing import find_index
from lab.sandbox.library import adopt_questions, find_prepared, get_prompt_after
from lab.sandbox.log import LogStep
from lab.sandbox.scenario import Scenario
from lab.sandbox.script import About, AuthorPrompt, BilingualText, Script, list_kinds
from lessons.sandbox.attempt import SandboxView, get_view
from lessons.sandbox.fields import change, draw_remark, fill_field, get_refusal
from lessons.sandbox.writing.given import is_given, keep
from lessons.state import notes
from lessons.text.scenario_texts import format_step
from lessons.text.translations import LANGUAGES, Translations
from lessons.votable.key_step import find_question
from lessons.widgets import cards
from lessons.widgets.question_form import draw_problem

_LANGUAGE = "author_language"
_WRITTEN = [each.name for each in fields(BilingualText)]  # the page may speak another one
_OF_SCRIPT, _OF_PROMPT = ("title", "sentence"), ("ask", "point", "remark")


def draw_authoring(view: SandboxView, words: Translations) -> None:
    """Draw the form, folded; if somebody else wrote the scenario, a button to it. What is saved is the author's own."""
    scenario = view.scenario
    if is_given(scenario):
        st.button(words.text("authoring.copy"), key="sandbox_author_copy", on_click=keep, args=(scenario.script,))
        return
    script, step = adopt_questions(scenario).script, _find_step(view)
    with st.expander(words.text("authoring.write"), key="sandbox_authoring"):
        fill_field(_LANGUAGE, words.language if words.language in _WRITTEN else _WRITTEN[0])
        st.segmented_control(
            words.text("authoring.write_in"),
            [code for code in LANGUAGES if code in _WRITTEN],
            key=_LANGUAGE,
            required=True,
            format_func=lambda code: words.text(f"site.lang_{code}"),
        )
        language = str(notes.get_field(_LANGUAGE))
        draw_remark(words.text("authoring.write_note"))
        with st.form("sandbox_author_form", border=False):
            for name in _OF_SCRIPT:
                _draw_text(name, getattr(script, name), language, 0, words)
            if step is None:
                draw_remark(words.text("authoring.choose_step"))
            else:
                _draw_prompt(scenario, script, step, language, words)
            st.form_submit_button(
                words.text("authoring.save"),
                type="primary",
                key="sandbox_author_save",
                on_click=_save,
                args=(step.last if step else 0, language),
            )
        if problem := get_refusal("authoring", scenario):
            draw_problem(problem, words)
        if step is not None:
            _show_answer(scenario, step, words)


def _find_step(view: SandboxView) -> LogStep | None:
    index = find_index(view.scenario, view.cursor.step)
    return view.scenario.steps[index] if index >= 0 else None


def _key(name: str, language: str, step: int) -> str:
    """The key of a field: of a text in one language, of the step that ends with operation `step`, or of none (0)."""
    return f"author_{name}_{language}_{step}"


def _draw_text(name: str, text: BilingualText, language: str, step: int, words: Translations) -> None:
    key = _key(name, language, step)
    fill_field(key, getattr(text, language))
    if name in _OF_SCRIPT:
        st.text_input(words.text(f"authoring.{name}"), key=key, autocomplete="off")
        return
    st.text_area(words.text(f"authoring.{name}"), key=key, height=68)
    draw_remark(words.text(f"authoring.{name}_note"))


def _draw_prompt(scenario: Scenario, script: Script, step: LogStep, language: str, words: Translations) -> None:
    prompt = script.find(step.last)
    cards.draw_heading(3, words.text("authoring.of_step", step=step.last, name=format_step(step, words)))
    key = _key("about", "", step.last)
    fill_field(key, prompt.about)
    st.selectbox(
        words.text("authoring.about"),
        ("", *list_kinds(step)),
        key=key,
        format_func=lambda about: words.text(f"authoring.about_kind.{about or 'none'}"),
    )
    for name in _OF_PROMPT:
        _draw_text(name, getattr(prompt, name), language, step.last, words)


def _show_answer(scenario: Scenario, step: LogStep, words: Translations) -> None:
    """Show what the engine answers to the step's question, and the wrong answers that a class can choose."""
    prompt, prepared = get_prompt_after(scenario, step.last), find_prepared(scenario)
    if prompt is None or prepared is None or not prepared.is_own or (votable := find_question(prompt)) is None:
        return
    answer = votable.format_choice(str(votable.get_answer()), words)
    cards.draw_headline("", words.text("authoring.answered", answer=answer))
    for idea, option in votable.question.wrong:
        choice = votable.format_choice(option, words)
        key = "authoring.wrong" if idea else "authoring.wrong_plain"
        draw_remark(words.text(key, choice=choice, idea=format_idea(idea, words) if idea else ""))


def _save(step: int, language: str) -> None:
    """In a callback: take over the fields, of the step that the form was drawn for."""

    def read(name: str, text: BilingualText, at: int) -> BilingualText:
        return replace(text, **{language: str(notes.get_field(_key(name, language, at)) or "")})

    def write(scenario: Scenario) -> Scenario:
        given = script = adopt_questions(scenario).script
        texts = {name: read(name, getattr(script, name), 0) for name in _OF_SCRIPT}
        script = Script(texts["title"], texts["sentence"], script.prompts)
        if step:
            prompt = script.find(step)
            texts = {name: read(name, getattr(prompt, name), step) for name in _OF_PROMPT}
            script = script.put(AuthorPrompt(step, _read_about(step), **texts))
        if script == given:
            return scenario
        return replace(scenario, script=script, key=scenario.key if script else "")  # "": the library's are off too

    change("authoring", write)
    keep(get_view().scenario.script)


def _read_about(last: int) -> About | Literal[""]:
    """The chosen kind of question; "" for none, or for one that does not fit the step."""
    step = next((step for step in get_view().scenario.steps if step.last == last), None)
    chosen = notes.get_field(_key("about", "", last))
    return next((kind for kind in (list_kinds(step) if step else ()) if kind == chosen), "")
