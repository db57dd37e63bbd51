"""The Explain part: predictions beside the run, misconceptions, the learner's own sentence, the chapter question."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import streamlit as st

from lab.activities.counterexample import add_counterexample
from lab.activities.diagnosis import diagnose, get_confused_pair
from lab.activities.free_text import DENIABLE, INGREDIENTS, FreeTextReading, read_explanation
from lab.activities.ideas import find_idea
from lab.activities.question import QUESTIONS, Grade
from lab.activities.trace_points import iterate_trace_points
from lab.trace.timeline import Timeline
from lessons.activity.prediction_form import format_comparison
from lessons.activity.report_row import ReportRow
from lessons.activity.retry import ask_again_section
from lessons.activity.what_if import offer_what_if
from lessons.lesson.glossary import ROWS, draw_glossary
from lessons.presenter import presenter
from lessons.state import attempts, presenting, record, runs
from lessons.state.view import View
from lessons.task.chapter_question import FifthToken, ask_chapter_question
from lessons.task.word_question import ask_early_word
from lessons.text.sentences import explain_grade, format_list
from lessons.text.translations import Translations
from lessons.widgets import cards
from lessons.widgets.question_form import MAX_TEXT, ask_for_text


def explain(view: View, timeline: Timeline, words: Translations) -> None:
    """Draw the second part of the task. Predictions that the run has not answered yet are listed.

    In front of a class all of it stays covered until it is revealed: it tells what was predicted.
    """
    if not view.run.is_predicted:
        begun = runs.find_saved(view.run) is not None
        st.info(words.text("task.committed_before" if begun else "explain.needs_prediction"))
        _offer_back(words)
        return
    if presenting.hide_answer():
        presenter.draw_placeholder("prediction", words)
        return
    outcomes = add_counterexample(runs.observe_all(view, timeline))
    missing = [words.text(f"task.short.{question.id}") for question in QUESTIONS if question.id not in outcomes]
    if missing:
        st.info(words.text("explain.not_yet", names=format_list(missing, words)))
        _offer_back(words)
    diagnosed = diagnose(view.run, outcomes, list(iterate_trace_points(timeline.steps)))
    _check(view, diagnosed, words)
    fifth = FifthToken.from_steps(timeline.steps)
    if fifth is not None:
        _ask_sentence(fifth, words)
        ask_chapter_question(fifth, words)
        ask_early_word(words)
    # Some time after the first feedback, so that the answer is recalled and not copied.
    ask_again_section(view.run, [d for d in diagnosed if d.sure and not d.right], words)
    if fifth is not None and not missing:
        label = words.text("explain.to_eight")
        st.button(label, type="primary", key="to_eight", on_click=attempts.set_value, args=("part", "eight"))


def _offer_back(words: Translations) -> None:
    st.button(words.text("explain.go_back"), key="back_to_run", on_click=attempts.set_value, args=("part", "run"))


def _check(view: View, diagnosed: list[Grade], words: Translations) -> None:
    cards.draw_heading(3, words.text("explain.check_title"))
    if not record.is_mine(view.run.attempt):
        st.markdown(words.text("task.foreign"))
    if any(not diagnosis.right for diagnosis in diagnosed):
        st.markdown(words.text("explain.check_lead"))
    elif len(diagnosed) == len(QUESTIONS):
        st.success(words.text("explain.all_right"), icon=":material/check:")
    for diagnosis in diagnosed:
        _show_diagnosis(view, diagnosis, words)


def _show_diagnosis(view: View, diagnosis: Grade, words: Translations) -> None:
    values, pair = format_comparison(diagnosis, words), get_confused_pair(diagnosis.idea)
    whose = "" if record.is_mine(view.run.attempt) else "_in_link"
    if diagnosis.right:
        st.markdown(f"✓ {words.text(f'explain.right{whose}', **values)}")
        return
    with st.container(border=True):
        key = "explain.wrong_sure" if diagnosis.sure else "explain.wrong"
        st.markdown(f"≠ {words.text(f'{key}{whose}', **values)}")
        if pair:
            first, second = (words.text(f"misconceptions.concept.{name}") for name in pair)
            idea = words.text(find_idea(diagnosis.idea).name_key)
            st.markdown(f"{words.text('explain.pair', first=first, second=second)} · {idea}")
        elif diagnosis.idea:
            st.markdown(words.text("explain.slip", name=words.text(find_idea(diagnosis.idea).name_key)))
        else:
            st.markdown(words.text("explain.unknown"))
        st.markdown(explain_grade("task", diagnosis, words))
        if pair:
            rows = tuple(dict.fromkeys(ROWS[name] for name in pair))
            with st.expander(words.text("explain.concept_rows"), key=f"concepts_{diagnosis.question}"):
                draw_glossary(rows, words)
    offer_what_if(diagnosis.idea, view.run.config, view.run.operations, words, diagnosis.question)


def _ask_sentence(fifth: FifthToken, words: Translations) -> None:
    cards.draw_heading(3, words.text("explain.sentence_title"))
    written = record.get_text("explanation", MAX_TEXT)
    ask_for_text(
        "explanation",
        words.text("explain.sentence_ask", b_tokens=fifth.appended.len_after),
        written,
        partial(record.put, "explanation"),
        words,
        submit=("explain.sentence_submit", "read_sentence"),
        lead=words.text("explain.sentence_lead"),
    )
    if not written.strip():
        return
    reading = read_explanation(written)
    lines = [
        f"{'✓' if found else '○'} **{words.text(f'explain.{_format_found(found)}')}** · "
        f"{words.text(f'explain.ingredient.{name}')}"
        for name, found in ((name, name in reading.found) for name in INGREDIENTS)
    ]
    st.markdown("  \n".join(lines))
    for remark in _list_remarks(reading, fifth, words):
        st.warning(remark)
    if len(reading.found) == len(INGREDIENTS) and not reading.roles_swapped:
        st.success(words.text("explain.complete"), icon=":material/check:")
    with st.expander(words.text("explain.model_title"), key="model"):
        st.markdown(words.text("explain.model", **fifth.numbers()))


def _list_remarks(reading: FreeTextReading, fifth: FifthToken, words: Translations) -> list[str]:
    """What is wrong with the sentence: its fault, then what it denies."""
    faults = {"swapped": reading.roles_swapped, "full_only": reading.full_only, "nonsense": reading.nonsense}
    remarks = [words.text(f"explain.{name}") for name, is_so in faults.items() if is_so]
    denied = (name for name in DENIABLE if name in reading.denied)
    return remarks + [words.text(f"explain.denied.{name}", **fifth.numbers()) for name in denied]


def build_rows(words: Translations) -> Iterator[ReportRow]:
    """Yield the report's row of the learner's sentence, with the ingredients found in it."""
    written, fifth = record.get_text("explanation", MAX_TEXT), FifthToken.of_default_task()
    if not written.strip():
        return
    reading = read_explanation(written)
    found = [words.text(f"explain.ingredient.{name}") for name in INGREDIENTS if name in reading.found]
    yield ReportRow(
        part="words",
        question_id="task.sentence",
        attempt=words.text("explain.sentence_title"),
        question=words.text("explain.sentence_ask", b_tokens=fifth.appended.len_after),
        predicted=written,
        engine=words.text("report.ingredients", found=format_list(found, words) or words.text("report.none")),
        idea_id="check_allocates" if reading.roles_swapped else "",
        written=True,
        why=words.text("figures.gap").join(_list_remarks(reading, fifth, words)),
    )


def _format_found(found: bool) -> str:
    return "found" if found else "missing"
