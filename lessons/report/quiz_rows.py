"""Report rows for quiz rounds: questions are generated again from the saved text, and fresh runs answer them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lab.activities.question import Sure
from lab.activities.replayed_attempts import Mark
from lab.quiz.round import Round, play_turns
from lab.quiz.round_link import encode_round
from lab.quiz.words import ask, format_difficulty, format_feedback, format_idea
from lab.quiz.words import describe_scene as scene_said
from lessons.quiz.attempt import ROUND
from lessons.report.row import ReportRow, compare
from lessons.text.quiz_values import format_any_value
from lessons.text.translations import Translations


def build_round_rows(
    played: Round, sure: Sequence[Sure | None], mark: Mark, words: Translations
) -> Iterator[ReportRow]:
    """Yield a row for each answered question of the round."""
    difficulty = format_difficulty(played.difficulty, words)
    title = words.text("report.round", block_size=played.block_size, difficulty=difficulty, seed=played.seed)
    for turn, given, level in zip(play_turns(played), played.answers, sure, strict=False):
        if turn.result is None:
            continue
        question = turn.question
        yield ReportRow(
            "quiz",
            title,
            words.text("figures.gap").join([*scene_said(question, words), ask(question, words)]),
            format_any_value(question, given, words),
            format_any_value(question, question.answer, words),
            compare(turn.result.right),
            level or "",
            mark,
            format_idea(turn.result.idea, words) if turn.result.idea else "",
            f"/quiz?{ROUND}={encode_round(played)}",
            why=""
            if turn.result.right
            else words.text("figures.gap").join(format_feedback(question, turn.result, words)),
        )
