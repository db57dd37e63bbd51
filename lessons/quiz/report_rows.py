"""Report rows for a round: its questions are generated again, and fresh runs answer them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from lab.activities.attempt import Attempt
from lab.activities.question import Grade
from lab.quiz.concepts import get_base_kind
from lab.quiz.question import QuizQuestion
from lab.quiz.round import Round, play_turns
from lab.quiz.words import ask, describe_scene, format_difficulty, format_feedback, format_option
from lessons.activity.report_row import ReportRow, build_address
from lessons.quiz.attempt import ROUND, SLOT
from lessons.text.quiz_values import format_any_value
from lessons.text.translations import Translations


def build_rows(attempt: Attempt, words: Translations) -> Iterator[ReportRow]:
    """Yield a row for each answered question. Raises LabError if the attempt is no round."""
    played, gap = Round.read(attempt), words.text("figures.gap")
    difficulty = format_difficulty(played.difficulty, words)
    title = words.text("report.round", block_size=played.block_size, difficulty=difficulty, seed=played.seed)
    for turn, answer in zip(play_turns(played), played.answers, strict=False):
        question, grade = turn.question, turn.result
        if grade is not None:
            yield ReportRow.of(
                f"quiz.{get_base_kind(question.name.kind)}",
                title,
                gap.join([*describe_scene(question, words), ask(question, words)]),
                given=grade.answer,
                grade=grade,
                format_value=partial(format_any_value, question, words=words),
                why=partial(_explain, question, grade, words),
                sure=answer.sure,
                state=build_address(ROUND, SLOT, attempt),
            )


def _explain(question: QuizQuestion, grade: Grade, words: Translations) -> str:
    """What is true instead; of several statements, for each that was judged wrongly, with the statement."""
    texts = format_feedback(question, grade, words)
    if grade.verdicts:
        texts = [
            words.text("report.statement", statement=format_option(option, words), text=text)
            for verdict, text in zip(grade.verdicts, texts, strict=True)
            if verdict.chosen != verdict.true and (option := question.option(verdict.option_id))
        ]
    return words.text("figures.gap").join(texts)
