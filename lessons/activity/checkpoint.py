"""A quick question about the newest operation: what just happened? The step gives the right answer."""

from __future__ import annotations

import streamlit as st

from lab.activities.attempt import encode_log
from lab.activities.checkpoint import Checkpoint, build_checkpoint
from lab.activities.question import Option
from lab.trace.timeline import Timeline
from lessons.state import notes, record
from lessons.state.view import View
from lessons.text.sentences import Ids
from lessons.text.translations import Translations
from lessons.widgets import cards
from lessons.widgets.after_page import announce
from lessons.widgets.question_form import Field, ask_at_once


def ask_checkpoint(view: View, timeline: Timeline, words: Translations) -> bool:
    """Ask what the newest operation did. It can be answered once; returns True once it is answered."""
    step = timeline.steps[-1]
    question = build_checkpoint(step)
    by_id = {option.id: option for option in question.options}
    key = f"check.{view.form}.{len(timeline.steps)}.{question.id}.{question.seq_id}"
    attempt, asked = view.run.attempt, f"check.{encode_log(view.run.operations)}"
    chosen = record.read().get_beside(attempt).get(asked) or notes.get_field(key)
    cards.draw_heading(3, words.text("task.check_title"))
    label = words.text(f"task.check.{question.id}", seq_id=question.seq_id)
    if not isinstance(chosen, str) or chosen not in by_id:
        field = Field(question, key, label, lambda each: format_checkpoint_option(question, by_id[each], words))
        ask_at_once(field, lambda option_id: record.add_beside(attempt, asked, str(option_id)), words)
        return False
    st.markdown(label)
    marks = dict.fromkeys(by_id, "○") | {chosen: "●"}
    lines = (f"{marks[option.id]} {format_checkpoint_option(question, option, words)}" for option in question.options)
    st.markdown("  \n".join(lines))
    if chosen == question.answer:
        st.success(words.text("task.check_right"), icon=":material/check:")
        announce(words.text("task.check_right"))
    else:
        right = format_checkpoint_option(question, by_id[question.answer], words)
        correction = f"{words.text('task.check_wrong')} {words.text('task.check_engine', option=right)}"
        st.warning(correction, icon=":material/info:")
    return True


def format_checkpoint_option(question: Checkpoint, option: Option, words: Translations) -> str:
    """An option as text, with the block ids of the step."""
    name = f"{option.id}_none" if option.id == "joined" and not option.ids else option.id
    if option.id in ("joined", "to_head") and len(option.ids) == 1:
        name = f"{option.id}_one"
    return words.text(f"task.option.{question.id}_{name}", ids=Ids(option.ids, words))
