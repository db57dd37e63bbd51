"""Report rows for the work around the task: the chapter question, retry questions and what the learner wrote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from lab.activities.cases import CASES
from lab.activities.diagnosis import diagnose_one
from lab.activities.free_text import INGREDIENTS, read_explanation
from lab.activities.question import BY_ID
from lab.activities.replayed_attempts import ReplayedAttempt, compare_answers
from lab.activities.retry import build_retry
from lab.activities.run import Run
from lab.trace.presets import PLAN, build_task_config
from lab.trace.timeline import Timeline
from lessons.activity.prediction_form import format_answer
from lessons.activity.retry import get_answers
from lessons.report.row import ReportRow, format_yes_no
from lessons.report.run_rows import build_question_id, describe_scene, get_track
from lessons.task.chapter_question import QUESTION, RIGHT, FifthToken
from lessons.task.word_question import get_early_word, run_early_release
from lessons.text.sentences import format_diagnosis, format_list
from lessons.text.translations import Translations


def build_chapter_rows(tried: Iterable[object], words: Translations) -> Iterator[ReportRow]:
    """Yield a row for each try at the chapter question, asked with the numbers of the default task."""
    fifth = FifthToken.from_steps(Timeline.replay(build_task_config(), PLAN).steps)
    if fifth is None:
        return
    for option in tried:
        if (chosen := QUESTION.option(option)) is not None:
            yield ReportRow(
                part="chapter",
                question_id="chapter.check_first",
                attempt=words.text("report.part.chapter"),
                question=words.text("explain.quiz_ask", **fifth.numbers()),
                predicted=words.text(f"explain.quiz.{option}"),
                engine=words.text(f"explain.quiz.{RIGHT}"),
                right=format_yes_no(option == RIGHT),
                idea_id=chosen.idea,
                why="" if option == RIGHT else words.text(f"explain.quiz_why.{option}", **fifth.numbers()),
            )


def build_word_rows(words: Translations) -> Iterator[ReportRow]:
    """Yield the row of the question about the word after an early release, once it is answered."""
    chosen = get_early_word()
    if chosen is None:
        return
    early = run_early_release()
    right = chosen == early.answer
    yield ReportRow(
        part="chapter",
        question_id="chapter.early_word",
        attempt=words.text("explain.word_title"),
        question=words.text("explain.word_ask", seq_id=early.read.seq_id),
        predicted=words.word(int(chosen)),
        engine=words.word(int(early.answer)),
        right=format_yes_no(right),
        why="" if right else words.text("explain.word_why", difference=f"{early.read.error:.3g}"),
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
                part="again",
                question_id=build_question_id(attempt.run, question.id),
                attempt=words.text(
                    "explain.again_scene",
                    block_size=again.block_size,
                    queue=" ".join(map(str, again.free_block_ids)),
                    a_tokens=again.a_tokens,
                    b_tokens=again.b_tokens,
                ),
                question=words.text(f"explain.again_question.{question.id}"),
                predicted=format_answer(question, words, "task", given),
                engine=format_answer(question, words, "task", again.outcome.value),
                right=format_yes_no(found.right),
                mark=attempt.mark,
                idea_id=found.idea,
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
            yield _build_text_row(build_question_id(run, "why"), describe_scene(run, words), ask, text)
        elif name == "intuition":
            yield _build_text_row("intuition.why", words.text("intuition.title"), words.text("intuition.ask"), text)
    if explanation.strip():
        fifth = FifthToken.from_steps(Timeline.replay(build_task_config(), PLAN).steps)
        reading = read_explanation(explanation)
        found = [words.text(f"explain.ingredient.{name}") for name in INGREDIENTS if name in reading.found]
        ask = words.text("explain.sentence_ask", b_tokens=fifth.appended.len_after if fifth else "")
        yield replace(
            _build_text_row("task.sentence", words.text("explain.sentence_title"), ask, explanation),
            engine=words.text("report.ingredients", found=format_list(found, words) or words.text("report.none")),
            idea_id="check_allocates" if reading.roles_swapped else "",
            why=words.text("explain.swapped") if reading.roles_swapped else "",
        )


def _build_text_row(question_id: str, attempt: str, question: str, text: str) -> ReportRow:
    return ReportRow(
        part="words", question_id=question_id, attempt=attempt, question=question, predicted=text, written=True
    )
