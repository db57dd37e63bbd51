"""What a class answered, as bars in a table: each answer with the idea behind it, both votes side by side."""

from __future__ import annotations

from html import escape

from lab.classroom.tally import LEVELS, Bar, Tally
from lab.quiz.words import format_idea
from lessons.text.translations import Translations
from lessons.votable.votable import Votable


def build_votes_table(tally: Tally, votable: Votable, words: Translations) -> str:
    """Return the bars as an HTML table. The right answer is first, and says so in words too."""
    rounds = [number for number in (1, 2) if tally.votes[number - 1]]
    titles = [words.text("classroom.column_answer"), words.text("classroom.column_idea")]
    titles += [words.text(f"classroom.vote_{number}", votes=tally.votes[number - 1]) for number in rounds]
    head = "".join(f'<th scope="col">{escape(title)}</th>' for title in titles)
    rows = "".join(_build_row(bar, tally, rounds, votable, words) for bar in tally.bars)
    caption = escape(words.text("classroom.votes"))
    return f'<table class="kv-votes"><caption>{caption}</caption><tr>{head}</tr>{rows}</table>'


def _build_row(bar: Bar, tally: Tally, rounds: list[int], votable: Votable, words: Translations) -> str:
    answer = escape(votable.format_value(votable.decode(bar.answer), words))
    mark, kind = ("✓", "right") if bar.right else ("≠", "wrong")
    said = words.text("classroom.right_answer") if bar.right else format_bar_idea(bar, words)
    cells = "".join(_build_bar((bar.first, bar.second)[number - 1], tally.votes[number - 1]) for number in rounds)
    return f'<tr class="{kind}"><th scope="row">{mark} {answer}</th><td>{escape(said)}</td>{cells}</tr>'


def _build_bar(count: int, votes: int) -> str:
    percent = 100 * count / votes if votes else 0
    bar = f'<span class="bar" style="width:{percent:.1f}%"></span>' if count else ""
    return f'<td><span class="number">{count} · {percent:.0f}%</span>{bar}</td>'


def format_bar_idea(bar: Bar, words: Translations) -> str:
    """The name of the idea behind a wrong answer, or that none is known."""
    return format_idea(bar.idea, words) if bar.idea else words.text("classroom.no_idea")


def describe_moves(tally: Tally, votable: Votable, words: Translations) -> list[str]:
    """Who moved from which answer to which between the votes, one sentence each."""
    return [
        words.text(
            "classroom.moved",
            count=move.count,
            before=votable.format_value(votable.decode(move.before), words),
            after=votable.format_value(votable.decode(move.after), words),
        )
        for move in tally.moves
    ]


def describe_sureness(tally: Tally, words: Translations) -> list[str]:
    """How sure the right and the wrong were in the latest vote; empty with too few answers."""
    lines = []
    latest = 2 if tally.votes[1] else 1
    for right in (True, False):
        levels = tally.sure.get((latest, right))
        if levels and sum(levels):
            counts = dict(zip(LEVELS, levels, strict=True))
            lines.append(words.text(f"classroom.sure_{'right' if right else 'wrong'}", **counts))
    return lines
