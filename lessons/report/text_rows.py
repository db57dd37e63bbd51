"""The report's rows on what was written or answered around the task: the quiz of the chapter, once more, own words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from lab.activities.attempt import Run
from lab.activities.cases import CASES
from lab.activities.diagnosis import diagnose_one
from lab.activities.free_text import INGREDIENTS, read_explanation
from lab.activities.question import BY_ID
from lab.activities.replayed_attempts import Attempt, answers
from lab.activities.retry import ask_again
from lab.trace.presets import PLAN, task_config
from lab.trace.timeline import Timeline
from lessons.activity.prediction_form import said
from lessons.activity.retry import given_answers
from lessons.report.row import Row, compared
from lessons.report.run_rows import scene, track_of
from lessons.task.chapter_question import OPTIONS, RIGHT, FifthToken
from lessons.text.sentences import listed, why
from lessons.text.translations import WordsOf


def chapter_rows(tried: Iterable[object], words: WordsOf) -> Iterator[Row]:
    """Every try at the chapter's question, asked with the numbers of the default task."""
    fifth = FifthToken.from_steps(Timeline.replay(task_config(), PLAN).steps)
    if fifth is None:
        return
    for option in tried:
        if option in OPTIONS:
            yield Row(
                "chapter",
                words.text("report.part.chapter"),
                words.text("explain.quiz_ask", **fifth.numbers()),
                words.text(f"explain.quiz.{option}"),
                words.text(f"explain.quiz.{RIGHT}"),
                compared(option == RIGHT),
                why="" if option == RIGHT else words.text(f"explain.quiz_why.{option}", **fifth.numbers()),
            )


def again_rows(attempt: Attempt, words: WordsOf) -> Iterator[Row]:
    """What was asked once more with other numbers after this attempt."""
    for answer in answers(attempt.run):
        question = answer.question
        if answer.diagnosis is None or question.id not in BY_ID:
            continue
        place = list(BY_ID).index(question.id)
        for turn, given in enumerate(given_answers(attempt.run, question)):
            again = ask_again(question.id, answer.diagnosis.outcome.value, turn + place)
            found = diagnose_one(question, given, again.outcome, again.seen)
            yield Row(
                "again",
                words.text(
                    "explain.again_scene",
                    block_size=again.block_size,
                    queue=" ".join(map(str, again.free_block_ids)),
                    a_tokens=again.a_tokens,
                    b_tokens=again.b_tokens,
                ),
                words.text(f"explain.again_question.{question.id}"),
                said(question, words, "task", given),
                said(question, words, "task", again.outcome.value),
                compared(found.right),
                mark=attempt.mark,
                idea=words.text(f"explain.idea.{found.idea}") if found.idea else "",
                why="" if found.right else why(found, words),
            )


def word_rows(explanation: str, own: Mapping[str, str], words: WordsOf) -> Iterator[Row]:
    """What the learner wrote: about the cases, and the task's one sentence with the ingredients that rules read."""
    for name, text in own.items():
        if not text.strip():
            continue
        if name in CASES:
            run = Run.of(CASES[name])
            ask = words.text(f"{track_of(run).lesson}.case.{name}.ask")
            yield Row("words", scene(run, words), ask, text, written=True)
        elif name == "intuition":
            yield Row("words", words.text("intuition.title"), words.text("intuition.ask"), text, written=True)
    if explanation.strip():
        fifth = FifthToken.from_steps(Timeline.replay(task_config(), PLAN).steps)
        reading = read_explanation(explanation)
        found = [words.text(f"explain.ingredient.{name}") for name in INGREDIENTS if name in reading.found]
        yield Row(
            "words",
            words.text("explain.sentence_title"),
            words.text("explain.sentence_ask", b_tokens=fifth.appended.len_after if fifth else ""),
            explanation,
            words.text("report.ingredients", found=listed(found, words) or words.text("report.none")),
            idea=words.text("explain.swapped") if reading.roles_swapped else "",
            written=True,
        )
