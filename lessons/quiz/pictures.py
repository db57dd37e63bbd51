"""Pictures for a quiz question: the pool before the last operation, with cells to mark, and the pool after the run."""

from __future__ import annotations

from lab.activities.question import Value
from lab.figures.fragmentation import draw_fragmentation
from lab.figures.memory.fitting import fit_blocks_a_row
from lab.figures.memory.marks import Answered, AnswerMark, Mark
from lab.figures.memory.memory_picture import draw_memory
from lab.quiz.question import QuizQuestion
from lab.quiz.view import view_after, view_before, view_before_last, view_other_block_size
from lab.trace.snapshot import Snapshot, compare_snapshots
from lessons.activity.flow import wait_for_engine
from lessons.activity.slot_marks import build_slot_marks
from lessons.quiz import form
from lessons.quiz.attempt import QuizAttempt
from lessons.state import viewport
from lessons.text.translations import Translations
from lessons.widgets.picture_panel import draw_picture_panel

KEY = "quiz_memory"
NARROW = 4  # blocks per row on a phone or beside text, see viewport.get_columns


def draw_before(attempt: QuizAttempt, words: Translations) -> None:
    """Draw the pool before the operation in question, if it helps. Cells are clickable if they are asked for."""
    question = attempt.question
    seen = view_before(question) if question else None
    if question is None or seen is None:
        return
    wait_for_engine(words)
    answered = None
    if question.form == "set":
        cells = form.get_marked_cells(attempt)
        answered = Answered(question.cell, dict.fromkeys(sorted(cells), "chosen"))
    columns = viewport.get_columns()
    if answered and answered.of == "slot" and columns == NARROW:
        columns = fit_blocks_a_row(seen.state, words, columns)
    picture = draw_memory(
        seen.state,
        words,
        columns=columns,
        clickable=(question.cell,) if answered else (),
        answered=answered,
    )
    title = words.text("quiz_page.before_last" if seen.steps else "quiz_page.before_start")
    on_click = form.toggle if answered else None
    draw_picture_panel(picture, KEY, words, title=title, measures=True, on_click=on_click)


def draw_after(question: QuizQuestion, value: Value, words: Translations) -> None:
    """Draw the end of the run with both answers marked, or both runs if two sizes are compared."""
    wait_for_engine(words)
    other, state_after = view_other_block_size(question), view_after(question).state
    if other is not None:
        for number, each in enumerate((state_after, other)):
            picture = draw_fragmentation(each, words, columns=viewport.get_columns())
            title = words.text("quiz_page.after_size", block_size=each.block_size)
            draw_picture_panel(picture, f"quiz_waste_{number}", words, title=title, measures=True)
        return
    earlier = view_before_last(question)
    picture = draw_memory(
        state_after,
        words,
        changed=compare_snapshots(earlier, state_after) if earlier else None,
        columns=viewport.get_columns(),
        clickable=(),
        marks=_build_slot_marks(question, value, state_after),
        answered=_compare_cells(question, value),
    )
    draw_picture_panel(picture, KEY, words, title=words.text("quiz_page.after"), measures=True)


def _build_slot_marks(question: QuizQuestion, value: Value, snapshot: Snapshot) -> dict[int, Mark] | None:
    """Mark the answered slot and the right one; None if the question does not ask for a token's slot."""
    answer = question.answer
    if question.name.kind != "slot" or not isinstance(answer, int):
        return None
    return build_slot_marks(
        value if isinstance(value, int) else None, answer, snapshot.num_blocks * snapshot.block_size
    )


def _compare_cells(question: QuizQuestion, value: Value) -> Answered | None:
    """Compare the answered cells with the run's; None if the question does not ask for cells."""
    if question.form != "set" or not isinstance(value, frozenset) or not isinstance(question.answer, frozenset):
        return None
    marks: dict[int, AnswerMark] = {}
    for cell in sorted(each for each in value | question.answer if isinstance(each, int)):
        marks[cell] = "right" if cell in value & question.answer else "extra" if cell in value else "missed"
    return Answered(question.cell, marks)
