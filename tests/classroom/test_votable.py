"""Every question that a class can be asked: its texts in both languages, its answers through the store and back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lab.engine.errors import InvalidAnswerError, InvalidLinkError
from lab.quiz.generate import KINDS, generate
from lab.quiz.words import format_idea
from lab.sandbox.key_questions import REFUSED, build_key_question
from lab.sandbox.library import LIBRARY, find_prepared, list_prompts
from lab.sandbox.log import Group
from lab.sandbox.script import AuthorPrompt, Script
from lab.trace.events import BlockFreed
from lab.trace.operations import Allocate, Release
from lab.trace.timeline import Timeline
from lessons.text.scenario_words import ScenarioWords
from lessons.text.sentences import format_list, format_operation
from lessons.text.translations import Language, get_translations
from lessons.votable.find import find_votable, list_prepared
from lessons.votable.key_step import find_question
from lessons.votable.quiz import QuizVotable
from tests.sample import every_language
from tests.sandbox.sandbox_page import scenario

SPECS = [
    *list_prepared("course"),
    *list_prepared("library"),
    *(QuizVotable(generate(kind, 5, 4, "hard")).spec for kind in KINDS),
]


@every_language
def test_every_question_can_be_asked_answered_and_explained(language: Language) -> None:
    words = get_translations(language)
    for spec in SPECS:
        votable = find_votable(spec)
        assert votable.spec == spec
        assert all((votable.name(words), votable.describe(words) or True, votable.ask(words)))
        before = votable.draw_before(words, 4)
        seen = [*votable.describe(words), votable.ask(words), before.sentence if before else ""]
        assert votable.explain(votable.get_answer(), words) not in "\n".join(seen)
        assert votable.draw_after(words, 4)
        assert all(votable.format_choice(str(choice), words) for choice in votable.question.choices)
        answer = votable.get_answer()
        assert votable.decode(votable.encode(answer)) == answer
        assert votable.grade(answer).right
        assert votable.explain(answer, words)
        for _, wrong in votable.list_wrong():
            graded = votable.grade(votable.decode(votable.encode(wrong)))
            assert not graded.right, spec
            assert votable.explain(wrong, words)
            assert votable.format_value(wrong, words)
            if graded.idea:
                assert format_idea(graded.idea, words)


@every_language
def test_one_block_that_joins_the_queue_has_no_order(language: Language) -> None:
    words, met = get_translations(language), set()
    for votable in map(find_votable, list_prepared("library")):
        for option in votable.question.options:
            if option.text == "ids" and getattr(votable.question, "about", "") == "joined":
                ids = option.numbers["ids"]
                assert isinstance(ids, tuple)
                name, listed = "joined_ids_one" if len(ids) == 1 else "joined_ids", format_list(map(str, ids), words)
                assert votable.format_choice(option.id, words) == words.text(f"classroom.key_option.{name}", ids=listed)
                met.add(name)
    assert met == {"joined_ids", "joined_ids_one"}


def test_a_cell_that_is_the_answer_can_be_tapped() -> None:
    """Each cell that an answer may name is a target in the picture on the phone, and marked once it is chosen."""
    words, tapped = get_translations("en"), set()
    for votable in map(find_votable, SPECS):
        cell, answer = votable.question.cell, votable.get_answer()
        cells = answer if isinstance(answer, frozenset) else {answer}
        marked = frozenset(each for each in cells if isinstance(each, int))
        picture = votable.draw_before(words, 4, marked) if cell else None
        if picture is not None:
            tapped.add(cell)
            targets = str(picture.spec)
            assert all(f"'{cell}:{each}'" in targets for each in marked), votable.spec
    assert tapped == {"slot", "block"}


@pytest.mark.parametrize("text", ["", "x", "1" * 900, "-1", "999999", "e-e", "refused'", "٣"])
def test_an_answer_that_nobody_can_give_is_refused(text: str) -> None:
    for spec in SPECS:
        votable = find_votable(spec)
        try:
            assert votable.encode(votable.decode(text)) == text
        except InvalidAnswerError:
            continue


NONE = ("", "quiz.", "predict.P.none", "predict.Q.blocks", "library.shared.9", "library.shared.x")


@pytest.mark.parametrize("spec", NONE)
def test_what_produces_no_question_is_refused(spec: str) -> None:
    with pytest.raises(InvalidLinkError):
        find_votable(spec)


def test_a_key_step_is_bound_to_what_the_engine_does() -> None:
    """Against a fresh run: a table, the blocks that join, or a refusal."""
    for prepared in LIBRARY.values():
        for prompt in list_prompts(prepared):
            asked = build_key_question(prompt)
            assert asked is not None
            step = Timeline.replay(asked.config, asked.operations).steps[-1]
            ids = asked.option(asked.answer).numbers["ids"]  # type: ignore[union-attr]
            if step.refusal is not None and asked.about != "check":
                assert asked.answer == REFUSED
            elif isinstance(step.operation, Allocate):
                assert ids == step.after.sequence(step.operation.seq_id).block_table  # type: ignore[union-attr]
            elif isinstance(step.operation, Release):
                assert ids == tuple(event.block_id for event in step.events if isinstance(event, BlockFreed))
            assert len({*asked.choices}) == len(asked.options) >= 2


def test_what_was_done_before_a_longer_step_is_nothing_of_it() -> None:
    """How many operations it unfolds into would tell whether one of them is refused."""
    asks = Script(prompts=(AuthorPrompt(6, "refused"),))
    made = replace(scenario("aA aB tA tB tA tB"), groups=(Group("decode", 3, 4, 2),), script=asks)
    prepared = find_prepared(made)
    assert prepared is not None
    votable, words = find_question(list_prompts(prepared)[0]), ScenarioWords("en", made)
    assert votable is not None
    done = format_list((format_operation(each, words) for each in made.operations[:2]), words)
    assert votable.describe(words) == [words.text("classroom.done_before", operations=done)]
