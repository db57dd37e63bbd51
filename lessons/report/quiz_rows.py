"""Report rows for quiz rounds: questions are generated again from the saved text, and fresh runs answer them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lab.activities.question import Sure, Value
from lab.activities.replayed_attempts import Mark
from lab.quiz.question import QuizQuestion
from lab.quiz.round import Round, play_turns
from lab.quiz.round_link import encode_round
from lab.quiz.words import ask, format_difficulty, format_feedback, format_idea, format_option
from lab.quiz.words import describe_scene as scene_said
from lessons.quiz.attempt import ROUND
from lessons.quiz.feedback import format_value
from lessons.report.row import ReportRow, compare
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


def format_any_value(question: QuizQuestion, value: Value, words: Translations) -> str:
    """Format an answer of any form."""
    if question.form == "order" and isinstance(value, tuple):
        return " → ".join(_format_options(question, value, words))
    if question.form == "several" and isinstance(value, frozenset):
        chosen = [option.id for option in question.options if option.id in value]
        return words.text("figures.semicolon").join(_format_options(question, chosen, words)) or words.text(
            "report.none"
        )
    return format_value(question, value, words)


def _format_options(question: QuizQuestion, ids: Sequence[str], words: Translations) -> list[str]:
    by_id = {option.id: option for option in question.options}
    return [format_option(by_id[option_id], words) for option_id in ids]
