"""One quick question about the newest operation: what just happened? Its answer is the step's own."""

from __future__ import annotations

import streamlit as st

from lab.activities.checkpoint import Checkpoint, CheckpointOption, build_checkpoint
from lab.trace.timeline import Timeline
from lessons.state import attempts, record
from lessons.state.view import View
from lessons.text.sentences import Ids
from lessons.text.translations import Translations
from lessons.widgets import cards
from lessons.widgets.announce import announce


def ask_checkpoint(place: View, timeline: Timeline, words: Translations) -> bool:
    """What did the newest operation do? Answered once; the answer is the step's own. True once it is answered."""
    step = timeline.steps[-1]
    asked = build_checkpoint(step)
    by_id = {option.id: option for option in asked.options}
    key = f"check.{place.form}.{len(timeline.steps)}.{asked.kind}.{asked.seq_id}"
    chosen = record.get_checkpoint(place.run) or attempts.get_field(key)
    cards.draw_heading(3, words.text("task.check_title"))
    label = words.text(f"task.check.{asked.kind}", seq_id=asked.seq_id)
    if chosen not in by_id:
        st.radio(
            label,
            list(by_id),
            index=None,
            key=key,
            format_func=lambda option_id: format_checkpoint_option(asked, by_id[option_id], words),
            on_change=lambda: record.add_checkpoint(place.run, attempts.get_field(key)),
        )
        return False
    st.markdown(label)
    marks = dict.fromkeys(by_id, "○") | {chosen: "●"}
    st.markdown(
        "  \n".join(f"{marks[option.id]} {format_checkpoint_option(asked, option, words)}" for option in asked.options)
    )
    if chosen == asked.answer:
        st.success(words.text("task.check_right"), icon=":material/check:")
        announce(words.text("task.check_right"))
    else:
        right = format_checkpoint_option(asked, by_id[asked.answer], words)
        told = f"{words.text('task.check_wrong')} {words.text('task.check_engine', option=right)}"
        st.warning(told, icon=":material/info:")
    return True


def format_checkpoint_option(asked: Checkpoint, option: CheckpointOption, words: Translations) -> str:
    name = f"{option.id}_none" if option.id == "joined" and not option.ids else option.id
    if option.id in ("joined", "to_head") and len(option.ids) == 1:
        name = f"{option.id}_one"
    return words.text(f"task.option.{asked.kind}_{name}", ids=Ids(option.ids, words))
