"""Report rows for quiz rounds: questions are generated again from the saved text, and fresh runs answer them."""

from __future__ import annotations

from collections.abc import Iterator

from lab.activities.attempt import Attempt, encode
from lab.activities.replayed_attempts import Mark
from lab.quiz.concepts import get_base_kind
from lab.quiz.round import play_turns
from lab.quiz.round_link import read_attempt
from lab.quiz.words import ask, format_difficulty, format_feedback
from lab.quiz.words import describe_scene as scene_said
from lessons.quiz.attempt import ROUND
from lessons.report.row import ReportRow, format_yes_no
from lessons.text.quiz_values import format_any_value
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
