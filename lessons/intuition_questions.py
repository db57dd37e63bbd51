"""The questions of the first lesson: a form before each gate, then a chip that opens to what the run showed."""

from __future__ import annotations

import streamlit as st

from lab.errors import InvalidAnswerError
from lab.intuition.visit import OPTIONS, QUESTIONS, Answer, Visit
from lab.misconceptions.ideas import from_rule
from lessons import cards, present, state
from lessons.intuition_visit import answer, kept_visit, own, resume, start_over
from lessons.my_way import my_way
from lessons.say import say_error
from lessons.text import WordsOf


def ask(visit: Visit, question: str, words: WordsOf, *, title: str = "") -> None:
    """The form for the next question; where this browser has answered it before, the way back to that."""
    if title:
        cards.heading(2, title)
    kept = kept_visit()
    if kept is not None and len(kept.answers) > len(visit.answers):
        st.info(words.text("intuition.answered_before"))
        with st.container(horizontal=True):
            st.button(words.text("intuition.resume"), type="primary", key="resume", on_click=resume)
            st.button(words.text("task.start_over"), key="start_over", on_click=start_over)
        return
    key = f"intuition.{question}"
    values = facts_said(words) if visit.answers else {}  # the first is asked before anything runs
    with st.form(f"form.{key}", enter_to_submit=False):
        st.radio(
            words.text(f"intuition.question.{question}", **values),
            range(len(OPTIONS[question])),
            index=None,
            key=key,
            format_func=lambda option: option_text(question, option, words),
        )
        if isinstance(problem := state.noted(f"problem.{key}"), InvalidAnswerError):
            st.markdown(f":red[▲ {say_error(problem, words)}]")
        st.checkbox(words.text("task.sure"), key=f"{key}.sure")
        label = words.text("task.commit")
        st.form_submit_button(label, type="primary", key="commit", on_click=_commit, args=(question,))


def _commit(question: str) -> None:
    """Commit what is chosen; else keep what is missing."""
    key = f"intuition.{question}"
    chosen = state.field(key)
    if chosen is None:
        state.note(f"problem.{key}", InvalidAnswerError(reason="no_choice"))
        return
    state.note(f"problem.{key}", None)
    answer(question, Answer(int(chosen), bool(state.field(f"{key}.sure"))))


def answers(visit: Visit, ended: bool, words: WordsOf) -> None:
    """Every answer so far; over each what the run showed, once its scene has been seen. The first waits for the end."""
    from lab.intuition.outcomes import outcome  # noqa: PLC0415  (torch)

    if present.covered():
        present.cover("prediction", words)
        return
    mine = own(visit)
    items = []
    for i, (question, given) in enumerate(zip(QUESTIONS, visit.answers, strict=False)):
        settled, shown = _settled(visit, i, ended), outcome(question)
        key = f"task.card.{'you' if mine else 'in_link'}{'_sure' if given.sure else ''}"
        over = words.text("task.card.waiting")
        if settled:
            same = "same" if shown == given.option else "other"
            over = words.text(f"task.card.{same}", value=option_text(question, shown, words))
        items.append(
            cards.Card(
                words.text(f"intuition.short.{question}"),
                words.text(key, answer=option_text(question, given.option, words)),
                over,
                same if settled else "waiting",
                new=i == len(visit.answers) - 1 or (ended and i == 0),
            )
        )
    cards.verdicts(items, words.text("task.committed"))


def _settled(visit: Visit, i: int, ended: bool) -> bool:
    """Has the visitor seen what answers the i-th question? The first one's answer is the end."""
    return ended or (i > 0 and (len(visit.answers) > i + 1 or _seen(visit, QUESTIONS[i])))


def _seen(visit: Visit, question: str) -> bool:
    """Does the picture in view, or one before it, show what the question asked?"""
    from lab.intuition.scenes import scenes  # noqa: PLC0415

    shown_by = {"where": "written", "returns": "last_user"}[question]
    before = [frame for scene in scenes()[: visit.scene - 1] for frame in scene]
    return any(frame.caption == shown_by for frame in (*before, *scenes()[visit.scene - 1][: visit.frame]))


def ideas(visit: Visit, ended: bool, words: WordsOf) -> None:
    """The idea behind each answer that the run did not give, as soon as the visitor has seen what it gave."""
    from lab.intuition.outcomes import outcome  # noqa: PLC0415
    from lab.intuition.runs import CONFIG, PAGING  # noqa: PLC0415

    last = len(QUESTIONS) - 1
    ran = PAGING if len(visit.answers) > last and _settled(visit, last, ended) else PAGING[:1]  # no more than was seen
    for i, (question, given) in enumerate(zip(QUESTIONS, visit.answers, strict=False)):
        if _settled(visit, i, ended) and given.option != outcome(question):
            option = OPTIONS[question][given.option]
            with st.container(border=True):
                st.markdown("≠ " + words.text(f"intuition.idea.{question}_{option}", **facts_said(words)))
            if (idea := from_rule(question, option)) is not None:
                my_way(idea, CONFIG, ran, words, question)


def option_text(question: str, option: int, words: WordsOf) -> str:
    """An option in words; those of `where` with the ids that they name."""
    name = OPTIONS[question][option]
    ids = ""
    if question == "where":
        from lab.intuition.outcomes import where_options  # noqa: PLC0415
        from lessons.say import listed  # noqa: PLC0415

        ids = listed(where_options()[name], words)
    return words.text(f"intuition.option.{question}_{name}", ids=ids)


def facts_said(words: WordsOf) -> dict[str, object]:
    """The run's numbers, for what the words of questions and ideas use."""
    from lab.intuition.outcomes import facts  # noqa: PLC0415  (torch)
    from lessons.intuition_film import said  # noqa: PLC0415

    return said(facts(), words)
