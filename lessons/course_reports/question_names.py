"""A report's question from its id, in the page's language: a short name, and the question with example numbers.

Students met their own numbers: other seeds, other picked tokens. An id that this lab does not know is its own name.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from lab.activities.cases import CASES
from lab.activities.cases.task import RESIZED, TASK, TASKS
from lab.engine.errors import LabError
from lab.quiz.generate import KINDS, generate
from lab.quiz.words import ask, format_kind
from lessons.activity.prediction_form import collect_setting
from lessons.intuition.questions import format_values
from lessons.memory.prediction_form import NUMBERS
from lessons.task.chapter_question import FifthToken
from lessons.task.word_question import run_early_release
from lessons.text.translations import Translations
from lessons.votable.find import find_votable

_TASKS = {"task": TASKS[TASK], "eight": TASKS[RESIZED]}
_EXAMPLE_SEED = 1


def describe_question(part: str, question_id: str, words: Translations) -> tuple[str, str]:
    """The name and the text of a question in that part of the report; the text is empty if none is known."""
    first = question_id.partition(".")[0]
    describe = _describe_class if part == "class" else _PARTS.get(first, _describe_case)
    with suppress(KeyError, IndexError, LabError):  # an edited file
        return describe(question_id, words)
    return question_id, ""


def _describe_class(question_id: str, words: Translations) -> tuple[str, str]:
    votable = find_votable(question_id)
    return votable.name(words), words.text("figures.gap").join([*votable.describe(words), votable.ask(words)])


def _describe_case(question_id: str, words: Translations) -> tuple[str, str]:
    lesson, case_id, question = question_id.split(".", 2) if question_id.count(".") == 2 else ("", "", "")
    case = CASES[case_id]
    values = collect_setting(case.config, case, case.last_pick, words)
    where = words.text(f"{lesson}.case.{case_id}.name")
    name = words.text(f"{lesson}.short.{question}", **values)
    return f"{where} · {name}", words.text(f"{lesson}.question.{question}", **values)


def _describe_task(question_id: str, words: Translations) -> tuple[str, str]:
    part, question = question_id.split(".", 1)
    if question == "sentence":
        fifth = FifthToken.of_default_task()
        return words.text("explain.sentence_title"), words.text(
            "explain.sentence_ask", b_tokens=fifth.appended.len_after
        )
    case = _TASKS[part]
    values = collect_setting(case.config, case, None, words)
    return words.text(f"task.short.{question}", **values), words.text(f"task.question.{question}", **values)


def _describe_intuition(question_id: str, words: Translations) -> tuple[str, str]:
    question = question_id.split(".", 1)[1]
    values = format_values(words)
    return words.text(f"intuition.short.{question}"), words.text(f"intuition.question.{question}", **values)


def _describe_quiz(question_id: str, words: Translations) -> tuple[str, str]:
    kind = question_id.split(".", 1)[1]
    if kind not in KINDS:
        raise KeyError(kind)
    return format_kind(kind, words), ask(generate(kind, _EXAMPLE_SEED, 4, "easy"), words)


def _describe_check(question_id: str, words: Translations) -> tuple[str, str]:
    text = words.text(f"task.check.{question_id.split('.', 1)[1]}", seq_id="A")
    return text, ""


def _describe_chapter(question_id: str, words: Translations) -> tuple[str, str]:
    if question_id == "chapter.early_word":
        seq_id = run_early_release().read.seq_id
        return words.text("explain.word_title"), words.text("explain.word_ask", seq_id=seq_id)
    if question_id != "chapter.check_first":
        raise KeyError(question_id)
    return words.text("explain.quiz_title"), words.text("explain.quiz_ask", **FifthToken.of_default_task().numbers())


def _describe_memory(question_id: str, words: Translations) -> tuple[str, str]:
    question = question_id.split(".", 1)[1]
    return words.text(f"memory.short.{question}", **NUMBERS), words.text(f"memory.question.{question}", **NUMBERS)


_PARTS: dict[str, Callable[[str, Translations], tuple[str, str]]] = {
    "task": _describe_task,
    "eight": _describe_task,
    "intuition": _describe_intuition,
    "quiz": _describe_quiz,
    "check": _describe_check,
    "chapter": _describe_chapter,
    "memory": _describe_memory,
}
