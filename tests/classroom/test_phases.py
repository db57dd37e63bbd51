"""The phases of a class: which steps there are, and what a second vote is suggested for."""

from __future__ import annotations

import pytest

from lab.classroom.errors import StepNotOfferedError
from lab.classroom.phases import PHASES, Step, get_open_round, get_steps, suggest_second_vote, take_step


def test_a_question_goes_through_two_votes_and_a_reveal() -> None:
    phase, seen = PHASES[0], []
    steps: tuple[Step, ...] = ("ask", "open", "close", "vote_again", "close", "reveal", "ask")
    for step in steps:
        phase = take_step(phase, step)
        seen.append((phase, get_open_round(phase)))
    assert seen == [
        ("read", None),
        ("first", 1),
        ("closed", None),
        ("second", 2),
        ("closed_again", None),
        ("revealed", None),
        ("read", None),
    ]


def test_only_offered_steps_can_be_taken() -> None:
    every: tuple[Step, ...] = ("ask", "open", "close", "vote_again", "reveal")
    for phase in PHASES:
        for step in every:
            if step in get_steps(phase):
                assert take_step(phase, step) in PHASES
            else:
                with pytest.raises(StepNotOfferedError):
                    take_step(phase, step)


def test_nothing_is_revealed_while_votes_are_taken() -> None:
    assert [phase for phase in PHASES if "reveal" in get_steps(phase) and get_open_round(phase)] == []


@pytest.mark.parametrize(
    ("right", "votes", "suggested"),
    [(0, 0, False), (9, 30, False), (10, 30, True), (15, 30, True), (20, 30, True), (21, 30, False), (1, 2, True)],
)
def test_a_second_vote_is_suggested_between_one_and_two_thirds(right: int, votes: int, suggested: bool) -> None:
    assert suggest_second_vote(right, votes) is suggested
