"""The chapter's question about B's fifth token. The right option is fixed here; the feedback reads the run.

tests/quiz/test_quiz_key.py proves the right option on the engine: `can_append` changes nothing, `may_append` takes the
head of the queue, and no block moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from lab.activities.attempt import Attempt
from lab.activities.question import Question, Value, build_options, grade_option
from lab.activities.record import CHAPTER
from lab.trace.events import AppendChecked, BlockTaken, KVWritten, TokenAppended
from lab.trace.operations import Append
from lab.trace.presets import PLAN, build_task_config
from lab.trace.timeline import Step, Timeline
from lessons.activity.report_row import ReportRow
from lessons.state import notes, record
from lessons.text.translations import Translations
from lessons.widgets import cards
from lessons.widgets.after_page import announce
from lessons.widgets.question_form import Field, ask_at_once

RIGHT = "decide"
_IDEAS = {"reserve": "slip_check_reserves", "neighbour": "ids_consecutive", RIGHT: "", "move": "slip_moves"}
QUESTION = Question("quiz", "choice", options=build_options(_IDEAS, **_IDEAS))
OPTIONS = tuple(_IDEAS)


@dataclass(frozen=True)
class FifthToken:
    """The step in which B's first appended token begins a new logical page."""

    block_size: int
    appended: TokenAppended
    checked: AppendChecked
    taken: BlockTaken
    written: KVWritten
    before: tuple[int, ...]
    after: tuple[int, ...]

    @classmethod
    def from_steps(cls, steps: Sequence[Step]) -> FifthToken | None:
        """Return the first append to B that took a block, or None."""
        for step in steps:
            by_type = {type(event): event for event in step.events}
            old, new = step.before.sequence("B"), step.after.sequence("B")
            if step.operation != Append("B") or BlockTaken not in by_type or old is None or new is None:
                continue
            appended, checked = by_type[TokenAppended], by_type[AppendChecked]
            taken, written = by_type[BlockTaken], by_type[KVWritten]
            if (
                isinstance(appended, TokenAppended)
                and isinstance(checked, AppendChecked)
                and isinstance(taken, BlockTaken)
                and isinstance(written, KVWritten)
            ):
                return cls(step.after.block_size, appended, checked, taken, written, old.block_table, new.block_table)
        return None

    @classmethod
    def of_default_task(cls) -> FifthToken:
        """Return that step of the default task's plan."""
        fifth = cls.from_steps(Timeline.replay(build_task_config(), PLAN).steps)
        assert fifth is not None
        return fifth

    def numbers(self) -> dict[str, object]:
        """Return the values for the translations."""
        return {
            "block_size": self.block_size,
            "len_before": self.appended.len_before,
            "len_after": self.appended.len_after,
            "b_tokens": self.appended.len_after,
            "page_slots": self.block_size,
            "needs": self.checked.needs,
            "free": self.checked.free,
            "block": self.taken.block_id,
            "slot": ", ".join(map(str, self.written.slots)),
            "before": ", ".join(map(str, self.before)),
            "after": ", ".join(map(str, self.after)),
        }


def ask_chapter_question(fifth: FifthToken, words: Translations) -> None:
    """Draw four options with feedback from the run. The learner can try until the answer is right."""
    cards.draw_heading(3, words.text("explain.quiz_title"))
    tried = get_tries()
    if notes.get_field("quiz") is None and tried and tried[-1] in OPTIONS:
        notes.set_field("quiz", tried[-1])  # the field is new, or empty after another part was in view
    label = words.text("explain.quiz_ask", **fifth.numbers())
    field = Field(QUESTION, "quiz", label, lambda option: words.text(f"explain.quiz.{option}"))
    ask_at_once(field, _save, words)
    chosen = notes.get_field("quiz")
    if chosen is None:
        return
    feedback = words.text(f"explain.quiz_why.{chosen}", **fifth.numbers())
    if chosen == RIGHT:
        st.success(feedback, icon=":material/check:")
        announce(feedback)
    else:
        st.warning(f"{feedback} {words.text('explain.quiz_again')}", icon=":material/info:")


def get_tries() -> list[object]:
    """The options that this browser's learner has tried, in order. Untrusted."""
    return list(record.read().get_beside(CHAPTER).values())


def _save(chosen: Value) -> None:
    record.add_beside(CHAPTER, f"try.{len(get_tries())}", str(chosen))


def build_rows(_attempt: Attempt, given: Mapping[str, object], words: Translations) -> Iterator[ReportRow]:
    """Yield a report row for each try, asked with the numbers of the default task."""
    fifth = FifthToken.of_default_task()
    for option in given.values():
        if option in OPTIONS:
            yield ReportRow.of(
                "chapter.check_first",
                words.text("report.part.chapter"),
                words.text("explain.quiz_ask", **fifth.numbers()),
                given=option,
                grade=grade_option(QUESTION, str(option), RIGHT),
                format_value=lambda each: words.text(f"explain.quiz.{each}"),
                why=partial(words.text, f"explain.quiz_why.{option}", **fifth.numbers()),
            )
