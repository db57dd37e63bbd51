"""The questions of the first lesson: a form for each, then a card with the outcome of the run."""

from __future__ import annotations

import streamlit as st

from lab.activities.intuition.outcomes import collect_values, compute_where_options, observe_outcome
from lab.activities.intuition.progress import OPTIONS, QUESTIONS, IntuitionAnswer, IntuitionAttempt, get_idea
from lab.activities.intuition.runs import CONFIG, PAGING
from lab.activities.intuition.storyboard import build_scenes
from lab.engine.errors import InvalidAnswerError
from lessons.activity.what_if import offer_what_if
from lessons.intuition import frames
from lessons.intuition.attempt import commit, get_saved, is_mine, resume, start_over
from lessons.presenter import presenter
from lessons.state import notes, presenting
from lessons.text.sentences import format_error, format_list
from lessons.text.translations import Translations
from lessons.widgets import cards


def ask(attempt: IntuitionAttempt, question: str, words: Translations, *, title: str = "") -> None:
    """Draw the form for the next question. If this browser has answered it before, offer to resume instead."""
    if title:
        cards.draw_heading(2, title)
    kept = get_saved()
    if kept is not None and len(kept.answers) > len(attempt.answers):
        st.info(words.text("intuition.answered_before"))
        with st.container(horizontal=True):
            st.button(words.text("intuition.resume"), type="primary", key="resume", on_click=resume)
            st.button(words.text("task.start_over"), key="start_over", on_click=start_over)
        return
    key = f"intuition.{question}"
    values = format_values(words) if attempt.answers else {}  # the first question comes before anything runs
    with st.form(f"form.{key}", enter_to_submit=False):
        st.radio(
            words.text(f"intuition.question.{question}", **values),
            range(len(OPTIONS[question])),
            index=None,
            key=key,
            format_func=lambda option: format_option(question, option, words),
        )
        if isinstance(problem := notes.get_note(f"problem.{key}"), InvalidAnswerError):
            st.markdown(f":red[▲ {format_error(problem, words)}]")
        st.checkbox(words.text("task.sure"), key=f"{key}.sure")
        label = words.text("task.commit")
        st.form_submit_button(label, type="primary", key="commit", on_click=_commit, args=(question,))


def _commit(question: str) -> None:
    """Commit the chosen option, or store that none was chosen."""
    key = f"intuition.{question}"
    chosen = notes.get_field(key)
    if chosen is None:
        notes.set_note(f"problem.{key}", InvalidAnswerError(reason="no_choice"))
        return
    notes.set_note(f"problem.{key}", None)
    commit(question, IntuitionAnswer(int(chosen), bool(notes.get_field(f"{key}.sure"))))


def show_answers(attempt: IntuitionAttempt, ended: bool, words: Translations) -> None:
    """Draw each answer, with the outcome once its scene has been seen. The first waits for the end."""
    if presenting.hide_answer():
        presenter.draw_placeholder("prediction", words)
        return
    mine = is_mine(attempt)
    items = []
    for i, (question, given) in enumerate(zip(QUESTIONS, attempt.answers, strict=False)):
        settled, shown = _is_answered(attempt, i, ended), observe_outcome(question)
        key = f"task.card.{'you' if mine else 'in_link'}{'_sure' if given.sure else ''}"
        over = words.text("task.card.waiting")
        if settled:
            same = "same" if shown == given.option else "other"
            over = words.text(f"task.card.{same}", value=format_option(question, shown, words))
        items.append(
            cards.Card(
                words.text(f"intuition.short.{question}"),
                words.text(key, answer=format_option(question, given.option, words)),
                over,
                same if settled else "waiting",
                new=i == len(attempt.answers) - 1 or (ended and i == 0),
            )
        )
    cards.draw_verdicts(items, words.text("task.committed"))


def _is_answered(attempt: IntuitionAttempt, i: int, ended: bool) -> bool:
    """Whether the learner has seen the answer to question `i`. The first question is answered at the end."""
    return ended or (i > 0 and (len(attempt.answers) > i + 1 or _is_seen(attempt, QUESTIONS[i])))


def _is_seen(attempt: IntuitionAttempt, question: str) -> bool:
    """Whether the frame in view, or an earlier one, shows the answer."""
    shown_by = {"where": "written", "returns": "last_user"}[question]
    before = [frame for scene in build_scenes()[: attempt.scene - 1] for frame in scene]
    return any(frame.caption == shown_by for frame in (*before, *build_scenes()[attempt.scene - 1][: attempt.frame]))


def show_ideas(attempt: IntuitionAttempt, ended: bool, words: Translations) -> None:
    """Explain each wrong answer, once the learner has seen what the run did."""
    last = len(QUESTIONS) - 1
    ran = (
        PAGING if len(attempt.answers) > last and _is_answered(attempt, last, ended) else PAGING[:1]
    )  # only what has been seen
    offered: set[str] = set()
    for i, (question, given) in enumerate(zip(QUESTIONS, attempt.answers, strict=False)):
        if _is_answered(attempt, i, ended) and given.option != observe_outcome(question):
            idea = get_idea(question, given.option)
            with st.container(border=True):
                st.markdown("≠ " + words.text(f"intuition.idea.{question}_{idea}", **format_values(words)))
            if idea not in offered:  # two answers may come from the same idea
                offered.add(idea)
                offer_what_if(idea, CONFIG, ran, words, question)


def format_option(question: str, option: int, words: Translations) -> str:
    """Format an option; the options of `where` contain block ids."""
    name = OPTIONS[question][option]
    ids = ""
    if question == "where":
        ids = format_list(compute_where_options()[name], words)
    return words.text(f"intuition.option.{question}_{name}", ids=ids)


def format_values(words: Translations) -> dict[str, object]:
    """Return the run's numbers for the text of questions and misconceptions."""
    return frames.format_values(collect_values(), words)
