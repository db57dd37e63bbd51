"""What votes add up to, against counting by hand and against a slow count of random votes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lab.activities.question import LEVELS, Grade
from lab.classroom.tally import Tally, Vote, count_votes

ANSWERS = {
    "3": Grade("blocks", 3, 3, True),
    "2": Grade("blocks", 2, 3, False, "floor_for_ceil"),
    "11": Grade("blocks", 11, 3, False, "tokens"),
    "7": Grade("blocks", 7, 3, False),
}


def cast(*votes: tuple[str, int, str]) -> Tally:
    """The tally of these votes (participant, round, answer), all of people who think so."""
    return count_votes([Vote(who, number, answer, "think") for who, number, answer in votes], ANSWERS.__getitem__)


def test_bars_moves_and_the_commonest_wrong_idea() -> None:
    tally = cast(
        *(("a", 1, "2"), ("b", 1, "2"), ("c", 1, "3"), ("d", 1, "7")),
        *(("a", 2, "3"), ("b", 2, "2"), ("c", 2, "3"), ("e", 2, "11")),
    )
    assert [(bar.answer, bar.first, bar.second) for bar in tally.bars] == [
        ("3", 1, 2),
        ("2", 2, 1),
        ("11", 0, 1),
        ("7", 1, 0),
    ]
    assert [(move.before, move.after, move.count) for move in tally.moves] == [("2", "3", 1)]
    assert (tally.votes, tally.right) == ((4, 4), (1, 2))
    assert tally.commonest_wrong is not None
    assert tally.commonest_wrong.idea == "floor_for_ceil"


def test_an_answer_without_a_known_idea_is_nobodys_commonest_idea() -> None:
    assert cast(("a", 1, "7"), ("b", 1, "3")).commonest_wrong is None


def test_sureness_is_told_from_five_answers_on() -> None:
    four = [Vote(str(i), 1, "3", "sure") for i in range(4)]
    assert count_votes(four, ANSWERS.__getitem__).sure == {}
    five = count_votes([*four, Vote("x", 1, "2", "guess")], ANSWERS.__getitem__)
    assert five.sure == {(1, True): (0, 0, 4), (1, False): (1, 0, 0)}


VOTES = st.lists(
    st.builds(
        Vote,
        st.sampled_from("abcdefgh"),
        st.sampled_from((1, 2)),
        st.sampled_from(sorted(ANSWERS)),
        st.sampled_from(LEVELS),
    ),
    unique_by=lambda vote: (vote.participant, vote.round),
)


@given(VOTES)
def test_bars_are_the_votes(votes: list[Vote]) -> None:
    tally = count_votes(votes, ANSWERS.__getitem__)
    for number in (1, 2):
        of_round = [vote for vote in votes if vote.round == number]
        counted = {bar.answer: (bar.first, bar.second)[number - 1] for bar in tally.bars}
        assert sum(counted.values()) == tally.votes[number - 1] == len(of_round)
        assert all(n == sum(vote.answer == answer for vote in of_round) for answer, n in counted.items())
        assert tally.right[number - 1] == sum(ANSWERS[vote.answer].right for vote in of_round)
    both = {vote.participant for vote in votes if vote.round == 1} & {v.participant for v in votes if v.round == 2}
    stayed = sum(
        {v.round: v.answer for v in votes if v.participant == who}[1]
        == {v.round: v.answer for v in votes if v.participant == who}[2]
        for who in both
    )
    assert sum(move.count for move in tally.moves) == len(both) - stayed
