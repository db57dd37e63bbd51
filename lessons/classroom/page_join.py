"""The page of a participant, made for a phone: the code, the question, the answer, and after the reveal what it was."""

from __future__ import annotations

from functools import partial

import streamlit as st

from lab.activities.answer import parse
from lab.activities.ideas import is_slip
from lab.activities.question import Sure, Value
from lab.classroom.errors import NoSuchClassError
from lab.classroom.phases import ClassState, get_open_round
from lab.classroom.tally import Vote
from lab.engine.errors import InvalidAnswerError, LabError
from lab.quiz.words import format_idea
from lessons.activity.flow import wait_for_engine
from lessons.activity.what_if import offer_what_if
from lessons.classroom import roles
from lessons.classroom.events import listen, tell_if_away
from lessons.classroom.roles import Participant
from lessons.classroom.service import get_service
from lessons.state import attempts, notes, record
from lessons.text.sentences import format_error, format_ranges
from lessons.text.translations import Translations
from lessons.text.translations import get_translations as words_of
from lessons.votable.find import find_votable
from lessons.votable.votable import Votable
from lessons.widgets import cards
from lessons.widgets.picture_panel import draw_picture
from lessons.widgets.question_form import Field, ask_questions

_COLUMNS = 4  # blocks in a row on a phone


def draw_page() -> None:
    """Draw the page; nothing before the browser has reported its record, which comes at once."""
    words = words_of(attempts.get_language())
    scanned = roles.clean_code(attempts.get_value(roles.KEY))
    if not record.is_known():
        if scanned:
            roles.join(scanned)
        return
    cards.draw_heading(1, words.text("classroom.join_title"))
    me = roles.get_participant()
    if me is not None and scanned and scanned != me.code:
        me = None  # the link is to another class
    state = _find_state(me)
    listen(state, words, on_news=roles.keep_revealed)
    refusal = notes.pop_flash()
    is_told = me is not None and isinstance(refusal, NoSuchClassError) and refusal.numbers["code"] == me.code
    if refusal and not is_told:  # the door says that the class is over
        st.warning(format_error(refusal, words))
    if me is None or state is None:
        _draw_door(scanned, me is not None, words)
        return
    wait_for_engine(words)
    with st.container(horizontal=True, vertical_alignment="center", key="class_joined"):
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
    """Ask for the code. A scanned one that cannot be joined, or that was left, stands in the field."""
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
    cards.draw_headline(words.text(f"classroom.now.{state.phase}"), "")
    cards.draw_lines(votable.describe(words), is_plain=votable.is_plain)
    st.markdown(f"**{votable.ask(words)}**")
    if state.phase == "revealed":
        votes = get_service().store.get_own_votes(me.code, me.number, state.question)
        roles.keep_answer(state, votes)
        _draw_outcome(state, votable, votes, words)
        return
    _draw_vote(me, state, votable, words)


@st.fragment  # a vote or a tap draws this again and not the page: a whole class votes within seconds
def _draw_vote(me: Participant, state: ClassState, votable: Votable, words: Translations) -> None:
    """Draw the picture, the form while votes are taken, and what was sent. A picture that takes no taps comes last."""
    if refusal := notes.pop_flash():
        st.warning(format_error(refusal, words))
    open_round = get_open_round(state.phase)
    marked = _read_marked(votable, state) if open_round is not None and votable.question.cell else None
    picture = votable.draw_before(words, _COLUMNS, marked)
    taps = picture is not None and marked is not None
    if picture is not None and taps:
        draw_picture(picture, "vote_before", on_click=partial(_toggle, votable, state))
    if open_round is not None:
        with st.container(key="vote_area"):  # classroom.js looks here for what was chosen and not sent
            _draw_form(me, state, open_round, votable, words, taps=taps)
    with tell_if_away(words, me.code):
        _draw_sent(state, votable, get_service().store.get_own_votes(me.code, me.number, state.question), words)
    if picture is not None and not taps:
        draw_picture(picture, "vote_before")


def _draw_form(
    me: Participant, state: ClassState, round_: int, votable: Votable, words: Translations, *, taps: bool
) -> None:
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
        words.text("classroom.tap" if taps else "classroom.answer"),
        lambda choice: votable.format_choice(str(choice), words),
        sure="scale",
    )
    ask_questions("vote_form", [field], commit, words, submit="classroom.send", key="vote_send")


def _read_marked(votable: Votable, state: ClassState) -> frozenset[int]:
    """The cells that the field names; none while it cannot be read."""
    try:
        value = parse(votable.question, str(notes.get_field(_get_key(state)) or ""))
    except InvalidAnswerError:
        return frozenset()
    cells = value if isinstance(value, frozenset) else {value}
    return frozenset(cell for cell in cells if isinstance(cell, int))


def _toggle(votable: Votable, state: ClassState, target: str) -> None:
    """In a callback: mark or unmark a cell that was tapped. `target` is like `slot:12` or `block:3`."""
    kind, _, number = target.partition(":")
    if kind == votable.question.cell and number.isdecimal():
        tapped = {int(number)}
        cells = _read_marked(votable, state) ^ tapped if votable.question.form == "set" else tapped
        notes.set_field(_get_key(state), format_ranges(tuple(sorted(cells))).replace("\N{EN DASH}", "-"))


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
            st.markdown(f"**{words.text('quiz_page.idea', idea=format_idea(graded.idea, words))}**")
        cards.draw_lines([votable.explain(last, words)], is_plain=votable.is_plain)
    for number, picture in enumerate(votable.draw_after(words, _COLUMNS)):
        draw_picture(picture, f"vote_after_{number}")
        st.markdown(picture.sentence)
    if graded.idea and not is_slip(graded.idea):
        offer_what_if(graded.idea, *votable.run, words, key=f"vote_{state.question}")


joined = roles.get_participant()
with tell_if_away(words_of(attempts.get_language()), joined.code if joined else ""):
    draw_page()
