"""One prediction about the model's word: what does B say if a block that it shares with A is given away too early?

The scenario is the one of the idea "released at first"; both words are read from its two runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial

import streamlit as st

from lab.activities.attempt import Attempt
from lab.activities.question import Option, Question, Value, grade_option
from lab.misconceptions.play import RunComparison
from lab.misconceptions.reading import Read
from lab.misconceptions.scenarios import get_scenario
from lab.misconceptions.telling import play_what_if
from lab.trace.vocabulary import find_word
from lessons.activity.next_words import format_word
from lessons.activity.report_row import ReportRow
from lessons.activity.what_if import offer_what_if
from lessons.activity.what_if_words import describe_words
from lessons.state import record
from lessons.text.translations import Translations
from lessons.widgets import cards
from lessons.widgets.after_page import announce
from lessons.widgets.question_form import Field, ask_at_once

IDEA = "released_at_first"
WORD = Attempt("word")  # the answer is kept beside it
_QUESTION_ID = "early"
_OTHERS = ("milk", "nothing")  # another object in B's prompt, and what the model says of a name without one


@dataclass(frozen=True)
class EarlyRelease:
    """The two runs, and the request whose word is another one. The options are words by their numbers."""

    comparison: RunComparison
    read: Read
    question: Question

    @property
    def answer(self) -> str:
        """The id of the word that was said."""
        return str(self.read.said.number)


@cache
def run_early_release() -> EarlyRelease:
    """Run the scenario on both engines, once per process."""
    comparison = play_what_if(IDEA, *get_scenario(IDEA)).comparison
    read = next(read for read in comparison.reads if read.says_wrong and not read.said.reason)
    numbers = {read.expected.number, read.said.number, *(find_word(word) for word in _OTHERS)}
    options = tuple(Option(str(number)) for number in sorted(each for each in numbers if each is not None))
    return EarlyRelease(comparison, read, Question("early_word", "choice", options=options))


def ask_early_word(words: Translations) -> None:
    """Draw the scenario and the question; once it is answered, both words and how far the numbers are apart."""
    early = run_early_release()
    config, _ = get_scenario(IDEA)
    cards.draw_heading(3, words.text("explain.word_title"))
    st.markdown(words.text("explain.word_lead"))
    lines = (
        words.text(
            "my_way.prompt",
            seq_id=request.seq_id,
            tokens=" ".join(f"`{words.token(token_id)}`" for token_id in request.prompt),
        )
        for request in config.requests
    )
    st.markdown("  \n".join(lines))
    answer = get_early_word()
    if answer is None:
        label = words.text("explain.word_ask", seq_id=early.read.seq_id)
        field = Field(early.question, "check.early_word", label, lambda option: words.word(int(option)))
        ask_at_once(field, _save, words)
        return
    right = answer == early.answer
    key = "explain.word_right" if right else "explain.word_wrong"
    verdict = words.text(key, chosen=words.word(int(answer)), said=format_word(early.read.said, words))
    (st.success if right else st.warning)(verdict)
    announce(verdict)
    told = next(line for line in describe_words(early.comparison, words) if f"**{early.read.seq_id}**" in line)
    st.markdown(f"{told}  \n{words.text('explain.word_why', difference=f'{early.read.error:.3g}')}")
    offer_what_if(IDEA, *get_scenario(IDEA), words, key="early_word")


def get_early_word() -> str | None:
    """The word that this browser's learner chose, by its number; None before."""
    chosen = record.read().get_beside(WORD).get(_QUESTION_ID)
    option = run_early_release().question.option(chosen)
    return option.id if option else None


def _save(chosen: Value) -> None:
    record.add_beside(WORD, _QUESTION_ID, str(chosen))


def build_rows(_attempt: Attempt, given: Mapping[str, object], words: Translations) -> Iterator[ReportRow]:
    """Yield the report's row, once the question is answered."""
    early = run_early_release()
    if (option := early.question.option(given.get(_QUESTION_ID))) is not None:
        yield ReportRow.of(
            "chapter.early_word",
            words.text("explain.word_title"),
            words.text("explain.word_ask", seq_id=early.read.seq_id),
            given=option.id,
            grade=grade_option(early.question, option.id, early.answer),
            format_value=lambda each: words.word(int(each)),
            why=partial(words.text, "explain.word_why", difference=f"{early.read.error:.3g}"),
        )
