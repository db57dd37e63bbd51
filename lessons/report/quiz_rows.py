"""The report's rows on quiz rounds: drawn again from their texts, answered by fresh runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lab.activities.replayed_attempts import Mark
from lab.quiz.question import Question, Value
from lab.quiz.round import Round, turns
from lab.quiz.round_link import round_text
from lab.quiz.words import ask, difficulty_name, feedback, idea_name, option_text
from lab.quiz.words import scene as scene_said
from lessons.quiz.attempt import ROUND
from lessons.quiz.feedback import said_value
from lessons.quiz.record import Sure
from lessons.report.row import Row, compared
from lessons.text.translations import WordsOf


def round_rows(played: Round, sure: Sequence[Sure | None], mark: Mark, words: WordsOf) -> Iterator[Row]:
    """Every answered question of the round."""
    difficulty = difficulty_name(played.difficulty, words)
    title = words.text("report.round", block_size=played.block_size, difficulty=difficulty, seed=played.seed)
    for turn, given, level in zip(turns(played), played.answers, sure, strict=False):
        if turn.result is None:
            continue
        question = turn.question
        yield Row(
            "quiz",
            title,
            words.text("figures.gap").join([*scene_said(question, words), ask(question, words)]),
            value_said(question, given, words),
            value_said(question, question.answer, words),
            compared(turn.result.right),
            level or "",
            mark,
            idea_name(turn.result.idea, words) if turn.result.idea else "",
            f"/quiz?{ROUND}={round_text(played)}",
            why="" if turn.result.right else words.text("figures.gap").join(feedback(question, turn.result, words)),
        )


def value_said(question: Question, value: Value, words: WordsOf) -> str:
    """An answer of any form as words."""
    if question.form == "order" and isinstance(value, tuple):
        return " → ".join(_options(question, value, words))
    if question.form == "several" and isinstance(value, frozenset):
        chosen = [option.id for option in question.options if option.id in value]
        return words.text("figures.semicolon").join(_options(question, chosen, words)) or words.text("report.none")
    return said_value(question, value, words)


def _options(question: Question, ids: Sequence[str], words: WordsOf) -> list[str]:
    by_id = {option.id: option for option in question.options}
    return [option_text(by_id[option_id], words) for option_id in ids]
