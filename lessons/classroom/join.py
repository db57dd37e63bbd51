"""The page of a participant, made for a phone: the code, the question, the answer, and after the reveal what it was."""

from __future__ import annotations

import streamlit as st

from lab.activities.question import Sure, Value
from lab.classroom.errors import NoSuchClassError
from lab.classroom.phases import ClassState, get_open_round
from lab.classroom.tally import Vote
from lab.engine.errors import LabError
from lab.figures.theme import get_dark_colors
from lab.quiz.round import is_slip
from lessons.activity.flow import wait_for_engine
from lessons.activity.what_if import offer_what_if
from lessons.classroom import roles
from lessons.classroom.events import listen
from lessons.classroom.roles import Participant
from lessons.classroom.service import get_service
from lessons.state import attempts, notes, record
from lessons.text.sentences import format_error
from lessons.text.translations import Translations
from lessons.text.translations import get_translations as words_of
from lessons.votable.find import find_votable
from lessons.votable.votable import Votable
from lessons.widgets import cards
from lessons.widgets.plot import draw
from lessons.widgets.question_form import Field, ask_questions

_COLUMNS = 4  # blocks in a row on a phone


def draw_page() -> None:
    """Draw the page."""
    words = words_of(attempts.get_language())
    cards.draw_heading(1, words.text("classroom.join_title"))
    if not record.is_known():
        listen(None, words)
        return
    me = roles.get_participant()
    scanned = roles.clean_code(attempts.get_value(roles.KEY))
    if me is not None and scanned and scanned != me.code:
        me = None  # the link is to another class
    state = _find_state(me)
    listen(state, words)
    if refusal := notes.pop_flash():
        st.warning(format_error(refusal, words))
    if me is None or state is None:
        _draw_door(scanned, me is not None, words)
        return
    wait_for_engine(words)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(words.text("classroom.you_are_in", code=me.code))
        st.button(words.text("classroom.leave"), type="tertiary", key="class_leave", on_click=roles.leave)
    try:
        votable = find_votable(state.spec) if state.spec else None
    except LabError as problem:
        st.warning(format_error(problem, words))
        return
    if votable is None:
        st.markdown(words.text("classroom.wait"))
        return
    _draw_question(me, state, votable, words)


def _find_state(me: Participant | None) -> ClassState | None:
    try:
        return get_service().store.get_state(me.code) if me else None
    except NoSuchClassError:
        return None


def _draw_door(scanned: str, was_in: bool, words: Translations) -> None:
    """Ask for the code, or confirm the scanned one with one press."""
    if was_in:
        st.info(words.text("classroom.class_over"))
    with st.form("class_door", border=False):
        key = "class_code"
        if scanned and notes.get_note("class.scanned") != scanned:
            notes.set_note("class.scanned", scanned)
            notes.set_field(key, scanned)
        st.text_input(words.text("classroom.code"), key=key, max_chars=12, autocomplete="off")
        st.form_submit_button(
            words.text("classroom.join"),
            type="primary",
            key="class_join",
            on_click=lambda: roles.join(str(notes.get_field(key) or "")),
        )
    st.markdown(words.text("classroom.no_names"))


def _draw_question(me: Participant, state: ClassState, votable: Votable, words: Translations) -> None:
    votes = get_service().store.get_own_votes(me.code, me.number, state.question)
    cards.draw_headline(words.text(f"classroom.now.{state.phase}"), "")
    st.markdown("  \n".join(votable.describe(words)))
    st.markdown(f"**{votable.ask(words)}**")
    if state.phase == "revealed":
        _draw_outcome(state, votable, votes, words)
        return
    picture = votable.draw_before(words, _COLUMNS)
    if picture is not None:
        draw(picture.spec, key="vote_before", label=picture.sentence, dark_colors=get_dark_colors())
        st.markdown(picture.sentence)
    open_round = get_open_round(state.phase)
    if open_round is not None:
        _draw_form(me, state, open_round, votable, words)
    _draw_sent(state, votable, votes, words)


def _draw_form(me: Participant, state: ClassState, round_: int, votable: Votable, words: Translations) -> None:
    def commit(values: tuple[Value, ...], sure: tuple[Sure | None, ...]) -> None:
        try:
            get_service().store.vote(
                me.code, me.number, state.question, round_, answer=votable.encode(values[0]), sure=sure[0] or ""
            )
        except LabError as refusal:
            notes.flash(refusal)

    field = Field(
        votable.question,
        _get_key(state),
        words.text("classroom.answer"),
        lambda choice: votable.format_choice(str(choice), words),
        sure="scale",
    )
    ask_questions("vote_form", [field], commit, words, submit="classroom.send", key="vote_send")


def _get_key(state: ClassState) -> str:
    """The key of the answer's field: both votes begin with an empty one."""
    return f"quiz_answer.class.{state.code}.{state.question}.{state.phase}"


def _draw_sent(state: ClassState, votable: Votable, votes: dict[int, Vote], words: Translations) -> None:
    """Say what was sent, and whether it can still be changed; or that nothing was sent in time."""
    open_round = get_open_round(state.phase)
    sent = votes.get(open_round or max(votes, default=1))
    if sent is not None:
        answer = votable.format_value(votable.decode(sent.answer), words)
        key = "classroom.sent" if open_round else "classroom.sent_closed"
        (st.success if open_round else st.info)(words.text(key, answer=answer))
    elif open_round is None and state.phase not in ("lobby", "read"):
        st.info(words.text("classroom.not_sent"))


def _draw_outcome(state: ClassState, votable: Votable, votes: dict[int, Vote], words: Translations) -> None:
    """Draw the own answer beside the engine's, the idea behind a wrong one, and the way to run it."""
    engine = votable.format_value(votable.get_answer(), words)
    with st.container(border=True, key="vote_outcome"):
        for number, vote in sorted(votes.items()):
            value = votable.decode(vote.answer)
            mark = "✓" if votable.grade(value).right else "≠"
            text = words.text("classroom.own", number=number, answer=votable.format_value(value, words))
            st.markdown(f"{mark} {text}")
        if not votes:
            st.markdown(words.text("classroom.no_own"))
        st.markdown("✓ " + words.text("quiz_page.engine_said", answer=engine))
        last = votable.decode(votes[max(votes)].answer) if votes else votable.get_answer()
        graded = votable.grade(last)
        if graded.idea:
            st.markdown(f"**{words.text('quiz_page.idea', idea=votable.name_idea(graded.idea, words))}**")
        st.markdown(votable.explain(last, words))
    for number, picture in enumerate(votable.draw_after(words, _COLUMNS)):
        draw(picture.spec, key=f"vote_after_{number}", label=picture.sentence, dark_colors=get_dark_colors())
        st.markdown(picture.sentence)
    if graded.idea and not is_slip(graded.idea):
        offer_what_if(graded.idea, *votable.run, words, key=f"vote_{state.question}")


draw_page()
