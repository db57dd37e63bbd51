"""The end of a round: misconceptions with their lessons, sureness against correctness, and what to do next."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from lab.activities.attempt import encode
from lab.activities.ideas import find_idea
from lab.activities.question import LEVELS, Sure
from lab.quiz.round import Round, Turn
from lab.quiz.summary import Summary, Trials, summarize
from lab.quiz.words import format_idea, format_kind
from lab.trace.config import MAX_BLOCK_SIZE
from lessons.activity import course
from lessons.quiz import attempt as quiz
from lessons.quiz.attempt import ROUND, QuizAttempt
from lessons.server.asset_files import read_assets
from lessons.state import attempts, notes
from lessons.text.sentences import format_list
from lessons.text.translations import Translations
from lessons.widgets import cards
from lessons.widgets.copy_link import copy_link

SIGNS = {"shaky": "▲", "corrected": "✓", "avoided": "✓", "unsettled": "○"}
STYLE = f"<style>\n{read_assets('components/quiz/summary.css')}</style>"


def draw_summary(attempt: QuizAttempt, words: Translations) -> None:
    """Draw the summary of the round in view."""
    played = attempt.played
    if played is None:
        return
    found = summarize(played)
    st.html(STYLE)
    with st.container(key="quiz_here"):
        cards.draw_heading(2, words.text("quiz_page.end_title"))
        st.markdown(words.text("quiz_page.end_score", right=found.right, answered=found.answered))
    with st.container(key="quiz_columns"):
        left, right = st.columns((3, 2), gap="large")
        with left:
            _draw_ideas(found, words)
        with right:
            _draw_sureness(attempt, played, words)
    if attempt.is_mine:
        _offer_more(played, words)


def _draw_ideas(found: Summary, words: Translations) -> None:
    """Draw the misconceptions met, and the kinds of question that went badly."""
    cards.draw_heading(3, words.text("quiz_page.ideas_title"))
    if found.seen:
        _draw_table(found, words)
    else:
        st.markdown(words.text("quiz_page.ideas_none"))
    for name, kinds in (("hard", found.hard), ("unclear", found.unclear)):
        if kinds:
            kinds_text = format_list((format_kind(kind, words) for kind in kinds), words)
            st.markdown(words.text(f"quiz_page.{name}", kinds=kinds_text))


def _draw_table(found: Summary, words: Translations) -> None:
    """Draw a row for each misconception met, the shaky ones first."""
    groups = {
        "shaky": found.shaky,
        "corrected": found.corrected,
        "avoided": found.avoided,
        "unsettled": found.unsettled,
    }
    counts = {name: len(ideas) for name, ideas in groups.items()}
    st.markdown(words.text("quiz_page.ideas_count", seen=len(found.seen), **counts))
    with st.container(key="quiz_ideas", gap=None):
        with st.container(key="quiz_idea_"):  # column names; hidden on a phone
            for column in ("idea", "times", "state", "lesson"):
                st.markdown(f"**{words.text(f'quiz_page.column_{column}')}**")
        for name, ideas in groups.items():
            for idea in ideas:
                _build_row(idea, found.trials[idea], name, words)


def _build_row(idea: str, tried: Trials, name: str, words: Translations) -> None:
    """Draw a row: the misconception, how often it was met and missed, its state, and its lesson."""
    with st.container(key=f"quiz_idea_{idea}"):
        st.markdown(format_idea(idea, words))
        last = words.text("quiz_page.last_right" if tried.last_right else "quiz_page.last_missed")
        st.markdown(words.text("quiz_page.times", met=tried.met, missed=tried.missed, last=last))
        st.markdown(f"**{SIGNS[name]} {words.text(f'quiz_page.{name}')}**")
        taught = find_idea(idea)
        if not taught.lesson:
            st.markdown(words.text("quiz_page.slip"))
        else:
            label = words.text("quiz_page.to_lesson", title=words.text(f"{taught.lesson}.title"))
            query = {**attempts.get_link(), "part": taught.part} if taught.part else attempts.get_link()
            st.page_link(course.get_page_file(taught.lesson), label=label, query_params=query)


def _draw_sureness(attempt: QuizAttempt, played: Round, words: Translations) -> None:
    """List the answers that were sure but wrong, then the other missed ones, then the counts."""
    cards.draw_heading(3, words.text("quiz_page.sure_title"))
    levels = attempt.sure
    missed = [i for i, turn in enumerate(attempt.turns) if turn.missed]
    confident = [i for i in missed if levels[i] == "sure"]
    if any(levels):
        st.markdown(f"**{words.text('quiz_page.sure_wrong' if confident else 'quiz_page.sure_wrong_none')}**")
        _look_again(confident, attempt.turns, words)
    others = [i for i in missed if i not in confident]
    if others:
        st.markdown(words.text("quiz_page.other_wrong" if confident else "quiz_page.missed"))
        _look_again(others, attempt.turns, words)
    lines = [_count(level, levels, attempt.turns, words) for level in reversed(LEVELS) if level in levels]
    st.markdown("\n".join(f"- {line}" for line in lines))


def _look_again(indices: list[int], asked: tuple[Turn, ...], words: Translations) -> None:
    for i in indices:
        kind = format_kind(asked[i].question.name.kind, words)
        label = words.text("quiz_page.look_again", number=i + 1, kind=kind)
        icon = ":material/replay:"
        st.button(label, icon=icon, key=f"quiz_again_{i}", type="tertiary", on_click=quiz.seek, args=(i,))


def _count(level: Sure, levels: tuple[Sure | None, ...], asked: tuple[Turn, ...], words: Translations) -> str:
    at = [turn for turn, given in zip(asked, levels, strict=True) if given == level]
    right = sum(not turn.missed for turn in at)
    return words.text(f"quiz_page.sure_count_{level}", right=right, all=len(at))


def _offer_more(played: Round, words: Translations) -> None:
    """Offer a round with new questions, or with the same kinds of question at another block_size."""
    cards.draw_heading(3, words.text("quiz_page.more_title"))
    with st.container(horizontal=True, vertical_alignment="center", key="quiz_more"):
        again = (played.block_size, played.difficulty, played.length)
        label = words.text("quiz_page.new_round")
        st.button(label, type="primary", key="quiz_begin", on_click=quiz.begin, args=again)
        st.button(words.text("quiz_page.settings_other"), key="quiz_leave_end", on_click=quiz.leave)
        copy_link(
            key="copy_round",
            label=words.text("quiz_page.copy_round"),
            done_label=words.text("site.link_copied"),
            params={"lang": words.language, ROUND: encode(replace(played, answers=()).attempt)},
            only=True,
        )
    with st.container(border=True, key="quiz_same"):
        st.markdown(words.text("quiz_page.same_ideas_lead"))
        sizes = [size for size in range(1, MAX_BLOCK_SIZE + 1) if size != played.block_size]
        st.select_slider(
            words.text("quiz_page.block_size"),
            sizes,
            _choose_other_size(played.block_size),
            key="quiz_other_size",
            width=420,
        )
        label = words.text("quiz_page.same_ideas")
        st.button(label, key="quiz_same_ideas", on_click=_start_same_ideas, args=(played,))


def _choose_other_size(block_size: int) -> int:
    """Choose another size that is different enough to show an effect."""
    return block_size * 2 if block_size * 2 <= MAX_BLOCK_SIZE else block_size // 2


def _start_same_ideas(played: Round) -> None:
    """Begin a round with the same kinds of question. A new seed keeps a finished round from opening again."""
    size = int(notes.get_field("quiz_other_size") or _choose_other_size(played.block_size))
    quiz.begin(size, played.difficulty, played.length, played.kinds_seed)
