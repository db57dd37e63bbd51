"""Report rows for quiz rounds: questions are generated again from the saved text, and fresh runs answer them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lab.activities.attempt import Attempt, encode
from lab.activities.question import Value
from lab.activities.replayed_attempts import Mark
from lab.quiz.concepts import get_base_kind
from lab.quiz.question import QuizQuestion
from lab.quiz.round import play_turns
from lab.quiz.round_link import read_attempt
from lab.quiz.words import ask, format_difficulty, format_feedback, format_option
from lab.quiz.words import describe_scene as scene_said
from lessons.quiz.attempt import ROUND
from lessons.quiz.feedback import format_value
from lessons.report.row import ReportRow, format_yes_no
from lessons.text.translations import Translations


def build_round_rows(attempt: Attempt, mark: Mark, words: Translations) -> Iterator[ReportRow]:
    """Yield a row for each answered question of the round. Raises InvalidLinkError if the attempt is no round."""
    played = read_attempt(attempt)
    difficulty = format_difficulty(played.difficulty, words)
    title = words.text("report.round", block_size=played.block_size, difficulty=difficulty, seed=played.seed)
    for turn, given, answer in zip(play_turns(played), played.answers, attempt.answers, strict=False):
        if turn.result is None:
            continue
        question = turn.question
        yield ReportRow(
            part="quiz",
            question_id=f"quiz.{get_base_kind(question.name.kind)}",
            attempt=title,
            question=words.text("figures.gap").join([*scene_said(question, words), ask(question, words)]),
            predicted=format_any_value(question, given, words),
            engine=format_any_value(question, question.answer, words),
            right=format_yes_no(turn.result.right),
            sure=answer.sure or "",
            mark=mark,
            idea_id=turn.result.idea,
            state=f"/quiz?{ROUND}={encode(attempt)}",
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
