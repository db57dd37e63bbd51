"""A question's name and a round as short texts: encoding and parsing are inverse, and other texts are refused."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.activities.attempt import MAX_TEXT
from lab.engine.errors import InvalidLinkError
from lab.quiz.generate import KINDS
from lab.quiz.link import encode_name, parse_name
from lab.quiz.question import DIFFICULTIES, MAX_SEED, QuestionName
from lab.quiz.round import MAX_LENGTH, Round, play_turns
from tests.links import encode_round, parse_round

NAMES = st.builds(
    QuestionName, st.sampled_from(KINDS), st.integers(0, MAX_SEED), st.integers(1, 16), st.sampled_from(DIFFICULTIES)
)


@given(NAMES)
def test_a_name_there_and_back(name: QuestionName) -> None:
    text = encode_name(name)
    assert parse_name(text) == name
    assert text.count(".") == 4
    assert text.isascii()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "q",
        "q.table.17.4",
        "q.table.17.4.easy.",
        "q.table.17.4.easy\n",
        "q.nothing.17.4.easy",
        "q.table.017.4.easy",
        "q.table.-1.4.easy",
        "q.table.1000000.4.easy",
        "q.table.17.0.easy",
        "q.table.17.17.easy",
        "q.table.17.4.Easy",
        "q.table.１７.4.easy",
        "Q.table.17.4.easy",
        "r.17.4.easy.10",
    ],
)
def test_what_is_not_a_name_is_refused(text: str) -> None:
    with pytest.raises(InvalidLinkError):
        parse_name(text)


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_the_longest_round_can_be_read_back(difficulty: str) -> None:
    """A "set" question comes first and is missed each time, with pairs of cells and gaps: the longest possible text."""
    level = next(d for d in DIFFICULTIES if d == difficulty)
    first = [Round(seed, 16, level, MAX_LENGTH) for seed in range(100)]
    longest = 0
    for start in (each for each in first if play_turns(each)[0].question.name.kind == "mark_empty"):
        played = start
        while not played.over:
            question = play_turns(played)[-1].question
            pairs = frozenset(cell for cell in question.cells if cell % 3)
            value = pairs if question.form == "set" and pairs != question.answer else question.wrong[-1].value
            right = question.answer if question.form != "set" else value  # so that "set" questions return soon
            played = played.answered(right)
        assert [turn.missed for turn in play_turns(played)].count(True) >= 6
        assert parse_round(encode_round(played)) == played
        longest = max(longest, len(encode_round(played)))
    assert 600 < longest <= MAX_TEXT


@pytest.mark.parametrize(
    "text",
    [
        "",
        "r.17.4.easy",
        "r.17.4.easy.0",
        "r.17.4.easy.21",
        "r.17.17.easy.10",
        "r.17-17.4.easy.10",
        "r.17-.4.easy.10",
        "r.17-018.4.easy.10",
        "r.17-1000000.4.easy.10",
        "r.-17.4.easy.10",
        "r.17.4.easy.10_x",
        "r.17.4.easy.10_999999",
        "r.17.4.easy.10_01",
        "r.17.4.easy.1_0.0",
        "s.17.4.easy.1_0.0",
        "u.17.4.easy.10",
        "t.17.4.easy.1_0.0",
        "q.table.17.4.easy",
        "r.17.4.easy.10_" + "1" * 2000,
        "2.quiz.r.17.4.easy.10",
        "2.quiz.r.17.4.easy.10__aA",
        "2.quiz.r.17.4.easy.10_x_",
        "2.quiz.r.17.4.easy.10_01s_",
        "2.quiz.r.17.4.easy.10_0q_",
        "2.quiz.r.17.4.easy.1_0.0_",
        "2.quiz.r.17.4.easy.0__",
    ],
)
def test_what_is_not_a_round_is_refused(text: str) -> None:
    with pytest.raises(InvalidLinkError):
        parse_round(text)


@given(NAMES, st.text("0123456789.-~_re", max_size=3) | st.text(max_size=60), st.data())
def test_any_text_is_a_name_or_refused(name: QuestionName, piece: str, data: st.DataObject) -> None:
    """No other exception is raised; a parsed name encodes to the same text."""
    text = encode_name(name)
    at = data.draw(st.integers(0, len(text)))
    for candidate in (piece, text[:at] + piece + text[at + data.draw(st.integers(0, 3)) :]):
        with suppress(InvalidLinkError):
            assert encode_name(parse_name(candidate)) == candidate
