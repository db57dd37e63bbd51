"""What a class answered, as bars in a table: each answer with the idea behind it, both votes side by side."""

from __future__ import annotations

from collections.abc import Callable

from lab.activities.question import LEVELS
from lab.classroom.tally import Bar, Tally
from lab.quiz.words import format_idea
from lessons.classroom.bars_table import BarsRow, build_bars_table
from lessons.text.translations import Translations
from lessons.votable.votable import Votable


def build_votes_table(tally: Tally, votable: Votable, words: Translations) -> str:
    """Return the bars as an HTML table. The right answer is first, and says so in words too."""
    rounds = [number for number in (0, 1) if tally.votes[number]]
    titles = [words.text("classroom.column_answer"), words.text("classroom.column_idea")]
    titles += [words.text(f"classroom.vote_{number + 1}", votes=tally.votes[number]) for number in rounds]
    rows = [
        BarsRow(
            (votable.format_value(votable.decode(bar.answer), words), format_bar_idea(bar, words)),
            tuple((bar.first, bar.second)[number] for number in rounds),
            right=bar.right,
        )
        for bar in tally.bars
    ]
    return build_bars_table(words.text("classroom.votes"), titles, [tally.votes[number] for number in rounds], rows)


def format_bar_idea(bar: Bar, words: Translations) -> str:
    """The name of the idea behind a wrong answer, or that none is known; of a right answer, that it is the engine's."""
    if bar.right:
        return words.text("classroom.right_answer")
    return format_idea(bar.idea, words) if bar.idea else words.text("classroom.no_idea")


def describe_moves(tally: Tally, format_answer: Callable[[str], str], words: Translations) -> list[str]:
    """Who moved from which answer to which between the rounds, one sentence each."""
    return [
        words.text(
            "classroom.moved", count=move.count, before=format_answer(move.before), after=format_answer(move.after)
        )
        for move in tally.moves
    ]


def describe_votes(tally: Tally, votable: Votable, words: Translations) -> list[str]:
    """Who moved, and how sure the right and the wrong were in the latest vote."""
    moves = describe_moves(tally, lambda answer: votable.format_value(votable.decode(answer), words), words)
    return [*moves, *describe_sureness(tally, 2 if tally.votes[1] else 1, words)]


def describe_sureness(tally: Tally, round_: int, words: Translations) -> list[str]:
    """How sure the right and the wrong were in that round; empty with too few answers."""
    lines = []
    for right in (True, False):
        levels = tally.sure.get((round_, right))
        if levels and sum(levels):
            counts = dict(zip(LEVELS, levels, strict=True))
            lines.append(words.text(f"classroom.sure_{'right' if right else 'wrong'}", **counts))
    return lines
