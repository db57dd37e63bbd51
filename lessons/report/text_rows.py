"""Report rows for the work around the task: the chapter question, retry questions and what the learner wrote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from lab.activities.attempt import Run
from lab.activities.cases import CASES
from lab.activities.diagnosis import diagnose_one
from lab.activities.free_text import INGREDIENTS, read_explanation
from lab.activities.question import BY_ID
from lab.activities.replayed_attempts import ReplayedAttempt, compare_answers
from lab.activities.retry import build_retry
from lab.trace.presets import PLAN, build_task_config
from lab.trace.timeline import Timeline
from lessons.activity.prediction_form import format_answer
from lessons.activity.retry import get_answers
from lessons.report.row import ReportRow, compare
from lessons.report.run_rows import describe_scene, get_track
from lessons.task.chapter_question import OPTIONS, RIGHT, FifthToken
from lessons.text.sentences import format_diagnosis, format_list
from lessons.text.translations import Translations


def build_chapter_rows(tried: Iterable[object], words: Translations) -> Iterator[ReportRow]:
    """Yield a row for each try at the chapter question, asked with the numbers of the default task."""
    fifth = FifthToken.from_steps(Timeline.replay(build_task_config(), PLAN).steps)
    if fifth is None:
        return
    for option in tried:
        if option in OPTIONS:
            yield ReportRow(
                "chapter",
                words.text("report.part.chapter"),
                words.text("explain.quiz_ask", **fifth.numbers()),
                words.text(f"explain.quiz.{option}"),
                words.text(f"explain.quiz.{RIGHT}"),
                compare(option == RIGHT),
                why="" if option == RIGHT else words.text(f"explain.quiz_why.{option}", **fifth.numbers()),
            )


def build_retry_rows(attempt: ReplayedAttempt, words: Translations) -> Iterator[ReportRow]:
    """Yield a row for each retry question that followed this attempt."""
    for answer in compare_answers(attempt.run):
        question = answer.question
        if answer.diagnosis is None or question.id not in BY_ID:
            continue
        position = list(BY_ID).index(question.id)
        for turn, given in enumerate(get_answers(attempt.run, question)):
            again = build_retry(question.id, answer.diagnosis.value, turn + position)
            found = diagnose_one(question, given, again.outcome, again.seen)
            yield ReportRow(
                "again",
                words.text(
                    "explain.again_scene",
                    block_size=again.block_size,
                    queue=" ".join(map(str, again.free_block_ids)),
                    a_tokens=again.a_tokens,
                    b_tokens=again.b_tokens,
                ),
                words.text(f"explain.again_question.{question.id}"),
                format_answer(question, words, "task", given),
                format_answer(question, words, "task", again.outcome.value),
                compare(found.right),
                mark=attempt.mark,
                idea=words.text(f"explain.idea.{found.idea}") if found.idea else "",
                why="" if found.right else format_diagnosis(found, words),
            )


def build_text_rows(explanation: str, explanations: Mapping[str, str], words: Translations) -> Iterator[ReportRow]:
    """Yield what the learner wrote about each case, then the task's sentence with the ingredients found in it."""
    for name, text in explanations.items():
        if not text.strip():
            continue
        if name in CASES:
            run = Run.of(CASES[name])
            ask = words.text(f"{get_track(run).lesson}.case.{name}.ask")
            yield ReportRow("words", describe_scene(run, words), ask, text, written=True)
        elif name == "intuition":
            yield ReportRow("words", words.text("intuition.title"), words.text("intuition.ask"), text, written=True)
    if explanation.strip():
        fifth = FifthToken.from_steps(Timeline.replay(build_task_config(), PLAN).steps)
        reading = read_explanation(explanation)
        found = [words.text(f"explain.ingredient.{name}") for name in INGREDIENTS if name in reading.found]
        yield ReportRow(
            "words",
            words.text("explain.sentence_title"),
            words.text("explain.sentence_ask", b_tokens=fifth.appended.len_after if fifth else ""),
            explanation,
            words.text("report.ingredients", found=format_list(found, words) or words.text("report.none")),
            idea=words.text("explain.swapped") if reading.roles_swapped else "",
            written=True,
        )
